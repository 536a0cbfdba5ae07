"""Training a layer, a step at a time: batches, Adam (Kingma and Ba, 2015), what ends a run."""

from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from mhalib import inputs
from mhalib.training.layer import loss_and_gradients
from mhalib.training.settings import Settings, blocks, initial


class Progress(NamedTuple):
    """After a step: how many are done, the loss before it, the parameters after it."""

    step: int
    loss: float
    parameters: dict


class Trained(NamedTuple):
    """What training leaves; `stopped` says why it ended early, and is None if it did not."""

    settings: Settings
    parameters: dict
    losses: np.ndarray
    stopped: str | None


class Diverged(ArithmeticError):
    """The loss is no number any more; `parameters` are the last with which it was one."""

    def __init__(self, step, learning_rate, parameters):
        super().__init__(
            f"The loss of step {step} is no finite number with learning_rate = {learning_rate:g}; "
            "the weights before that are kept, and a smaller rate may train on."
        )
        self.parameters = parameters


def steps(settings, rng, n_steps=1500, learning_rate=3e-3, batch=128, parameters=None):
    """Train, a step each time one is asked for: yields a `Progress`. A step is a batch and Adam:

    ``m = .9 m + .1 g``, ``v = .999 v + .001 g^2``, ``theta -= rate m' / (sqrt(v') + 1e-8)`` with
    ``m' = m / (1 - .9^t)``, ``v' = v / (1 - .999^t)``.

    `parameters` to go on from are never changed; nor are those it yields. Raises `Diverged`, and
    ValueError or TypeError, in one sentence, for a negative count or rate.
    """
    inputs.whole_number(n_steps, "n_steps")
    inputs.number(learning_rate, "learning_rate")
    if n_steps < 0 or learning_rate <= 0:
        raise ValueError(
            "n_steps must not be negative and learning_rate must be above 0, but they are "
            f"{n_steps} and {learning_rate:g}."
        )
    parameters = initial(settings, rng) if parameters is None else parameters
    inputs.named_shapes(parameters, settings.shapes)
    theta, m, v, good = _in_one(parameters, settings), 0, 0, parameters
    for t in range(1, n_steps + 1):
        drawn = settings.draw(rng, batch)
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows ends the run
            try:
                loss, by_name = loss_and_gradients(parameters, settings, drawn)
            except ValueError:  # a logit beyond all floats
                raise Diverged(t, learning_rate, good) from None
            g = _in_one(by_name, settings)
            for heads in blocks(_by_name(g, settings), settings) if settings.equal_heads else ():
                heads[:] = heads.mean(axis=0)  # equal but for rounding, which would part them
            m = 0.9 * m + 0.1 * g
            v = 0.999 * v + 0.001 * g * g
            if not np.isfinite(loss + v.sum()):
                raise Diverged(t, learning_rate, good)
            size = np.sqrt(v / (1 - 0.999**t)) + 1e-8
            theta = theta - learning_rate / (1 - 0.9**t) * m / size
        good, parameters = parameters, _by_name(theta, settings)
        yield Progress(t, loss, parameters)


def train(
    settings, rng, n_steps=1500, learning_rate=3e-3, batch=128, parameters=None, callback=None
):
    """Take all `steps`, and call `callback` with the `Progress` after each. Returns `Trained`.

    An interrupt (the stop button of a cell) or a loss that is no number ends it early; what was
    trained so far is kept. Products so small are made by one thread: on a busy machine several,
    which wait for each other, took ten times as long.
    """
    parameters = initial(settings, rng) if parameters is None else parameters
    losses, stopped = [], None
    try:
        with one_thread():
            for progress in steps(settings, rng, n_steps, learning_rate, batch, parameters):
                parameters = progress.parameters
                losses.append(progress.loss)
                if callback:
                    callback(progress)
    except KeyboardInterrupt:
        stopped = f"Interrupted after {len(losses)} of {n_steps} steps."
    except Diverged as diverged:
        parameters, stopped = diverged.parameters, str(diverged)
    return Trained(settings, parameters, np.array(losses), stopped)


def one_thread():
    """Inside ``with one_thread():`` products of matrices are made by one thread."""
    return threadpool_limits(1, "blas")


def _in_one(by_name, settings):
    """All parameters, or their derivatives, in one vector."""
    return np.concatenate([by_name[name].ravel() for name in settings.shapes])


def _by_name(theta, settings):
    """All parameters, cut from one vector: views, no number is copied."""
    parameters, start = {}, 0
    for name, (rows, columns) in settings.shapes.items():
        parameters[name] = theta[start : start + rows * columns].reshape(rows, columns)
        start += rows * columns
    return parameters
