"""Chapter 10's checks, asked like a learner: the slips they know, each with its own message."""

import numpy as np
from slips import Checks, assert_slip

from mhalib.chapters import ch10
from mhalib.chapters.ch10 import place_head


def fewest(kernel):
    parts = [np.maximum(kernel, 0), np.minimum(kernel, 0)]
    parts = [part for part in parts if part.any()]
    sizes = np.array([part.sum() for part in parts])
    return np.array(parts) / sizes[:, None], sizes


def both(kernel):
    """Two heads whether there are two signs or not."""
    parts = np.array([np.maximum(kernel, 0), np.minimum(kernel, 0)])
    sizes = parts.sum(axis=1)
    shares = np.where(sizes[:, None] == 0, 1 / 9, parts / np.where(sizes == 0, 1, sizes)[:, None])
    return shares, sizes


def divided(kernel):
    parts = np.array([np.maximum(kernel, 0), np.minimum(kernel, 0)])
    return parts / parts.sum(axis=1, keepdims=True), parts.sum(axis=1)


def each_place(kernel):
    there = np.flatnonzero(kernel)
    return np.eye(9)[there], kernel[there]


SLIPS = {}
SLIPS[ch10.check_fewest_heads] = {
    "a NaN came out": divided,
    "4 heads where 2 will do": lambda k: (
        (fewest(k)[0][[0, 0, 1, 1]], fewest(k)[1][[0, 0, 1, 1]] / 2)
        if k.min() < 0 < k.max()
        else fewest(k)
    ),
    "2 heads where 1 will do: one of them does nothing": both,
    "9 heads where 1 will do: a head for each place": each_place,
    "a share is below 0": lambda k: (k[None] / k.sum(), k.sum()[None]),
    "shares add up to 16.00": lambda k: (k[None], np.ones(1)),
    "the signs are lost": lambda k: (fewest(k)[0], abs(fewest(k)[1])),
    "the sizes are lost": lambda k: (fewest(k)[0], np.sign(fewest(k)[1])),
    "only one of its two parts": lambda k: (fewest(k)[0][:1], fewest(k)[1][:1]),
    "shares is one row": lambda k: (fewest(k)[0][0], fewest(k)[1][:1]),
    "places first": lambda k: (fewest(k)[0].T, fewest(k)[1]),
    "must return two arrays": lambda k: fewest(k)[0],
    "stopped with TypeError": lambda k: None + k,
    "place 4 becomes 6.00, but should be 4.00": lambda k: (
        fewest(k)[0],
        fewest(k)[1] * 1.5,
    ),
}


def heads_of(q=lambda q: q, k=lambda k: k, alpha=lambda a: a, step=lambda s: s):
    def made(a, s):
        w_q, w_k = place_head(alpha(a), step(s))
        return q(w_q), k(w_k)

    return made


def without_square(w_q):
    w_q[:, 2] = 0
    return w_q


def without_two(w_q):
    w_q[:, :2] /= 2
    return w_q


SLIPS[ch10.check_place_head] = {
    "the opposite way": heads_of(step=lambda s: (-s[0], -s[1])),
    "down and across are swapped": heads_of(step=lambda s: s[::-1]),
    "divides by √d_head: put that factor": heads_of(q=lambda q: q / np.sqrt(3)),
    "√d_head once too often": heads_of(q=lambda q: q * np.sqrt(3)),
    "−α ‖p_j‖² is missing": heads_of(q=without_square),
    "the 2 is missing": heads_of(q=without_two),
    "step is not used": heads_of(step=lambda s: (0, 0)),
    "alpha is not used": heads_of(alpha=lambda a: 1),
    "the sign is wrong": heads_of(q=lambda q: -q),
    "W_Q is transposed": heads_of(q=np.transpose),
    "W_K has shape (4, 2)": heads_of(k=lambda k: k[:, :2]),
    "must return two arrays": lambda a, s: place_head(a, s)[0],
    "stopped with ValueError": lambda a, s: np.ones(2) @ np.ones(3),
}


SLIPS[ch10.check_mixed_of] = {
    "adds up the nine ranks": lambda m: sum(np.linalg.matrix_rank(x) for x in m),
    "stacked below each other": lambda m: np.linalg.matrix_rank(m.reshape(45, 7)),
    "the rank of one matrix": lambda m: np.linalg.matrix_rank(m[0]),
    "so many matrices are not 0, but": lambda m: m.any(axis=(1, 2)).sum(),
    "gives 2 where 3 is right": lambda m: 2,
    "so many heads are always enough": lambda m: np.linalg.matrix_rank(m.reshape(9, -1)) + 1,
    "all nine are mixtures of fewer": lambda m: 9,
    "has shape (9,)": lambda m: np.linalg.matrix_rank(m),
}


def test_sharpen_is_a_mixture_of_one_number_though_it_takes_two_heads():
    """The check asks for the first; who counts heads for its last case is told the difference."""

    def heads(matrices):
        if matrices.shape[1:] == (1, 1):
            return len(fewest(matrices.ravel())[1])
        return np.linalg.matrix_rank(matrices.reshape(9, -1))

    assert heads(np.reshape([0, -1, 0, -1, 5, -1, 0, -1, 0.0], (9, 1, 1))) == 2
    assert_slip(ch10.check_mixed_of(heads), "so many heads are always enough")


def wider(a, s):
    """A channel more, which does nothing."""
    return [np.hstack([w * (4 / 3) ** 0.25, np.zeros((4, 1))]) for w in place_head(a, s)]


RIGHT = {
    ch10.check_fewest_heads: [
        fewest,
        lambda k: [a[::-1] for a in fewest(k)],
        lambda k: [a.tolist() for a in fewest(k)],
    ],
    ch10.check_place_head: [
        place_head,
        heads_of(q=lambda q: q / 7, k=lambda k: 7 * k),  # another split between query and key
        wider,
    ],
    ch10.check_mixed_of: [
        lambda m: np.linalg.matrix_rank(m.reshape(9, -1)),
        lambda m: int(np.linalg.matrix_rank(m.reshape(9, -1).T)),
    ],
}


class TestChecks(Checks):
    chapter, slips, right = ch10, SLIPS, RIGHT
