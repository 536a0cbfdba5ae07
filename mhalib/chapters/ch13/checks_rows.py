"""Chapter 13: counter-examples to myths about rows of weights, by what they do, not by value."""

import numpy as np

from mhalib.attention import softmax
from mhalib.live import Feedback
from mhalib.live.feedback import arrays_of
from mhalib.merging import MERGE_RULES, average_of_weights, merge_logits
from mhalib.pictures.wording import HEADS
from mhalib.plane import distance_to_hull

RULE_NAMES = {"add": "add", "big_head": "true big head", "average": "average of logits"}


def letter(head):
    """Head A, head B, ..., and from the tenth on their numbers."""
    return HEADS[head] if head < len(HEADS) else head


def check_two_blocks(logits, values):
    """Two heads carry home what no single row of weights can, whoever makes it."""
    arrays = arrays_of(
        {"logits": logits, "values": values},
        dict.fromkeys(("logits", "values"), ("heads", "words")),
        {"heads": 2, "words": 2},
    )
    if isinstance(arrays, Feedback):
        return arrays
    logits, values = arrays
    if len(logits) > 2:
        return Feedback(False, f"two heads are wanted here, not {len(logits)}: who and where.")
    weights = softmax(logits)
    star = (weights * values).sum(axis=1)
    spread = np.ptp(values, axis=1)
    if not spread.any():
        return Feedback(False, "all words offer the same, so any row of weights brings it home.")
    unit = np.where(spread > 0, spread, 1)  # each block against its own range
    if distance_to_hull(star / unit, values.T / unit) > 0.01:
        away = distance_to_hull(star, values.T)
        return Feedback(
            True,
            f"Right: the heads carry ({star[0]:.2f}, {star[1]:.2f}), and whatever one row of "
            f"weights carries is {away:.2g} or more away from it.",
        )
    if np.ptp(values, axis=1).min() == 0:
        block = HEADS[np.ptp(values, axis=1).argmin()]
        why = f"block {block} offers the same number for every word, so its row does not matter."
    elif abs(weights[0] - weights[1]).max() < 0.05:
        why = "both heads have nearly the same row of weights, and that is one row."
    else:
        why = (
            f"the heads carry ({star[0]:.2f}, {star[1]:.2f}), which lies among the words (or "
            "within a hundredth of the blocks' ranges): a single row can carry that."
        )
    return Feedback(False, why)


def check_at_inference(logits):
    """A head that is sure of a word, and no way of merging that leaves it more than .10."""
    arrays = arrays_of({"logits": logits}, {"logits": ("heads", "words")}, {"heads": 2, "words": 2})
    if isinstance(arrays, Feedback):
        return arrays
    [logits] = arrays
    weights = softmax(logits)
    merged = {how: softmax(merge_logits(logits, how)) for how in MERGE_RULES}
    kept = np.max(list(merged.values()), axis=0)
    sure = np.argwhere(weights >= 0.9 - 1e-9)
    if not len(sure):
        most = weights.max()
        return Feedback(False, f"no head is sure: the largest weight is {most:.2f}, not .90.")
    head, word = min(sure, key=lambda place: kept[place[1]])
    own, left = weights[head, word], kept[word]
    if left <= 0.1 + 1e-9:
        return Feedback(
            True,
            f"Right: head {letter(head)} gives word {word} {own:.2f}, merged "
            f"it has {left:.2f} at most, and no parameter was changed.",
        )
    if (weights.argmax(axis=1) == word).all():
        return Feedback(False, f"all heads agree on word {word}, so merging keeps it.")
    lost = np.where(kept <= 0.1, weights, 0)  # what merging takes away, though nobody was sure
    if lost.max() > 0.5:
        head, word = np.unravel_index(lost.argmax(), lost.shape)
        return Feedback(
            False,
            f"merged word {word} has {kept[word]:.2f} at most, but head {letter(head)} gives it "
            f"{lost.max():.2f} only: let it be surer (.90), and the others louder still.",
        )
    how = max(MERGE_RULES, key=lambda rule: merged[rule][word])
    return Feedback(
        False,
        f"merged by the rule “{RULE_NAMES[how]}” word {word} still has {left:.2f}: let another "
        "head be louder (a larger gap).",
    )


def check_not_the_average(logits):
    """The average of weights is .10 or more from the merged row, by all three rules."""
    arrays = arrays_of({"logits": logits}, {"logits": ("heads", "words")}, {"heads": 2, "words": 2})
    if isinstance(arrays, Feedback):
        return arrays
    [logits] = arrays
    weights, average = softmax(logits), average_of_weights(logits)
    gaps = {how: abs(softmax(merge_logits(logits, how)) - average).max() for how in MERGE_RULES}
    nearest = min(gaps, key=gaps.get)
    if gaps[nearest] >= 0.1:
        return Feedback(
            True,
            f"Right: the average of weights and the merged row differ by {gaps[nearest]:.2f} or "
            "more, by every rule.",
        )
    if np.ptp(weights) < 0.05:
        why = "all heads are flat, and so is whatever is made of them."
    elif np.ptp(weights, axis=0).max() < 0.05:
        why = "the heads agree, and then the average of logits gives their row again."
    elif max(gaps.values()) < 0.1:
        why = "here they nearly coincide by every rule (equally loud opposites, or partners)."
    else:
        why = (
            f"by the rule “{RULE_NAMES[nearest]}” they differ by {gaps[nearest]:.2f} only; .10 is "
            "wanted by every rule."
        )
    return Feedback(False, why)


def check_linear_heads(rows, values):
    """Linear heads with blocks of their own, and no one linear head that carries the same."""
    arrays = arrays_of(
        {"rows": rows, "values": values},
        {"rows": ("heads", "queries", "words"), "values": ("heads", "words", "channels")},
        {"heads": 2},
    )
    if isinstance(arrays, Feedback):
        return arrays
    rows, values = arrays
    lengths = np.linalg.norm(values, axis=(1, 2), keepdims=True)
    values = values / np.where(lengths > 0, lengths, 1)  # each block against its own length
    carried, together = rows @ values, rows.sum(axis=0) @ values
    size, other = np.linalg.norm(carried), np.linalg.norm(together)
    if size == 0:
        return Feedback(False, "the heads carry nothing but zeros.")
    factor = (carried * together).sum() / other**2 if other else 0.0  # the best one
    away = np.linalg.norm(carried - factor * together) / size
    if away >= 0.1:
        return Feedback(
            True,
            f"Right: whatever factor the sum of the rows gets, one head is {away:.2f} of the "
            "length away from what the heads carry side by side (each block's values scaled to one "
            "length).",
        )
    if np.allclose(rows, rows[0]):
        return Feedback(False, "all heads have the same rows, so one head has them too.")
    if (np.linalg.norm(values, axis=(1, 2)) == 0).any():
        return Feedback(False, "a block of values is 0 everywhere, so its rows do not matter.")
    return Feedback(
        False,
        f"one head comes within {away:.2f} of what the heads carry: make their rows differ more, "
        "on words whose values are not 0.",
    )


def check_jury(writes, target):
    """Writes that add up to the target, each of which alone is worse than writing nothing."""
    arrays = arrays_of(
        {"writes": writes, "target": target},
        {"writes": ("heads", "channels"), "target": ("channels",)},
        {"heads": 2},
    )
    if isinstance(arrays, Feedback):
        return arrays
    writes, target = arrays
    nothing = np.linalg.norm(target)
    if nothing == 0:
        return Feedback(False, "the target is 0, and then writing nothing is already right.")
    miss = np.linalg.norm(writes.sum(axis=0) - target)
    if miss > 0.01 * nothing:
        if np.linalg.norm(writes.mean(axis=0) - target) <= 0.01 * nothing:
            return Feedback(
                False, "the average of the writes is the target: that is a jury. Heads are added."
            )
        return Feedback(False, f"the writes add up to {miss:.2g} away from the target.")
    alone = np.linalg.norm(writes - target, axis=1)
    if alone.min() <= nothing:
        head = int(alone.argmin())
        return Feedback(
            False,
            f"head {letter(head)} alone is {alone[head]:.2f} from the target, "
            f"no worse than writing nothing ({nothing:.2f}): a voter, or a "
            "specialist. Wanted here are heads that do harm alone.",
        )
    return Feedback(
        True,
        f"Right: together exact, but alone each head is {alone.min():.2g} or more away, and "
        f"writing nothing {nothing:.2g}.",
    )
