"""Chapter 09: a causal mask, and weights behind a mask."""

import numpy as np

from mhalib.attention import causal_mask, softmax
from mhalib.live import Feedback
from mhalib.live.feedback import compare, run


def check_causal_mask(function):
    """Chapter 09: ``my_mask(n_queries, n_keys)`` for 3 new words on 7 keys, then 5 on 5, 1 on 7."""
    name = "my_mask"
    for n_queries, n_keys in ((3, 7), (5, 5), (1, 7)):
        hints = {
            (7, 3): "keys down and queries across; who looks runs down: (n_queries, n_keys).",
            (3, 3): "the cached words have no columns: one column for each key.",
            (7, 7): "the cached words have rows: only the new ones look.",
        }
        result = run(function, name, (n_queries, n_keys), n_queries, n_keys, hints=hints)
        if isinstance(result, Feedback):
            return result
        if wrong := compare(
            result, causal_mask(n_queries, n_keys) + 0.0, _slips(n_queries, n_keys), name
        ):
            return wrong
    return Feedback(True, "Right: a new word sees the cache, the new words before it, and itself.")


def _slips(n_queries, n_keys):
    offset, shape = n_keys - n_queries, (n_queries, n_keys)
    right = causal_mask(*shape)
    return [
        (
            np.tri(*shape),
            "the triangle stands in the upper left corner; the new words are the *last* of the "
            "keys, so it belongs into the lower right one.",
        ),
        (np.tri(*shape, offset - 1), "a word cannot see itself: the diagonal is off by one."),
        (np.tri(*shape, offset + 1), "a word sees the next one: the diagonal is off by one."),
        (~right + 0.0, "the polarity is turned round: True must mean *may* see."),
        (
            np.triu(np.ones(shape), offset),
            "that is the upper triangle: words see what comes later, not what came before.",
        ),
        (right[::-1] + 0.0, "the rows are upside down: the first new word sees least."),
        (np.ones(shape), "nothing is hidden."),
        (np.where(right, 0, -np.inf), "this is to be added to logits; needed is True or False."),
    ]


def check_masked_softmax(function):
    """Chapter 09: ``masked_softmax(logits, mask)``, 5 queries on 7 keys; one sees nothing."""
    name, rng = "masked_softmax", np.random.default_rng(9)
    logits, mask = rng.normal(size=(5, 7)), rng.random((5, 7)) < 0.6
    mask[3], mask[0, :2] = False, (True, False)
    hints = {
        (4, 7): "the row with nothing to see is missing; it stays, as zeros.",
        (7, 5): "keys down and queries across: turn it round.",
    }
    result = run(function, name, (5, 7), logits, mask, hints=hints)
    if isinstance(result, Feedback):
        return result
    if np.isnan(result).any():
        return Feedback(False, "a row with nothing to see gave nan, 0/0; it must give zeros.")
    right = softmax(logits, mask)
    if wrong := compare(result, right, _weights_slips(logits, mask), name):
        return wrong
    loud = logits.copy()
    loud[~mask] = 1000.0
    result = run(function, name, (5, 7), loud, mask)
    if isinstance(result, Feedback):
        return result
    if not np.allclose(result, right):
        return Feedback(
            False,
            "right, until a hidden logit is 1000: then what may be seen gets nothing, or nan; hide "
            "first, then subtract the largest logit that is seen.",
        )
    return Feedback(True, "Right: hidden before the budget is spent, and zeros where nothing is.")


def _weights_slips(logits, mask):
    right, open_ = softmax(logits, mask), softmax(logits)
    leaking, even = right.copy(), right.copy()
    leaking[3], even[3] = open_[3], 1 / 7
    return [
        (
            open_ * mask,
            "the mask came after softmax: what hidden keys had been given is lost; hide first.",
        ),
        (
            leaking,
            "where nothing may be seen, the row looks unmasked: a large finite number cancels; "
            "give zeros there.",
        ),
        (even, "where nothing may be seen, all keys got the same; give zeros there."),
        (
            softmax(np.where(mask, logits, 0)),
            "hidden logits became 0, and exp(0) = 1 is a weight; they must become −∞.",
        ),
        (softmax(logits, ~mask), "the polarity is turned round: True must mean *may* be seen."),
        (open_, "the mask does nothing yet."),
        (
            softmax(logits.T, mask.T).T,
            "softmax ran over the queries; every query's row must add up to 1 (the last axis).",
        ),
    ]
