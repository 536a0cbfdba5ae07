"""Chapter 02's checks, asked like a learner: the slips they know, and right answers by loops."""

import numpy as np
import oracles
from slips import Checks, rows

from mhalib.chapters import ch02


def cut(x, h):
    return x.reshape(len(x), h, -1).transpose(1, 0, 2)


def join(heads):
    return heads.transpose(1, 0, 2).reshape(heads.shape[1], -1)


def forward(split=cut, join=join, weigh=lambda s, d, width: rows(s / np.sqrt(d)), end=np.matmul):
    """A learner's multi-head function with one thing of their own."""

    def multi_head(x, w_q, w_k, w_v, w_o, n_heads):
        q, k, v = (split(x @ w, n_heads) for w in (w_q, w_k, w_v))
        weights = weigh(q @ k.swapaxes(1, 2), q.shape[-1], x.shape[-1])
        return end(join(weights @ v), w_o)

    return multi_head


def x_was_split(x, w_q, w_k, w_v, w_o, n_heads):
    d = x.shape[1] // n_heads
    heads = []
    for r in range(n_heads):
        b = slice(r * d, r * d + d)
        q, k, v = (x[:, b] @ w[b, b] for w in (w_q, w_k, w_v))
        heads.append(rows(q @ k.T / np.sqrt(d)) @ v)
    return np.hstack(heads) @ w_o


def reshaped(x, h):
    return x.reshape(h, len(x), -1)


SLIPS = {}
SLIPS[ch02.check_split_heads] = {
    "reshape alone deals numbers out": reshaped,
    "swap the first two axes.": lambda x, h: x.reshape(len(x), h, -1),
    "tokens and channels are swapped": lambda x, h: cut(x, h).transpose(0, 2, 1),
    "the tokens were cut": lambda x, h: x.reshape(h, -1, x.shape[1]),
    "3 is the number of heads": lambda x, h: x.reshape(len(x), -1, h),
    "that is one head": lambda x, h: x[:, : x.shape[1] // h],
    "took channels 0, 3, 6, ...; a block is 7 neighbours": lambda x, h: x.reshape(
        len(x), -1, h
    ).transpose(2, 0, 1),
    "the last one comes first": lambda x, h: cut(x, h)[::-1],
    "needed is (7, 6, 3)": lambda x, h: cut(x, 3),
    "stopped with ValueError": lambda x, h: x.reshape(h, 5, -1),
    "changed its input": lambda x, h: cut(x, h) if not x.fill(0) else x,
    "is right there": lambda x, h: 2 * cut(x, h),
}
SLIPS[ch02.check_concat_heads] = {
    "reshape alone mixes words": lambda o: o.reshape(o.shape[1], -1),
    "stand below each other": lambda o: o.reshape(-1, o.shape[2]),
    "added up or averaged": lambda o: o.sum(axis=0),
    "the heads are still the rows": lambda o: o.reshape(len(o), -1),
    "the tokens lead, good": lambda o: o.transpose(1, 0, 2),
    "tokens and channels are swapped": lambda o: join(o).T,
    "of the heads alternate": lambda o: o.transpose(1, 2, 0).reshape(o.shape[1], -1),
    "the last head comes first": lambda o: join(o[::-1]),
}
SLIPS[ch02.check_multi_head] = {
    "split and joined by reshape alone": forward(reshaped, lambda o: o.reshape(o.shape[1], -1)),
    "the split is a reshape alone": forward(reshaped),
    "were joined by reshape alone": forward(join=lambda o: o.reshape(o.shape[1], -1)),
    "divided by sqrt(d_model)": forward(weigh=lambda s, d, width: rows(s / np.sqrt(width))),
    "not divided by sqrt(d_head)": forward(weigh=lambda s, d, width: rows(s)),
    "divided by d_head; take": forward(weigh=lambda s, d, width: rows(s / d)),
    "ran over the queries": forward(weigh=lambda s, d, width: rows(s / np.sqrt(d), axis=1)),
    "ran across the heads": forward(weigh=lambda s, d, width: rows(s / np.sqrt(d), axis=0)),
    "softmax is missing": forward(weigh=lambda s, d, width: s / np.sqrt(d)),
    "W_O is still to come": forward(end=lambda together, w_o: together),
    "each on its own": forward(join=lambda o: o, end=lambda o, w_o: o),
    "these are the weights": lambda x, w_q, w_k, w_v, w_o, h: rows(
        cut(x @ w_q, h) @ cut(x @ w_k, h).swapaxes(1, 2)
    ),
    "added up; set them": forward(join=lambda o: o.sum(axis=0), end=lambda o, w_o: o),
    "were added up, so w_o does not fit": forward(join=lambda o: o.sum(axis=0)),
    "added up, so w_o does not fit": forward(join=lambda o: o.mean(axis=0)),
    "that is one big head": lambda x, w_q, w_k, w_v, w_o, h: (
        rows(x @ w_q @ (x @ w_k).T / np.sqrt(w_q.shape[1])) @ (x @ w_v) @ w_o
    ),
    "x itself was split": x_was_split,
    "projections are transposed": lambda x, w_q, w_k, w_v, w_o, h: forward()(
        x, w_q.T, w_k.T, w_v.T, w_o, h
    ),
    "stopped with ValueError": lambda x, w_q, w_k, w_v, w_o, h: x @ w_o[:5],
    "is right there": lambda *inputs: 1.01 * forward()(*inputs),
}


def split_by_loops(x, n_heads):
    d = x.shape[1] // n_heads
    return [[[row[r * d + c] for c in range(d)] for row in x] for r in range(n_heads)]


def concat_by_loops(heads):
    return [[x for head in heads for x in head[t]] for t in range(heads.shape[1])]


def multi_head_by_loops(*inputs):
    *arrays, n_heads = inputs
    return oracles.multi_head_attention(*(a.tolist() for a in arrays), n_heads)[0]


RIGHT = {
    ch02.check_split_heads: [split_by_loops, cut],
    ch02.check_concat_heads: [concat_by_loops, join],
    ch02.check_multi_head: [multi_head_by_loops, forward()],
}


class TestChecks(Checks):
    chapter, slips, right = ch02, SLIPS, RIGHT
