"""Shared keys and values are PyTorch's `enable_gqa`, with its masks and without."""

import numpy as np
import pytest
import torch
from sizes import BATCH, D_HEAD, D_VALUE, KEYS, QUERIES

from mhalib.attention import causal_mask
from mhalib.kv_cache import Cache
from mhalib.sharing import attend_in_groups, grouped_attention, repeat_heads

HEADS = 6
sdpa = torch.nn.functional.scaled_dot_product_attention
TOLERANCE = {"float64": 1e-12, "float32": 2e-6}


def assert_same(ours, theirs):
    theirs = theirs.detach().numpy()
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    tolerance = TOLERANCE[theirs.dtype.name]
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("scale", [None, 0.37])
@pytest.mark.parametrize("masked", ["open", "masked", "causal"])
@pytest.mark.parametrize("n_kv", [1, 2, 3, 6])
def test_grouped_attention(normal, mask, n_kv, masked, scale):
    q = normal(BATCH, HEADS, QUERIES, D_HEAD)
    k, v = normal(BATCH, n_kv, KEYS, D_HEAD), normal(BATCH, n_kv, KEYS, D_VALUE)
    mask = {"open": None, "masked": mask, "causal": causal_mask(QUERIES, KEYS)}[masked]
    options = {"scale": scale, "enable_gqa": True}
    if mask is not None:
        options["attn_mask"] = torch.from_numpy(mask)

    def theirs(values):
        return sdpa(*(torch.from_numpy(a) for a in (q, k, values)), **options)

    output, weights = grouped_attention(q, k, v, mask, scale)
    assert_same(output, theirs(v))
    one_hot = np.broadcast_to(np.eye(KEYS, dtype=q.dtype), (BATCH, n_kv, KEYS, KEYS))
    assert_same(weights, theirs(one_hot.copy()))


@pytest.mark.parametrize("n_kv", [1, 2, 3, 6])
def test_repeat_heads_is_repeat_interleave_and_not_repeat(normal, n_kv):
    kv = normal(BATCH, n_kv, KEYS, D_HEAD)
    theirs = torch.from_numpy(kv).repeat_interleave(HEADS // n_kv, dim=1)
    assert_same(repeat_heads(kv, HEADS), theirs)
    dealt = torch.from_numpy(kv).repeat(1, HEADS // n_kv, 1, 1)
    assert torch.equal(theirs, dealt) == (n_kv in (1, HEADS))


@pytest.mark.parametrize("n_kv", [1, 3, 6])
@pytest.mark.parametrize("n_keys", [1, 255, 257, 1031])
def test_one_query_over_a_long_cache(normal, n_kv, n_keys):
    q = normal(BATCH, HEADS, 1, D_HEAD)
    k, v = normal(BATCH, n_kv, n_keys, D_HEAD), normal(BATCH, n_kv, n_keys, D_VALUE)
    cache = Cache(n_keys + 7)
    rows = cache.append(k, v)
    theirs = sdpa(*(torch.from_numpy(a) for a in (q, k, v)), enable_gqa=True)
    assert_same(attend_in_groups(q, *rows)[0], theirs)
