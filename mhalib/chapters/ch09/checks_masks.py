"""Chapter 09: a causal mask, and weights behind a mask."""

import numpy as np

from mhalib.attention import causal_mask, softmax
from mhalib.live.feedback import Wrong, check, compare, expect, run


@check
def check_causal_mask(function):
    """Chapter 09: ``my_mask(n_queries, n_keys)`` for 3 new words on 7 keys, then 5 on 5, 1 on 7."""
    hints = {
        (7, 3): "keys down and queries across; who looks runs down: (n_queries, n_keys).",
        (3, 3): "the cached words have no columns: one column for each key.",
        (7, 7): "the cached words have rows: only the new ones look.",
    }
    for shape in ((3, 7), (5, 5), (1, 7)):
        right, slips = causal_mask(*shape), _mask_slips(*shape)
        expect(right, function, "my_mask", *shape, slips=slips, hints=hints)
    return "Right: a new word sees the cache, the new words before it, and itself."


def _mask_slips(n_queries, n_keys):
    offset, shape = n_keys - n_queries, (n_queries, n_keys)
    right = causal_mask(*shape)
    return {
        "the triangle stands in the upper left corner; the new words are the *last* of the keys, "
        "so it belongs into the lower right one.": np.tri(*shape),
        "a word cannot see itself: the diagonal is off by one.": np.tri(*shape, offset - 1),
        "a word sees the next one: the diagonal is off by one.": np.tri(*shape, offset + 1),
        "the polarity is turned round: True must mean *may* see.": ~right,
        "that is the upper triangle: words see what comes later, not what came before.": (
            np.triu(np.ones(shape), offset)
        ),
        "the rows are upside down: the first new word sees least.": right[::-1],
        "nothing is hidden.": np.ones(shape),
        "this is to be added to logits; needed is True or False.": np.where(right, 0, -np.inf),
    }


@check
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
    if np.isnan(result).any():
        raise Wrong("a row with nothing to see gave nan, 0/0; it must give zeros.")
    right = softmax(logits, mask)
    compare(result, right, _weights_slips(logits, mask), name)
    loud = np.where(mask, logits, 1000.0)
    if not np.allclose(run(function, name, (5, 7), loud, mask), right):
        raise Wrong(
            "right, until a hidden logit is 1000: then what may be seen gets nothing, or nan; hide "
            "first, then subtract the largest logit that is seen."
        )
    return "Right: hidden before the budget is spent, and zeros where nothing is."


def _weights_slips(logits, mask):
    right, unmasked = softmax(logits, mask), softmax(logits)
    nothing = ~mask.any(axis=1, keepdims=True)
    return {
        "the mask came after softmax: what hidden keys had been given is lost; hide first.": (
            unmasked * mask
        ),
        "where nothing may be seen, the row looks unmasked: a large finite number cancels; give "
        "zeros there.": np.where(nothing, unmasked, right),
        "where nothing may be seen, all keys got the same; give zeros there.": (
            np.where(nothing, 1 / 7, right)
        ),
        "hidden logits became 0, and exp(0) = 1 is a weight; they must become −∞.": (
            softmax(np.where(mask, logits, 0))
        ),
        "the polarity is turned round: True must mean *may* be seen.": softmax(logits, ~mask),
        "the mask does nothing yet.": unmasked,
        "softmax ran over the queries; every query's row must add up to 1 (the last axis).": (
            softmax(logits.T, mask.T).T
        ),
    }
