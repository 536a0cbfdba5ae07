"""Chapter 09's checks of RoPE, asked like a learner; right answers by complex numbers."""

import cmath

import numpy as np
import oracles
import pytest
from slips import assert_slip

from mhalib.chapters.ch09 import check_rope, check_rope_head
from mhalib.live import NOT_ATTEMPTED


def by_complex_numbers(x, positions):
    """Halves, one complex product a pair."""
    half, turned = len(x[0]) // 2, []
    for row, t in zip(x, positions, strict=True):
        turns = [cmath.exp(1j * t * 10000 ** (-i / half)) for i in range(half)]
        hands = [complex(row[i], row[i + half]) * turns[i] for i in range(half)]
        turned.append([hand.real for hand in hands] + [hand.imag for hand in hands])
    return np.array(turned)


def halves(speeds, sign=1, lost=False):
    """A learner's function with other speeds, the other way round, or a sign lost."""

    def rope(x, positions):
        half = x.shape[1] // 2
        angles = sign * np.outer(positions, speeds(np.arange(half), x.shape[1]))
        a, b, cos, sin = x[:, :half], x[:, half:], np.cos(angles), np.sin(angles)
        return np.hstack([a * cos + (b if lost else -b) * sin, a * sin + b * cos])

    return rope


def speeds(i, d):
    return 10000 ** (-2 * i / d)


def neighbours(x, positions):
    hands = (x[:, ::2] + 1j * x[:, 1::2]) * np.exp(
        1j * np.outer(positions, speeds(np.arange(7), 14))
    )
    return np.stack([hands.real, hands.imag], axis=-1).reshape(x.shape)


def mixed(repeat, across):
    """cos and sin tables of one convention, the partner of each channel from another."""

    def rope(x, positions):
        angles = repeat(np.outer(positions, speeds(np.arange(7), 14)))
        return x * np.cos(angles) + across(x) * np.sin(angles)

    return rope


ROPE_SLIPS = {
    "nothing is turned yet": lambda x, t: x,
    "asked for are halves": neighbours,
    "each angle stands twice": mixed(
        lambda angles: np.repeat(angles, 2, axis=1), lambda x: np.hstack([-x[:, 7:], x[:, :7]])
    ),
    "the angles run as for halves": mixed(
        lambda angles: np.tile(angles, 2),
        lambda x: np.stack([-x[:, 1::2], x[:, ::2]], axis=-1).reshape(x.shape),
    ),
    "turned the wrong way": halves(speeds, sign=-1),
    "a minus sign is missing": halves(speeds, lost=True),
    "use the positions given": lambda x, t: by_complex_numbers(x, range(len(x))),
    "at the same speed": halves(lambda i, d: 1 + 0 * i),
    "it is −2i/d": halves(lambda i, d: 10000 ** (-i / d)),
    "pairs count from 0": halves(lambda i, d: speeds(i + 1, d)),
    "speeds must fall": halves(lambda i, d: 1 / speeds(i, d)),
    "put both turned halves side by side": lambda x, t: by_complex_numbers(x, t)[:, :7],
    "stopped with ValueError": lambda x, t: x * t,
    "is right there": lambda x, t: 1.01 * by_complex_numbers(x, t),
}


def causal(q, k):
    return [[j <= i + len(k) - len(q) for j in range(len(k))] for i in range(len(q))]


def head(q_at=lambda q, k: range(len(k) - len(q), len(k)), k_at=lambda k: range(len(k)), **own):
    """A learner's head, with one thing of their own."""
    turn_v, mask = own.get("turn_v", lambda v: v), own.get("mask", causal)

    def rope_head(q, k, v):
        turned = by_complex_numbers(q, q_at(q, k)), by_complex_numbers(k, k_at(k)), turn_v(v)
        lists = (np.asarray(array).tolist() for array in turned)
        return oracles.attention(*lists, mask(q, k), own.get("scale"))[0]

    return rope_head


def still(length):
    return [0] * length


def half_neighbours(q, k, v):
    turns = np.exp(1j * np.outer([4, 5, 6], speeds(np.arange(5), 10)))
    hands = (q[:, ::2] + 1j * q[:, 1::2]) * turns
    q = np.stack([hands.real, hands.imag], axis=-1).reshape(q.shape)
    lists = (array.tolist() for array in (q, by_complex_numbers(k, range(7)), v))
    return oracles.attention(*lists, causal(q, k))[0]


HEAD_SLIPS = {
    "the values were turned": head(turn_v=lambda v: by_complex_numbers(v, range(len(v)))),
    "counted from 0": head(q_at=lambda q, k: range(len(q))),
    "only the queries": head(k_at=lambda k: still(len(k))),
    "only the keys": head(q_at=lambda q, k: still(len(q))),
    "nothing was turned": head(lambda q, k: still(len(q)), lambda k: still(len(k))),
    "nothing is hidden": head(mask=lambda q, k: None),
    "in the upper left corner": head(mask=lambda q, k: np.tri(len(q), len(k)).tolist()),
    "not divided": head(scale=1),
    "one convention and k in the other": half_neighbours,
    "these are the weights": lambda q, k, v: q @ k.T,
    "all words have a row": lambda q, k, v: v,
    "not of the queries": lambda q, k, v: q,
    "is right there": lambda q, k, v: np.zeros((3, 4)),
}


@pytest.mark.parametrize("message", ROPE_SLIPS)
def test_rope_slips(message):
    assert_slip(check_rope(ROPE_SLIPS[message]), message)


@pytest.mark.parametrize("message", HEAD_SLIPS)
def test_head_slips(message):
    assert_slip(check_rope_head(HEAD_SLIPS[message]), message)


def test_right_answers_are_accepted():
    assert check_rope(by_complex_numbers).solved
    assert check_rope(halves(speeds)).solved
    assert check_rope_head(head()).solved


@pytest.mark.parametrize("start", [1, 100])
def test_a_head_that_counts_from_elsewhere_is_right_too(start):
    """Only differences count, so no check may ask for the positions themselves."""
    moved = head(
        lambda q, k: [start + t for t in range(len(k) - len(q), len(k))],
        lambda k: [start + t for t in range(len(k))],
    )
    assert check_rope_head(moved).solved


@pytest.mark.parametrize("nothing", [None, ...])
def test_an_untouched_stub_says_not_attempted(nothing):
    for check in (check_rope, check_rope_head):
        assert check(lambda *inputs: nothing) == NOT_ATTEMPTED
