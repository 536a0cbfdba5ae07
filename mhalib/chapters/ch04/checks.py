"""Chapter 04: merging logits, a compromise word, a head's partner."""

import numpy as np

from mhalib.attention import softmax
from mhalib.chapters.ch04.partners import partner
from mhalib.live.feedback import Wrong, array_of, check, compare, refuse, run
from mhalib.merging import MERGE_RULES, average_of_weights, merge_logits


@check
def check_merge(function):
    """Chapter 04: ``merge(logits, how)`` for "add", "big_head" and "average"; 3 heads, 5 keys."""
    logits = np.random.default_rng(2).normal(size=(3, 5)) * 2
    total = logits.sum(axis=0)
    hints = {(3,): "the keys were summed away: heads are the rows, so sum over axis=0."}
    for how in MERGE_RULES:
        called, right = f'merge(logits, "{how}")', merge_logits(logits, how)
        slips = {
            f"{called} gives weights: merging ends before the softmax.": softmax(right),
            "that is the average of weights: the softmax came first.": average_of_weights(logits),
            "the heads were turned into weights first, then added.": softmax(logits).sum(axis=0),
            f"{called} gives the bare sum; this rule divides by something.": total,
            f"{called} divides by the number of heads; this rule does not.": total / 3,
            f"{called} divides by the square root of the number of heads.": total / np.sqrt(3),
        }
        compare(run(function, "merge", (5,), logits, how, hints=hints), right, slips, called)
    return "Right, in all three ways."


@check
def check_compromise(logits):
    """Chapter 04: two heads, three words; merged gives 0.90 to a word no head gives above 0.20."""
    logits = array_of(logits, "logits", (2, 3))
    if not np.isfinite(logits).all():
        raise Wrong("the logits must be finite numbers.")
    if (logits >= 0).all() and np.allclose(logits.sum(axis=1), 1):
        raise Wrong("these rows look like weights; give logits, before the softmax.")
    weights, merged = softmax(logits), softmax(merge_logits(logits))
    word = int(merged.argmax())
    most, share = weights[:, word].max(), merged[word]
    if most > 0.2:
        if (weights.argmax(axis=1) == word).any():
            raise Wrong(
                f"the merged head prefers word {word}, but so does a head (weight {most:.2f}): the "
                "compromise must be nobody's first choice."
            )
        raise Wrong(
            f"a head gives word {word} {most:.2f}; it must be 0.20 at most: a second choice."
        )
    if share < 0.9:
        raise Wrong(
            f"the merged head gives word {word} only {share:.2f}: let each head veto the other's "
            "favourite more strongly (a larger gap between their logits)."
        )
    return f"Right: word {word} gets {most:.2f} at most from a head and {share:.2f} merged."


@check
def check_partner(p, q):
    """Chapter 04: a head of your own (3 keys, not uniform) and its partner, both as weights."""
    p, q = _three_weights(p, "p"), _three_weights(q, "q")
    if np.ptp(p) < 0.01:
        raise Wrong("p is uniform; its partner is uniform too. Take another head.")
    gap = abs(softmax(np.log(p) + np.log(q)) - (p + q) / 2).max()
    if gap < 1e-3:
        return f"Right: merged and average of weights differ by {gap:.1e} at most."
    mirrored = np.allclose(q, (1 - p) / 2) or np.allclose(np.sort(q), np.sort(p))
    reasons = {
        "q is p itself: two equal heads added are sharper than either.": np.allclose(q, p),
        "q proportional to 1/p cancels p: the merged row is flat.": np.allclose(q * p, q @ p / 3),
        "mirroring p works with two words only; with three, solve for the constant c.": mirrored,
        f"merged and average differ by {gap:.3f}: 1/p + 1/q is not the same for every key (it "
        f"varies by {np.ptp(1 / p + 1 / q):.2f}); key 0 of the partner is {partner(p)[0]:.2f}, "
        "say.": True,
    }
    refuse(reasons)


def _three_weights(value, name):
    """The learner's row of three weights."""
    weights = array_of(value, name, (3,))
    if not (weights > 0).all() or abs(weights.sum() - 1) > 1e-6:
        raise Wrong(f"{name} must be weights: above 0 and adding up to 1 (not logits).")
    return weights
