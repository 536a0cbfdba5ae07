"""Appendix A: PyTorch's matrices and masks into ours."""

import numpy as np

from mhalib.live.feedback import check, expect


@check
def check_from_pytorch(function):
    """Appendix A: ``in_proj_weight`` (3E, E) to w_q, w_k, w_v, used as ``x @ w``; E = 7."""
    packed = np.random.default_rng(3).normal(size=(21, 7))
    right = packed.reshape(3, 7, 7).swapaxes(1, 2)
    in_other_orders = tuple(right[order] for order in ([2, 1, 0], [1, 2, 0], [1, 0, 2]))
    dealt = packed.reshape(7, 3, 7)  # row by row, to three
    hints = {
        (21, 7): "this is still one matrix of (3E, E); cut it into three.",
        (7, 21): "transposed, but still one matrix; cut it into three.",
        (3, 21, 7): "each of the three still has all 3E rows; cut them.",
    }
    slips = {
        "not transposed: PyTorch computes x @ W.T, and ours x @ w.": right.swapaxes(1, 2),
        "the order is wrong: PyTorch stacks Q, then K, then V.": in_other_orders,
        "reshaped after transposing, which mixes the three; cut first.": packed.T.reshape(3, 7, 7),
        "every third row was taken; the first E rows belong to Q.": (
            dealt.transpose(1, 0, 2),
            dealt.transpose(1, 2, 0),
        ),
    }
    expect(right, function, "from_pytorch", packed, slips=slips, hints=hints)
    return "Right: cut the rows, then transpose each."


@check
def check_may_attend(function):
    """Appendix A: nn.MultiheadAttention's two masks to one of ours; N = 2, L = 3, S = 5."""
    hidden = np.array([[0, 1, 0, 1, 1], [0, 0, 1, 0, 1], [1, 0, 0, 0, 0]], bool)
    padding = np.array([[0, 0, 0, 1, 1], [0, 0, 0, 0, 0]], bool)
    by_key = padding[:, None, :]
    right = ~hidden & ~by_key
    no_sentences = (
        "the sentences are missing: key_padding_mask needs an axis for the queries, [:, None]."
    )
    hints = {
        (3, 5): no_sentences,
        (2, 5): "the queries are missing: attn_mask says which query may see which key.",
        (2, 3, 3): "the last axis must be the keys, S.",
        (2, 5, 3): "keys down and queries across: ours is (N, L, S).",
        (2, 1, 3, 5): "there is an axis too many; the result is (N, L, S).",
    }
    slips = {
        "the polarity is PyTorch's: True still means hidden; turn it with ~.": hidden | by_key,
        "a key is hidden if *either* mask hides it; this needs both.": ~hidden | ~by_key,
        "key_padding_mask is not turned: there True means ignored.": ~hidden & by_key,
        "attn_mask is not turned: there True means may not attend.": hidden & ~by_key,
        "key_padding_mask is not turned, and | lets through too much.": ~hidden | by_key,
        "True means hidden in both; turn each with ~, then join them with &.": hidden & by_key,
        "the filling can still be seen: use both masks.": np.stack([~hidden, ~hidden]),
        "attn_mask is missing: use both masks.": ~by_key.repeat(3, axis=1),
        "this is to be added to logits; needed is True or False.": np.where(right, 0, -np.inf),
    }
    expect(right, function, "may_attend", hidden, padding, slips=slips, hints=hints)
    return "Right: seen only where neither mask hides."
