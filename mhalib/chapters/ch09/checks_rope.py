"""Chapter 09: RoPE, and a head that uses it beside a cache."""

import numpy as np

from mhalib.attention import causal_mask, scaled_dot_product_attention
from mhalib.live.feedback import check, expect
from mhalib.rotary import frequencies, rotate


@check
def check_rope(function):
    """Chapter 09: ``rope(x, positions)`` in halves, for 5 tokens of 14 channels."""
    x, positions = np.random.default_rng(3).normal(size=(5, 14)), np.array([3, 4, 5, 9, 40])
    hints = {(5, 7): "half of the channels are missing: put both turned halves side by side."}
    slips = _wrong_pairs(x, positions) | _wrong_angles(x, positions)
    expect(rotate(x, positions), function, "rope", x, positions, slips=slips, hints=hints)
    return "Right: every pair is a hand, turned by its own speed times position."


def _wrong_pairs(x, positions):
    """What channels give that found the wrong partner, or lost a sign."""
    angles = np.outer(positions, frequencies(14))
    twice, again = np.repeat(angles, 2, axis=1), np.hstack([angles, angles])
    a, b, cos, sin = x[:, :7], x[:, 7:], np.cos(angles), np.sin(angles)
    across_halves = np.hstack([-b, a])
    across_neighbours = np.stack([-x[:, 1::2], x[:, ::2]], axis=-1).reshape(5, 14)
    mixed = "the conventions are mixed: {}; lengths change, which no turn does."
    return {
        "nothing is turned yet.": x,
        "pairs are neighbours here; asked for are halves: channel i with i + d_head / 2.": (
            rotate(x, positions, pairs="neighbours")
        ),
        mixed.format("pairs are halves, but each angle stands twice in a row"): (
            x * np.cos(twice) + across_halves * np.sin(twice)
        ),
        mixed.format("pairs are neighbours, but the angles run as for halves"): (
            x * np.cos(again) + across_neighbours * np.sin(again)
        ),
        "a minus sign is missing: a' = a cos − b sin; so the lengths change.": (
            np.hstack([a * cos + b * sin, a * sin + b * cos])
        ),
    }


def _wrong_angles(x, positions):
    """What right pairs give that turn by other angles."""
    i = np.arange(7)

    def at(speeds):
        angles = np.outer(positions, speeds)
        hands = (x[:, :7] + 1j * x[:, 7:]) * np.exp(1j * angles)
        return np.hstack([hands.real, hands.imag])

    return {
        "turned the wrong way: a' = a cos − b sin, b' = a sin + b cos.": rotate(x, -positions),
        "turned by place in the array; use the positions given.": rotate(x, np.arange(5)),
        "all pairs turn at the same speed; pair i turns by 10000^(−2i/d).": at(np.ones(7)),
        "the exponent is −i/d; it is −2i/d, for there are d/2 pairs.": at(10000 ** (-i / 14)),
        "pairs count from 0: the first turns by 1.": at(10000 ** (-2 * (i + 1) / 14)),
        "the exponent's minus is missing: speeds must fall.": at(10000 ** (2 * i / 14)),
    }


@check
def check_rope_head(function):
    """Chapter 09: ``rope_head(q, k, v)``, 3 newest words of 7, 10 channels, values of 4."""
    rng = np.random.default_rng(4)
    q, k, v = rng.normal(size=(3, 10)), rng.normal(size=(7, 10)), rng.normal(size=(7, 4))
    hints = {
        (3, 7): "these are the weights (or logits); the head averages its values: weights @ v.",
        (7, 4): "all words have a row; only the newest look.",
        (3, 10): "the result has the channels of the values, not of the queries.",
    }
    expect(
        _rope_head(q, k, v), function, "rope_head", q, k, v, slips=_head_slips(q, k, v), hints=hints
    )
    return "Right: turned by its place in the text, hidden from the future, scaled."


NEWEST, ALL, STILL, MASK = (4, 5, 6), range(7), (0,) * 7, causal_mask(3, 7)


def _rope_head(q, k, v, q_at=NEWEST, k_at=ALL, mask=MASK, scale=None, q_pairs="halves"):
    """The exercise's head, with one thing changed."""
    q, k = rotate(q, q_at, pairs=q_pairs), rotate(k, k_at)
    return scaled_dot_product_attention(q, k, v, mask, scale)[0]


def _head_slips(q, k, v):
    return {
        "the values were turned as well; they carry content, and only q and k are turned.": (
            _rope_head(q, k, rotate(v, ALL))
        ),
        "the newest words were counted from 0; they stand after the cached ones: 4, 5, 6.": (
            _rope_head(q, k, v, q_at=ALL[:3])
        ),
        "only the queries were turned; turn the keys as well.": _rope_head(q, k, v, k_at=STILL),
        "only the keys were turned; turn the queries as well.": _rope_head(q, k, v, q_at=STILL[:3]),
        "nothing was turned: rotate q and k first.": _rope_head(q, k, v, STILL[:3], STILL),
        "nothing is hidden: the newest words see what comes later.": _rope_head(q, k, v, mask=None),
        "the mask's triangle stands in the upper left corner: causal_mask(3, 7) knows better.": (
            _rope_head(q, k, v, mask=np.tri(3, 7, dtype=bool))
        ),
        "the logits are not divided by √d_head.": _rope_head(q, k, v, scale=1),
        "q is turned in one convention and k in the other; use one for both.": (
            _rope_head(q, k, v, q_pairs="neighbours")
        ),
    }
