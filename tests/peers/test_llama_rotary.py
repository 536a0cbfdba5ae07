"""mhalib turns queries and keys as Llama does, and its permutation is that of the checkpoints."""

import numpy as np
import pytest
import torch
from sizes import BATCH, HEADS, QUERIES
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb

from mhalib.chapters.ch09 import permutation
from mhalib.rotary import frequencies, rotate

D_HEAD = 22  # even, twice a prime
SHAPE = (BATCH, HEADS, QUERIES, D_HEAD)
STARTS = pytest.mark.parametrize("start", [0, 7, 1000], ids="from position {}".format)


def llama(base):
    """Llama's table of angles, for heads of our width."""
    config = LlamaConfig(
        hidden_size=HEADS * D_HEAD,
        num_attention_heads=HEADS,
        head_dim=D_HEAD,
        rope_parameters={"rope_type": "default", "rope_theta": float(base)},
    )
    return LlamaRotaryEmbedding(config)


def theirs(x, positions, base):
    """What Llama makes of queries x; it computes its angles in float32 whatever x is."""
    x = torch.from_numpy(x)
    cos, sin = llama(base)(x, torch.from_numpy(positions)[None])
    return apply_rotary_pos_emb(x, x, cos, sin)[0].numpy()


def by_hand(x, positions, base):
    """Llama's turn, given angles that we computed in float64."""
    angles = np.outer(positions, base ** (-np.arange(0, D_HEAD, 2) / D_HEAD))
    angles = torch.from_numpy(np.concatenate([angles, angles], axis=-1))[None].to(torch.float64)
    x = torch.from_numpy(x)
    return apply_rotary_pos_emb(x, x, angles.cos().to(x.dtype), angles.sin().to(x.dtype))[1].numpy()


@pytest.mark.parametrize("base", [10_000, 500_000])
def test_frequencies(base):
    np.testing.assert_allclose(frequencies(D_HEAD, base), llama(base).inv_freq.numpy(), rtol=1e-6)


@STARTS
@pytest.mark.parametrize("base", [10_000, 500_000])
def test_halves_are_llama_with_its_own_angles(normal, start, base):
    x, positions = normal(*SHAPE), np.arange(start, start + QUERIES)
    tolerance = 2e-6 + 1e-6 * (start + QUERIES)  # float32 angles are off by an ulp of the position
    np.testing.assert_allclose(
        rotate(x, positions, base), theirs(x, positions, base), rtol=0, atol=tolerance
    )


@STARTS
def test_halves_are_llama_to_the_last_digits_given_exact_angles(normal, dtype, start):
    x, positions = normal(*SHAPE), np.arange(start, start + QUERIES)
    np.testing.assert_allclose(
        rotate(x, positions),
        by_hand(x, positions, 10_000),
        rtol=0,
        atol={"float64": 1e-14, "float32": 2e-6}[np.dtype(dtype).name],
    )


@STARTS
def test_neighbours_are_products_of_complex_numbers(normal, start):
    """As the first release of Llama computed it, before its weights were put into halves."""
    x, positions = normal(*SHAPE), np.arange(start, start + QUERIES)
    angles = torch.from_numpy(np.outer(positions, frequencies(D_HEAD)))
    points = torch.view_as_complex(torch.from_numpy(x).double().unflatten(-1, (-1, 2)))
    turned = torch.view_as_real(points * torch.polar(torch.ones_like(angles), angles)).flatten(-2)
    ours = rotate(x, positions, pairs="neighbours")
    np.testing.assert_allclose(
        ours, turned.numpy(), rtol=0, atol=1e-14 if x.itemsize == 8 else 2e-6
    )


def test_the_permutation_is_the_one_that_converts_checkpoints():
    """view(h, d_head / 2, 2) and transpose, on one head's rows, as the conversion script does."""
    rows = torch.arange(D_HEAD)
    halves_from_neighbours = rows.view(D_HEAD // 2, 2).transpose(0, 1).reshape(-1).numpy()
    assert (np.argsort(permutation(D_HEAD)) == halves_from_neighbours).all()
