"""Chapter 01's checks, asked like a learner: the slips they know, each with its own message."""

import numpy as np
from slips import Checks, rows

from mhalib.chapters import ch01


def unstable(logits):
    return np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)


def spoiling(logits):
    logits -= logits.max(axis=-1, keepdims=True)
    return np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)


def whole_table_max(logits):
    e = np.exp(logits - logits.max())
    return e / e.sum(axis=-1, keepdims=True)


SLIPS = {}
SLIPS[ch01.check_softmax] = {
    "must still be divided": lambda s: np.exp(s),
    "whole table adds up to 1": lambda s: np.exp(s) / np.exp(s).sum(),
    "the columns add up to 1": lambda s: np.exp(s) / np.exp(s).sum(axis=0),
    "exp is missing": lambda s: s / s.sum(axis=-1, keepdims=True),
    "leave out the log": lambda s: np.log(rows(s)),
    "subtract the largest logit first": unstable,
    "of each row, not of the whole table": whole_table_max,
    "changed its input": spoiling,
    "has shape (3,); needed is (3, 5)": lambda s: rows(s)[:, 0],
    "must be an array of numbers": lambda s: "weights",
    "stopped with ZeroDivisionError": lambda s: 1 / 0,
    "is right there": lambda s: rows(s * 1.1),
}
SLIPS[ch01.check_attention] = {
    "are not scaled": lambda q, k, v: rows(q @ k.T) @ v,
    "divided by d;": lambda q, k, v: rows(q @ k.T / q.shape[1]) @ v,
    "is the number of keys": lambda q, k, v: rows(q @ k.T / np.sqrt(len(k))) @ v,
    "ran down the columns": lambda q, k, v: rows((q @ k.T / np.sqrt(7)).T).T @ v,
    "softmax is missing": lambda q, k, v: q @ k.T / np.sqrt(7) @ v,
    "these are the weights": lambda q, k, v: rows(q @ k.T / np.sqrt(7)),
    "stopped with ValueError": lambda q, k, v: rows(q @ k) @ v,
}

RIGHT = {
    ch01.check_softmax: [rows, lambda s: rows(s).tolist()],  # lists are as good as arrays
    ch01.check_attention: [lambda q, k, v: rows(q @ k.T / np.sqrt(q.shape[-1])) @ v],
}


class TestChecks(Checks):
    chapter, slips, right = ch01, SLIPS, RIGHT
