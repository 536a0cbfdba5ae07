"""What all comparisons with PyTorch are given."""

import numpy as np
import pytest
from sizes import KEYS, QUERIES


@pytest.fixture(params=[np.float64, np.float32], ids=["float64", "float32"])
def dtype(request):
    return request.param


@pytest.fixture
def normal(dtype):
    """Seeded standard normals of a shape, in the dtype under test."""
    rng = np.random.default_rng(20260)
    return lambda *shape: rng.standard_normal(shape).astype(dtype)


@pytest.fixture
def mask():
    """Some keys hidden from each query, and never all of them."""
    mask = np.random.default_rng(1).random((QUERIES, KEYS)) < 0.5
    mask[:, 2] = True
    return mask
