"""The checks of chapter 05, asked like a learner: the slips they know, each with its message."""

import math

import numpy as np
import pytest
from slips import Checks

from mhalib.chapters import ch05


def a_head(looks=0, wanted=1, wish=24, step=1, near=4, others=True):
    """W_Q and W_K by hand; features: 0 determiner, 1 noun, ..., 6 position, 7 position squared."""
    w_q, w_k = np.zeros((8, 3)), np.zeros((8, 3))
    w_q[looks, :2] = wish, 2 * near * step
    w_q[: 6 if others else 4, 2] = -near
    w_q[6, 1] = 2 * near
    w_k[wanted, 0] = w_k[6, 1] = w_k[7, 2] = 1
    return w_q, w_k


HEAD = a_head()
TURN = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
SLIPS = {}
SLIPS[ch05.check_criterion] = {
    "W_Q has shape (5, 3); needed is (8, 3)": (HEAD[0][:5], HEAD[1]),
    "W_K is transposed": (HEAD[0], HEAD[1].T),
    "W_Q and W_K need the same number of columns": (HEAD[0], HEAD[1][:, :2]),
    "W_Q must hold finite numbers": (HEAD[0] + np.inf, HEAD[1]),
    "W_Q must be an array of numbers": ("head", HEAD[1]),
    "W_K must be an array of numbers": (HEAD[0], [[1, 2], [3]]),
    "W_Q has shape (24,)": (HEAD[0].ravel(), HEAD[1]),
    "exchanged": HEAD[::-1],
    "“The” looks at itself: a noun must count for more": a_head(wish=0, step=0),
    "is no noun: that head goes by place, not by kind": a_head(wish=0),
    "in “The cat sat on the black mat” “the” looks at “black”, which is no noun": a_head(wish=3),
    "looks at “cat”: a noun, but not its own": a_head(step=-2),
    "in “cat the black mat” “the” looks at “cat”: a noun, but not its own": a_head(step=0),
    "the nouns look for determiners": a_head(1, 0, 24, -1),
    "“sat” must look at itself, since it is no determiner": a_head([0, 2]),
    "“black” must look at itself": a_head(others=False),
    "less than .80": tuple(0.5 * w for w in HEAD),
    "most, but less than .80": tuple(0.9 * w for w in HEAD),
}


def effective(weights):
    return np.exp(-(weights * np.log(np.where(weights > 0, weights, 1))).sum(axis=-1))


def nats(weights, axis=-1):
    with np.errstate(all="ignore"):
        return -(weights * np.log(weights)).sum(axis=axis)


SLIPS[ch05.check_effective_number] = {
    "this is the entropy, in nats": nats,
    "the sign is lost": lambda w: np.exp(-nats(w)),
    "2 to the power of nats": lambda w: 2 ** nats(w),
    "looks at one word only": lambda w: 1 / w.max(axis=-1),
    "sum of squares": lambda w: 1 / (w**2).sum(axis=-1),
    "0 · log 0 counts as 0": lambda w: np.exp(nats(w)),
    "a number for each word looked at": lambda w: np.exp(nats(w, axis=0)),
    "one number for the whole table": lambda w: np.exp(nats(w, axis=None)),
    "is right there": lambda w: np.exp(nats(w)) + 1,
    "stopped with ZeroDivisionError": lambda w: 1 / 0,
}


def deal(k, h):
    rows = np.zeros((h, k))
    for j in range(max(k, h)):
        rows[j % h, j % k] = 1
    return rows / rows.sum(axis=1, keepdims=True)


def leftovers_to_the_last(k, h):
    """k // h relations a head, and all that are left over to the last one."""
    rows = np.zeros((h, k))
    for j in range(k):
        rows[min(j // max(1, k // h), h - 1), j] = 1
    rows[rows.sum(axis=1) == 0, 0] = 1
    return rows / rows.sum(axis=1, keepdims=True)


def nearly(k, h):
    dealt = deal(k, h)
    return 0.9 * dealt + 0.1 * np.roll(dealt, 1, axis=0) if h > 1 else dealt


def negative(k, h):
    return np.array([[0.5, -0.5, 0, 0.5, 0.5], *deal(5, 3)[1:]]) if k == 5 else deal(k, h)


SLIPS[ch05.check_deal] = {
    "deal(5, 3) is transposed": lambda k, h: deal(k, h).T,
    "each row of deal(5, 3) must be weights": lambda k, h: deal(k, h) > 0,
    "each row of deal(3, 5) must be weights": lambda k, h: deal(k, h) * (np.arange(h) < k)[:, None],
    "no head looks at relation 3": lambda k, h: np.eye(k)[:h] if h <= k else deal(k, h),
    "let them share the work": lambda k, h: np.full((h, k), 1 / k),
    "one head has 3 relations, where 2 a head would do": leftovers_to_the_last,
    "guarantees 0.450, but 0.500 is possible": nearly,
    "must be weights: above 0": negative,
    "stopped with ZeroDivisionError": lambda k, h: 1 / 0,
}

RIGHT = {
    ch05.check_criterion: [
        HEAD,
        (HEAD[0] @ TURN, HEAD[1] @ TURN),  # the same similarity
        (HEAD[0] @ HEAD[1].T * np.sqrt(8 / 3), np.eye(8)),  # eight columns
        (HEAD[0].tolist(), HEAD[1].tolist()),
    ],
    ch05.check_effective_number: [effective],
    ch05.check_deal: [deal, lambda k, h: deal(k, h).tolist()],
}


class TestChecks(Checks):
    chapter, slips, right = ch05, SLIPS, RIGHT


# What the chapter claims of budgets


@pytest.mark.parametrize("k, h", [(2, 1), (3, 2), (5, 2), (5, 3), (7, 3), (3, 5)])
def test_no_rows_found_by_climbing_guarantee_more_than_one_over_the_ceiling(k, h):
    rng, best = np.random.default_rng(k * h), 0
    bound = 1 / math.ceil(k / h)
    for _ in range(30):
        rows = rng.dirichlet(np.full(k, 0.3), size=h)
        for size in np.geomspace(0.5, 0.01, 200):
            tried = (1 - size) * rows + size * rng.dirichlet(np.full(k, 0.3), size=h)
            if guaranteed(tried) >= guaranteed(rows):
                rows = tried
        best = max(best, guaranteed(rows))
    assert guaranteed(deal(k, h)) == pytest.approx(bound)
    assert 0.6 * bound < best <= bound + 1e-12


def guaranteed(rows):
    """The weight that every relation has in the head that serves it best."""
    return min(max(row[j] for row in rows) for j in range(len(rows[0])))
