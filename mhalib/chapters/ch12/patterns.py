"""Patterns that a head's weights may follow: where each token would have to look.

A pattern is a table of booleans (T, T), a row for each token that looks, like the weights; a row
may be empty, for a token that the pattern says nothing about. A head's *score* is the weight it has
there, averaged over the other rows: 1 is the pattern itself. The names are those of Clark et al.
(2019) and Olsson et al. (2022).
"""

import numpy as np

from mhalib import inputs


def previous(tokens):
    """The token before: ``P[i, i - 1] = True``, nothing for the first."""
    return np.eye(len(_tokens(tokens)), k=-1, dtype=bool)


def following(tokens):
    """The token after: ``P[i, i + 1] = True``, nothing for the last."""
    return np.eye(len(_tokens(tokens)), k=1, dtype=bool)


def itself(tokens):
    """The token that looks: ``P[i, i] = True``."""
    return np.eye(len(_tokens(tokens)), dtype=bool)


def sink(tokens):
    """The first token, whatever it is: ``P[i, 0] = True``, nothing for the first itself."""
    pattern = np.zeros((len(_tokens(tokens)),) * 2, bool)
    pattern[1:, 0] = True
    return pattern


def duplicate(tokens):
    """The same token elsewhere: ``P[i, j] = (tokens[i] = tokens[j], i != j)``."""
    tokens = _tokens(tokens)
    return (tokens[:, None] == tokens) & ~itself(tokens)


def induction(tokens):
    """The token that came after this one when it stood earlier in the text.

    ``P[i, j] = (tokens[j - 1] = tokens[i], 1 <= j <= i)``: in "A B ... A" the second A looks at B.
    """
    tokens = _tokens(tokens)
    pattern = np.zeros((len(tokens),) * 2, bool)
    pattern[:, 1:] = tokens[:, None] == tokens[:-1]
    return pattern & np.tri(len(tokens), dtype=bool)


PATTERNS = {
    "previous word": previous,
    "next word": following,
    "itself": itself,
    "sink": sink,
    "duplicate": duplicate,
    "induction": induction,
}


def given_twice(n_tokens, seed=0, low=100, high=49_000):
    """Random tokens, and the same once more: ``[t_0, ..., t_{n-1}, t_0, ..., t_{n-1}]``.

    Nobody can foresee the first half; who looks up what came before knows the second. Tokens are
    whole numbers from `low` to `high` - 1 (beyond SmolLM2's special ones); shape (2 n_tokens,).
    """
    inputs.whole_number(n_tokens, "n_tokens")
    if n_tokens < 1:
        raise ValueError(f"n_tokens must be at least 1, but is {n_tokens}.")
    once = np.random.default_rng(seed).integers(low, high, n_tokens)
    return np.concatenate([once, once])


def score(weights, pattern):
    """How much weight lies where the pattern says, averaged over its rows.

    ``score = mean over rows i of P of sum_j weights[i, j] P[i, j]``; rows of P that are empty do
    not count, and a pattern with no row at all gives NaN: there is nothing to see.

    `weights`: (..., T, T), `pattern`: (T, T) booleans; returns (...,). Raises ValueError or
    TypeError for what is no weights or no table of booleans of that shape.
    """
    weights, _ = inputs.weights(weights, "weights", nothing_to_see=True)
    inputs.needs_axes(weights, "weights", 2, "(..., T, T)")
    pattern = inputs.mask_for(pattern, weights.shape[-2:])
    rows = pattern.any(axis=-1)
    if not rows.any():
        return np.full(weights.shape[:-2], np.nan)[()]
    return (weights * pattern).sum(axis=-1, dtype=np.float64)[..., rows].mean(axis=-1)


def _tokens(tokens):
    """Tokens, words or numbers, as an array with one axis."""
    array = np.asarray(tokens)
    if array.ndim != 1 or not array.size or array.dtype.kind not in "UiuO":
        raise TypeError(
            f"tokens must be a list of words or of whole numbers, but is {inputs.shown(tokens)}."
        )
    return array
