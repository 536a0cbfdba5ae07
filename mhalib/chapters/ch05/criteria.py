"""Heads made by hand, each for a criterion: who looks for whom, in the longer running sentence."""

import numpy as np

from mhalib import inputs
from mhalib.running_sentence import MORE_FEATURES

# Criteria: who looks, for which kind, and on which side of itself (-1: just before, 1: just after).
ANY = MORE_FEATURES[:6]
CRITERIA = {
    "noun → determiner": (("noun",), ("determiner",), -1),
    "verb → subject": (("verb",), ("noun",), -1),
    "preposition → object": (("preposition",), ("noun",), 1),
    "previous word": (ANY, (), -1),
}
WISH, STRICTNESS = 24, 4  # how much a wanted kind counts, and a place further off


def criterion(looking, wanted, step, strictness=STRICTNESS):
    """W_Q and W_K, each (8, 3), of a head by which some kinds of words look for others.

    ``x_i W_Q W_K^T x_j^T = WISH looking_i wanted_j + strictness (2 t_i p_j - p_j^2)``,
    where looking_i and wanted_j are 0 or 1, p_j is the position of word j and
    ``t_i = p_i + step looking_i`` the place that word i likes best: its own, if it does not look.

    The last is ``-strictness (t_i - p_j)^2`` up to a constant of the row, which softmax ignores.

    `looking`, `wanted`: lists of kinds of words; `step`, `strictness`: numbers. Raises ValueError
    for a kind that is none, TypeError for a step or a strictness that is no number.
    """
    for kinds in (looking, wanted):
        unknown = [kind for kind in kinds if kind not in ANY]
        if isinstance(kinds, str) or unknown:
            raise ValueError(
                f"kinds of words are a list out of {', '.join(ANY)}, but were given as "
                f"{inputs.shown(kinds)}."
            )
    inputs.number(step, "step")
    inputs.number(strictness, "strictness")
    row = {name: number for number, name in enumerate(MORE_FEATURES)}
    w_q, w_k = np.zeros((2, len(MORE_FEATURES), 3))
    w_q[row["position"], 1] = 2 * strictness
    w_q[[row[kind] for kind in ANY], 2] = -strictness  # every word has one kind: this is a constant
    for kind in looking:
        w_q[row[kind], :2] = WISH, 2 * strictness * step
    for kind in wanted:
        w_k[row[kind], 0] = 1
    w_k[row["position"], 1] = w_k[row["position²"], 2] = 1
    return w_q, w_k
