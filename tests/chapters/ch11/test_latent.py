"""MLA against plain loops over heads, tokens and keys. Sizes are primes."""

from dataclasses import replace

import numpy as np
import pytest
from layers import (
    D_HEAD,
    D_MODEL,
    D_ROPE,
    D_VALUE,
    HEADS,
    TOKENS,
    C,
    assert_same,
    latent,
    latent_by_loops,
    normals,
    refused,
)

from mhalib.attention import causal_mask
from mhalib.chapters.ch11 import Latent
from mhalib.kv_cache import causal_run
from mhalib.rotary import rotate
from mhalib.sharing import grouped_attention


@pytest.mark.parametrize("epsilon", [None, 0.1])
@pytest.mark.parametrize("pairs", ["halves", "neighbours"])
@pytest.mark.parametrize("absorbed", [True, False])
def test_a_latent_layer_is_what_loops_over_heads_and_tokens_do(absorbed, pairs, epsilon):
    of, x = latent(absorbed=absorbed, pairs=pairs, epsilon=epsilon), normals(TOKENS, D_MODEL)
    assert_same(causal_run(of, x), latent_by_loops(of, x))


def test_expanded_equals_absorbed_with_a_batch_too():
    of, x = latent(), normals(2, TOKENS, D_MODEL)
    assert_same(causal_run(of, x), causal_run(replace(of, absorbed=False), x))


def test_absorbed_is_mqa_whose_values_are_the_first_part_of_its_keys():
    of, x = latent(), normals(TOKENS, D_MODEL)
    q, (rows,) = of.project(x)
    assert rows.shape == (1, TOKENS, C + D_ROPE)
    moved = np.concatenate([q[..., :D_HEAD] @ of.u_k.swapaxes(1, 2), q[..., D_HEAD:]], axis=-1)
    scale = (D_HEAD + D_ROPE) ** -0.5
    c, weights = grouped_attention(moved, rows, rows[..., :C], causal_mask(TOKENS), scale)
    output = sum(
        c[r] @ of.w_uv[:, r * D_VALUE : (r + 1) * D_VALUE] @ of.w_o[r * D_VALUE : (r + 1) * D_VALUE]
        for r in range(HEADS)
    )
    assert_same((output, weights), causal_run(of, x))


def test_turning_the_up_projected_key_cannot_be_moved_to_the_query():
    """q . rotate(c U, t) is no dot product of a fixed function of q with c: it depends on t."""
    c, u, q = normals(C), normals(C, D_HEAD), normals(1, D_HEAD)
    moved = [(rotate(u, np.full(C, t), 100.0) @ q[0]).round(12) for t in (0, 1)]
    direct = [(rotate((c @ u)[None], [t], 100.0) @ q[0]).item() for t in (0, 1)]
    assert np.allclose([m @ c for m in moved], direct)  # the matrix that does it ...
    assert abs(moved[0] - moved[1]).max() > 0.1  # ... is another for every position


@pytest.mark.parametrize(
    "name, said",
    [
        ("w_uk", "w_uk has shape (5, 24), but must be a matrix with 3 rows"),
        ("w_uv", "w_uv has shape (5, 30)"),
    ],
)
def test_latent_matrices_that_do_not_fit_are_refused(name, said):
    of = latent()
    parts = {f: getattr(of, f) for f in ("w_q", "w_c", "w_r", "w_uk", "w_uv", "w_o")}
    parts[name] = np.ones((5, parts[name].shape[1]))
    refused(lambda: Latent(**parts, n_heads=HEADS), said)
    parts = parts | {name: getattr(of, name), "w_r": normals(D_MODEL, 4)}
    refused(lambda: Latent(**parts, n_heads=HEADS), "together 8: a dot product needs the same")


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: latent(rope="x"), "base must be one finite number"),
        (lambda: latent(pairs=None), "pairs must be 'halves'"),
        (lambda: replace(latent(), w_r=normals(11, 3), w_q=normals(11, 42)), "must be even"),
    ],
)
def test_what_cannot_be_turned_is_refused_when_the_layer_is_made(make, said):
    refused(make, said)


def test_a_table_whose_square_overflows_is_refused_and_not_divided_to_0():
    of = latent(epsilon=0.1)
    refused(lambda: of.project(1e200 * normals(2, D_MODEL)), "the mean of C^2 grows beyond")
