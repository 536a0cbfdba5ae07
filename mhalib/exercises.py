"""Checks that answer like a tutor: the first thing that is wrong, and the slip it looks like.

The order is: attempted, type, shape (never through broadcasting), property, value. A check
returns `Feedback`; printing it gives the sentence.
"""

from typing import NamedTuple

import numpy as np

from mhalib.attention import scaled_dot_product_attention, softmax
from mhalib.merging import MERGE_RULES, average_of_weights, merge_logits, partner


class Feedback(NamedTuple):
    """Whether the exercise is solved, and one sentence about it."""

    solved: bool
    message: str

    def __repr__(self):
        return f"{'✓ ' if self.solved else ''}{self.message}"


NOT_ATTEMPTED = Feedback(False, "Not attempted yet: write your code in place of the dots.")


def _array(value, name, shape, hints=None):
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


def _run(function, name, shape, *arguments, hints=None):
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
    return _array(result, f"the result of {name}", shape, hints)


def _compare(result, right, slips, name):
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


def check_softmax(function):
    """Chapter 01: a softmax over the last axis that never overflows."""
    name, logits = "softmax", np.random.default_rng(0).normal(size=(3, 5))
    result = _run(function, name, (3, 5), logits)
    if isinstance(result, Feedback):
        return result
    e = np.exp(logits)
    slips = [
        (e, "these are the exponentials; each row must still be divided by its sum."),
        (e / e.sum(), "the whole table adds up to 1; every row should (sum over axis=-1)."),
        (e / e.sum(axis=0), "the columns add up to 1; keys run across, so sum over axis=-1."),
        (logits / logits.sum(-1, keepdims=True), "this is a share of the logits: exp is missing."),
        (np.log(softmax(logits)), "this is the logarithm of the weights; leave out the log."),
    ]
    if wrong := _compare(result, softmax(logits), slips, name):
        return wrong
    for shift, table in ((1000, logits + 1000), (0, logits + np.array([[0], [-2000], [900]]))):
        result = _run(function, name, (3, 5), table)
        if isinstance(result, Feedback):
            return result
        if not np.allclose(result, softmax(table)):
            return Feedback(
                False,
                "logits near 1000 give NaN: exp overflows; subtract the largest logit first."
                if shift
                else "a row far below the others gives NaN: subtract the largest logit of each "
                "row, not of the whole table.",
            )
    return Feedback(True, "Right, for any logits: adding a constant to a row changes nothing.")


def check_attention(function):
    """Chapter 01: ``softmax(q @ k.T / sqrt(d)) @ v``: 3 queries, 5 keys, d = 7, d_value = 2."""
    name, rng = "attention", np.random.default_rng(1)
    q, k, v = rng.normal(size=(3, 7)), rng.normal(size=(5, 7)), rng.normal(size=(5, 2))
    scores, right = q @ k.T, scaled_dot_product_attention(q, k, v)[0]
    hints = {(3, 5): "these are the weights; the output averages the values: weights @ v."}
    result = _run(function, name, (3, 2), q, k, v, hints=hints)
    if isinstance(result, Feedback):
        return result
    over_queries = softmax((scores / np.sqrt(7)).T).T
    slips = [
        (softmax(scores) @ v, "the logits are not scaled: divide them by sqrt(d) before softmax."),
        (softmax(scores / 7) @ v, "the logits are divided by d; sqrt(d) keeps their spread at 1."),
        (softmax(scores / np.sqrt(5)) @ v, "5 is the number of keys; d is the length of a query."),
        (over_queries @ v, "softmax ran down the columns; each query's row must add up to 1."),
        (scores / np.sqrt(7) @ v, "the softmax is missing: logits are not weights yet."),
    ]
    if wrong := _compare(result, right, slips, name):
        return wrong
    return Feedback(True, "Right: look, weigh, average.")


def check_merge(function):
    """Chapter 04: ``merge(logits, how)`` for "add", "big_head" and "average"; 3 heads, 5 keys."""
    name, logits = "merge", np.random.default_rng(2).normal(size=(3, 5)) * 2
    hints = {(3,): "the keys were summed away: heads are the rows, so sum over axis=0."}
    for how in MERGE_RULES:
        result = _run(function, name, (5,), logits, how, hints=hints)
        if isinstance(result, Feedback):
            return result
        called, total = f'merge(logits, "{how}")', logits.sum(axis=0)
        right = merge_logits(logits, how)
        slips = [
            (softmax(right), f"{called} gives weights: merging ends before the softmax."),
            (average_of_weights(logits), "that is the average of weights: the softmax came first."),
            (softmax(logits).sum(0), "the heads were turned into weights first, then added."),
            (total, f"{called} gives the bare sum; this rule divides by something."),
            (total / 3, f"{called} divides by the number of heads; this rule does not."),
            (total / np.sqrt(3), f"{called} divides by the square root of the number of heads."),
        ]
        if wrong := _compare(result, right, slips, called):
            return wrong
    return Feedback(True, "Right, in all three ways.")


def check_compromise(logits):
    """Chapter 04: two heads, three words; merged gives 0.90 to a word no head gives above 0.20."""
    array = _array(logits, "logits", (2, 3))
    if isinstance(array, Feedback):
        return array
    if not np.isfinite(array).all():
        return Feedback(False, "the logits must be finite numbers.")
    weights, merged = softmax(array), softmax(merge_logits(array))
    word = int(merged.argmax())
    if (array >= 0).all() and np.allclose(array.sum(axis=1), 1):
        return Feedback(False, "these rows look like weights; give logits, before the softmax.")
    most, share = weights[:, word].max(), merged[word]
    if (weights.argmax(axis=1) == word).any() and most > 0.2:
        return Feedback(
            False,
            f"the merged head prefers word {word}, but so does a head (weight {most:.2f}): the "
            "compromise must be nobody's first choice.",
        )
    if most > 0.2:
        return Feedback(
            False, f"a head gives word {word} {most:.2f}; it must be 0.20 at most: a second choice."
        )
    if share < 0.9:
        return Feedback(
            False,
            f"the merged head gives word {word} only {share:.2f}: let each head veto the other's "
            "favourite more strongly (a larger gap between their logits).",
        )
    return Feedback(
        True, f"Right: word {word} gets {most:.2f} at most from a head and {share:.2f} merged."
    )


def check_partner(p, q):
    """Chapter 04: a head of your own (3 keys, not uniform) and its partner, both as weights."""
    rows = []
    for name, value in (("p", p), ("q", q)):
        array = _array(value, name, (3,))
        if isinstance(array, Feedback):
            return array
        if not (array > 0).all() or abs(array.sum() - 1) > 1e-6:
            return Feedback(
                False, f"{name} must be weights: above 0 and adding up to 1 (not logits)."
            )
        rows.append(array)
    p, q = rows
    if np.ptp(p) < 0.01:
        return Feedback(False, "p is uniform; its partner is uniform too. Take another head.")
    merged, average = softmax(np.log(p) + np.log(q)), (p + q) / 2
    gap = abs(merged - average).max()
    if gap < 1e-3:
        return Feedback(True, f"Right: merged and average of weights differ by {gap:.1e} at most.")
    if np.allclose(q, p):
        return Feedback(False, "q is p itself: two equal heads added are sharper than either.")
    if np.allclose(q * p, q @ p / 3):
        return Feedback(False, "q proportional to 1/p cancels p: the merged row is flat.")
    if np.allclose(q, (1 - p) / 2) or np.allclose(np.sort(q), np.sort(p)):
        return Feedback(
            False, "mirroring p works with two words only; with three, solve for the constant c."
        )
    spread = np.ptp(1 / p + 1 / q)
    right = partner(p)
    return Feedback(
        False,
        f"merged and average differ by {gap:.3f}: 1/p + 1/q is not the same for every key (it "
        f"varies by {spread:.2f}); key 0 of the partner is {right[0]:.2f}, say.",
    )
