"""A text decoded in steps is the text run at once. Oracles: loops, and what must not change."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from layers import (
    D_HEAD,
    D_MODEL,
    D_OUT,
    D_ROPE,
    D_VALUE,
    DIVISORS,
    HEADS,
    TOKENS,
    C,
    assert_same,
    latent,
    layer,
    normals,
    refused,
)

from mhalib.kv_cache import Cache, causal_run, decode

LAYERS = {
    **{
        f"{n_kv} blocks, rope {rope}": layer(n_kv, rope) for n_kv in DIVISORS for rope in (None, 50)
    },
    "MLA absorbed": latent(rope=50.0),
    "MLA expanded": latent(rope=50.0, absorbed=False),
    "MLA normed": latent(rope=50.0, epsilon=0.1),
}
CUTS = [[1] * TOKENS, [3, 2, 2], [5, 1, 1], [1, 6], [7]]
every_layer = pytest.mark.parametrize("of", LAYERS.values(), ids=LAYERS)


def in_steps(of, x, cuts, capacity=TOKENS):
    """Outputs, one behind the other, and each step's weights."""
    cache, outputs, weights = Cache(capacity), [], []
    for start, stop in itertools.pairwise(np.cumsum([0, *cuts])):
        out, w = decode(of, x[..., start:stop, :], cache)
        outputs.append(out)
        weights.append(w)
    return np.concatenate(outputs, axis=-2), weights, cache


@pytest.mark.parametrize("cuts", CUTS, ids=str)
@every_layer
def test_steps_and_chunks_equal_the_full_causal_run(of, cuts):
    x = normals(TOKENS, D_MODEL)
    output, weights = causal_run(of, x)
    stepped, rows, _ = in_steps(of, x, cuts)
    assert abs(stepped - output).max() < 1e-10
    stops = np.cumsum(cuts)
    for stop, n, row in zip(stops, cuts, rows, strict=True):
        assert row.shape == (HEADS, n, stop)
        assert abs(row - weights[:, stop - n : stop, :stop]).max() < 1e-10


@every_layer
def test_a_batch_is_decoded_as_its_texts_are(of):
    x = normals(2, TOKENS, D_MODEL)
    together, *_ = in_steps(of, x, [3, 2, 2])
    assert together.shape == (2, TOKENS, D_OUT)
    for one, text in zip(together, x, strict=True):
        assert abs(one - in_steps(of, text, [1] * TOKENS)[0]).max() < 1e-10


def test_forgetting_how_many_tokens_the_cache_holds_gives_another_output():
    """With positions from 0 at each step the text is not the full run: RoPE sees it."""
    of, x, cache = layer(3, 50), normals(TOKENS, D_MODEL), Cache(TOKENS)
    for t in range(TOKENS):
        q, rows = of.project(x[t : t + 1], first=0)
        wrong = of.attend(q, *cache.append(*rows))[0]
    assert abs(wrong - causal_run(of, x)[0][-1]).max() > 0.01


def test_rows_are_copied_and_not_looked_through():
    of, x = layer(3), normals(TOKENS, D_MODEL)
    q, (k, v) = of.project(x[:2])
    cache = Cache(TOKENS)
    kept, _ = cache.append(k, v)
    before = k.copy()
    k[:] = v[:] = 0  # the caller uses the memory again
    assert (kept == before).all()
    again, _ = cache.append(*of.project(x[2:])[1])
    assert (again[:, :2] == before).all() and kept.shape == (3, 2, D_HEAD)
    assert not np.shares_memory(again, k)


def test_what_was_given_back_cannot_be_written_to():
    kept = Cache(3).append(np.ones((2, 1, D_HEAD)))[0]
    with pytest.raises(ValueError, match="read-only"):
        kept[:] = 0


def test_two_caches_do_not_share_their_rows():
    of, x = layer(3), normals(TOKENS, D_MODEL)
    one, other = Cache(TOKENS), Cache(TOKENS)
    decode(of, x[:3], one)
    expected = decode(of, x[3:4], one)[0]
    decode(of, x[:3], other)
    decode(of, x[4:5], other)
    one_again = decode(of, x[3:4], other)[0]
    assert abs(one_again - expected).max() > 0.01  # it saw another token in between
    assert (one.n_tokens, other.n_tokens) == (4, 5)


def test_memory_is_counted_in_bytes_of_the_rows():
    for of, numbers in (
        (layer(HEADS), HEADS * (D_HEAD + D_VALUE)),
        (layer(3), 3 * (D_HEAD + D_VALUE)),
        (layer(1), D_HEAD + D_VALUE),
        (latent(), C + D_ROPE),
        (latent(absorbed=False), C + D_ROPE),
    ):
        *_, cache = in_steps(of, normals(TOKENS, D_MODEL), [3, 4], capacity=23)
        assert cache.n_bytes == TOKENS * numbers * 8
    assert Cache(3).n_bytes == 0


def test_a_cache_of_float32_takes_half():
    of, x = layer(3), normals(TOKENS, D_MODEL)
    matrices = {name: getattr(of, name).astype("float32") for name in ("w_q", "w_k", "w_v", "w_o")}
    half = replace(of, **matrices)
    output, _, cache = in_steps(half, x.astype("float32"), [1] * TOKENS)
    assert output.dtype == np.float32
    assert 2 * cache.n_bytes == in_steps(of, x, [7])[2].n_bytes
    np.testing.assert_allclose(output, causal_run(of, x)[0], rtol=1e-3, atol=1e-3)


def test_a_cache_that_is_too_short_says_so_and_keeps_what_it_has():
    of, x, cache = layer(3), normals(TOKENS, D_MODEL), Cache(5)
    decode(of, x[:4], cache)
    refused(
        lambda: decode(of, x[4:6], cache),
        "the cache holds 4 tokens and has room for 5: 2 more do not fit; make it with Cache(6)",
    )
    assert cache.n_tokens == 4
    assert abs(decode(of, x[4:5], cache)[0] - causal_run(of, x)[0][4:5]).max() < 1e-10


def test_a_cache_refuses_rows_of_another_layer_batch_or_dtype():
    of, x = layer(3), normals(TOKENS, D_MODEL)
    for other, tokens in (
        (layer(2), x[3:4]),
        (latent(), x[3:4]),
        (of, np.stack([x[3:4]] * 2)),
        (replace(of, w_v=normals(D_MODEL, 3 * 7), w_o=normals(HEADS * 7, D_OUT)), x[3:4]),
    ):
        cache = Cache(TOKENS)
        decode(of, x[:3], cache)
        refused(
            lambda other=other, tokens=tokens, cache=cache: decode(other, tokens, cache),
            "the cache holds tables of (3, tokens, 4) float64 and (3, tokens, 5) float64, but the",
            "another layer, batch or dtype",
        )
        assert cache.n_tokens == 3
    cache = Cache(TOKENS)
    cache.append(np.ones((1, 2, 3), "float32"))
    refused(lambda: cache.append(np.ones((1, 2, 3))), "(1, tokens, 3) float64")
    refused(lambda: Cache(4).append(np.ones((1, 2, 3)), np.ones((1, 3, 3))), "another layer")


@pytest.mark.parametrize(
    "capacity, said", [(0, "at least 1 token, but is 0"), (2.5, "whole number"), ("8", "whole")]
)
def test_a_capacity_is_a_whole_number_of_tokens(capacity, said):
    refused(lambda: Cache(capacity), said)


def test_a_chunk_of_another_width_or_without_its_token_axis_is_refused():
    of, cache = layer(3), Cache(TOKENS)
    refused(lambda: decode(of, normals(2, 10), cache), "x has 10 channels, but w_q has 11 rows")
    refused(lambda: decode(of, normals(D_MODEL), cache), "x has shape (11,)", "an index such as")
    assert cache.n_tokens == 0


def test_only_the_new_tokens_are_projected():
    seen = []

    class Watched:
        def project(self, x, first=0):
            seen.append((len(x), first))
            return layer(3).project(x, first)

        def attend(self, *parts):
            return layer(3).attend(*parts)

    cache, x = Cache(TOKENS), normals(TOKENS, D_MODEL)
    for start, stop in ((0, 3), (3, 5), (5, 6)):
        decode(Watched(), x[start:stop], cache)
    assert seen == [(3, 0), (2, 3), (1, 5)]


def test_the_two_tables_hold_keys_and_values():
    *_, cache = in_steps(layer(3), normals(TOKENS, D_MODEL), [7])
    assert [table.shape for table in cache.tables] == [(3, TOKENS, D_HEAD), (3, TOKENS, D_VALUE)]
    assert_same([cache.tables[1]], [layer(3).project(normals(TOKENS, D_MODEL))[1][1]])
