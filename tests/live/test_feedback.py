"""Every check, asked like a learner: the slips it knows, each with its own message."""

import numpy as np
import pytest
from slips import assert_slip

from mhalib import live
from mhalib.chapters.ch01 import check_attention, check_softmax
from mhalib.chapters.ch04 import check_compromise, check_merge, check_partner
from mhalib.merging import partner


def rows(logits):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def unstable(logits):
    return np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)


def spoiling(logits):
    logits -= logits.max(axis=-1, keepdims=True)
    return np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)


def whole_table_max(logits):
    e = np.exp(logits - logits.max())
    return e / e.sum(axis=-1, keepdims=True)


SOFTMAX_SLIPS = {
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
ATTENTION_SLIPS = {
    "are not scaled": lambda q, k, v: rows(q @ k.T) @ v,
    "divided by d;": lambda q, k, v: rows(q @ k.T / q.shape[1]) @ v,
    "is the number of keys": lambda q, k, v: rows(q @ k.T / np.sqrt(len(k))) @ v,
    "ran down the columns": lambda q, k, v: rows((q @ k.T / np.sqrt(7)).T).T @ v,
    "softmax is missing": lambda q, k, v: q @ k.T / np.sqrt(7) @ v,
    "these are the weights": lambda q, k, v: rows(q @ k.T / np.sqrt(7)),
    "stopped with ValueError": lambda q, k, v: rows(q @ k) @ v,
}


def root_of_heads(s):
    return s.sum(axis=0) / np.sqrt(len(s))


MERGE_SLIPS = {
    "merging ends before the softmax": lambda s, how: rows(s.sum(axis=0)),
    "average of weights": lambda s, how: rows(s).mean(axis=0),
    "turned into weights first, then added": lambda s, how: rows(s).sum(axis=0),
    "keys were summed away": lambda s, how: s.sum(axis=1),
    '"big_head") gives the bare sum': lambda s, how: s.sum(axis=0),
    '"add") divides by the number of heads': lambda s, how: s.mean(axis=0),
    '"add") divides by the square root': lambda s, how: root_of_heads(s),
    '"average") divides by the square root': lambda s, how: (
        s.sum(axis=0) if how == "add" else root_of_heads(s)
    ),
    '"big_head") divides by the number of heads': lambda s, how: (
        s.sum(axis=0) if how == "add" else s.mean(axis=0)
    ),
}
COMPROMISE_SLIPS = {
    "has shape (3,); needed is (2, 3)": [10, 0, 8],
    "look like weights": [[0.8, 0.0, 0.2], [0.0, 0.8, 0.2]],
    "so does a head": [[10, 0, 0], [10, 0, 0]],
    "a head gives word 2 0.27": [[10, 0, 9], [0, 10, 9]],
    "veto the other's favourite more strongly": [[4, 0, 2.3], [0, 4, 2.3]],
    "finite numbers": [[np.inf, 0, 0], [0, 1, 2]],
    "must be an array of numbers": "logits",
}
P = np.array([0.6, 0.3, 0.1])
PARTNER_SLIPS = {
    "q is p itself": (P, P),
    "mirroring p": (P, P[::-1]),
    "mirroring p works with two words only": (P, (1 - P) / 2),
    "cancels p": (P, (1 / P) / (1 / P).sum()),
    "p is uniform": (np.ones(3) / 3, np.ones(3) / 3),
    "p must be weights": (np.log(P), P),
    "q must be weights": (P, np.array([3.0, 2.0, 1.0])),
    "q has shape (2,)": (P, np.array([0.5, 0.5])),
    "1/p + 1/q is not the same": (P, np.array([0.2, 0.2, 0.6])),
}


@pytest.mark.parametrize("message", SOFTMAX_SLIPS)
def test_softmax_slips(message):
    assert_slip(check_softmax(SOFTMAX_SLIPS[message]), message)


@pytest.mark.parametrize("message", ATTENTION_SLIPS)
def test_attention_slips(message):
    assert_slip(check_attention(ATTENTION_SLIPS[message]), message)


@pytest.mark.parametrize("message", MERGE_SLIPS)
def test_merge_slips(message):
    assert_slip(check_merge(MERGE_SLIPS[message]), message)


@pytest.mark.parametrize("message", COMPROMISE_SLIPS)
def test_compromise_slips(message):
    assert_slip(check_compromise(COMPROMISE_SLIPS[message]), message)


@pytest.mark.parametrize("message", PARTNER_SLIPS)
def test_partner_slips(message):
    assert_slip(check_partner(*PARTNER_SLIPS[message]), message)


@pytest.mark.parametrize(
    "slips",
    [SOFTMAX_SLIPS, ATTENTION_SLIPS, MERGE_SLIPS, COMPROMISE_SLIPS, PARTNER_SLIPS],
)
def test_every_exercise_knows_at_least_two_slips(slips):
    assert len(slips) >= 2


def test_right_answers_are_accepted():
    assert check_softmax(rows).solved
    assert check_attention(lambda q, k, v: rows(q @ k.T / np.sqrt(q.shape[-1])) @ v).solved
    by = {"add": 1, "big_head": 3**0.5, "average": 3}
    assert check_merge(lambda s, how: s.sum(axis=0) / by[how]).solved
    assert check_compromise([[9, 0, 7], [0, 9, 7]]).solved
    assert check_compromise(np.array([[0, 7, 9], [9, 7, 0]])).solved  # another word, another way
    inverse = 1 / P
    c = np.linspace(inverse.max() + 1, inverse.max() + 3, 2_000_001)
    sums = (1 / (c[:, None] - inverse)).sum(axis=1)
    assert check_partner(P, 1 / (c[abs(sums - 1).argmin()] - inverse)).solved


def test_lists_are_as_good_as_arrays():
    assert check_softmax(lambda s: rows(s).tolist()).solved


@pytest.mark.parametrize("nothing", [None, ...])
def test_an_untouched_stub_says_not_attempted(nothing):
    for check in (check_softmax, check_attention, check_merge):
        assert check(lambda *inputs: nothing) == live.NOT_ATTEMPTED
    assert check_compromise(nothing) == live.NOT_ATTEMPTED
    assert check_partner(nothing, nothing) == live.NOT_ATTEMPTED


def test_feedback_reads_as_its_sentence():
    assert repr(live.NOT_ATTEMPTED).startswith("Not attempted yet")
    assert repr(check_softmax(rows)).startswith("✓ Right")


def test_a_compromise_just_short_of_its_number():
    assert "gives word 2 only 0.82" in check_compromise([[5, 0, 3.6], [0, 5, 3.6]]).message


def test_a_partner_that_is_nearly_right_is_not_right():
    p = np.array([0.6, 0.3, 0.1])
    assert not check_partner(p, partner(p) + [0.003, -0.003, 0]).solved
