"""The checks of chapter 03, asked like a learner: each slip with its own message."""

import numpy as np
from slips import Checks, rows

from mhalib.chapters import ch03


def scores(q, k):
    return q @ k.swapaxes(-1, -2)


def spoiling(q, k):
    q /= np.sqrt(7)
    return scores(q, k).mean(axis=0)


SLIPS = {}
SLIPS[ch03.check_fold] = {
    "the logits are added": lambda q, k: scores(q, k).sum(axis=0) / np.sqrt(2),
    "the true big head": lambda q, k: scores(q, k).sum(axis=0) / np.sqrt(2) / np.sqrt(11),
    "the logits are not scaled": lambda q, k: scores(q, k).mean(axis=0),
    "scaled by sqrt(h * d_head)": lambda q, k: scores(q, k).mean(axis=0) / np.sqrt(11 * 2),
    "first head's table alone": lambda q, k: scores(q, k)[0] / np.sqrt(2),
    "leave the logits without softmax": lambda q, k: rows(scores(q, k).mean(axis=0) / np.sqrt(2)),
    "no softmax before": lambda q, k: rows(scores(q, k) / np.sqrt(2)).mean(axis=0),
    "averaged first": lambda q, k: q.mean(axis=0) @ k.mean(axis=0).T / np.sqrt(2),
    "these are the heads' tables": lambda q, k: scores(q, k) / np.sqrt(2),
    "the table is turned": lambda q, k: scores(k, q).mean(axis=0) / np.sqrt(2),
    "memory for": lambda q, k: scores(q, k).mean(axis=0) / np.sqrt(2),
    "changed its input": spoiling,
    "stopped with ValueError": lambda q, k: q @ k,
    "is right there": lambda q, k: 1.1 * scores(q, k).mean(axis=0),
}
SLIPS[ch03.check_linear_head] = {
    "1009 x 2003 was made": lambda q, k, v: (q @ k.T / np.sqrt(7)) @ v,
    "MB were used on the way": lambda q, k, v: np.einsum("id,jd->ij", q, k) @ v / np.sqrt(7),
    "the logits are not scaled": lambda q, k, v: q @ (k.T @ v),
    "divided by d;": lambda q, k, v: q @ (k.T @ v) / 7,
    "2003 is the number of keys": lambda q, k, v: q @ (k.T @ v) / np.sqrt(len(k)),
    "a linear head has no softmax": lambda q, k, v: rows(q @ k.T / np.sqrt(7)) @ v,
    "a softmax each for q and k": lambda q, k, v: rows(q) @ (rows(k.T) @ v),
    "this is the table of logits": lambda q, k, v: q @ k.T,
    "which no query has met": lambda q, k, v: k.T @ v,
    "the output is turned": lambda q, k, v: (q @ (k.T @ v)).T,
    "stopped with ValueError": lambda q, k, v: q @ k @ v,
}
SLIPS[ch03.check_cross_terms] = {
    "own term S_r V_r is still in it": lambda s, v: s.sum(axis=0) @ v,
    "these are the own terms": lambda s, v: s @ v,
    "the sign is turned": lambda s, v: s @ v - s.sum(axis=0) @ v,
    "the indices are exchanged": lambda s, v: s @ (v.sum(axis=0) - v),
    "for the average of logits; here": lambda s, v: (s.sum(axis=0) - s) @ v / 3,
    "mean of the other heads": lambda s, v: (s.sum(axis=0) - s) @ v / 2,
    "one head minus the heads": lambda s, v: s.mean(axis=0) @ v - s @ v,
    "the blocks were added up": lambda s, v: ((s.sum(axis=0) - s) @ v).sum(axis=0),
    "the blocks stand side by side": lambda s, v: np.concatenate((s.sum(axis=0) - s) @ v, axis=1),
    "all pairs of heads are here": lambda s, v: s[:, None] @ v[None],
}


def fold_in_loops(q, k):
    n_heads, n_queries, d_head = q.shape
    table = np.zeros((n_queries, k.shape[1]))
    for r, c in np.ndindex(n_heads, d_head):
        table += np.outer(q[r, :, c], k[r, :, c])
    return (table / n_heads / d_head**0.5).tolist()


def fold_as_one_wide_head(q, k):
    """All heads' channels side by side: one head of width h * d_head."""
    wide_q, wide_k = (np.concatenate(a, axis=-1) for a in (q, k))
    return wide_q @ wide_k.T / np.sqrt(q.shape[-1]) / len(q)


def cross_terms_in_loops(logits, values):
    result = np.zeros((3, 5, 7))
    for r in range(3):
        for s in {0, 1, 2} - {r}:
            result[r] += logits[s] @ values[r]
    return result


RIGHT = {
    ch03.check_fold: [fold_in_loops, fold_as_one_wide_head],
    ch03.check_linear_head: [
        lambda q, k, v: q @ (k.T @ v) / np.sqrt(q.shape[-1]),
        lambda q, k, v: (q / np.sqrt(7)) @ np.einsum("jd,je", k, v),
    ],
    ch03.check_cross_terms: [cross_terms_in_loops],
}


class TestChecks(Checks):
    chapter, slips, right = ch03, SLIPS, RIGHT
