"""Chapter 09's checks of masks, asked like a learner: each slip has its own message."""

import numpy as np
import oracles
import pytest
from slips import assert_slip

from mhalib.chapters.ch09 import check_causal_mask, check_masked_softmax
from mhalib.live import NOT_ATTEMPTED


def lower_right(n_queries, n_keys):
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)


CAUSAL_SLIPS = {
    "in the upper left corner": lambda q, k: np.tri(q, k, dtype=bool),
    "cannot see itself": lambda q, k: np.tri(q, k, k - q - 1, dtype=bool),
    "sees the next one": lambda q, k: np.tri(q, k, k - q + 1),
    "the polarity is turned round": lambda q, k: ~lower_right(q, k),
    "that is the upper triangle": lambda q, k: np.triu(np.ones((q, k)), k - q),
    "upside down": lambda q, k: lower_right(q, k)[::-1],
    "nothing is hidden": lambda q, k: np.ones((q, k), bool),
    "added to logits": lambda q, k: np.where(lower_right(q, k), 0, -np.inf),
    "keys down and queries across": lambda q, k: lower_right(q, k).T,
    "have no columns": lambda q, k: np.tri(q, q),
    "have rows": lambda q, k: np.tri(k, k),
    "stopped with TypeError": lambda q, k: range(k) + q,
    "must be an array of numbers": lambda q, k: "mask",
    "is 0.0000 at [0, 0], but 1.0000": lambda q, k: np.zeros((q, k)),
    "of my_mask has shape (3,)": lambda q, k: [True] * q,
}
HARD_CODED = [[1, 1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1, 1]]


def rows(s, axis=-1):
    e = np.exp(s - s.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def empty_as(value):
    """Right everywhere but in the row with nothing to see."""

    def answer(logits, mask):
        right = [oracles.softmax(*row) for row in zip(logits, mask, strict=True)]
        right[3] = value(logits)
        return right

    return answer


def renormalised(logits, mask):
    kept = rows(logits) * mask
    return kept / np.maximum(kept.sum(axis=1, keepdims=True), 1e-300)


WEIGHTS_SLIPS = {
    "the mask came after softmax": lambda s, m: rows(s) * m,
    "gave nan": lambda s, m: rows(np.where(m, s, -np.inf)),
    "nothing to see gave nan": lambda s, m: rows(s) * m / (rows(s) * m).sum(axis=1)[:, None],
    "a large finite number cancels": lambda s, m: rows(np.where(m, s, s - 1e9)),
    "row looks unmasked": empty_as(lambda s: rows(s[3])),
    "all keys got the same": lambda s, m: rows(np.where(m, s, -1e9)),
    "exp(0) = 1": lambda s, m: rows(np.where(m, s, 0)),
    "True must mean *may*": lambda s, m: [oracles.softmax(*row) for row in zip(s, ~m, strict=True)],
    "the mask does nothing yet": lambda s, m: rows(s),
    "softmax ran over the queries": lambda s, m: np.transpose(
        [oracles.softmax(*row) for row in zip(s.T, m.T, strict=True)]
    ),
    "until a hidden logit is 1000": renormalised,
    "is missing; it stays, as zeros": lambda s, m: rows(np.where(m, s, -1e9))[[0, 1, 2, 4]],
    "turn it round": lambda s, m: rows(s).T,
    "changed its input": lambda s, m: s.__setitem__(slice(None), 0) or s,
    "is right there": lambda s, m: 0.9 * np.array(empty_as(lambda s: 0 * s[3])(s, m)),
}


@pytest.mark.parametrize("message", CAUSAL_SLIPS)
def test_causal_slips(message):
    assert_slip(check_causal_mask(CAUSAL_SLIPS[message]), message)


def test_a_mask_for_one_size_only_is_found():
    assert_slip(check_causal_mask(lambda q, k: HARD_CODED), "has shape (3, 7); needed is (5, 5)")
    with_cache_only = check_causal_mask(lambda q, k: lower_right(q, k) if q < k else np.eye(q))
    assert_slip(with_cache_only, "is 0.0000 at [1, 0], but 1.0000")


@pytest.mark.parametrize("message", WEIGHTS_SLIPS)
def test_weights_slips(message):
    assert_slip(check_masked_softmax(WEIGHTS_SLIPS[message]), message)


def test_right_answers_are_accepted():
    def by_loops(n_queries, n_keys):
        cached = n_keys - n_queries
        return [[j <= cached + i for j in range(n_keys)] for i in range(n_queries)]

    assert check_causal_mask(by_loops).solved
    assert check_causal_mask(lambda q, k: lower_right(q, k).astype(int)).solved
    assert check_masked_softmax(
        lambda s, m: [oracles.softmax(*row) for row in zip(s, m, strict=True)]
    ).solved


@pytest.mark.parametrize("nothing", [None, ...])
def test_an_untouched_stub_says_not_attempted(nothing):
    for check in (check_causal_mask, check_masked_softmax):
        assert check(lambda *inputs: nothing) == NOT_ATTEMPTED
