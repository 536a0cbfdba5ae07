"""One attention layer that learns to answer questions, and what many trainings gave."""

from mhalib.training.adam import Diverged, Progress, Trained, one_thread, steps, train
from mhalib.training.layer import Settings, accuracy, forward, initial, looks, loss_and_gradients

__all__ = [
    "accuracy",
    "Diverged",
    "forward",
    "initial",
    "looks",
    "loss_and_gradients",
    "one_thread",
    "Progress",
    "Settings",
    "steps",
    "train",
    "Trained",
]
