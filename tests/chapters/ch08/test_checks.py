"""Chapter 08's checks, asked like a learner: the slips they know, each with its own message."""

import numpy as np
from slips import Checks

from mhalib.chapters import ch08


def name_any(k, n):
    return 1 / k + (1 - 1 / k) / n


def adam_step(w, g, m, v, t, rate, sign=-1, root=np.sqrt, b1=0.9, b2=0.999, correct=True, late=0):
    m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g**2
    if correct:
        m, v = m / (1 - b1 ** (t + late)), v / (1 - b2 ** (t + late))
    return w + sign * rate * m / (root(v) + 1e-8)


def without_new_gradient(w, g, m, v, t, rate):
    return w - rate * m / (1 - 0.9**t) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)


def average_of_plain(w, g, m, v, t, rate):
    m, v = (0.9 * m + 0.1 * g) / (1 - 0.9**t), (0.999 * v + 0.001 * g) / (1 - 0.999**t)
    return w - rate * m / (np.sqrt(v) + 1e-8)


def with_its_own_gradient(w, g, m, v, t, rate):
    return w - rate * g / (np.sqrt((0.999 * v + 0.001 * g**2) / (1 - 0.999**t)) + 1e-8)


def spoiling(w, g, m, v, t, rate):
    m *= 0.9
    return w


def always_right(alpha, delta, axis=0, sizes=abs, size=lambda x: x):
    table = alpha @ delta
    diagonal = np.diag(table)
    return size(diagonal) > sizes(table).sum(axis=axis) - sizes(diagonal)


def more_than_each(alpha, delta):
    table = alpha @ delta
    return np.diag(table) > (abs(table) * (1 - np.eye(5))).max(axis=0)


SLIPS = {}
SLIPS[ch08.check_name_any] = {
    "knowing nothing": lambda k, n: 1 / n,
    "forgets that another token": lambda k, n: 1 / k,
    "counted twice": lambda k, n: 1 / k + 1 / n,
    "both at once": lambda k, n: 1 / (k * n),
    "the luck alone": lambda k, n: (1 - 1 / k) / n,
    "how often another token": lambda k, n: 1 - 1 / k,
    "it is the k tokens": lambda k, n: name_any(n, n),
    "is right there": lambda k, n: 2 * name_any(k, n),
    "has shape (3,)": lambda k, n: np.full(k, name_any(k, n)),
}
SLIPS[ch08.check_adam_step] = {
    "goes against the gradient": lambda *a: adam_step(*a, sign=1),
    "that is the step": lambda w, *a: w - adam_step(w, *a),
    "not divided by 1 − .9^t": lambda *a: adam_step(*a, correct=False),
    "the root of v": lambda *a: adam_step(*a, root=lambda v: v),
    "the rate is missing": lambda *a: adam_step(*a[:-1], 1),
    "the average of gradients": with_its_own_gradient,
    "nothing is divided": lambda w, g, m, v, t, rate: w - rate * (0.9 * m + 0.1 * g) / (1 - 0.9**t),
    "v averages g²": average_of_plain,
    "the old ones": without_new_gradient,
    "not t + 1": lambda *a: adam_step(*a, late=1),
    "a plain step": lambda w, g, m, v, t, rate: w - rate * g,
    "return the new w alone": lambda w, g, m, v, t, rate: np.stack([w, m, v]),
    "changed its input": spoiling,
    "at t = 1 with m = v = 0": lambda *a: adam_step(*a[:4], 7, a[5]),
    "is right there": lambda *a: 2 * adam_step(*a),
}
SLIPS[ch08.check_always_right] = {
    "compares along rows": lambda *a: always_right(*a, axis=1),
    "all others can hinder": more_than_each,
    "take the sizes": lambda *a: always_right(*a, sizes=lambda x: x),
    "no size there": lambda *a: always_right(*a, size=abs),
    "none of the others": lambda a, d: np.diag(a @ d) > abs(a @ d).sum(axis=0),
    "5 of them": lambda *a: always_right(*a).all(),
    "a whole table": lambda a, d: a @ d > 0,
    "is right there": lambda *a: 1 - always_right(*a),
}
RIGHT = {
    ch08.check_name_any: [name_any, lambda k, n: 1 / k + 1 / n - 1 / (k * n)],
    ch08.check_adam_step: [adam_step],
    ch08.check_always_right: [always_right, lambda *a: always_right(*a).tolist()],
}


class TestChecks(Checks):
    chapter, slips, right = ch08, SLIPS, RIGHT
