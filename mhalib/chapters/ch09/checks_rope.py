"""Chapter 09: RoPE, and a head that uses it beside a cache."""

import numpy as np

from mhalib.attention import causal_mask, softmax
from mhalib.live import Feedback
from mhalib.live.feedback import compare, run
from mhalib.rotary import rotate


def check_rope(function):
    """Chapter 09: ``rope(x, positions)`` in halves, for 5 tokens of 14 channels."""
    name, x = "rope", np.random.default_rng(3).normal(size=(5, 14))
    positions = np.array([3, 4, 5, 9, 40])
    hints = {(5, 7): "half of the channels are missing: put both turned halves side by side."}
    result = run(function, name, (5, 14), x, positions, hints=hints)
    if isinstance(result, Feedback):
        return result
    if wrong := compare(result, rotate(x, positions), _rope_slips(x, positions), name):
        return wrong
    return Feedback(True, "Right: every pair is a hand, turned by its own speed times position.")


def _rope_slips(x, positions):
    i = np.arange(7)
    a, b = x[:, :7], x[:, 7:]

    def turned(speeds):
        angles = np.outer(positions, speeds)
        cos, sin = np.cos(angles), np.sin(angles)
        return np.hstack([a * cos - b * sin, a * sin + b * cos])

    speeds = 10000.0 ** (-2 * i / 14)
    angles = np.outer(positions, speeds)
    twice, again = np.repeat(angles, 2, axis=1), np.hstack([angles, angles])
    across_halves = np.hstack([-b, a])
    across_neighbours = np.stack([-x[:, 1::2], x[:, ::2]], axis=-1).reshape(5, 14)
    cos, sin = np.cos(angles), np.sin(angles)
    mixed = "the conventions are mixed: {}; lengths change, which no turn does."
    return [
        (x, "nothing is turned yet."),
        (
            rotate(x, positions, pairs="neighbours"),
            "pairs are neighbours here; asked for are halves: channel i with i + d_head / 2.",
        ),
        (
            x * np.cos(twice) + across_halves * np.sin(twice),
            mixed.format("pairs are halves, but each angle stands twice in a row"),
        ),
        (
            x * np.cos(again) + across_neighbours * np.sin(again),
            mixed.format("pairs are neighbours, but the angles run as for halves"),
        ),
        (rotate(x, -positions), "turned the wrong way: a' = a cos − b sin, b' = a sin + b cos."),
        (
            np.hstack([a * cos + b * sin, a * sin + b * cos]),
            "a minus sign is missing: a' = a cos − b sin; so the lengths change.",
        ),
        (rotate(x, np.arange(5)), "turned by place in the array; use the positions given."),
        (turned(np.ones(7)), "all pairs turn at the same speed; pair i turns by 10000^(−2i/d)."),
        (
            turned(10000.0 ** (-i / 14)),
            "the exponent is −i/d; it is −2i/d, for there are d/2 pairs.",
        ),
        (turned(10000.0 ** (-2 * (i + 1) / 14)), "pairs count from 0: the first turns by 1."),
        (turned(10000.0 ** (2 * i / 14)), "the exponent's minus is missing: speeds must fall."),
    ]


def check_rope_head(function):
    """Chapter 09: ``rope_head(q, k, v)``, 3 newest words of 7, 10 channels, values of 4."""
    name, rng = "rope_head", np.random.default_rng(4)
    q, k, v = rng.normal(size=(3, 10)), rng.normal(size=(7, 10)), rng.normal(size=(7, 4))
    hints = {
        (3, 7): "these are the weights (or logits); the head averages its values: weights @ v.",
        (7, 4): "all words have a row; only the newest look.",
        (3, 10): "the result has the channels of the values, not of the queries.",
    }
    result = run(function, name, (3, 4), q, k, v, hints=hints)
    if isinstance(result, Feedback):
        return result
    if wrong := compare(result, _head(q, k, v), _head_slips(q, k, v), name):
        return wrong
    return Feedback(True, "Right: turned by its place in the text, hidden from the future, scaled.")


LOWER_RIGHT = causal_mask(3, 7)


def _head(q, k, v, q_at=(4, 5, 6), k_at=range(7), mask=LOWER_RIGHT, scale=10**-0.5):
    """The exercise's head, with one thing changed."""
    logits = rotate(q, list(q_at)) @ rotate(k, list(k_at)).T
    return softmax(logits * scale, mask) @ v


def _head_slips(q, k, v):
    still_q, still_k = np.zeros(3), np.zeros(7)
    return [
        (
            _head(q, k, rotate(v, np.arange(7))),
            "the values were turned as well; they carry content, and only q and k are turned.",
        ),
        (
            _head(q, k, v, q_at=range(3)),
            "the newest words were counted from 0; they stand after the cached ones: 4, 5, 6.",
        ),
        (_head(q, k, v, k_at=still_k), "only the queries were turned; turn the keys as well."),
        (_head(q, k, v, q_at=still_q), "only the keys were turned; turn the queries as well."),
        (_head(q, k, v, still_q, still_k), "nothing was turned: rotate q and k first."),
        (_head(q, k, v, mask=None), "nothing is hidden: the newest words see what comes later."),
        (
            _head(q, k, v, mask=np.tri(3, 7, dtype=bool)),
            "the mask's triangle stands in the upper left corner: causal_mask(3, 7) knows better.",
        ),
        (_head(q, k, v, scale=1), "the logits are not divided by √d_head."),
        (
            softmax(
                rotate(q, [4, 5, 6], pairs="neighbours") @ rotate(k, np.arange(7)).T / np.sqrt(10),
                causal_mask(3, 7),
            )
            @ v,
            "q is turned in one convention and k in the other; use one for both.",
        ),
    ]
