"""Every derivative is PyTorch's. Sizes are distinct primes: a swapped axis cannot fit."""

import numpy as np
import pytest
import torch
from sizes import BATCH, D_HEAD, D_VALUE, HEADS, KEYS, QUERIES

from mhalib import attention, gradients

TOLERANCE = {"float64": 1e-11, "float32": 2e-5}


def followed(array):
    """The array as a tensor whose derivative PyTorch keeps."""
    return torch.from_numpy(np.ascontiguousarray(array)).requires_grad_()


def assert_derivatives(ours, result, upstream, inputs):
    """`ours` are PyTorch's derivatives of sum(upstream * result) by each of the inputs."""
    theirs = torch.autograd.grad(result, inputs, torch.from_numpy(upstream))
    for mine, their in zip(ours, theirs, strict=True):
        their = their.numpy()
        assert mine.dtype == their.dtype
        tolerance = TOLERANCE[their.dtype.name]
        np.testing.assert_allclose(mine, their, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("size", [1, 30, 1000], ids="logits of size {}".format)
def test_softmax(normal, size):
    logits, upstream = size * normal(BATCH, QUERIES, KEYS), normal(BATCH, QUERIES, KEYS)
    s = followed(logits)
    ours = gradients.softmax(attention.softmax(logits), upstream)
    assert_derivatives([ours], s.softmax(dim=-1), upstream, [s])


def test_masked_softmax(normal, mask):
    logits, upstream = normal(BATCH, QUERIES, KEYS), normal(BATCH, QUERIES, KEYS)
    s = followed(logits)
    result = s.masked_fill(~torch.from_numpy(mask), -torch.inf).softmax(dim=-1)
    ours = gradients.softmax(attention.softmax(logits, mask), upstream)
    assert_derivatives([ours], result, upstream, [s])


def test_the_jacobian_of_softmax(normal, dtype):
    row = normal(KEYS)
    theirs = torch.autograd.functional.jacobian(lambda s: s.softmax(-1), torch.from_numpy(row))
    ours = gradients.softmax_jacobian(attention.softmax(row))
    assert ours.dtype == dtype
    np.testing.assert_allclose(ours, theirs.numpy(), atol=TOLERANCE[ours.dtype.name])


def test_split_and_concat_heads(normal):
    x, upstream = normal(BATCH, QUERIES, HEADS * D_HEAD), normal(BATCH, HEADS, QUERIES, D_HEAD)
    followed_x, heads = followed(x), followed(upstream)
    cut = followed_x.unflatten(-1, (HEADS, D_HEAD)).transpose(-3, -2)
    assert_derivatives([gradients.split_heads(upstream)], cut, upstream, [followed_x])
    together = heads.transpose(-3, -2).flatten(-2)
    assert_derivatives([gradients.concat_heads(x, HEADS)], together, x, [heads])


@pytest.mark.parametrize("scale", [None, 0.37])
@pytest.mark.parametrize("masked", ["open", "masked", "causal"])
@pytest.mark.parametrize("batch", [(), (BATCH,), (BATCH, HEADS)], ids=str)
def test_scaled_dot_product_attention(normal, mask, batch, masked, scale):
    q, k = normal(*batch, QUERIES, D_HEAD), normal(*batch, KEYS, D_HEAD)
    v, upstream = normal(*batch, KEYS, D_VALUE), normal(*batch, QUERIES, D_VALUE)
    causal = attention.causal_mask(QUERIES, KEYS)
    mask = {"open": None, "masked": mask, "causal": causal}[masked]
    _, weights = attention.scaled_dot_product_attention(q, k, v, mask, scale)
    ours = gradients.scaled_dot_product_attention(q, k, v, weights, upstream, scale)
    inputs = [followed(array) for array in (q, k, v)]
    result = torch.nn.functional.scaled_dot_product_attention(
        *inputs, attn_mask=None if mask is None else torch.from_numpy(mask), scale=scale
    )
    assert_derivatives(ours, result, upstream, inputs)


@pytest.mark.parametrize("masked", [False, True], ids=["open", "causal"])
@pytest.mark.parametrize("batch", [(), (BATCH,)], ids=str)
def test_multi_head_attention(normal, dtype, batch, masked):
    d_model = HEADS * D_HEAD
    x, upstream = normal(*batch, QUERIES, d_model), normal(*batch, QUERIES, d_model)
    w_q, w_k, w_v, w_o = normal(4, d_model, d_model) / dtype(d_model**0.5)
    mask = attention.causal_mask(QUERIES) if masked else None
    _, weights = attention.multi_head_attention(x, w_q, w_k, w_v, w_o, HEADS, mask)
    ours = gradients.multi_head_attention(x, w_q, w_k, w_v, w_o, weights, upstream)

    layer = torch.nn.MultiheadAttention(
        d_model, HEADS, bias=False, batch_first=True, dtype=torch.from_numpy(x).dtype
    )
    with torch.no_grad():  # PyTorch multiplies from the left: its matrices are ours transposed
        layer.in_proj_weight.copy_(torch.from_numpy(np.concatenate([w_q.T, w_k.T, w_v.T])))
        layer.out_proj.weight.copy_(torch.from_numpy(w_o.T))
    followed_x = followed(x)
    hidden = None if mask is None else torch.from_numpy(~mask)  # there, True hides
    result, _ = layer(followed_x, followed_x, followed_x, attn_mask=hidden)
    d_x, *d_matrices = ours
    stacked = np.concatenate([d.T for d in d_matrices[:3]])
    inputs = [followed_x, layer.in_proj_weight, layer.out_proj.weight]
    assert_derivatives([d_x, stacked, d_matrices[3].T], result, upstream, inputs)


def test_cross_attention(normal, dtype):
    d_model = HEADS * D_HEAD
    x, context = normal(BATCH, QUERIES, d_model), normal(BATCH, KEYS, D_VALUE)
    w_q, w_o = normal(2, d_model, d_model) / dtype(d_model**0.5)
    w_k, w_v = normal(2, D_VALUE, d_model) / dtype(D_VALUE**0.5)
    upstream, matrices = normal(BATCH, QUERIES, d_model), (w_q, w_k, w_v, w_o)
    _, weights = attention.multi_head_attention(x, *matrices, HEADS, None, context)
    ours = gradients.multi_head_attention(x, *matrices, weights, upstream, context)

    layer = torch.nn.MultiheadAttention(
        *(d_model, HEADS),
        **{"kdim": D_VALUE, "vdim": D_VALUE, "bias": False, "batch_first": True},
        dtype=torch.from_numpy(x).dtype,
    )
    theirs = [layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight, layer.out_proj.weight]
    with torch.no_grad():
        for their, w in zip(theirs, matrices, strict=True):
            their.copy_(torch.from_numpy(w.T))
    looks, seen = followed(x), followed(context)
    result, _ = layer(looks, seen, seen)
    d_x, *d_matrices, d_context = ours
    turned = [d.T for d in d_matrices]
    assert_derivatives([d_x, *turned, d_context], result, upstream, [looks, *theirs, seen])
