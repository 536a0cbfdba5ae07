"""Chapter 01: a softmax and a head of one's own."""

import numpy as np

from mhalib.attention import scaled_dot_product_attention, softmax
from mhalib.live import Feedback
from mhalib.live.feedback import compare, run


def check_softmax(function):
    """Chapter 01: a softmax over the last axis that never overflows."""
    name, logits = "softmax", np.random.default_rng(0).normal(size=(3, 5))
    result = run(function, name, (3, 5), logits)
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
    if wrong := compare(result, softmax(logits), slips, name):
        return wrong
    for shift, table in ((1000, logits + 1000), (0, logits + np.array([[0], [-2000], [900]]))):
        result = run(function, name, (3, 5), table)
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
    result = run(function, name, (3, 2), q, k, v, hints=hints)
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
    if wrong := compare(result, right, slips, name):
        return wrong
    return Feedback(True, "Right: look, weigh, average.")
