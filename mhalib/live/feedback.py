"""What a check says, and what all checks share: attempted, type, shape, value, in this order."""

import functools
from typing import NamedTuple

import numpy as np


class Feedback(NamedTuple):
    """Whether the exercise is solved, and one sentence about it."""

    solved: bool
    message: str

    def __repr__(self):
        return f"{'✓ ' if self.solved else ''}{self.message}"


NOT_ATTEMPTED = Feedback(False, "Not attempted yet: write your code in place of the dots.")


class Wrong(Exception):
    """What a check raises: one sentence about the first thing that is wrong."""


def check(statements):
    """A check, made of statements that raise `Wrong` or return what a right answer hears.

    Any other error is a mistake in the statements themselves, and nobody's feedback.
    """

    @functools.wraps(statements)
    def checked(*answer, **named):
        try:
            return Feedback(True, statements(*answer, **named))
        except Wrong as wrong:
            return Feedback(False, str(wrong))

    return checked


def attempted(*values):
    """Refuse dots, and what a function without `return` gives."""
    if any(value is None or value is Ellipsis for value in values):
        raise Wrong(NOT_ATTEMPTED.message)


def array_of(value, name, shape, hints=None):
    """The learner's value as an array of this shape.

    `hints`: {a wrong shape: the sentence for the slip that gives it}.
    """
    attempted(value)
    array = _floats(value, f"{name} must be an array of numbers, not {type(value).__name__}.")
    if array.shape != shape:
        plain = f"{name} has shape {array.shape}; needed is {shape}."
        raise Wrong((hints or {}).get(array.shape, plain))
    return array


def call(function, name, *arguments, where=""):
    """What the learner's function gives; where it stops, that is said."""
    with np.errstate(all="ignore"):
        try:
            return function(*arguments)
        except Exception as error:
            stopped = f"{name} stopped{where} with {type(error).__name__}: {error}."
            raise Wrong(stopped) from error


def run(function, name, shape, *arguments, hints=None):
    """The learner's result for copies of the arguments, as an array of this shape."""
    copies = [np.array(a) if isinstance(a, np.ndarray) else a for a in arguments]
    result = call(function, name, *copies)
    for copy, argument in zip(copies, arguments, strict=True):
        if isinstance(argument, np.ndarray) and not np.array_equal(copy, argument):
            raise Wrong(f"{name} changed its input; make a new array instead.")
    return array_of(result, f"the result of {name}", shape, hints)


def close(result, right):
    """Number by number, equal but for rounding: that of float32, if the result is no finer."""
    coarse = np.result_type(result).itemsize < 8 and np.result_type(result).kind == "f"
    return np.isclose(result, right, rtol=1e-3 if coarse else 1e-6, atol=1e-5 if coarse else 1e-9)


def told_apart(*numbers):
    """Two numbers with four decimals, or with as many digits as it takes to see a difference."""
    forms = [".4f", *(f".{digits}g" for digits in range(4, 18))]
    pairs = [[format(number, form) for number in numbers] for form in forms]
    return next((pair for pair in pairs if pair[0] != pair[1]), pairs[-1])


def compare(result, right, slips, name):
    """Refuse a result that is not `right`, with the sentence of the slip that gives it.

    `slips`: {sentence: the wrong result, or a tuple of several}.
    """
    result, right = np.asarray(result), np.asarray(right, dtype=float)
    off = np.argwhere(~close(result, right))
    if not len(off):  # not `.size`: the place of a single number is empty
        return
    for sentence, wrong in dict(slips).items():
        for one in wrong if isinstance(wrong, tuple) else (wrong,):
            if np.shape(one) == result.shape and close(result, one).all():
                raise Wrong(sentence)
    place = tuple(int(i) for i in off[0])
    given, needed = told_apart(float(result[place]), float(right[place]))
    raise Wrong(f"the result of {name} is {given} at {list(place)}, but {needed} is right there.")


def expect(right, function, name, *arguments, slips, hints=None):
    """Refuse a function that does not give `right`: `run` and `compare` in one."""
    compare(run(function, name, np.shape(right), *arguments, hints=hints), right, slips, name)


def refuse(reasons, lead=""):
    """Say the first sentence that holds, of {sentence: whether it does}; if none does, go on."""
    for sentence, holds in reasons.items():
        if holds:
            raise Wrong(lead + sentence)


LARGEST = 64  # words, channels or heads of an array that a learner makes


def arrays_of(axes, *values, **least):
    """The learner's arrays, of sizes of their own choice.

    ``arrays_of("q: channels, K: words channels", q, K, words=2)`` says what runs along each axis:
    equal words, equal sizes. `least`: the smallest size of some, 1 unless given.
    """
    attempted(*values)
    arrays, sizes = [], {}
    for text, value in zip(axes.split(", "), values, strict=True):
        name, *words = text.replace(":", "").split()
        array = _floats(value, f"{name} must be an array of numbers, with rows of one length.")
        if array.ndim != len(words):
            raise Wrong(f"{name} has shape {array.shape}; needed is {' × '.join(words)}.")
        for word, size in zip(words, array.shape, strict=True):
            _same_size(name, word, size, sizes, least.get(word, 1))
        if not (abs(array) <= 1e6).all():
            raise Wrong(f"{name} must hold finite numbers, a million at most.")
        arrays.append(array)
    return arrays


def _same_size(name, word, size, sizes, least):
    """Refuse a size other than the one that `sizes` knows for this word, or out of bounds."""
    known_from, known = sizes.setdefault(word, (name, size))
    if size != known:
        other = known_from if known_from != name else "its other axis"
        raise Wrong(f"{name} has {size} {word}, but {other} has {known}.")
    if not least <= size <= LARGEST:
        raise Wrong(f"{name} has {size} {word}; {least} to {LARGEST} are possible here.")


def _floats(value, otherwise):
    """The learner's value as floats (float32 stays), or the sentence to say otherwise."""
    try:
        array = np.asarray(value)
        return array if array.dtype == np.float32 else array.astype(float)
    except (TypeError, ValueError):
        raise Wrong(otherwise) from None


def central_differences(loss, logits, step=1e-5):
    """How `loss(logits)`, a number or an array, answers to each logit; the logits' axes last."""
    moves = step * np.eye(logits.size).reshape(-1, *logits.shape)
    columns = [(loss(logits + move) - loss(logits - move)) / (2 * step) for move in moves]
    return np.moveaxis(np.array(columns), 0, -1).reshape(*np.shape(columns[0]), *logits.shape)
