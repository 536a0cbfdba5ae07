"""Positions as angles: rotary position embedding (RoPE).

Each head's queries and keys, after the split, are cut into pairs of channels, and each pair is
turned by an angle that grows with the token's position. Values are never turned. The dot product
of a turned query and a turned key depends on their positions through the difference only. Which
two channels make a pair is a convention, and `x` and weights must come from the same one:

- "halves": channel i with channel i + d_head / 2, as in the weights of Llama that the transformers
  library loads, and in most models since;
- "neighbours": channel 2i with channel 2i + 1, as in the paper and in Llama's original files.

Source: Su et al. (2021), RoFormer, section 3.2.
"""

import numpy as np

from mhalib import inputs

PAIRS = {  # where the first and where the second channels of all pairs stand
    "halves": lambda d_head: (slice(0, d_head // 2), slice(d_head // 2, None)),
    "neighbours": lambda d_head: (slice(0, None, 2), slice(1, None, 2)),
}


def frequencies(d_head, base=10_000):
    """The angle by which each pair of channels turns from one position to the next, in radians.

    ``frequency[i] = base ** (-2 i / d_head)``: 1 for the first pair, smaller for every next one.

    Shape (d_head / 2,), float64. Raises ValueError or TypeError for a d_head that is not even and
    above 0 (a head's channels, not d_model), or a base that is not finite or below 1.
    """
    inputs.whole_number(d_head, "d_head")
    if d_head < 2 or d_head % 2:
        raise ValueError(
            f"d_head is {d_head}, but RoPE turns pairs of channels: it must be even and above 0."
        )
    if inputs.number(base, "base") < 1:
        raise ValueError(f"base must be at least 1, but is {base}; the paper's is 10000.")
    return float(base) ** (-np.arange(0, d_head, 2) / d_head)


@np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
def rotate(x, positions, base=10_000, pairs="halves"):
    """Turn each pair (a, b) of channels of a query or key by ``position * frequency``.

    ``a' = a cos(angle) - b sin(angle)``, ``b' = a sin(angle) + b cos(angle)``

    `x`: (..., T, d_head), a head's queries or keys after the split, d_head even. `positions`: (T,)
    or (..., T), counted by the caller: with a cache new tokens go on where it ends. `base`: sets
    the `frequencies`, 10000 in the paper, more for long texts. `pairs`: "halves" or "neighbours".
    Returns the shape and dtype of x (angles are in float64 always); each token as long as before.

    Raises ValueError or TypeError, in one sentence, for an odd d_head, positions that do not fit
    (nothing is broadcast), another convention, or overflow. The derivative by x is a turn back:
    ``rotate(upstream, -positions)``. Source: Su et al. (2021), equations 14, 15 and 34.
    """
    x, dtype = inputs.floats(x, "x", "(..., T, d_head)")
    check_turn(x.shape[-1], base, pairs)
    turned = turn(x, _positions(positions, x.shape), base, pairs)
    return inputs.fits(turned, dtype, "the turned x")


def turn(x, positions, base, pairs):
    """`rotate` without its checks, for tokens that a layer has checked already."""
    first, second = PAIRS[pairs](x.shape[-1])
    angles = positions[..., None] * frequencies(x.shape[-1], base)
    cos, sin = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
    a, b = x[..., first], x[..., second]
    turned = np.empty_like(x)
    turned[..., first] = a * cos - b * sin
    turned[..., second] = a * sin + b * cos
    return turned


def check_turn(d_head, base, pairs):
    """Refuse a width, a base or a convention by which nothing can be turned."""
    frequencies(d_head, base)
    if not isinstance(pairs, str) or pairs not in PAIRS:
        raise ValueError(
            f"pairs must be 'halves' (as transformers has it) or 'neighbours' (the paper), but is "
            f"{inputs.shown(pairs)}."
        )


def _positions(positions, x_shape):
    """One position for each token."""
    array, _ = inputs.floats(positions, "positions")
    if array.shape not in (x_shape[-2:-1], x_shape[:-1]):
        raise ValueError(
            f"positions has shape {array.shape}, but x has shape {x_shape}; it must be "
            f"{x_shape[-2:-1]}, one position a token, or {x_shape[:-1]}: nothing is broadcast."
        )
    return array
