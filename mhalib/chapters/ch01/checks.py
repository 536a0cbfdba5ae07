"""Chapter 01: a softmax and a head of one's own."""

import numpy as np

from mhalib.attention import scaled_dot_product_attention, softmax
from mhalib.live.feedback import Wrong, check, close, expect, run


@check
def check_softmax(function):
    """Chapter 01: a softmax over the last axis that never overflows."""
    logits = np.random.default_rng(0).normal(size=(3, 5))
    e = np.exp(logits)
    slips = {
        "these are the exponentials; each row must still be divided by its sum.": e,
        "the whole table adds up to 1; every row should (sum over axis=-1).": e / e.sum(),
        "the columns add up to 1; keys run across, so sum over axis=-1.": e / e.sum(axis=0),
        "this is a share of the logits: exp is missing.": logits / logits.sum(-1, keepdims=True),
        "this is the logarithm of the weights; leave out the log.": np.log(softmax(logits)),
    }
    expect(softmax(logits), function, "softmax", logits, slips=slips)
    far_apart = {
        "logits near 1000 give NaN: exp overflows; subtract the largest logit first.": 1000,
        "a row far below the others gives NaN: subtract the largest logit of each row, not of the "
        "whole table.": np.array([[0], [-2000], [900]]),
    }
    for sentence, shift in far_apart.items():
        table = logits + shift
        if not close(run(function, "softmax", (3, 5), table), softmax(table)).all():
            raise Wrong(sentence)
    return "Right, for any logits: adding a constant to a row changes nothing."


@check
def check_attention(function):
    """Chapter 01: ``softmax(q @ k.T / sqrt(d)) @ v``: 3 queries, 5 keys, d = 7, d_value = 2."""
    rng = np.random.default_rng(1)
    q, k, v = rng.normal(size=(3, 7)), rng.normal(size=(5, 7)), rng.normal(size=(5, 2))
    scores, root = q @ k.T, np.sqrt(7)
    down = softmax((scores / root).T).T
    hints = {(3, 5): "these are the weights; the output averages the values: weights @ v."}
    slips = {
        "the logits are not scaled: divide them by sqrt(d) before softmax.": softmax(scores) @ v,
        "the logits are divided by d; sqrt(d) keeps their spread at 1.": softmax(scores / 7) @ v,
        "5 is the number of keys; d is the length of a query.": softmax(scores / np.sqrt(5)) @ v,
        "softmax ran down the columns; each query's row must add up to 1.": down @ v,
        "the softmax is missing: logits are not weights yet.": scores / root @ v,
    }
    right, _ = scaled_dot_product_attention(q, k, v)
    expect(right, function, "attention", q, k, v, slips=slips, hints=hints)
    return "Right: look, weigh, average."
