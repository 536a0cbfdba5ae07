"""Small layers of each kind of sharing, and what loops over heads, tokens and keys make of them.

Sizes are distinct, and a number of heads has several divisors.
"""

import math

import numpy as np
import pytest

from mhalib.chapters.ch11 import Latent
from mhalib.sharing import GroupedQuery

HEADS, TOKENS, D_HEAD, D_VALUE, D_MODEL, D_OUT = 6, 7, 4, 5, 11, 13
C, D_ROPE = 3, 2
DIVISORS = [1, 2, 3, 6]


def normals(*shape):
    return np.random.default_rng(shape).standard_normal(shape)


def layer(n_kv, rope=None, heads=HEADS, **options):
    return GroupedQuery(
        normals(D_MODEL, heads * D_HEAD),
        normals(D_MODEL, n_kv * D_HEAD + 0),
        normals(D_MODEL, n_kv * D_VALUE),
        normals(heads * D_VALUE, D_OUT),
        heads,
        n_kv,
        rope,
        **options,
    )


def latent(**options):
    return Latent(
        normals(D_MODEL, HEADS * (D_HEAD + D_ROPE)),
        normals(D_MODEL, C),
        normals(D_MODEL, D_ROPE),
        normals(C, HEADS * D_HEAD),
        normals(C, HEADS * D_VALUE),
        normals(HEADS * D_VALUE, D_OUT),
        HEADS,
        **options,
    )


def one_row(query, keys, values):
    """A query's output and weights, number by number."""
    logits = [
        sum(a * b for a, b in zip(query, key, strict=True)) / math.sqrt(len(query)) for key in keys
    ]
    e = [math.exp(logit - max(logits)) for logit in logits]
    weights = [number / sum(e) for number in e]
    return sum(w * value for w, value in zip(weights, values, strict=True)), weights


def turned(vector, position, base, pairs="halves"):
    """RoPE, pair by pair: as complex numbers."""
    d = len(vector)
    out = np.empty(d)
    for i in range(d // 2):
        a, b = (i, i + d // 2) if pairs == "halves" else (2 * i, 2 * i + 1)
        z = complex(vector[a], vector[b]) * np.exp(1j * position * base ** (-2 * i / d))
        out[a], out[b] = z.real, z.imag
    return out


def causal_by_loops(queries, keys, values, w_o):
    """`queries[r][t]` look at `keys[r][:t + 1]`, each head's own lists."""
    output, weights = [], np.zeros((len(queries), len(queries[0]), len(queries[0])))
    for t in range(len(queries[0])):
        together = []
        for r, head in enumerate(queries):
            out, row = one_row(head[t], keys[r][: t + 1], values[r][: t + 1])
            weights[r, t, : t + 1] = row
            together += [*out]
        output.append(np.array(together) @ w_o)
    return np.array(output), weights


def grouped_by_loops(of, x):
    """A `GroupedQuery` head by head; head r asks block r // group, by its own slice of W."""
    group = of.n_heads // of.n_kv

    def block(w, n, r, t, turn):
        width = w.shape[1] // n
        row = x[t] @ w[:, r * width : (r + 1) * width]
        return turned(row, t, of.rope, of.pairs) if turn and of.rope else row

    tokens = range(len(x))
    queries, keys, values = (
        [[block(w, n, r // share, t, turn) for t in tokens] for r in range(of.n_heads)]
        for w, n, share, turn in (
            (of.w_q, of.n_heads, 1, True),
            (of.w_k, of.n_kv, group, True),
            (of.w_v, of.n_kv, group, False),
        )
    )
    return causal_by_loops(queries, keys, values, of.w_o)


def latent_by_loops(of, x):
    """A `Latent` head by head, keys and values made in full."""
    d_nope, d_value = of.w_uk.shape[1] // of.n_heads, of.w_uv.shape[1] // of.n_heads
    d_rope = of.w_r.shape[1]
    queries, keys, values = [], [], []
    for r in range(of.n_heads):
        q, k, v = [], [], []
        for t, row in enumerate(x):
            width = d_nope + d_rope
            query = row @ of.w_q[:, r * width : (r + 1) * width]
            c = row @ of.w_c
            if of.epsilon is not None:
                c = c / math.sqrt(sum(c**2) / len(c) + of.epsilon)
            shared = turned(row @ of.w_r, t, of.rope, of.pairs)
            q.append([*query[:d_nope], *turned(query[d_nope:], t, of.rope, of.pairs)])
            k.append([*(c @ of.w_uk[:, r * d_nope : (r + 1) * d_nope]), *shared])
            v.append(c @ of.w_uv[:, r * d_value : (r + 1) * d_value])
        queries.append(q)
        keys.append(k)
        values.append(v)
    return causal_by_loops(queries, keys, values, of.w_o)


def assert_same(ours, theirs):
    for mine, their in zip(ours, theirs, strict=True):
        assert mine.shape == their.shape
        np.testing.assert_allclose(mine, their, rtol=1e-10, atol=1e-10)


def refused(call, *parts):
    with pytest.raises((ValueError, TypeError)) as refusal:
        call()
    said = str(refusal.value)
    assert all(part in said for part in parts), said
    assert "\n" not in said and said.endswith(".")
