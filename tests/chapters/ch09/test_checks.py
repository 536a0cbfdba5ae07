"""Chapter 09's checks, asked like a learner; right answers by loops and by complex numbers."""

import cmath

import numpy as np
import oracles
from slips import Checks, rows

from mhalib.chapters import ch09


def lower_right(n_queries, n_keys):
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)


SLIPS = {}
SLIPS[ch09.check_causal_mask] = {
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
    "has shape (3, 7); needed is (5, 5)": lambda q, k: lower_right(3, 7),  # for one size only
    "is 0.0000 at [1, 0], but 1.0000": lambda q, k: lower_right(q, k) if q < k else np.eye(q),
    "of my_mask has shape (3,)": lambda q, k: [True] * q,
}


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


SLIPS[ch09.check_masked_softmax] = {
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


SLIPS[ch09.check_rope] = {
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


SLIPS[ch09.check_rope_head] = {
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


def mask_by_loops(n_queries, n_keys):
    cached = n_keys - n_queries
    return [[j <= cached + i for j in range(n_keys)] for i in range(n_queries)]


def counting_from(start):
    """Only differences count, so no check may ask for the positions themselves."""
    return head(
        lambda q, k: [start + t for t in range(len(k) - len(q), len(k))],
        lambda k: [start + t for t in range(len(k))],
    )


RIGHT = {
    ch09.check_causal_mask: [mask_by_loops, lambda q, k: lower_right(q, k).astype(int)],
    ch09.check_masked_softmax: [
        lambda s, m: [oracles.softmax(*row) for row in zip(s, m, strict=True)]
    ],
    ch09.check_rope: [by_complex_numbers, halves(speeds)],
    ch09.check_rope_head: [head(), counting_from(1), counting_from(100)],
}


class TestChecks(Checks):
    chapter, slips, right = ch09, SLIPS, RIGHT
