"""Chapter 02: cut into heads, set side by side, and all of multi-head attention."""

import numpy as np

from mhalib.attention import (
    concat_heads,
    multi_head_attention,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)
from mhalib.live.feedback import Wrong, check, compare, expect, run


@check
def check_split_heads(function):
    """Chapter 02: ``split(x, n_heads)`` for 6 tokens, 21 channels; 3 heads, then 7."""
    x = np.random.default_rng(3).normal(size=(6, 21))
    for h, d in ((3, 7), (7, 3)):
        hints = {
            (6, h, d): "the cut is right, but tokens still lead: swap the first two axes.",
            (h, d, 6): "tokens and channels are swapped: a head is a table (T, d_head).",
            (h, 2, 21): "the tokens were cut; every head sees all tokens, so cut the channels.",
            (6, d, h): f"{h} is the number of heads; each block has d_model / n_heads channels.",
            (6, d): "that is one head; all of them are needed, (n_heads, T, d_head).",
        }
        slips = {
            "reshape alone deals numbers out in reading order, so words are mixed: reshape to "
            "(T, n_heads, d_head) first, then swap the first two axes.": x.reshape(h, 6, d),
            f"head 0 took channels 0, {h}, {2 * h}, ...; a block is {d} neighbours.": (
                x.reshape(6, d, h).transpose(2, 0, 1)
            ),
            "the blocks are right, but the last one comes first.": split_heads(x, h)[::-1],
        }
        expect(split_heads(x, h), function, "split", x, h, slips=slips, hints=hints)
    return "Right: each word is in its own row of every head."


@check
def check_concat_heads(function):
    """Chapter 02: ``concat(heads)`` for 3 heads, 5 tokens, d_head 7."""
    heads = np.random.default_rng(4).normal(size=(3, 5, 7))
    hints = {
        (15, 7): "the heads stand below each other; set them side by side, along the channels.",
        (5, 7): "the heads were added up or averaged; side by side nothing is lost.",
        (3, 35): "the heads are still the rows; the rows must be tokens.",
        (5, 3, 7): "the tokens lead, good; now make one row of the last two axes.",
        (21, 5): "tokens and channels are swapped.",
    }
    slips = {
        "reshape alone mixes words: first swap two axes, so that tokens lead, then reshape.": (
            heads.reshape(5, 21)
        ),
        "the channels of the heads alternate; a head's block must stay together.": (
            heads.transpose(1, 2, 0).reshape(5, 21)
        ),
        "the blocks are whole, but the last head comes first.": concat_heads(heads[::-1]),
    }
    expect(concat_heads(heads), function, "concat", heads, slips=slips, hints=hints)
    return "Right: a row holds what every head brought home for one word."


@check
def check_multi_head(function):
    """Chapter 02: ``multi_head(x, w_q, w_k, w_v, w_o, n_heads)``: 5 tokens, 3 heads of 7."""
    rng = np.random.default_rng(5)
    x, w_o = rng.normal(size=(5, 21)), rng.normal(size=(21, 13))
    projections = rng.normal(size=(3, 21, 21)) / np.sqrt(21)
    hints = {
        (5, 21): "these are the heads side by side; W_O is still to come: concat(heads) @ w_o.",
        (3, 5, 7): "these are the heads, each on its own: set them side by side, then @ w_o.",
        (3, 5, 5): "these are the weights; each head averages its values: weights @ v.",
        (5, 7): "the heads were added up; set them side by side, then @ w_o.",
    }
    try:
        result = run(function, "multi_head", (5, 13), x, *projections, w_o, 3, hints=hints)
    except Wrong:
        _refuse_added(function, x, projections, w_o[:7])
        raise
    right, _ = multi_head_attention(x, *projections, w_o, 3)
    compare(result, right, _multi_head_slips(x, projections, w_o), "multi_head")
    return "Right: project, split, look in every head, concatenate, project."


def _multi_head_slips(x, projections, w_o):
    q, k, v = (split_heads(x @ w, 3) for w in projections)
    scaled, root = q @ k.swapaxes(1, 2) / np.sqrt(7), np.sqrt(7)
    dealt, _ = scaled_dot_product_attention(*((x @ w).reshape(3, 5, 7) for w in projections))
    blocks = ([w[c : c + 7, c : c + 7] for c in (0, 7, 14)] for w in projections)
    of_blocks, _ = scaled_dot_product_attention(*(split_heads(x, 3) @ np.array(w) for w in blocks))

    def layer(weights):
        return concat_heads(weights @ v) @ w_o

    return {
        "split and joined by reshape alone: swap axes, or words mix.": dealt.reshape(5, 21) @ w_o,
        "the split is a reshape alone: swap axes, or words mix.": concat_heads(dealt) @ w_o,
        "the heads were joined by reshape alone: swap the first two axes before it.": (
            (softmax(scaled) @ v).reshape(5, 21) @ w_o
        ),
        "the logits are divided by sqrt(d_model); a head's dot product has d_head terms.": (
            layer(softmax(scaled / np.sqrt(3)))
        ),
        "the logits are not divided by sqrt(d_head).": layer(softmax(scaled * root)),
        "the logits are divided by d_head; take its square root.": layer(softmax(scaled / root)),
        "softmax ran over the queries; every query's row must add up to 1 (the last axis).": (
            layer(softmax(scaled.swapaxes(1, 2)).swapaxes(1, 2))
        ),
        "softmax ran across the heads; each head has a softmax of its own (the last axis).": (
            layer(softmax(np.moveaxis(scaled, 0, -1)).transpose(2, 0, 1))
        ),
        "the softmax is missing: logits are not weights yet.": layer(scaled),
        "that is one big head: queries, keys and values were never split.": (
            multi_head_attention(x, *projections, w_o, 1)[0]
        ),
        "x itself was split; every head reads all of x, so project first, then split.": (
            concat_heads(of_blocks) @ w_o
        ),
        "the projections are transposed: Q = x @ w_q.": (
            multi_head_attention(x, *(w.T for w in projections), w_o, 3)[0]
        ),
    }


def _refuse_added(function, x, projections, w_o):
    """Heads that were added up meet only the first rows of w_o; these are all it gets here."""
    try:
        result = run(function, "multi_head", (5, 13), x, *projections, w_o, 3)
    except Wrong:
        return
    heads = multi_head_attention(x, *projections, np.eye(21), 3)[0].reshape(5, 3, 7)
    if any(np.allclose(result, one @ w_o) for one in (heads.sum(axis=1), heads.mean(axis=1))):
        raise Wrong("the heads were added up, so w_o does not fit; set them side by side.")
