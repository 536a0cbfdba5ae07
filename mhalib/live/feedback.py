"""What a check says, and what all checks share: attempted, type, shape, value, in this order."""

from typing import NamedTuple

import numpy as np


class Feedback(NamedTuple):
    """Whether the exercise is solved, and one sentence about it."""

    solved: bool
    message: str

    def __repr__(self):
        return f"{'✓ ' if self.solved else ''}{self.message}"


NOT_ATTEMPTED = Feedback(False, "Not attempted yet: write your code in place of the dots.")


def array_of(value, name, shape, hints=None):
    """The learner's value as an array, or the Feedback that says what is wrong with it.

    `hints` maps a wrong shape to the sentence for the slip that gives it.
    """
    if value is None or value is Ellipsis:
        return NOT_ATTEMPTED
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return Feedback(False, f"{name} must be an array of numbers, not {type(value).__name__}.")
    if array.shape != shape:
        plain = f"{name} has shape {array.shape}; needed is {shape}."
        return Feedback(False, (hints or {}).get(array.shape, plain))
    return array


def run(function, name, shape, *arguments, hints=None):
    """The learner's result for copies of the arguments, or the Feedback for what went wrong."""
    copies = [np.array(a) if isinstance(a, np.ndarray) else a for a in arguments]
    with np.errstate(all="ignore"):
        try:
            result = function(*copies)
        except Exception as error:
            return Feedback(False, f"{name} stopped with {type(error).__name__}: {error}.")
    for copy, argument in zip(copies, arguments, strict=True):
        if isinstance(argument, np.ndarray) and not np.array_equal(copy, argument):
            return Feedback(False, f"{name} changed its input; make a new array instead.")
    return array_of(result, f"the result of {name}", shape, hints)


def compare(result, right, slips, name):
    """None if equal; else the message of the slip that gives this result, or the first error."""
    if np.allclose(result, right, rtol=1e-6, atol=1e-9):
        return None
    for wrong, message in slips:
        if wrong.shape == result.shape and np.allclose(result, wrong, rtol=1e-6, atol=1e-9):
            return Feedback(False, message)
    place = tuple(int(i) for i in np.argwhere(~np.isclose(result, right, rtol=1e-6))[0])
    return Feedback(
        False,
        f"the result of {name} is {result[place]:.4f} at {list(place)}, but {right[place]:.4f} "
        "is right there.",
    )


LARGEST = 64  # words, channels or heads of an array that a learner makes


def arrays_of(values, axes, least=()):
    """The learner's arrays, of sizes of their own choice, or the Feedback for what does not fit.

    `values`: {name: value}. `axes`: {name: what runs along each axis}; equal words, equal sizes.
    `least`: {word: the smallest size allowed}, 1 unless given.
    """
    if any(value is None or value is Ellipsis for value in values.values()):
        return NOT_ATTEMPTED
    arrays, sizes, least = [], {}, dict(least)
    for name, value in values.items():
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            return Feedback(False, f"{name} must be an array of numbers, with rows of one length.")
        wanted = axes[name]
        if array.ndim != len(wanted):
            needed = " × ".join(wanted)
            return Feedback(False, f"{name} has shape {array.shape}; needed is {needed}.")
        for word, size in zip(wanted, array.shape, strict=True):
            first, known = sizes.setdefault(word, (name, size))
            if size != known:
                other = first if first != name else "its other axis"
                return Feedback(False, f"{name} has {size} {word}, but {other} has {known}.")
            if not least.get(word, 1) <= size <= LARGEST:
                limits = f"{least.get(word, 1)} to {LARGEST}"
                return Feedback(False, f"{name} has {size} {word}; {limits} are possible here.")
        if not (abs(array) <= 1e6).all():
            return Feedback(False, f"{name} must hold finite numbers, a million at most.")
        arrays.append(array)
    return arrays
