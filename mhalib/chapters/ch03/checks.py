"""Chapter 03: heads folded into one, brackets moved, cross terms."""

import tracemalloc

import numpy as np

from mhalib.attention import softmax
from mhalib.live.feedback import Wrong, check, compare, expect, run


def _with_memory(*arguments, **options):
    """What `run` returns, and the most bytes held meanwhile."""
    tracemalloc.start()
    try:
        return run(*arguments, **options), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@check
def check_fold(function):
    """Chapter 03: one table for 11 linear heads of width 2 on one path; 101 queries, 211 keys."""
    rng, root = np.random.default_rng(3), np.sqrt(2)
    q, k = rng.normal(size=(11, 101, 2)), rng.normal(size=(11, 211, 2))
    scores = q @ k.swapaxes(-1, -2)
    right = scores.mean(axis=0) / root
    hints = {
        (11, 101, 211): "these are the heads' tables; fold them into one, over the heads' axis 0.",
        (211, 101): "the table is turned: queries run down, keys across, so q @ k transposed.",
    }
    slips = {
        "the logits are added; an average of outputs needs their average.": scores.sum(0) / root,
        "divided by sqrt(h), the true big head: averages need h.": scores.sum(0) / np.sqrt(22),
        "the logits are not scaled: divide each head's by sqrt(d_head).": scores.mean(0),
        "scaled by sqrt(h * d_head); each head had sqrt(d_head).": scores.mean(0) / np.sqrt(22),
        "this is the first head's table alone.": scores[0] / root,
        "these heads are linear: leave the logits without softmax.": softmax(right),
        "these heads are linear: no softmax before the average.": softmax(scores / root).mean(0),
        "queries and keys were averaged first; that also multiplies head A's queries with head "
        "B's keys.": q.mean(0) @ k.mean(0).T / root,
    }
    result, most = _with_memory(function, "fold", right.shape, q, k, hints=hints)
    compare(result, right, slips, "fold")
    if most > 8 * right.nbytes:  # one product and its scaling hold two, the heads eleven
        raise Wrong(
            f"the table is right, but memory for {most / right.nbytes:.0f} such tables was used: "
            "set the heads' channels side by side first, then one product makes it."
        )
    return "Right: eleven linear heads on one path are one, eleven times as wide."


@check
def check_linear_head(function):
    """Chapter 03: ``q @ (k.T @ v) / sqrt(d)`` without the table of 1009 queries by 2003 keys."""
    rng = np.random.default_rng(4)
    q, k, v = rng.normal(size=(1009, 7)), rng.normal(size=(2003, 7)), rng.normal(size=(2003, 3))
    hints = {
        (1009, 2003): "this is the table of logits; the output is what they make of the values.",
        (7, 3): "this is k.T @ v, which no query has met yet.",
        (3, 1009): "the output is turned: a row for each query.",
    }
    result, most = _with_memory(function, "linear_head", (1009, 3), q, k, v, hints=hints)
    scores = q @ k.T
    plain = scores @ v
    slips = {
        "the logits are not scaled: divide by sqrt(d), the length of a query.": plain,
        "divided by d; the logits are divided by sqrt(d).": plain / 7,
        "2003 is the number of keys; d is the length of a query.": plain / np.sqrt(2003),
        "a linear head has no softmax.": softmax(scores / np.sqrt(7)) @ v,
        "a softmax each for q and k is another head; use none.": softmax(q) @ (softmax(k.T) @ v),
    }
    compare(result, plain / np.sqrt(7), slips, "linear_head")
    if most > scores.size:  # bytes: an eighth of the table
        raise Wrong(
            f"the output is right, but {most / 1e6:.0f} MB were used on the way: the table of "
            "1009 x 2003 was made; put the brackets around k.T @ v."
        )
    return f"Right, with {most / 1e6:.1f} MB; the table alone takes 16.2 MB."


@check
def check_cross_terms(function):
    """Chapter 03: ``sum_{s != r} S_s @ V_r`` for 3 heads, 5 queries, 11 keys, d_head = 7."""
    rng = np.random.default_rng(5)
    logits, values = rng.normal(size=(3, 5, 11)), rng.normal(size=(3, 11, 7))
    own, everything = logits @ values, logits.sum(axis=0) @ values
    right = everything - own
    hints = {
        (5, 7): "the blocks were added up; each head keeps a block of its own.",
        (5, 21): "the blocks stand side by side; keep the heads' axis first.",
        (3, 3, 5, 7): "all pairs of heads are here; add up those with s other than r.",
    }
    slips = {
        "the own term S_r V_r is still in it: leave out s = r.": everything,
        "these are the own terms, what the heads do carry; the others are asked for.": own,
        "the sign is turned: cross terms are what one head has in addition.": -right,
        "the indices are exchanged: S_r V_s; block r holds head r's values under other tables.": (
            logits @ (values.sum(axis=0) - values)
        ),
        "this is for the average of logits; here the one head adds them.": right / 3,
        "this is the mean of the other heads' terms; the cross terms are their sum.": right / 2,
        "this is one head minus the heads, for the average of logits.": everything / 3 - own,
    }
    expect(right, function, "cross_terms", logits, values, slips=slips, hints=hints)
    return "Right: with a path each these are what one head cannot leave out."
