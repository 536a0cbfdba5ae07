"""Chapter 04: merging logits, a compromise word, a head's partner."""

import numpy as np

from mhalib.attention import softmax
from mhalib.live import Feedback
from mhalib.live.feedback import array_of, compare, run
from mhalib.merging import MERGE_RULES, average_of_weights, merge_logits, partner


def check_merge(function):
    """Chapter 04: ``merge(logits, how)`` for "add", "big_head" and "average"; 3 heads, 5 keys."""
    name, logits = "merge", np.random.default_rng(2).normal(size=(3, 5)) * 2
    hints = {(3,): "the keys were summed away: heads are the rows, so sum over axis=0."}
    for how in MERGE_RULES:
        result = run(function, name, (5,), logits, how, hints=hints)
        if isinstance(result, Feedback):
            return result
        called, total = f'merge(logits, "{how}")', logits.sum(axis=0)
        right = merge_logits(logits, how)
        slips = [
            (softmax(right), f"{called} gives weights: merging ends before the softmax."),
            (average_of_weights(logits), "that is the average of weights: the softmax came first."),
            (softmax(logits).sum(0), "the heads were turned into weights first, then added."),
            (total, f"{called} gives the bare sum; this rule divides by something."),
            (total / 3, f"{called} divides by the number of heads; this rule does not."),
            (total / np.sqrt(3), f"{called} divides by the square root of the number of heads."),
        ]
        if wrong := compare(result, right, slips, called):
            return wrong
    return Feedback(True, "Right, in all three ways.")


def check_compromise(logits):
    """Chapter 04: two heads, three words; merged gives 0.90 to a word no head gives above 0.20."""
    array = array_of(logits, "logits", (2, 3))
    if isinstance(array, Feedback):
        return array
    if not np.isfinite(array).all():
        return Feedback(False, "the logits must be finite numbers.")
    weights, merged = softmax(array), softmax(merge_logits(array))
    word = int(merged.argmax())
    if (array >= 0).all() and np.allclose(array.sum(axis=1), 1):
        return Feedback(False, "these rows look like weights; give logits, before the softmax.")
    most, share = weights[:, word].max(), merged[word]
    if (weights.argmax(axis=1) == word).any() and most > 0.2:
        return Feedback(
            False,
            f"the merged head prefers word {word}, but so does a head (weight {most:.2f}): the "
            "compromise must be nobody's first choice.",
        )
    if most > 0.2:
        return Feedback(
            False, f"a head gives word {word} {most:.2f}; it must be 0.20 at most: a second choice."
        )
    if share < 0.9:
        return Feedback(
            False,
            f"the merged head gives word {word} only {share:.2f}: let each head veto the other's "
            "favourite more strongly (a larger gap between their logits).",
        )
    return Feedback(
        True, f"Right: word {word} gets {most:.2f} at most from a head and {share:.2f} merged."
    )


def check_partner(p, q):
    """Chapter 04: a head of your own (3 keys, not uniform) and its partner, both as weights."""
    rows = []
    for name, value in (("p", p), ("q", q)):
        array = array_of(value, name, (3,))
        if isinstance(array, Feedback):
            return array
        if not (array > 0).all() or abs(array.sum() - 1) > 1e-6:
            return Feedback(
                False, f"{name} must be weights: above 0 and adding up to 1 (not logits)."
            )
        rows.append(array)
    p, q = rows
    if np.ptp(p) < 0.01:
        return Feedback(False, "p is uniform; its partner is uniform too. Take another head.")
    merged, average = softmax(np.log(p) + np.log(q)), (p + q) / 2
    gap = abs(merged - average).max()
    if gap < 1e-3:
        return Feedback(True, f"Right: merged and average of weights differ by {gap:.1e} at most.")
    if np.allclose(q, p):
        return Feedback(False, "q is p itself: two equal heads added are sharper than either.")
    if np.allclose(q * p, q @ p / 3):
        return Feedback(False, "q proportional to 1/p cancels p: the merged row is flat.")
    if np.allclose(q, (1 - p) / 2) or np.allclose(np.sort(q), np.sort(p)):
        return Feedback(
            False, "mirroring p works with two words only; with three, solve for the constant c."
        )
    spread = np.ptp(1 / p + 1 / q)
    right = partner(p)
    return Feedback(
        False,
        f"merged and average differ by {gap:.3f}: 1/p + 1/q is not the same for every key (it "
        f"varies by {spread:.2f}); key 0 of the partner is {right[0]:.2f}, say.",
    )
