"""Appendix A: PyTorch's matrices and masks into ours."""

import numpy as np

from mhalib.live import Feedback
from mhalib.live.feedback import compare, run


def check_from_pytorch(function):
    """Appendix A: ``in_proj_weight`` (3E, E) to w_q, w_k, w_v, used as ``x @ w``; E = 7."""
    name, packed = "from_pytorch", np.random.default_rng(3).normal(size=(21, 7))
    hints = {
        (21, 7): "this is still one matrix of (3E, E); cut it into three.",
        (7, 21): "transposed, but still one matrix; cut it into three.",
        (3, 21, 7): "each of the three still has all 3E rows; cut them.",
    }
    result = run(function, name, (3, 7, 7), packed, hints=hints)
    if isinstance(result, Feedback):
        return result
    right = np.stack([packed[:7].T, packed[7:14].T, packed[14:].T])
    every_third = np.stack([packed[i::3] for i in range(3)])
    slips = [
        (right.swapaxes(1, 2), "not transposed: PyTorch computes x @ W.T, and ours x @ w."),
        (right[[2, 1, 0]], "the order is wrong: PyTorch stacks Q, then K, then V."),
        (right[[1, 2, 0]], "the order is wrong: PyTorch stacks Q, then K, then V."),
        (right[[1, 0, 2]], "the order is wrong: PyTorch stacks Q, then K, then V."),
        (
            packed.T.reshape(3, 7, 7),
            "reshaped after transposing, which mixes the three; cut first.",
        ),
        (every_third, "every third row was taken; the first E rows belong to Q."),
        (every_third.swapaxes(1, 2), "every third row was taken; the first E rows belong to Q."),
    ]
    if wrong := compare(result, right, slips, name):
        return wrong
    return Feedback(True, "Right: cut the rows, then transpose each.")


def check_may_attend(function):
    """Appendix A: nn.MultiheadAttention's two masks to one of ours; N = 2, L = 3, S = 5."""
    name = "may_attend"
    hidden = np.array([[0, 1, 0, 1, 1], [0, 0, 1, 0, 1], [1, 0, 0, 0, 0]], bool)
    padding = np.array([[0, 0, 0, 1, 1], [0, 0, 0, 0, 0]], bool)
    hints = {
        (
            3,
            5,
        ): "the sentences are missing: key_padding_mask needs an axis for the queries, [:, None].",
        (2, 5): "the queries are missing: attn_mask says which query may see which key.",
        (2, 3, 3): "the last axis must be the keys, S.",
        (2, 5, 3): "keys down and queries across: ours is (N, L, S).",
        (2, 1, 3, 5): "there is an axis too many; the result is (N, L, S).",
    }
    result = run(function, name, (2, 3, 5), hidden, padding, hints=hints)
    if isinstance(result, Feedback):
        return result
    by_key = padding[:, None, :]
    right = ~hidden & ~by_key
    slips = [
        (hidden | by_key, "the polarity is PyTorch's: True still means hidden; turn it with ~."),
        (~hidden | ~by_key, "a key is hidden if *either* mask hides it; this needs both."),
        (~hidden & by_key, "key_padding_mask is not turned: there True means ignored."),
        (hidden & ~by_key, "attn_mask is not turned: there True means may not attend."),
        (~hidden | by_key, "key_padding_mask is not turned, and | lets through too much."),
        (hidden & by_key, "True means hidden in both; turn each with ~, then join them with &."),
        (np.broadcast_to(~hidden, right.shape), "the filling can still be seen: use both masks."),
        (np.broadcast_to(~by_key, right.shape), "attn_mask is missing: use both masks."),
        (np.where(right, 0, -np.inf), "this is to be added to logits; needed is True or False."),
    ]
    if wrong := compare(result, np.asarray(right, float), slips, name):
        return wrong
    return Feedback(True, "Right: seen only where neither mask hides.")
