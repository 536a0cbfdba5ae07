"""Merging heads: logits combined first, one softmax after.

Merged always means that. The average of weights, several softmaxes and then the mean, stands
beside it for comparison, and `entropy` says how spread a row of weights is.
"""

from collections import namedtuple

import numpy as np

from mhalib import formulas, inputs

Rule = namedtuple("Rule", ("title", "factor"))  # what readers call it; on the sum of h heads
MERGE_RULES = {
    "add": Rule("add", lambda h: 1.0),
    "big_head": Rule("true big head, ÷√h", lambda h: h**-0.5),
    "average": Rule("average of logits, ÷h", lambda h: 1 / h),
}
RULE_NAMES = [(rule.title, how) for how, rule in MERGE_RULES.items()]  # to choose from


@np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
def merge_logits(logits, how="add", axis=0):
    """Combine the heads' logits into one table; softmax of it is the merged head.

    ``add: sum_r S_r``, ``big_head: sum_r S_r / sqrt(h)``, ``average: sum_r S_r / h``

    "big_head" is what one head with the same Q and K computes, since each S_r has already been
    divided by sqrt(d_head) and the big head divides by sqrt(h * d_head). "average" is the
    geometric mean of the heads' weights once normalised: equal to the heads when they agree.

    `logits`: the heads along `axis`, as (n_heads, n_keys) or (n_heads, T, T), or with axis -3
    (..., n_heads, n_queries, n_keys). Returns logits, with the heads' axis gone. Raises ValueError
    or TypeError for another rule, an axis that cannot hold heads, or a sum beyond the dtype.
    """
    if not isinstance(how, str) or how not in MERGE_RULES:
        rules = ", ".join(map(repr, MERGE_RULES))
        raise ValueError(f"how must be one of {rules}, but is {inputs.shown(how)}.")
    logits, dtype = inputs.floats(logits, "logits", minus_infinity=True)
    _needs_heads(logits, axis)
    merged = logits.sum(axis=axis) * MERGE_RULES[how].factor(logits.shape[axis])
    hidden = np.isneginf(logits).any(axis=axis)
    return inputs.fits(merged, dtype, "the sum of logits", minus_infinity=hidden)


def average_of_weights(logits, axis=0):
    """Let each head normalise on its own, then average: ``sum_r softmax(S_r) / h``.

    Shapes as in `merge_logits`. One row of weights as well, but a mixture, not a product:
    a word that one head wants keeps its share, whatever the others say. Raises as there.
    """
    logits, dtype = inputs.floats(logits, "logits", minus_infinity=True)
    _needs_heads(logits, axis)
    return formulas.softmax(logits).mean(axis=axis).astype(dtype, copy=False)


def entropy(weights):
    """How spread a row of weights is, in nats: ``H = -sum_j p_j log p_j``.

    0 when all weight is on one key, log(n_keys) when it is uniform. Shape (..., n_keys) to (...).
    Raises ValueError for a row that does not add up to 1.
    """
    p, dtype = inputs.weights(weights, "weights")
    return formulas.entropy(p).astype(dtype)


def _needs_heads(logits, axis):
    inputs.whole_number(axis, "axis")
    inputs.needs_axes(logits, "logits", 2, "one for the heads and one for the keys")
    if not -logits.ndim <= axis < logits.ndim or axis in (-1, logits.ndim - 1):
        raise ValueError(
            f"axis = {axis} cannot be the heads' axis of logits of shape {logits.shape}: "
            "the last axis holds the keys."
        )
