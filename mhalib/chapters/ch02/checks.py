"""Chapter 02: cut into heads, set side by side, and all of multi-head attention."""

import numpy as np

from mhalib.attention import concat_heads, multi_head_attention, softmax, split_heads
from mhalib.live import Feedback
from mhalib.live.feedback import compare, run


def check_split_heads(function):
    """Chapter 02: ``split(x, n_heads)`` for 6 tokens, 21 channels; 3 heads, then 7."""
    name, x = "split", np.random.default_rng(3).normal(size=(6, 21))
    for h, d in ((3, 7), (7, 3)):
        hints = {
            (6, h, d): "the cut is right, but tokens still lead: swap the first two axes.",
            (h, d, 6): "tokens and channels are swapped: a head is a table (T, d_head).",
            (h, 2, 21): "the tokens were cut; every head sees all tokens, so cut the channels.",
            (6, d, h): f"{h} is the number of heads; each block has d_model / n_heads channels.",
            (6, d): "that is one head; all of them are needed, (n_heads, T, d_head).",
        }
        result = run(function, name, (h, 6, d), x, h, hints=hints)
        if isinstance(result, Feedback):
            return result
        slips = [
            (
                x.reshape(h, 6, d),
                "reshape alone deals numbers out in reading order, so words are mixed: reshape to "
                "(T, n_heads, d_head) first, then swap the first two axes.",
            ),
            (
                x.reshape(6, d, h).transpose(2, 0, 1),
                f"head 0 took channels 0, {h}, {2 * h}, ...; a block is {d} neighbours.",
            ),
            (split_heads(x, h)[::-1], "the blocks are right, but the last one comes first."),
        ]
        if wrong := compare(result, split_heads(x, h), slips, name):
            return wrong
    return Feedback(True, "Right: each word is in its own row of every head.")


def check_concat_heads(function):
    """Chapter 02: ``concat(heads)`` for 3 heads, 5 tokens, d_head 7."""
    name, heads = "concat", np.random.default_rng(4).normal(size=(3, 5, 7))
    hints = {
        (15, 7): "the heads stand below each other; set them side by side, along the channels.",
        (5, 7): "the heads were added up or averaged; side by side nothing is lost.",
        (3, 35): "the heads are still the rows; the rows must be tokens.",
        (5, 3, 7): "the tokens lead, good; now make one row of the last two axes.",
        (21, 5): "tokens and channels are swapped.",
    }
    result = run(function, name, (5, 21), heads, hints=hints)
    if isinstance(result, Feedback):
        return result
    slips = [
        (
            heads.reshape(5, 21),
            "reshape alone mixes words: first swap two axes, so that tokens lead, then reshape.",
        ),
        (
            heads.transpose(1, 2, 0).reshape(5, 21),
            "the channels of the heads alternate; a head's block must stay together.",
        ),
        (concat_heads(heads[::-1]), "the blocks are whole, but the last head comes first."),
    ]
    if wrong := compare(result, concat_heads(heads), slips, name):
        return wrong
    return Feedback(True, "Right: a row holds what every head brought home for one word.")


def check_multi_head(function):
    """Chapter 02: ``multi_head(x, w_q, w_k, w_v, w_o, n_heads)``: 5 tokens, 3 heads of 7."""
    name, rng = "multi_head", np.random.default_rng(5)
    x, w_o = rng.normal(size=(5, 21)), rng.normal(size=(21, 13))
    projections = rng.normal(size=(3, 21, 21)) / np.sqrt(21)
    hints = {
        (5, 21): "these are the heads side by side; W_O is still to come: concat(heads) @ w_o.",
        (3, 5, 7): "these are the heads, each on its own: set them side by side, then @ w_o.",
        (3, 5, 5): "these are the weights; each head averages its values: weights @ v.",
        (5, 7): "the heads were added up; set them side by side, then @ w_o.",
    }
    result = run(function, name, (5, 13), x, *projections, w_o, 3, hints=hints)
    if isinstance(result, Feedback):
        return _added(function, x, projections, w_o) or result
    right = multi_head_attention(x, *projections, w_o, 3)[0]
    if wrong := compare(result, right, _multi_head_slips(x, projections, w_o), name):
        return wrong
    return Feedback(True, "Right: project, split, look in every head, concatenate, project.")


def _multi_head_slips(x, projections, w_o):
    q, k, v = (x @ w for w in projections)
    blocks = [split_heads(table, 3) for table in (q, k, v)]
    logits = blocks[0] @ blocks[1].swapaxes(1, 2)

    def outcome(weights, values=blocks[2], concat=concat_heads):
        return concat(weights @ values) @ w_o

    reshaped = [table.reshape(3, 5, 7) for table in (q, k, v)]
    mixed = softmax(reshaped[0] @ reshaped[1].swapaxes(1, 2) / np.sqrt(7)) @ reshaped[2]
    own = [
        split_heads(x, 3) @ np.array([w[c : c + 7, c : c + 7] for c in (0, 7, 14)])
        for w in projections
    ]
    scaled = logits / np.sqrt(7)
    return [
        (mixed.reshape(5, 21) @ w_o, "split and joined by reshape alone: swap axes, or words mix."),
        (concat_heads(mixed) @ w_o, "the split is a reshape alone: swap axes, or words mix."),
        (
            outcome(softmax(scaled), concat=lambda heads: heads.reshape(5, 21)),
            "the heads were joined by reshape alone: swap the first two axes before it.",
        ),
        (
            outcome(softmax(logits / np.sqrt(21))),
            "the logits are divided by sqrt(d_model); a head's dot product has d_head terms.",
        ),
        (outcome(softmax(logits)), "the logits are not divided by sqrt(d_head)."),
        (outcome(softmax(logits / 7)), "the logits are divided by d_head; take its square root."),
        (
            outcome(softmax(scaled.swapaxes(1, 2)).swapaxes(1, 2)),
            "softmax ran over the queries; every query's row must add up to 1 (the last axis).",
        ),
        (
            outcome(softmax(np.moveaxis(scaled, 0, -1)).transpose(2, 0, 1)),
            "softmax ran across the heads; each head has a softmax of its own (the last axis).",
        ),
        (outcome(scaled), "the softmax is missing: logits are not weights yet."),
        (
            softmax(q @ k.T / np.sqrt(21)) @ v @ w_o,
            "that is one big head: queries, keys and values were never split.",
        ),
        (
            concat_heads(softmax(own[0] @ own[1].swapaxes(1, 2) / np.sqrt(7)) @ own[2]) @ w_o,
            "x itself was split; every head reads all of x, so project first, then split.",
        ),
        (
            multi_head_attention(x, *(w.T for w in projections), w_o, 3)[0],
            "the projections are transposed: Q = x @ w_q.",
        ),
    ]


def _added(function, x, projections, w_o):
    """The Feedback for heads that were added up, which then meet only the first rows of w_o."""
    result = run(function, "multi_head", (5, 13), x, *projections, w_o[:7], 3)
    heads = multi_head_attention(x, *projections, np.eye(21), 3)[0].reshape(5, 3, 7)
    for together in (heads.sum(axis=1), heads.mean(axis=1)):
        if not isinstance(result, Feedback) and np.allclose(result, together @ w_o[:7]):
            return Feedback(
                False, "the heads were added up, so w_o does not fit; set them side by side."
            )
    return None
