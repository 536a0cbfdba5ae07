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


def effect(s, a, b):
    return -pull(s, b) @ pull(s, a)


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
SLIPS[ch07.check_effect] = {
    "a step of A goes against": lambda s, a, b: -effect(s, a, b),
    "to loss A itself": lambda s, a, b: effect(s, a, a),
    "A's step moves all logits": lambda s, a, b: pull(s, b)[a] * -pull(s, a)[a],
    "loss B feels all logits": lambda s, a, b: pull(s, b)[b] * -pull(s, a)[b],
    "that is B's weight": lambda s, a, b: -rows(s)[b] * effect(s, a, b),
    "effect of B's step": lambda s, a, b: effect(s, b, b),
    "one number for each logit": lambda s, a, b: -pull(s, b) * pull(s, a),
    "is right there": lambda s, a, b: 2 * effect(s, a, b),
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
    ch07.check_effect: [effect],
}


class TestChecks(Checks):
    chapter, slips, right = ch07, SLIPS, RIGHT


def test_central_differences_know_the_derivatives_of_sine():
    x = np.array([[0.3, 1.1, -2.0]])
    np.testing.assert_allclose(central_differences(lambda x: np.sin(x).sum(), x), np.cos(x))
    one_by_one = central_differences(lambda x: np.sin(x[0]), x)
    np.testing.assert_allclose(one_by_one[:, 0], np.diag(np.cos(x[0])), atol=1e-10)
