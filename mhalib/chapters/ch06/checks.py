"""Chapter 06: writes, folding W_V with W_O, a W_O that changes the heads' places."""

import numpy as np

from mhalib.attention import concat_heads, split_heads
from mhalib.live import Feedback
from mhalib.live.feedback import array_of, compare, run


def check_writes(function):
    """Chapter 06: ``writes(heads, W_O)``: 2 heads, 5 tokens, d_head = 3, a stream of 7."""
    name, rng = "writes", np.random.default_rng(6)
    heads, w_o = rng.normal(size=(2, 5, 3)), rng.normal(size=(6, 7))
    hints = {
        (5, 7): "that is the sum of all writes; keep a table for each head, (2, 5, 7).",
        (5, 2, 7): "the axes are tokens first; heads come first: (2, 5, 7).",
    }
    result = run(function, name, (2, 5, 7), heads, w_o, hints=hints)
    if isinstance(result, Feedback):
        return result
    right = heads @ w_o.reshape(2, 3, 7)
    woven = heads @ np.array([w_o[0::2], w_o[1::2]])
    slips = [
        (woven, "head r uses every second row of W_O; its block is d_head rows in one piece."),
        (heads @ w_o[:3], "every head uses the first block of W_O; head r has rows of its own."),
        (
            heads @ w_o.reshape(2, 3, 7)[::-1],
            "the blocks of W_O are swapped: head A has the first.",
        ),
        (right / 2, "the writes are divided by the number of heads; they add up as they are."),
        (np.broadcast_to(right.sum(0), (2, 5, 7)), "every head has the sum of all writes."),
        (np.cumsum(right, axis=0), "head B has head A's write as well: a write is one head's own."),
    ]
    if wrong := compare(result, right, slips, name):
        return wrong
    return Feedback(True, "Right: and the writes add up to concat(heads) @ W_O.")


def check_folded(function):
    """Chapter 06: ``folded(W_V, W_O, n_heads)``: d_model = 7, 2 heads of 3, a stream of 5."""
    name, rng = "folded", np.random.default_rng(7)
    w_v, w_o = rng.normal(size=(7, 6)), rng.normal(size=(6, 5))
    hints = {
        (7, 5): "that is W_V @ W_O of all heads together: right only if all heads share one row.",
        (2, 5, 7): "each matrix is transposed: rows are what goes in (7), columns what comes out.",
        (2, 7, 3): "that is W_V in blocks; multiply each by its block of W_O.",
    }
    result = run(function, name, (2, 7, 5), w_v, w_o, 2, hints=hints)
    if isinstance(result, Feedback):
        return result
    columns, rows = split_heads(w_v, 2), w_o.reshape(2, 3, 5)
    right = columns @ rows
    woven = np.array([w_v[:, r::2] @ w_o[r::2] for r in range(2)])
    mixed = w_v.reshape(2, 7, 3) @ rows
    slips = [
        (woven, "head r takes every second channel; its block is d_head channels in one piece."),
        (mixed, "reshape cut W_V across its rows; a head has columns: W_V[:, r*d : (r+1)*d]."),
        (columns @ rows[::-1], "head r's values meet another head's block of W_O."),
        (np.array([w_v @ w_o] * 2), "both are W_V @ W_O of all heads; take one block for each."),
        (right / 2, "the matrices are divided by the number of heads; the writes add up as is."),
    ]
    if wrong := compare(result, right, slips, name):
        return wrong
    return Feedback(True, "Right: one matrix a head, and each has rank 3 at most.")


def check_swap(w_o):
    """Chapter 06: a W_O of 2 heads with d_head = 3 that makes the heads change places."""
    hints = {
        (2, 2): "W_O has a row for each channel, 6 of them, not for each head.",
        (3, 3): "that is one head's block; W_O takes both heads' 3 channels: (6, 6).",
    }
    array = array_of(w_o, "W_O", (6, 6), hints)
    if isinstance(array, Feedback):
        return array
    heads = np.random.default_rng(8).normal(size=(2, 5, 3))
    right, both = concat_heads(heads[::-1]), concat_heads(heads)
    woven = np.swapaxes(both.reshape(5, 2, 3), 1, 2).reshape(5, 6)
    slips = [
        (both, "this W_O changes nothing: each head still writes into its own block."),
        (both[:, ::-1], "the blocks change places, but the channels in them are turned round too."),
        (concat_heads(heads[..., ::-1]), "the channels turn round inside each block; move blocks."),
        (both.reshape(5, 3, 2)[..., ::-1].reshape(5, 6), "neighbouring channels change places."),
        (woven, "the blocks are woven into each other; each should stay in one piece."),
        (both + right, "each block of the output holds both heads; one of them is enough."),
    ]
    if wrong := compare(both @ array, right, slips, "concat(heads) @ W_O"):
        return wrong
    return Feedback(True, "Right: head A writes where head B's block was, and the other way round.")
