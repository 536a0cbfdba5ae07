"""Chapter 12: a previous-word score, an induction pattern, and a muted head."""

import numpy as np

from mhalib.attention import concat_heads, softmax
from mhalib.chapters.ch12.patterns import induction
from mhalib.live import Feedback
from mhalib.live.feedback import array_of, compare, run


def check_previous_score(function):
    """Chapter 12: ``previous_score(weights)`` for 3 heads on 7 tokens."""
    name, weights = "previous_score", softmax(np.random.default_rng(12).normal(size=(3, 7, 7)))
    hints = {
        (): "one number for all heads; needed is one for each head, shape (3,).",
        (7,): "the mean ran over the heads; a score belongs to a head, shape (3,).",
        (3, 6): "the weights are there, but not averaged over the rows: shape (3,).",
    }
    result = run(function, name, (3,), weights, hints=hints)
    if isinstance(result, Feedback):
        return result
    below = np.diagonal(weights, offset=-1, axis1=1, axis2=2)
    slips = [
        (
            below.sum(axis=-1) / 7,
            "you divided by 7 rows; the first has no token before it and does not count.",
        ),
        (
            np.diagonal(weights, offset=1, axis1=1, axis2=2).mean(axis=-1),
            "that is the next word: queries run down, so the token before is *below* the diagonal.",
        ),
        (
            np.diagonal(weights, axis1=1, axis2=2).mean(axis=-1),
            "that is the token itself, the diagonal; the token before is one further left.",
        ),
        (below.sum(axis=-1), "the weights are added up; they must be averaged over the rows."),
        (below.max(axis=-1), "that is the largest of them; a score is their average."),
    ]
    if wrong := compare(result, below.mean(axis=-1), slips, name):
        return wrong
    return Feedback(True, "Right: one place left of the diagonal, averaged over the rows with one.")


def check_induction_pattern(function):
    """Chapter 12: ``induction_pattern(ids)`` for 11 tokens, some of them again and again."""
    name, ids = "induction_pattern", np.array([5, 3, 8, 5, 3, 3, 9, 8, 5, 2, 5])
    n = len(ids)
    result = run(function, name, (n, n), ids)
    if isinstance(result, Feedback):
        return result
    right = induction(ids) + 0.0
    if wrong := compare(result, right, _induction_slips(ids), name):
        return wrong
    alone = run(function, name, (2, 2), np.array([4, 4]))
    if isinstance(alone, Feedback):
        return alone
    if wrong := compare(alone, np.array([[0.0, 0.0], [0.0, 1.0]]), [], name):
        return wrong
    return Feedback(True, "Right: it looks at what came after this token, earlier in the text.")


def _induction_slips(ids):
    n = len(ids)
    same, seen = ids[:, None] == ids, np.tri(n, dtype=bool)
    after = np.zeros((n, n), bool)
    after[:, 1:] = same[:, :-1]
    before = np.zeros((n, n), bool)
    before[:, :-1] = same[:, 1:]
    round_the_end = np.roll(same, 1, axis=1)
    rows = np.zeros((n, n), bool)
    rows[1:] = same[:-1]
    return [
        (after + 0.0, "rows look at what comes later; j may be i at most."),
        (
            (after & np.tri(n, k=-1, dtype=bool)) + 0.0,
            "j = i is missing: after A A, the second A may look at itself.",
        ),
        (
            (same & seen & ~np.eye(n, dtype=bool)) + 0.0,
            "that is the same token, a duplicate; induction looks one place further right.",
        ),
        (
            (same & seen) + 0.0,
            "that is the same token, itself included; induction looks one place further right.",
        ),
        (
            (before & seen) + 0.0,
            "that is the token *before* the earlier one; induction looks at the one after it.",
        ),
        (
            (round_the_end & seen) + 0.0,
            "np.roll brings the last token round to the first column, which has none before it.",
        ),
        ((rows & seen) + 0.0, "rows and columns are mixed up: shift the keys, not the queries."),
        ((after & seen).T + 0.0, "queries run down and keys across: turn it round."),
    ]


def check_muted_output(function):
    """Chapter 12: ``muted_output(outputs, W_O, muted)``, 5 heads of 3 channels on 7 tokens."""
    name, rng = "muted_output", np.random.default_rng(12)
    outputs, w_o, muted = rng.normal(size=(5, 7, 3)), rng.normal(size=(15, 11)), [1, 3]
    hints = {
        (7, 15): "the heads stand side by side, but W_O is missing.",
        (5, 7, 3): "heads have to be set side by side and multiplied by W_O.",
        (11, 7): "tokens down: (7, 11).",
    }
    result = run(function, name, (7, 11), outputs, w_o, muted, hints=hints)
    if isinstance(result, Feedback):
        return result

    def with_only(heads, blocks=outputs):
        kept = np.zeros_like(outputs)
        kept[heads] = blocks[heads]
        return concat_heads(kept) @ w_o

    rest, average = [0, 2, 4], outputs.copy()
    average[muted] = outputs.mean(axis=0)
    slips = [
        (with_only([0, 1, 2, 3, 4]), "nothing is muted yet."),
        (with_only(muted), "it is the other way round: the muted heads speak, the rest is silent."),
        (with_only([0, 2, 3, 4]), "only the first of the muted heads is silent."),
        (with_only([0, 1, 2, 4]), "only the last of the muted heads is silent."),
        (
            with_only(rest) * 5 / 3,
            "what is left was made larger to make up for it; muting only takes away.",
        ),
        (
            concat_heads(outputs[rest]) @ w_o[:9],
            "the muted heads were left out, so the others moved up to rows of W_O that are not "
            "theirs; keep their places, with zeros.",
        ),
        (concat_heads(average) @ w_o, "the muted heads speak with the others' average; put 0."),
        (
            np.where(np.isin(np.arange(5), muted)[:, None, None], 0, outputs).reshape(7, 15) @ w_o,
            "reshape alone mixes heads and tokens; set the blocks side by side (concat_heads).",
        ),
    ]
    if wrong := compare(result, with_only(rest), slips, name):
        return wrong
    silent = array_of(function(outputs.copy(), w_o.copy(), []), "the result", (7, 11))
    if isinstance(silent, Feedback) or not np.allclose(silent, with_only([0, 1, 2, 3, 4])):
        return Feedback(False, "right, but with no head muted it must be the whole layer's output.")
    return Feedback(True, "Right: zeros in their blocks, and every other head where it was.")
