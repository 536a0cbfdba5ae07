"""Chapter 12: a layer merged but for one head, an induction pattern, and a muted head."""

import numpy as np

from mhalib.attention import concat_heads, softmax
from mhalib.chapters.ch12.patterns import induction
from mhalib.live.feedback import Wrong, call, check, expect
from mhalib.merging import merge_logits


@check
def check_spare(function):
    """Chapter 12: ``spare(logits, spared)``, 5 heads on 7 tokens, head 3 keeps its row."""
    logits = np.random.default_rng(12).normal(size=(5, 7, 7)) * 3

    def experiment(row, own=None):
        weights = np.repeat(row[None], 5, axis=0)
        weights[3] = softmax(logits[3]) if own is None else own
        return weights

    merged = softmax(merge_logits(logits, "big_head"))
    others = merge_logits(np.delete(logits, 3, axis=0), "big_head")
    hints = {(7, 7): "this is one row for all; needed is a table for each head, (5, 7, 7)."}
    slips = {
        "no head was spared: head 3 must keep its own weights.": experiment(merged, merged),
        "the logits were added and not divided by sqrt(h).": experiment(
            softmax(logits.sum(axis=0))
        ),
        "that is the average of logits; the true big head divides the sum by sqrt(h).": experiment(
            softmax(logits.mean(axis=0))
        ),
        "that is the average of weights; merge the logits, then take one softmax.": experiment(
            softmax(logits).mean(axis=0)
        ),
        "the spared head was left out of the sum; the merged row is that of all heads.": experiment(
            softmax(others)
        ),
        "head 3 has the merged row and all others keep theirs: it is the other way round.": (
            np.where((np.arange(5) == 3)[:, None, None], merged, softmax(logits))
        ),
        "these are logits; a softmax over the last axis is missing.": experiment(
            merge_logits(logits, "big_head"), logits[3]
        ),
    }
    expect(experiment(merged), function, "spare", logits, 3, slips=slips, hints=hints)
    return "Right: one row for four heads, and one head with a row of its own."


@check
def check_induction_pattern(function):
    """Chapter 12: ``induction_pattern(ids)`` for 11 tokens, some of them again and again."""
    ids = np.array([5, 3, 8, 5, 3, 3, 9, 8, 5, 2, 5])
    expect(induction(ids), function, "induction_pattern", ids, slips=_induction_slips(ids))
    twice = np.array([4, 4])
    expect(induction(twice), function, "induction_pattern", twice, slips={})
    return "Right: it looks at what came after this token, earlier in the text."


def _induction_slips(ids):
    n, same = len(ids), ids[:, None] == ids
    none, seen, past = np.zeros((n, 1), bool), np.tri(n, dtype=bool), np.tri(n, k=-1, dtype=bool)
    after, before = np.hstack([none, same[:, :-1]]), np.hstack([same[:, 1:], none])
    return {
        "rows look at what comes later; j may be i at most.": after,
        "j = i is missing: after A A, the second A may look at itself.": after & past,
        "that is the same token, a duplicate; induction looks one place further right.": same
        & past,
        "that is the same token, itself included; induction looks one place further right.": (
            same & seen
        ),
        "that is the token *before* the earlier one; induction looks at the one after it.": (
            before & seen
        ),
        "np.roll brings the last token round to the first column, which has none before it.": (
            np.roll(same, 1, axis=1) & seen
        ),
        "rows and columns are mixed up: shift the keys, not the queries.": after.T & seen,
        "queries run down and keys across: turn it round.": induction(ids).T,
    }


@check
def check_muted_output(function):
    """Chapter 12: ``muted_output(outputs, W_O, muted)``, 5 heads of 3 channels on 7 tokens."""
    rng = np.random.default_rng(12)
    outputs, w_o = rng.normal(size=(5, 7, 3)), rng.normal(size=(15, 11))
    muted = np.reshape([False, True, False, True, False], (5, 1, 1))

    def layer(heads):
        return concat_heads(heads) @ w_o

    def speaking(*heads):
        return layer(outputs * np.reshape(heads, (5, 1, 1)))

    whole, right = layer(outputs), speaking(1, 0, 1, 0, 1)
    hints = {
        (7, 15): "the heads stand side by side, but W_O is missing.",
        (5, 7, 3): "heads have to be set side by side and multiplied by W_O.",
        (11, 7): "tokens down: (7, 11).",
    }
    slips = {
        "nothing is muted yet.": whole,
        "it is the other way round: the muted heads speak, the rest is silent.": whole - right,
        "only the first of the muted heads is silent.": speaking(1, 0, 1, 1, 1),
        "only the last of the muted heads is silent.": speaking(1, 1, 1, 0, 1),
        "what is left was made larger to make up for it; muting only takes away.": right * 5 / 3,
        "the muted heads were left out, so the others moved up to rows of W_O that are not "
        "theirs; keep their places, with zeros.": concat_heads(outputs[[0, 2, 4]]) @ w_o[:9],
        "the muted heads speak with the others' average; put 0.": (
            layer(np.where(muted, outputs.mean(axis=0), outputs))
        ),
        "reshape alone mixes heads and tokens; set the blocks side by side (concat_heads).": (
            np.where(muted, 0, outputs).reshape(7, 15) @ w_o
        ),
    }
    expect(right, function, "muted_output", outputs, w_o, [1, 3], slips=slips, hints=hints)
    all_speak = call(function, "muted_output", outputs.copy(), w_o.copy(), [])
    if np.shape(all_speak) != whole.shape or not np.allclose(all_speak, whole):
        raise Wrong("right, but with no head muted it must be the whole layer's output.")
    return "Right: zeros in their blocks, and every other head where it was."
