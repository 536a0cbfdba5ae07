"""What appendix A says of PyTorch, asked of PyTorch: layouts, polarities and defaults."""

import numpy as np
import pytest
import torch

from mhalib import average_of_weights, causal_mask, merge_logits, multi_head_attention, softmax
from mhalib.attention import split_heads

BATCH, HEADS, TOKENS, D_HEAD = 2, 3, 5, 7
D_MODEL = HEADS * D_HEAD
functional = torch.nn.functional


def same(ours, theirs):
    return ours.shape == tuple(theirs.shape) and np.allclose(ours, theirs.detach(), atol=1e-12)


@pytest.fixture
def x():
    return np.random.default_rng(0).normal(size=(BATCH, TOKENS, D_MODEL))


@pytest.fixture
def matrices():
    return np.random.default_rng(1).normal(size=(4, D_MODEL, D_MODEL)) / D_MODEL**0.5


def filled(matrices, **options):
    """PyTorch's layer with our matrices: each transposed, the first three stacked."""
    layer = torch.nn.MultiheadAttention(D_MODEL, HEADS, dtype=torch.float64, **options)
    with torch.no_grad():
        stacked = np.concatenate([w.T for w in matrices[:3]])
        layer.in_proj_weight.copy_(torch.from_numpy(stacked))
        layer.out_proj.weight.copy_(torch.from_numpy(matrices[3].T.copy()))
    return layer


def ran(layer, x, **options):
    theirs = torch.from_numpy(x)
    return layer(theirs, theirs, theirs, **options)


def logits(x, matrices):
    q, k = (split_heads(x @ w, HEADS) for w in matrices[:2])
    return q @ k.swapaxes(-2, -1) / D_HEAD**0.5


def test_three_projections_are_stacked_and_applied_transposed(x, matrices):
    layer = filled(matrices)
    assert layer.in_proj_weight.shape == (3 * D_MODEL, D_MODEL)
    packed = functional.linear(torch.from_numpy(x), layer.in_proj_weight, layer.in_proj_bias)
    for theirs, w in zip(packed.chunk(3, dim=-1), matrices[:3], strict=True):
        assert same(x @ w, theirs)


def test_the_default_order_is_tokens_then_batch(x, matrices):
    output, weights = multi_head_attention(x, *matrices, HEADS)
    each = {"average_attn_weights": False}
    y, a = ran(filled(matrices), x.swapaxes(0, 1), **each)
    assert same(output.swapaxes(0, 1), y) and same(weights, a)
    y, a = ran(filled(matrices, batch_first=True), x, **each)
    assert same(output, y) and same(weights, a)


def test_a_batch_first_array_makes_sentences_look_at_sentences(x, matrices):
    misread = multi_head_attention(x.swapaxes(0, 1), *matrices, HEADS)[1]
    a = ran(filled(matrices), x, average_attn_weights=False)[1]
    assert a.shape == (TOKENS, HEADS, BATCH, BATCH) and same(misread, a)


def test_the_returned_weights_are_the_average_of_weights_and_not_merged(x, matrices):
    y, a = ran(filled(matrices, batch_first=True), x)
    assert same(average_of_weights(logits(x, matrices), axis=-3), a)
    assert same(multi_head_attention(x, *matrices, HEADS)[0], y)  # the heads stay apart
    for rule in ("add", "big_head", "average"):
        merged = softmax(merge_logits(logits(x, matrices), rule, axis=-3))
        assert abs(merged - a.detach().numpy()).max() > 0.1


def test_attn_mask_true_hides(x, matrices):
    ours, layer = causal_mask(TOKENS), filled(matrices, batch_first=True)
    output, weights = multi_head_attention(x, *matrices, HEADS, ours)
    turned = torch.from_numpy(~ours)
    y, a = ran(layer, x, attn_mask=turned, average_attn_weights=False)
    assert same(output, y) and same(weights, a)
    a = ran(layer, x, attn_mask=torch.from_numpy(ours), average_attn_weights=False)[1]
    unchanged = softmax(logits(x, matrices), ~ours)
    assert same(unchanged[..., :-1, :], a[..., :-1, :])
    assert a[..., -1, :].isnan().all() and (unchanged[..., -1, :] == 0).all()


def test_a_query_that_sees_nothing_is_nan_where_weights_are_returned(x, matrices):
    layer = filled(matrices, batch_first=True)
    nothing = torch.ones(TOKENS, TOKENS, dtype=torch.bool)
    assert all(result.isnan().all() for result in ran(layer, x, attn_mask=nothing))
    y, a = ran(layer, x, attn_mask=nothing, need_weights=False)
    assert a is None and (y == 0).all()  # the biases start as zeros


def test_a_mask_of_numbers_is_not_turned_by_the_tilde(x, matrices):
    ours = causal_mask(TOKENS)
    assert set(np.unique(~ours.astype(int))) == {-2, -1}  # all True, were it made boolean now
    given = torch.from_numpy(~ours.astype(bool))
    a = ran(filled(matrices, batch_first=True), x, attn_mask=given, average_attn_weights=False)[1]
    assert same(softmax(logits(x, matrices), ours.astype(int)), a)


def test_key_padding_mask_true_is_ignored_by_every_query(x, matrices):
    padding = np.arange(TOKENS) >= np.array([[TOKENS - 2], [TOKENS]])  # 2 and 0 at the end
    a = ran(
        filled(matrices, batch_first=True),
        x,
        key_padding_mask=torch.from_numpy(padding),
        average_attn_weights=False,
    )[1]
    seen = np.broadcast_to(~padding[:, None, None], a.shape)
    assert same(softmax(logits(x, matrices), seen), a)


def test_scaled_dot_product_attention_true_may_attend_and_floats_join_the_logits(x):
    q = torch.from_numpy(split_heads(x, HEADS))
    one_hot = torch.eye(TOKENS, dtype=q.dtype).expand(BATCH, HEADS, TOKENS, TOKENS)
    scores, mask = (q @ q.mT).numpy() / D_HEAD**0.5, causal_mask(TOKENS)
    bias = np.random.default_rng(2).normal(size=(TOKENS, TOKENS))
    for theirs, ours in ((mask, softmax(scores, mask)), (bias, softmax(scores + bias))):
        given = torch.from_numpy(theirs)
        assert same(ours, functional.scaled_dot_product_attention(q, q, one_hot, given))


def test_float_masks_of_the_layer_join_the_logits_too(x, matrices):
    bias = np.random.default_rng(3).normal(size=(TOKENS, TOKENS))
    layer = filled(matrices, batch_first=True)
    a = ran(layer, x, attn_mask=torch.from_numpy(bias), average_attn_weights=False)[1]
    assert same(softmax(logits(x, matrices) + bias), a)


def test_float_padding_joins_the_logits_and_not_the_keys(x, matrices):
    bias = np.random.default_rng(4).normal(size=(BATCH, TOKENS))
    layer, given = filled(matrices, batch_first=True), torch.from_numpy(bias)
    a = ran(layer, x, key_padding_mask=given, average_attn_weights=False)[1]
    assert same(softmax(logits(x, matrices) + bias[:, None, None]), a)


def test_the_page_says_weight_and_key_where_it_adds_to_logits():
    page = " ".join(torch.nn.MultiheadAttention.forward.__doc__.split())
    assert "mask values will be added to the attention weight" in page
    assert "directly added to the corresponding ``key`` value" in page


def test_is_causal_counts_from_the_first_key():
    new, keys = 2, 5
    q, k, one_hot = torch.zeros(1, new, 1), torch.zeros(1, keys, 1), torch.eye(keys)[None]
    seen = functional.scaled_dot_product_attention(q, k, one_hot, is_causal=True)[0] > 0
    assert seen.int().tolist() == np.tri(new, keys, dtype=int).tolist()
    assert seen.int().tolist() != causal_mask(new, keys).astype(int).tolist()


def test_shapes_of_heads_and_count_of_parameters(matrices):
    layer = filled(matrices)
    assert (layer.num_heads, layer.head_dim, layer.embed_dim) == (HEADS, D_HEAD, D_MODEL)
    assert sum(p.numel() for p in layer.parameters()) == 4 * D_MODEL**2 + 4 * D_MODEL
    unbiased = filled(matrices, bias=False)
    assert sum(p.numel() for p in unbiased.parameters()) == 4 * D_MODEL**2
