"""Chapter 06's checks, asked like a learner: the slips they know, each with its own message."""

import numpy as np
from slips import Checks

from mhalib.chapters import ch06


def writes(heads, w_o):
    n_heads, n_tokens, d_head = heads.shape
    out = np.zeros((n_heads, n_tokens, w_o.shape[1]))
    for r in range(n_heads):
        for t in range(n_tokens):
            for i in range(d_head):
                out[r, t] += heads[r, t, i] * w_o[r * d_head + i]
    return out


def folded(w_v, w_o, n_heads):
    d = w_v.shape[1] // n_heads
    return np.array(
        [w_v[:, r * d : (r + 1) * d] @ w_o[r * d : (r + 1) * d] for r in range(n_heads)]
    )


def woven(w_v, w_o, n_heads):
    return np.array([w_v[:, r::n_heads] @ w_o[r::n_heads] for r in range(n_heads)])


EYE, FLIP = np.eye(3), np.eye(3)[::-1]
SWAP = np.kron([[0, 1], [1, 0]], EYE)

SLIPS = {}
SLIPS[ch06.check_writes] = {
    "every second row of W_O": lambda o, w: np.array([o[r] @ w[r::2] for r in range(2)]),
    "every head uses the first block": lambda o, w: o @ w[:3],
    "the blocks of W_O are swapped": lambda o, w: np.array([o[0] @ w[3:], o[1] @ w[:3]]),
    "divided by the number of heads": lambda o, w: writes(o, w) / 2,
    "every head has the sum": lambda o, w: np.array([writes(o, w).sum(axis=0)] * 2),
    "head B has head A's write as well": lambda o, w: np.cumsum(writes(o, w), axis=0),
    "that is the sum of all writes": lambda o, w: np.concatenate(o, axis=-1) @ w,
    "tokens first": lambda o, w: writes(o, w).swapaxes(0, 1),
    "stopped with ValueError": lambda o, w: o @ w,
    "is right there": lambda o, w: writes(o, w) + 1,
}
SLIPS[ch06.check_folded] = {
    "W_V @ W_O of all heads together": lambda v, o, h: v @ o,
    "each matrix is transposed": lambda v, o, h: folded(v, o, h).swapaxes(1, 2),
    "that is W_V in blocks": lambda v, o, h: np.array([v[:, :3], v[:, 3:]]),
    "every second channel": woven,
    "reshape cut W_V across its rows": lambda v, o, h: v.reshape(h, 7, 3) @ o.reshape(h, 3, 5),
    "another head's block": lambda v, o, h: np.array([v[:, :3] @ o[3:], v[:, 3:] @ o[:3]]),
    "both are W_V @ W_O": lambda v, o, h: np.array([v @ o] * h),
    "divided by the number of heads": lambda v, o, h: folded(v, o, h) / h,
    "stopped with ValueError": lambda v, o, h: o @ v,
}
SLIPS[ch06.check_swap] = {
    "changes nothing": np.eye(6),
    "turned round too": np.eye(6)[::-1],
    "turn round inside each block": np.kron(np.eye(2), FLIP),
    "neighbouring channels": np.kron(EYE, [[0, 1], [1, 0]]),
    "woven into each other": np.eye(6)[:, [0, 3, 1, 4, 2, 5]],
    "holds both heads": np.eye(6) + SWAP,
    "not for each head": [[0, 1], [1, 0]],
    "that is one head's block": EYE,
    "has shape (6,); needed is (6, 6)": [3, 4, 5, 0, 1, 2],
    "must be an array of numbers": "swap",
    "is right there": 2 * SWAP,
}
RIGHT = {
    ch06.check_writes: [
        writes,
        lambda o, w: np.einsum("rti,rid->rtd", o, w.reshape(2, 3, 7)),
    ],
    ch06.check_folded: [
        folded,
        lambda v, o, h: np.einsum("irk,rkj->rij", v.reshape(7, h, 3), o.reshape(h, 3, 5)),
    ],
    ch06.check_swap: [SWAP, np.roll(np.eye(6), 3, axis=1).tolist()],
}


class TestChecks(Checks):
    chapter, slips, right = ch06, SLIPS, RIGHT
