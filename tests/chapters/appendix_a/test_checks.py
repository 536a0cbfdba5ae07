"""Appendix A's checks, asked like a learner: the slips they know, each with its own message."""

import numpy as np
from slips import Checks

from mhalib.chapters import appendix_a


def cut(w):
    return [w[:7], w[7:14], w[14:]]


SLIPS = {}
SLIPS[appendix_a.check_from_pytorch] = {
    "not transposed": cut,
    "the order is wrong": lambda w: [part.T for part in cut(w)[::-1]],
    "PyTorch stacks Q, then K": lambda w: [w[7:14].T, w[:7].T, w[14:].T],
    "then K, then V": lambda w: [w[7:14].T, w[14:].T, w[:7].T],
    "cut first": lambda w: w.T.reshape(3, 7, 7),
    "every third row": lambda w: [w[i::3].T for i in range(3)],
    "first E rows belong to Q": lambda w: w.reshape(7, 3, 7).swapaxes(0, 1),
    "still one matrix of (3E, E)": lambda w: w,
    "transposed, but still one matrix": lambda w: w.T,
    "still has all 3E rows": lambda w: [w, w, w],
    "has shape (2, 7, 7); needed is (3, 7, 7)": lambda w: cut(w)[:2],
    "must be an array of numbers": lambda w: "matrices",
    "is right there": lambda w: [2 * part.T for part in cut(w)],
}
SLIPS[appendix_a.check_may_attend] = {
    "the polarity is PyTorch's": lambda a, p: a | p[:, None],
    "if *either* mask hides it": lambda a, p: ~(a & p[:, None]),
    "key_padding_mask is not turned: there": lambda a, p: ~a & p[:, None],
    "attn_mask is not turned": lambda a, p: a & ~p[:, None],
    "lets through too much": lambda a, p: ~a | p[:, None],
    "turn each with ~": lambda a, p: a & p[:, None],
    "the filling can still be seen": lambda a, p: [~a, ~a],
    "attn_mask is missing": lambda a, p: [[row] * 3 for row in ~p],
    "to be added to logits": lambda a, p: np.where(a | p[:, None], -np.inf, 0),
    "the sentences are missing": lambda a, p: ~a,
    "the queries are missing": lambda a, p: ~p,
    "keys down and queries across": lambda a, p: (~a & ~p[:, None]).swapaxes(1, 2),
    "the last axis must be the keys": lambda a, p: (~a & ~p[:, None])[..., :3],
    "an axis too many": lambda a, p: (~a & ~p[:, None])[:, None],
    "stopped with ValueError": lambda a, p: ~a & ~p,
    "is right there": lambda a, p: np.zeros((2, 3, 5), bool),
}
RIGHT = {
    appendix_a.check_from_pytorch: [
        lambda w: [part.T for part in cut(w)],
        lambda w: w.reshape(3, 7, 7).swapaxes(1, 2),
    ],
    appendix_a.check_may_attend: [
        lambda a, p: ~(a | p[:, None]),
        lambda a, p: (1 - a) * (1 - p[:, None]),  # 0/1 is a mask too
    ],
}


class TestChecks(Checks):
    chapter, slips, right = appendix_a, SLIPS, RIGHT
