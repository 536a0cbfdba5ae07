"""mhalib computes what PyTorch computes. Sizes are distinct primes: a swapped axis cannot fit."""

import numpy as np
import pytest
import torch
from sizes import BATCH, D_HEAD, D_VALUE, HEADS, KEYS, QUERIES
from torch.nn.attention.bias import causal_lower_right

from mhalib.attention import (
    causal_mask,
    concat_heads,
    multi_head_attention,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)
from mhalib.chapters.ch04 import js_divergence
from mhalib.merging import entropy


def assert_same(ours, theirs):
    theirs = theirs.detach().numpy()
    tolerance = {"float64": 1e-12, "float32": 1e-6}[theirs.dtype.name]
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("size", [1, 30, 1000], ids="logits of size {}".format)
def test_softmax(normal, size):
    logits = size * normal(BATCH, QUERIES, KEYS)
    assert_same(softmax(logits), torch.from_numpy(logits).softmax(dim=-1))


def test_masked_softmax(normal, mask):
    logits = normal(BATCH, QUERIES, KEYS)
    hidden = torch.from_numpy(logits).masked_fill(~torch.from_numpy(mask), -torch.inf)
    assert_same(softmax(logits, mask), hidden.softmax(dim=-1))


def test_split_and_concat_heads(normal):
    x = normal(BATCH, QUERIES, HEADS * D_HEAD)
    heads = torch.from_numpy(x).unflatten(-1, (HEADS, D_HEAD)).transpose(-3, -2)
    assert_same(split_heads(x, HEADS), heads)
    assert_same(concat_heads(heads.numpy()), torch.from_numpy(x))


@pytest.mark.parametrize("scale", [None, 0.37])
@pytest.mark.parametrize("masked", ["open", "masked", "causal"])
@pytest.mark.parametrize("batch", [(), (BATCH,), (BATCH, HEADS)], ids=str)
def test_scaled_dot_product_attention(normal, mask, batch, masked, scale):
    q, k = normal(*batch, QUERIES, D_HEAD), normal(*batch, KEYS, D_HEAD)
    v = normal(*batch, KEYS, D_VALUE)
    mask = {"open": None, "masked": mask, "causal": causal_mask(QUERIES, KEYS)}[masked]
    output, weights = scaled_dot_product_attention(q, k, v, mask, scale)

    def theirs(values):
        return torch.nn.functional.scaled_dot_product_attention(
            torch.from_numpy(q),
            torch.from_numpy(k),
            values,
            attn_mask=None if mask is None else torch.from_numpy(mask),
            scale=scale,
        )

    one_hot = torch.eye(KEYS, dtype=torch.from_numpy(v).dtype).expand(*batch, KEYS, KEYS)
    assert_same(output, theirs(torch.from_numpy(v)))
    assert_same(weights, theirs(one_hot))  # one-hot values carry the weights themselves


def test_causal_mask_is_aligned_bottom_right():
    q, k, one_hot = torch.zeros(1, 1, QUERIES, 1), torch.zeros(1, 1, KEYS, 1), torch.eye(KEYS)
    theirs = torch.nn.functional.scaled_dot_product_attention(
        q, k, one_hot[None, None], attn_mask=causal_lower_right(QUERIES, KEYS)
    )
    assert (causal_mask(QUERIES, KEYS) == (theirs > 0).numpy()).all()


@pytest.mark.parametrize("masked", [False, True], ids=["open", "causal"])
@pytest.mark.parametrize("batch", [(), (BATCH,)], ids=str)
def test_multi_head_attention(normal, dtype, batch, masked):
    d_model = HEADS * D_HEAD
    x = normal(*batch, QUERIES, d_model)
    w_q, w_k, w_v, w_o = normal(4, d_model, d_model) / dtype(d_model**0.5)
    mask = causal_mask(QUERIES) if masked else None
    output, weights = multi_head_attention(x, w_q, w_k, w_v, w_o, HEADS, mask)

    layer = torch.nn.MultiheadAttention(
        d_model, HEADS, bias=False, batch_first=True, dtype=torch.from_numpy(x).dtype
    )
    with torch.no_grad():  # PyTorch multiplies from the left: its matrices are ours transposed
        layer.in_proj_weight.copy_(torch.from_numpy(np.concatenate([w_q.T, w_k.T, w_v.T])))
        layer.out_proj.weight.copy_(torch.from_numpy(w_o.T))
    theirs = torch.from_numpy(x)
    hidden = None if mask is None else torch.from_numpy(~mask)  # there, True hides
    y, a = layer(theirs, theirs, theirs, attn_mask=hidden, average_attn_weights=False)
    assert_same(output, y)
    assert_same(weights, a)


@pytest.mark.parametrize("padded", [False, True], ids=["open", "padded"])
def test_cross_attention(normal, dtype, padded):
    d_model = HEADS * D_HEAD
    x, context = normal(BATCH, QUERIES, d_model), normal(BATCH, KEYS, D_VALUE)
    w_q, w_o = normal(2, d_model, d_model) / dtype(d_model**0.5)
    w_k, w_v = normal(2, D_VALUE, d_model) / dtype(D_VALUE**0.5)
    seen = np.arange(KEYS) < np.array([[4], [KEYS]])  # one context is shorter
    mask = np.broadcast_to(seen[:, None, None], (BATCH, HEADS, QUERIES, KEYS)) if padded else None
    ours = multi_head_attention(x, w_q, w_k, w_v, w_o, HEADS, mask, context)

    layer = torch.nn.MultiheadAttention(
        *(d_model, HEADS),
        **{"kdim": D_VALUE, "vdim": D_VALUE, "bias": False, "batch_first": True},
        dtype=torch.from_numpy(x).dtype,
    )
    names = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
    with torch.no_grad():
        for name, w in zip(names, (w_q, w_k, w_v), strict=True):
            getattr(layer, name).copy_(torch.from_numpy(w.T))
        layer.out_proj.weight.copy_(torch.from_numpy(w_o.T))
    looks, seen_text = torch.from_numpy(x), torch.from_numpy(context)
    hidden = torch.from_numpy(~seen) if padded else None  # there, True hides
    theirs = layer(looks, seen_text, seen_text, key_padding_mask=hidden, average_attn_weights=False)
    for mine, their in zip(ours, theirs, strict=True):
        assert_same(mine, their)


def test_entropy(normal):
    weights = softmax(3 * normal(BATCH, QUERIES, KEYS))
    assert_same(entropy(weights), torch.special.entr(torch.from_numpy(weights)).sum(-1))


def test_entropy_and_js_divergence_where_weights_are_zero(dtype):
    p, q = np.array([[0.0, 1, 0], [0.5, 0.5, 0]], dtype), np.array([[1, 0, 0], [0, 0, 1]], dtype)
    assert_same(entropy(p), torch.special.entr(torch.from_numpy(p)).sum(-1))
    assert_same(js_divergence(p, q), torch.full((2,), np.log(2), dtype=torch.from_numpy(p).dtype))


def test_js_divergence(normal):
    p, q = softmax(3 * normal(2, BATCH, QUERIES, KEYS))
    p_, q_ = torch.from_numpy(p), torch.from_numpy(q)
    middle = ((p_ + q_) / 2).log()
    kl = torch.nn.functional.kl_div
    halves = [kl(middle, side, reduction="none").sum(-1) for side in (p_, q_)]
    assert_same(js_divergence(p, q), sum(halves) / 2)
