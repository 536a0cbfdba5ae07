"""One attention layer that learns to answer questions, and what many trainings gave."""

from mhalib.training.adam import Diverged, Progress, Trained, one_thread, steps, train
from mhalib.training.layer import accuracy, forward, loss_and_gradients, weight_on_asked
from mhalib.training.settings import Settings, initial

__all__ = [
    "accuracy",
    "Diverged",
    "forward",
    "initial",
    "loss_and_gradients",
    "one_thread",
    "Progress",
    "Settings",
    "steps",
    "train",
    "Trained",
    "weight_on_asked",
]
