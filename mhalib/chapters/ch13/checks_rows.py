"""Chapter 13: counter-examples to myths about rows of weights, by what they do, not by value."""

import numpy as np

from mhalib.attention import softmax
from mhalib.live.feedback import Wrong, arrays_of, check, refuse
from mhalib.merging import MERGE_RULES, RULE_NAMES, average_of_weights, merge_logits
from mhalib.pictures.wording import HEADS
from mhalib.plane import distance_to_hull

RULE = {how: name.split(",")[0] for name, how in RULE_NAMES}


def letter(head):
    """Head A, head B, ..., and from the tenth on their numbers."""
    return HEADS[head] if head < len(HEADS) else head


@check
def check_two_blocks(logits, values):
    """Two heads carry home what no single row of weights can, whoever makes it."""
    axes = "logits: heads words, values: heads words"
    logits, values = arrays_of(axes, logits, values, heads=2, words=2)
    if len(logits) > 2:
        raise Wrong(f"two heads are wanted here, not {len(logits)}: who and where.")
    weights, spread = softmax(logits), np.ptp(values, axis=1)
    star = (weights * values).sum(axis=1)
    if not spread.any():
        raise Wrong("all words offer the same, so any row of weights brings it home.")
    unit = np.where(spread > 0, spread, 1)  # each block against its own range
    carried = f"the heads carry ({star[0]:.2f}, {star[1]:.2f}), "
    if distance_to_hull(star / unit, values.T / unit) > 0.01:
        return (
            f"Right: {carried}and whatever one row of weights carries is "
            f"{distance_to_hull(star, values.T):.2g} or more away from it."
        )
    reasons = {
        f"block {HEADS[spread.argmin()]} offers the same number for every word, so its row does "
        "not matter.": spread.min() == 0,
        "both heads have nearly the same row of weights, and that is one row.": (
            abs(weights[0] - weights[1]).max() < 0.05
        ),
        f"{carried}which lies among the words (or within a hundredth of the blocks' ranges): a "
        "single row can carry that.": True,
    }
    refuse(reasons)


@check
def check_at_inference(logits):
    """A head that is sure of a word, and no way of merging that leaves it more than .10."""
    [logits] = arrays_of("logits: heads words", logits, heads=2, words=2)
    weights = softmax(logits)
    merged = {how: softmax(merge_logits(logits, how)) for how in MERGE_RULES}
    kept = np.max(list(merged.values()), axis=0)
    sure = np.argwhere(weights >= 0.9 - 1e-9)
    if not len(sure):
        raise Wrong(f"no head is sure: the largest weight is {weights.max():.2f}, not .90.")
    head, word = min(sure, key=lambda place: kept[place[1]])
    own, left = weights[head, word], kept[word]
    if left <= 0.1 + 1e-9:
        return (
            f"Right: head {letter(head)} gives word {word} {own:.2f}, merged it has {left:.2f} at "
            "most, and no parameter was changed."
        )
    how = max(MERGE_RULES, key=lambda rule: merged[rule][word])
    lost = np.where(kept <= 0.1, weights, 0)  # what merging takes away, though nobody was sure
    voice, taken = np.unravel_index(lost.argmax(), lost.shape)
    reasons = {
        f"all heads agree on word {word}, so merging keeps it.": (
            (weights.argmax(axis=1) == word).all()
        ),
        f"merged word {taken} has {kept[taken]:.2f} at most, but head {letter(voice)} gives it "
        f"{lost.max():.2f} only: let it be surer (.90), and the gap against it larger still.": (
            lost.max() > 0.5
        ),
        f"merged by the rule “{RULE[how]}” word {word} still has {left:.2f}: let the other "
        "heads' logits add up to a larger gap against it.": True,
    }
    refuse(reasons)


@check
def check_not_the_average(logits):
    """The average of weights is .10 or more from the merged row, by all three rules."""
    [logits] = arrays_of("logits: heads words", logits, heads=2, words=2)
    weights, average = softmax(logits), average_of_weights(logits)
    gaps = {how: abs(softmax(merge_logits(logits, how)) - average).max() for how in MERGE_RULES}
    nearest = min(gaps, key=gaps.get)
    if gaps[nearest] >= 0.1:
        return (
            f"Right: the average of weights and the merged row differ by {gaps[nearest]:.2f} or "
            "more, by every rule."
        )
    reasons = {
        "all heads are flat, and so is whatever is made of them.": np.ptp(weights) < 0.05,
        "the heads agree, and then the average of logits gives their row again.": (
            np.ptp(weights, axis=0).max() < 0.05
        ),
        "here they nearly coincide by every rule (opposites with equal gaps, or partners).": (
            max(gaps.values()) < 0.1
        ),
        f"by the rule “{RULE[nearest]}” they differ by {gaps[nearest]:.2f} only; .10 is wanted by "
        "every rule.": True,
    }
    refuse(reasons)


@check
def check_linear_heads(rows, values):
    """Linear heads with blocks of their own, and no one linear head that carries the same."""
    axes = "rows: heads queries words, values: heads words channels"
    rows, values = arrays_of(axes, rows, values, heads=2)
    lengths = np.linalg.norm(values, axis=(1, 2), keepdims=True)
    values = values / np.where(lengths > 0, lengths, 1)  # each block against its own length
    carried, together = rows @ values, rows.sum(axis=0) @ values
    size, other = np.linalg.norm(carried), np.linalg.norm(together)
    if size == 0:
        raise Wrong("the heads carry nothing but zeros.")
    factor = (carried * together).sum() / other**2 if other else 0.0  # the best one
    away = np.linalg.norm(carried - factor * together) / size
    if away >= 0.1:
        return (
            f"Right: whatever factor the sum of the rows gets, one head is {away:.2f} of the length"
            " away from what the heads carry side by side (each block's values scaled to one "
            "length)."
        )
    reasons = {
        "all heads have the same rows, so one head has them too.": np.allclose(rows, rows[0]),
        "a block of values is 0 everywhere, so its rows do not matter.": (lengths == 0).any(),
        f"one head comes within {away:.2f} of what the heads carry: make their rows differ more, "
        "on words whose values are not 0.": True,
    }
    refuse(reasons)


@check
def check_jury(reports, W_O, target):
    """Reports side by side, read by W_O: each head brings a part that no other head brings."""
    axes = "reports: heads channels, W_O: rows outputs, target: outputs"
    reports, W_O, target = arrays_of(axes, reports, W_O, target, heads=2, outputs=2)
    if len(W_O) != reports.size:
        raise Wrong(
            f"W_O has {len(W_O)} rows; the {len(reports)} reports, side by side, have "
            f"{reports.size} channels."
        )
    writes = np.einsum("hc,hco->ho", reports, W_O.reshape(*reports.shape, -1))
    size = abs(target)
    if not size.all():
        raise Wrong("the target is 0 in some output, and then writing nothing is right there.")
    miss = abs(writes.sum(axis=0) - target) / size
    if miss.max() > 0.01:
        averaged = abs(writes.mean(axis=0) - target) / size
        if averaged.max() <= 0.01:
            raise Wrong("the average of the writes is the target: those are votes. Heads add up.")
        raise Wrong(f"the writes add up to {writes.sum(axis=0).round(2)}, not to the target.")
    lost = abs(writes) / size  # how far each output is off without each head
    for head, outputs in enumerate(lost):
        if outputs.max() < 0.5:
            raise Wrong(
                f"without head {letter(head)} every output is still nearly right: a spare voter."
            )
        if outputs.min() > 0.01:
            raise Wrong(
                f"without head {letter(head)} every output changes: so it goes with voters, who "
                "all speak on everything. Wanted are heads that each bring a part of the answer."
            )
    return "Right: without any one head a part of the answer is gone, and the rest stays right."
