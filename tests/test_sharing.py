"""MHA, GQA, MQA and MLA against plain loops over heads, tokens and keys. Sizes are primes."""

from dataclasses import replace

import numpy as np
import pytest
from layers import (
    D_HEAD,
    D_MODEL,
    D_OUT,
    D_VALUE,
    DIVISORS,
    HEADS,
    TOKENS,
    assert_same,
    grouped_by_loops,
    layer,
    normals,
    refused,
)

from mhalib.attention import (
    causal_mask,
    concat_heads,
    multi_head_attention,
    scaled_dot_product_attention,
    split_heads,
)
from mhalib.kv_cache import causal_run
from mhalib.sharing import (
    PAGE,
    GroupedQuery,
    attend_in_groups,
    grouped_attention,
    repeat_heads,
)

# Sharing -----------------------------------------------------------------------------------------


def test_blocks_are_repeated_in_order_and_not_in_turn():
    kv = np.array([10.0, 20.0]).reshape(2, 1, 1)
    assert repeat_heads(kv, 4).ravel().tolist() == [10, 10, 20, 20]
    assert repeat_heads(normals(3, TOKENS, D_HEAD), HEADS).shape == (HEADS, TOKENS, D_HEAD)


@pytest.mark.parametrize("n_kv", DIVISORS)
def test_head_r_sees_the_block_of_its_group(n_kv):
    q, k, v = normals(HEADS, 1, D_HEAD), normals(n_kv, TOKENS, D_HEAD), np.zeros((n_kv, TOKENS, 1))
    v += np.arange(n_kv)[:, None, None]  # a value says which block it is of
    seen = grouped_attention(q, k, v)[0].ravel()
    assert np.allclose(seen, [r * n_kv // HEADS for r in range(HEADS)])


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)], ids=str)
@pytest.mark.parametrize("n_kv", DIVISORS)
def test_groups_are_heads_with_repeated_blocks(n_kv, batch):
    q, k = normals(*batch, HEADS, 3, D_HEAD), normals(*batch, n_kv, TOKENS, D_HEAD)
    v, mask = normals(*batch, n_kv, TOKENS, D_VALUE), causal_mask(3, TOKENS)
    repeated = repeat_heads(k, HEADS), repeat_heads(v, HEADS)
    assert_same(grouped_attention(q, k, v, mask), scaled_dot_product_attention(q, *repeated, mask))


@pytest.mark.parametrize("n_keys", [1, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, 2 * PAGE + 3])
@pytest.mark.parametrize("n_queries", [1, 2, 3, 11])
@pytest.mark.parametrize("n_kv", DIVISORS)
def test_pages_change_nothing(n_kv, n_queries, n_keys):
    q, k = normals(HEADS, n_queries, D_HEAD), normals(n_kv, n_keys, D_HEAD)
    v = normals(n_kv, n_keys, D_VALUE)
    repeated = repeat_heads(k, HEADS), repeat_heads(v, HEADS)
    assert_same(attend_in_groups(q, k, v), scaled_dot_product_attention(q, *repeated))


def test_every_query_head_keeps_a_softmax_of_its_own_even_over_one_block():
    weights = causal_run(layer(1), normals(TOKENS, D_MODEL))[1]
    assert weights.shape == (HEADS, TOKENS, TOKENS)
    assert np.allclose(weights.sum(axis=-1), 1)
    last = weights[:, -1]
    assert all(abs(last[r] - last[s]).max() > 0.01 for r in range(HEADS) for s in range(r))


@pytest.mark.parametrize("rope", [None, 100.0], ids="rope {}".format)
@pytest.mark.parametrize("n_kv", DIVISORS)
def test_a_grouped_layer_is_what_loops_over_heads_and_tokens_do(n_kv, rope):
    x = normals(TOKENS, D_MODEL)
    for pairs in ("halves", "neighbours"):
        of = layer(n_kv, rope, pairs=pairs)
        assert_same(causal_run(of, x), grouped_by_loops(of, x))


def test_as_many_blocks_as_heads_is_multi_head_attention():
    of, x = layer(HEADS), normals(TOKENS, D_MODEL)
    theirs = multi_head_attention(x, of.w_q, of.w_k, of.w_v, of.w_o, HEADS, causal_mask(TOKENS))
    assert_same(causal_run(of, x), theirs)


@pytest.mark.parametrize("n_kv", DIVISORS)
def test_sharing_is_multi_head_attention_with_tied_matrices(n_kv):
    of, x = layer(n_kv), normals(TOKENS, D_MODEL)
    tied = [concat_heads(repeat_heads(split_heads(w, n_kv), HEADS)) for w in (of.w_k, of.w_v)]
    for w, one, width in zip(tied, (of.w_k, of.w_v), (D_HEAD, D_VALUE), strict=True):
        for r in range(HEADS):
            g = r * n_kv // HEADS
            mine = w[:, r * width : (r + 1) * width]
            assert (mine == one[:, g * width : (g + 1) * width]).all()
    theirs = multi_head_attention(x, of.w_q, *tied, of.w_o, HEADS, causal_mask(TOKENS))
    assert_same(causal_run(of, x), theirs)


# What cannot be ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "n_heads, n_kv, said",
    [
        (6, 4, "n_kv = 4 blocks of keys and values cannot serve n_heads = 6"),
        (6, 12, "n_kv = 12 blocks"),
        (6, 0, "n_kv = 0 blocks"),
        (6, 3.0, "n_kv must be a whole number, but is 3.0"),
        (True, 1, "n_heads must be a whole number"),
    ],
)
def test_blocks_that_cannot_serve_the_heads_are_refused(n_heads, n_kv, said):
    of = layer(3)
    refused(lambda: GroupedQuery(of.w_q, of.w_k, of.w_v, of.w_o, n_heads, n_kv), said)
    if type(n_kv) is int and n_kv:
        refused(lambda: repeat_heads(normals(n_kv, 2, 2), n_heads), said)


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"w_k": normals(D_MODEL, 3 * 5)}, "a dot product needs the same"),
        ({"w_k": normals(D_MODEL, 13)}, "w_k has 13 columns, which cannot be cut into 3"),
        ({"w_v": normals(7, 3 * D_VALUE)}, "w_v has shape (7, 15), but must be a matrix with 11"),
        ({"w_o": normals(D_OUT, HEADS * D_VALUE)}, "w_o has shape (13, 30)"),
        ({"w_q": normals(D_MODEL)}, "w_q has shape (11,)"),
        ({"w_q": np.full((D_MODEL, 24), np.nan)}, "w_q holds NaN"),
    ],
)
def test_matrices_that_do_not_fit_are_refused_when_the_layer_is_made(changes, said):
    refused(lambda: replace(layer(3), **changes), said)


def test_tokens_that_do_not_fit_are_refused():
    refused(lambda: layer(3).project(normals(TOKENS, 10)), "x has 10 channels, but w_q has 11 rows")
    refused(lambda: layer(3).project(normals(D_MODEL)), "x has shape (11,); it needs at least 2")
    refused(lambda: layer(3, 1e4).project(np.full((2, D_MODEL), np.inf)), "x holds an infinite")


def test_queries_and_blocks_that_do_not_fit_are_refused():
    q, k, v = normals(6, 3, 4), normals(3, 7, 4), normals(3, 7, 5)
    refused(lambda: grouped_attention(q[:5], k, v), "n_kv = 3 blocks", "n_heads = 5")
    refused(lambda: grouped_attention(q, k, v[:2]), "leading axes", "nothing is broadcast")
    refused(lambda: grouped_attention(q[..., :3], k, v), "q has 3 channels and k has 4")
    refused(lambda: grouped_attention(q, k, v[:, :6]), "k has 7 tokens and v has 6")
    refused(lambda: grouped_attention(q[0], k, v), "q has shape (3, 4); it needs at least 3")
    refused(lambda: grouped_attention(q, k, v, scale="1"), "scale must be one finite number")
    for sign in (1, -1):  # -inf from an overflow is no mask
        refused(lambda sign=sign: grouped_attention(q * 1e200, sign * k * 1e200, v), "q @ k.T * s")
    lonely = [[[1e200]]]
    refused(lambda: grouped_attention(lonely, [[[-1e200]]], lonely), "grows beyond 1.8e+308")


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: GroupedQuery(*normals(3, 11, 21), normals(21, 2), 7, 7, 1e4), "must be even"),
        (lambda: layer(3, "x"), "base must be one finite number"),
        (lambda: layer(3, 1e4, pairs="x"), "pairs must be 'halves'"),
    ],
)
def test_what_cannot_be_turned_is_refused_when_the_layer_is_made(make, said):
    refused(make, said)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_floats_keep_their_kind(dtype):
    arrays = (a.astype(dtype) for a in (normals(6, 3, 4), normals(3, 7, 4), normals(3, 7, 5)))
    output, weights = grouped_attention(*arrays)
    assert output.dtype == weights.dtype == repeat_heads(np.ones((1, 2, 2), dtype), 2).dtype
    assert output.dtype == dtype
