"""Chapter 06: writes, folding W_V with W_O, a W_O that changes the heads' places."""

import numpy as np

from mhalib.attention import concat_heads, split_heads
from mhalib.live.feedback import array_of, check, compare, expect


@check
def check_writes(function):
    """Chapter 06: ``writes(heads, W_O)``: 2 heads, 5 tokens, d_head = 3, a stream of 7."""
    rng = np.random.default_rng(6)
    heads, w_o = rng.normal(size=(2, 5, 3)), rng.normal(size=(6, 7))
    blocks = w_o.reshape(2, 3, 7)
    right, woven = heads @ blocks, heads @ np.array([w_o[0::2], w_o[1::2]])
    hints = {
        (5, 7): "that is the sum of all writes; keep a table for each head, (2, 5, 7).",
        (5, 2, 7): "the axes are tokens first; heads come first: (2, 5, 7).",
    }
    slips = {
        "head r uses every second row of W_O; its block is d_head rows in one piece.": woven,
        "every head uses the first block of W_O; head r has rows of its own.": heads @ blocks[0],
        "the blocks of W_O are swapped: head A has the first.": heads @ blocks[::-1],
        "the writes are divided by the number of heads; they add up as they are.": right / 2,
        "every head has the sum of all writes.": np.stack([right.sum(axis=0)] * 2),
        "head B has head A's write as well: a write is one head's own.": right.cumsum(axis=0),
    }
    expect(right, function, "writes", heads, w_o, slips=slips, hints=hints)
    return "Right: and the writes add up to concat(heads) @ W_O."


@check
def check_folded(function):
    """Chapter 06: ``folded(W_V, W_O, n_heads)``: d_model = 7, 2 heads of 3, a stream of 5."""
    rng = np.random.default_rng(7)
    w_v, w_o = rng.normal(size=(7, 6)), rng.normal(size=(6, 5))
    columns, rows = split_heads(w_v, 2), w_o.reshape(2, 3, 5)
    right = columns @ rows
    hints = {
        (7, 5): "that is W_V @ W_O of all heads together: right only if all heads share one row.",
        (2, 5, 7): "each matrix is transposed: rows are what goes in (7), columns what comes out.",
        (2, 7, 3): "that is W_V in blocks; multiply each by its block of W_O.",
    }
    slips = {
        "head r takes every second channel; its block is d_head channels in one piece.": (
            np.array([w_v[:, r::2] @ w_o[r::2] for r in range(2)])
        ),
        "reshape cut W_V across its rows; a head has columns: W_V[:, r*d : (r+1)*d].": (
            w_v.reshape(2, 7, 3) @ rows
        ),
        "head r's values meet another head's block of W_O.": columns @ rows[::-1],
        "both are W_V @ W_O of all heads; take one block for each.": np.stack([w_v @ w_o] * 2),
        "the matrices are divided by the number of heads; the writes add up as is.": right / 2,
    }
    expect(right, function, "folded", w_v, w_o, 2, slips=slips, hints=hints)
    return "Right: one matrix a head, and each has rank 3 at most."


@check
def check_swap(w_o):
    """Chapter 06: a W_O of 2 heads with d_head = 3 that makes the heads change places."""
    hints = {
        (2, 2): "W_O has a row for each channel, 6 of them, not for each head.",
        (3, 3): "that is one head's block; W_O takes both heads' 3 channels: (6, 6).",
    }
    w_o = array_of(w_o, "W_O", (6, 6), hints)
    heads = np.random.default_rng(8).normal(size=(2, 5, 3))
    both, right = concat_heads(heads), concat_heads(heads[::-1])
    woven = both[:, [0, 3, 1, 4, 2, 5]]
    slips = {
        "this W_O changes nothing: each head still writes into its own block.": both,
        "the blocks change places, but the channels in them are turned round too.": both[:, ::-1],
        "the channels turn round inside each block; move blocks.": concat_heads(heads[..., ::-1]),
        "neighbouring channels change places.": both[:, [1, 0, 3, 2, 5, 4]],
        "the blocks are woven into each other; each should stay in one piece.": woven,
        "each block of the output holds both heads; one of them is enough.": both + right,
    }
    compare(both @ w_o, right, slips, "concat(heads) @ W_O")
    return "Right: head A writes where head B's block was, and the other way round."
