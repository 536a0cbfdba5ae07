"""Chapter 07's checks, asked like a learner: the slips they know, each with its own message."""

import numpy as np
from slips import Checks, rows

from mhalib.chapters import ch07
from mhalib.live.feedback import central_differences


def jacobian(p):
    return np.diag(p) - np.outer(p, p)


def pull_back(a, g):
    return a * (g - (g * a).sum(axis=-1, keepdims=True))


def pull(s, wanted):
    return np.eye(len(s))[wanted] - rows(s)


def spoiling(a, g):
    g -= (g * a).sum(axis=-1, keepdims=True)
    return a * g


SLIPS = {}
SLIPS[ch07.check_jacobian] = {
    "only the diagonal": lambda p: np.diag(p * (1 - p)),
    "subtracted is missing": lambda p: np.diag(p),
    "the diagonal is missing": lambda p: -np.outer(p, p),
    "every sign is turned": lambda p: np.outer(p, p) - np.diag(p),
    "the second part is subtracted": lambda p: np.diag(p) + np.outer(p, p),
    "the others fall: −p[j] p[k]": lambda p: abs(np.diag(p) - np.outer(p, p)),
    "each row j must be multiplied": lambda p: np.eye(5) - p,
    "went along the columns": lambda p: p * (np.eye(5) - p),
    "put through softmax again": lambda p: jacobian(rows(p)),
    "each of 5 weights answers": lambda p: p * (1 - p),
    "stopped with ValueError": lambda p: p @ p.reshape(2, 3),
    "is right there": lambda p: 2 * jacobian(p),
}
SLIPS[ch07.check_pull_back] = {
    "−A (G · A) is missing": lambda a, g: a * g,
    "the diagonal alone": lambda a, g: a * (1 - a) * g,
    "over the whole table": lambda a, g: a * (g - (g * a).sum()),
    "down the columns": lambda a, g: a * (g - (g * a).sum(axis=0)),
    "the plain mean of G": lambda a, g: a * (g - g.mean(axis=-1, keepdims=True)),
    "the sum of G": lambda a, g: a * (g - g.sum(axis=-1, keepdims=True)),
    "factor A in front": lambda a, g: g - (g * a).sum(axis=-1, keepdims=True),
    "the sign is turned": lambda a, g: -pull_back(a, g),
    "these are Jacobians": lambda a, g: np.array([jacobian(row) for row in a]),
    "one number a row": lambda a, g: (a * g).sum(axis=-1),
    "transposed": lambda a, g: pull_back(a, g).T,
    "changed its input": spoiling,
    "stopped with ValueError": lambda a, g: a * (g - (g * a).sum(axis=-1)),
    "is right there": lambda a, g: 2 * pull_back(a, g),
}
SLIPS[ch07.check_pull] = {
    "this is the gradient": lambda s, w: -pull(s, w),
    "1 is missing": lambda s, w: -rows(s),
    "the weights are missing": lambda s, w: np.eye(7)[w],
    "only the wanted logit": lambda s, w: np.eye(7)[w] * (1 - rows(s)),
    "how the weight answers": lambda s, w: np.eye(7)[w] * rows(s) * (1 - rows(s)),
    "this is the pull of −p": lambda s, w: rows(s)[w] * pull(s, w),
    "these are the logits": lambda s, w: np.eye(7)[w] - s,
    "this is one number": lambda s, w: 1 - rows(s)[w],
    "is right there": lambda s, w: 2 * pull(s, w),
}
RIGHT = {
    ch07.check_jacobian: [
        jacobian,
        lambda p: p[:, None] * (np.eye(5) - p),
        lambda p: jacobian(p).tolist(),
    ],
    ch07.check_pull_back: [
        pull_back,
        lambda a, g: np.array([jacobian(row) @ up for row, up in zip(a, g, strict=True)]),
    ],
    ch07.check_pull: [pull],
}


class TestChecks(Checks):
    chapter, slips, right = ch07, SLIPS, RIGHT


def test_central_differences_know_the_derivatives_of_sine():
    x = np.array([[0.3, 1.1, -2.0]])
    np.testing.assert_allclose(central_differences(lambda x: np.sin(x).sum(), x), np.cos(x))
    one_by_one = central_differences(lambda x: np.sin(x[0]), x)
    np.testing.assert_allclose(one_by_one[:, 0], np.diag(np.cos(x[0])), atol=1e-10)
