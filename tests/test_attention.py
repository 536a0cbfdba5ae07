"""Attention against plain loops, tables worked out by hand, and what must hold for any numbers."""

import math

import numpy as np
import oracles
import pytest
from examples import (
    D_HEAD,
    D_IN,
    D_MODEL,
    D_OUT,
    D_VALUE,
    HEADS,
    KEYS,
    QUERIES,
    any_batch,
    any_dtype,
    assert_close,
    normals,
)

from mhalib import (
    causal_mask,
    concat_heads,
    multi_head_attention,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)

SOME_HIDDEN = normals(QUERIES, KEYS) < 0.3
SOME_HIDDEN[3] = False


# softmax


@any_dtype
@any_batch
@pytest.mark.parametrize("mask", [None, SOME_HIDDEN], ids=["open", "masked"])
def test_softmax_is_the_loop(batch, dtype, mask):
    logits = 3 * normals(*batch, QUERIES, KEYS, dtype=dtype)
    weights = softmax(logits, mask)
    masks = [None] * QUERIES if mask is None else mask.tolist()
    for index in np.ndindex(*batch):
        rows = zip(logits[index].tolist(), masks, strict=True)
        assert_close(weights[index], [oracles.softmax(*row) for row in rows])


@pytest.mark.parametrize(
    "logits, weights",
    [
        ([2, 1], [0.7311, 0.2689]),
        ([math.log(9), 0], [0.9, 0.1]),
        ([5 + math.log(9), 5], [0.9, 0.1]),
        ([10, 0], [1, 0]),
        ([2, 1, 0, -1], [0.6439, 0.2369, 0.0871, 0.0321]),
        ([4, 4, 4, 4], [0.25, 0.25, 0.25, 0.25]),
        ([-math.inf, 1, 1], [0, 0.5, 0.5]),
        ([-math.inf, -math.inf], [0, 0]),
        ([7], [1]),
    ],
)
def test_softmax_gives_the_published_weights(logits, weights):
    np.testing.assert_allclose(softmax(logits), weights, atol=5e-5)


@pytest.mark.parametrize(
    "logits, dtype",
    [
        ([1000, 1000], "float64"),
        ([1e308, -1e308], "float64"),
        ([-1e308, -1e308], "float64"),
        ([89, 0], "float32"),
        ([3e38, -3e38], "float32"),
        ([12, 0], "float16"),
        ([65504, -65504], "float16"),
    ],
)
def test_no_logit_is_too_large(logits, dtype):
    assert_close(softmax(np.array(logits, dtype)), oracles.softmax(logits))


@pytest.mark.parametrize("constant", [-700, 100, 1000, 2.0**30])
def test_adding_a_constant_to_a_row_changes_nothing(constant):
    logits = np.round(normals(QUERIES, KEYS) * 64) / 64  # so that the sum is exact
    assert (softmax(logits + constant) == softmax(logits)).all()


def test_raising_one_logit_keeps_the_ratio_of_the_others():
    before, after = softmax([2, 1, 0]), softmax([2, 1, 2])
    assert before[0] / before[1] == pytest.approx(math.e)
    assert after[0] / after[1] == pytest.approx(math.e)


# Masks


@any_dtype
@pytest.mark.parametrize("loudness", [0, 1, 60000])
def test_a_fully_masked_row_is_zero_whatever_its_scores(dtype, loudness):
    logits = np.clip(loudness * normals(QUERIES, KEYS), -65504, 65504).astype(dtype)
    mask = np.ones((QUERIES, KEYS), bool)
    mask[1] = False
    weights = softmax(logits, mask)
    assert (weights[1] == 0).all()
    assert (np.delete(weights, 1, axis=0) == np.delete(softmax(logits), 1, axis=0)).all()


def test_attention_that_sees_nothing_carries_nothing():
    q, k, v = normals(3, 2, 5)
    output, weights = scaled_dot_product_attention(q, k, v, mask=[[0, 0], [0, 1]])
    assert weights.tolist() == [[0, 0], [0, 1]]
    assert output.tolist() == [[0] * 5, v[1].tolist()]


@any_dtype
@pytest.mark.parametrize("loudness", [1, 60000])
def test_causal_and_padding_masks_together_stay_finite(dtype, loudness):
    logits = np.clip(loudness * normals(QUERIES, QUERIES), -65504, 65504).astype(dtype)
    padding = np.array([True, True, True, False, True])
    mask = causal_mask(QUERIES) & padding
    weights = softmax(logits, mask)
    assert (weights[~mask] == 0).all()
    rows = zip(logits.tolist(), mask.tolist(), strict=True)
    np.testing.assert_allclose(weights, [oracles.softmax(*row) for row in rows], atol=1e-2)


@pytest.mark.parametrize("form", [np.int64, np.int8, np.uint8, list])
def test_zero_one_masks_and_lists_are_the_same_as_booleans(form):
    logits = normals(QUERIES, KEYS)
    mask = SOME_HIDDEN.tolist() if form is list else SOME_HIDDEN.astype(form)
    assert (softmax(logits, mask) == softmax(logits, SOME_HIDDEN)).all()


def test_a_mask_may_differ_from_head_to_head():
    logits = normals(HEADS, QUERIES, KEYS)
    mask = normals(HEADS, QUERIES, KEYS) > -1
    for head in range(HEADS):
        assert (softmax(logits, mask)[head] == softmax(logits[head], mask[head])).all()


def test_a_mask_is_neither_changed_nor_kept():
    mask = SOME_HIDDEN.copy()
    mask.flags.writeable = False
    weights = softmax(normals(QUERIES, KEYS), mask)
    assert (mask == SOME_HIDDEN).all()
    assert not np.shares_memory(weights, mask)


@pytest.mark.parametrize(
    "shape, rows",
    [
        ((1,), ["1"]),
        ((3,), ["100", "110", "111"]),
        ((1, 5), ["11111"]),
        ((2, 5), ["11110", "11111"]),
    ],
)
def test_queries_are_the_last_of_the_keys_tokens(shape, rows):
    mask = causal_mask(*shape)
    assert mask.dtype == bool
    assert ["".join(map(str, row)) for row in mask.astype(int).tolist()] == rows


def test_every_token_sees_itself_and_never_the_next():
    weights = softmax(normals(QUERIES, QUERIES), causal_mask(QUERIES))
    for i in range(QUERIES):
        for j in range(QUERIES):
            assert (weights[i, j] > 0) == (j <= i)


# Cutting into heads


def test_a_head_is_a_block_of_channels():
    heads = split_heads(np.arange(24).reshape(3, 8), 2)
    assert heads.tolist() == [
        [[0, 1, 2, 3], [8, 9, 10, 11], [16, 17, 18, 19]],
        [[4, 5, 6, 7], [12, 13, 14, 15], [20, 21, 22, 23]],
    ]


@any_batch
def test_split_heads_is_its_formula(batch):
    x = normals(*batch, QUERIES, D_MODEL)
    heads = split_heads(x, HEADS)
    assert heads.shape == (*batch, HEADS, QUERIES, D_HEAD)
    for *at, r, t, i in np.ndindex(heads.shape):
        assert heads[*at, r, t, i] == x[*at, t, r * D_HEAD + i]


@any_batch
def test_concat_heads_is_its_formula(batch):
    heads = normals(*batch, HEADS, QUERIES, D_HEAD)
    x = concat_heads(heads)
    assert x.shape == (*batch, QUERIES, D_MODEL)
    for *at, t, channel in np.ndindex(x.shape):
        head, i = divmod(channel, D_HEAD)
        assert x[*at, t, channel] == heads[*at, head, t, i]


@pytest.mark.parametrize("n_heads", [1, 3, 11, 33])
def test_concat_undoes_split(n_heads):
    x = normals(2, QUERIES, D_MODEL)
    assert (concat_heads(split_heads(x, n_heads)) == x).all()


# One head


@any_dtype
@any_batch
@pytest.mark.parametrize("mask", [None, SOME_HIDDEN], ids=["open", "masked"])
@pytest.mark.parametrize("scale", [None, 0.37, -1, np.float32(2)], ids=repr)
def test_attention_is_the_loop(batch, dtype, mask, scale):
    q = normals(*batch, QUERIES, D_HEAD, dtype=dtype)
    k = normals(*batch, KEYS, D_HEAD, dtype=dtype)
    v = normals(*batch, KEYS, D_VALUE, dtype=dtype)
    output, weights = scaled_dot_product_attention(q, k, v, mask, scale)
    for index in np.ndindex(*batch):
        one = (array[index].tolist() for array in (q, k, v))
        expected = oracles.attention(*one, mask, None if scale is None else float(scale))
        assert_close(output[index], expected[0])
        assert_close(weights[index], expected[1])


def test_a_scale_keeps_its_digits_when_dtypes_are_mixed():
    q, k, v = normals(QUERIES, D_HEAD, dtype="float32"), normals(KEYS, D_HEAD), np.eye(KEYS)
    _, weights = scaled_dot_product_attention(q, k, v)
    assert_close(weights, oracles.attention(q.tolist(), k.tolist(), v.tolist())[1])


def test_float16_logits_may_pass_what_float16_can_hold():
    q = np.full((1, 2), 300, "float16")
    k = np.array([[300, 300], [300, -300]], "float16")  # q . k = 180000 and 0
    assert scaled_dot_product_attention(q, k, k)[1].tolist() == [[1, 0]]


@pytest.mark.parametrize("d_head, unscaled", [(4, 0.43), (64, 0.84), (768, 0.96)])
def test_scaling_keeps_the_largest_weight_where_it_is_at_any_width(d_head, unscaled):
    q, k = normals(400, 1, d_head), normals(400, 16, d_head)

    def mean_largest(scale):
        return scaled_dot_product_attention(q, k, k, scale=scale)[1].max(axis=-1).mean()

    assert mean_largest(1) == pytest.approx(unscaled, abs=0.02)
    assert 0.22 < mean_largest(None) < 0.26


# Many heads


@pytest.mark.parametrize("n_heads, ways", [(1, 72), (2, 108), (3, 120), (6, 132)])
def test_the_output_can_change_in_4d2_minus_2d2_over_h_ways(n_heads, ways):
    """Rank of the output's Jacobian by finite differences, at d = 6; of 144 parameters."""
    matrices, x, step = 0.8 * normals(4, 6, 6), normals(90, 6), 1e-4
    rows = []
    for nudge in step * np.eye(144).reshape(-1, 4, 6, 6):
        up, down = (
            multi_head_attention(x, *(matrices + way * nudge), n_heads)[0] for way in (1, -1)
        )
        rows.append((up - down).ravel() / (2 * step))
    sizes = np.linalg.svd(rows, compute_uv=False)
    assert sizes[ways - 1] > 1e-6 * sizes[0] and sizes[ways] < 1e-7 * sizes[0]


def projections():
    """W_Q, W_K, W_V and W_O that keep the size of what they project."""
    shapes = (2, D_IN, D_MODEL), (1, D_IN, HEADS * D_VALUE), (1, HEADS * D_VALUE, D_OUT)
    return [w / math.sqrt(len(w)) for shape in shapes for w in normals(*shape)]


@any_dtype
@any_batch
@pytest.mark.parametrize("mask", [None, causal_mask(QUERIES)], ids=["open", "causal"])
def test_multi_head_attention_is_the_loop(batch, dtype, mask):
    x = normals(*batch, QUERIES, D_IN, dtype=dtype)
    matrices = [w.astype(dtype) for w in projections()]
    output, weights = multi_head_attention(x, *matrices, HEADS, mask)
    for index in np.ndindex(*batch):
        lists = [array.tolist() for array in (x[index], *matrices)]
        expected = oracles.multi_head_attention(*lists, HEADS, mask)
        assert_close(output[index], expected[0])
        assert_close(weights[index], expected[1])


def cross_matrices(d_context=23):
    """W_Q, W_K, W_V and W_O for a context of another width than x."""
    w_q, _, _, w_o = projections()
    w_k, w_v = normals(d_context, D_MODEL), normals(d_context, HEADS * D_VALUE)
    return w_q, w_k / d_context**0.5, w_v / d_context**0.5, w_o


@any_dtype
@any_batch
@pytest.mark.parametrize("mask", [None, SOME_HIDDEN], ids=["open", "masked"])
def test_a_context_is_looked_at_instead_and_is_the_loop(batch, dtype, mask):
    x, context = (normals(*batch, *of, dtype=dtype) for of in ((QUERIES, D_IN), (KEYS, 23)))
    matrices = [w.astype(dtype) for w in cross_matrices()]
    if mask is not None:
        mask = np.broadcast_to(mask, (*batch, HEADS, QUERIES, KEYS)) if batch else mask
    output, weights = multi_head_attention(x, *matrices, HEADS, mask, context)
    assert weights.shape == (*batch, HEADS, QUERIES, KEYS)
    for index in np.ndindex(*batch):
        lists = [array.tolist() for array in (x[index], *matrices)]
        seen = None if mask is None else SOME_HIDDEN
        expected = oracles.multi_head_attention(*lists, HEADS, seen, context[index].tolist())
        assert_close(output[index], expected[0])
        assert_close(weights[index], expected[1])


def test_a_text_that_is_its_own_context_looks_at_itself():
    x, matrices, mask = normals(2, QUERIES, D_IN), projections(), causal_mask(QUERIES)
    alone = multi_head_attention(x, *matrices, HEADS, mask)
    for ours, right in zip(
        multi_head_attention(x, *matrices, HEADS, mask, x.copy()), alone, strict=True
    ):
        assert (ours == right).all()


def test_the_last_tokens_on_all_of_them_are_the_last_rows_of_the_full_causal_run():
    x, matrices = normals(2, KEYS, D_IN), projections()
    output, weights = multi_head_attention(x, *matrices, HEADS, causal_mask(KEYS))
    for new in range(1, KEYS + 1):
        ours = multi_head_attention(x[:, -new:], *matrices, HEADS, causal_mask(new, KEYS), x)
        assert_close(ours[0], output[:, -new:])
        assert_close(ours[1], weights[..., -new:, :])


def test_padding_in_a_context_is_as_if_it_were_not_there():
    x, context, matrices = normals(QUERIES, D_IN), normals(KEYS, 23), cross_matrices()
    padding = np.tile(np.arange(KEYS) < 4, (QUERIES, 1))
    short, _ = multi_head_attention(x, *matrices, HEADS, None, context[:4])
    assert_close(multi_head_attention(x, *matrices, HEADS, padding, context)[0], short)


def test_logits_are_scaled_by_the_width_of_a_head():
    x, (w_q, w_k) = normals(199, 64), normals(2, 64, 64) / 8  # q and k are unit normal
    _, weights = multi_head_attention(x, w_q, w_k, np.eye(64), np.eye(64), n_heads=4)
    logits = np.log(weights)
    spread = (logits - logits.mean(axis=-1, keepdims=True)).std()
    assert spread == pytest.approx(1, abs=0.05)  # 0.5 if by sqrt(d_model), 4 if not at all


def test_a_head_is_moved_by_its_own_block_alone():
    x, (w_q, *others) = normals(QUERIES, D_IN), projections()
    changed = w_q.copy()
    changed[:, D_HEAD : 2 * D_HEAD] *= 2
    _, before = multi_head_attention(x, w_q, *others, HEADS)
    _, after = multi_head_attention(x, changed, *others, HEADS)
    assert [(before[r] == after[r]).all() for r in range(HEADS)] == [True, False, True]


def test_under_a_causal_mask_a_later_token_changes_nothing_earlier():
    x, matrices = normals(QUERIES, D_IN), projections()
    changed = x.copy()
    changed[3] += 1
    before, after = (
        multi_head_attention(tokens, *matrices, HEADS, causal_mask(QUERIES))[0]
        for tokens in (x, changed)
    )
    assert_close(before[:3], after[:3])
    assert (abs(before[3:] - after[3:]) > 1e-3).any(axis=-1).all()
