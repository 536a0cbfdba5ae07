"""Seeded numbers, and one good call of every public function. Sizes are distinct primes."""

from inspect import isfunction

import numpy as np
import pytest

import mhalib
from mhalib import gradients
from mhalib.chapters.ch04 import partners

HEADS, QUERIES, KEYS, D_HEAD, D_VALUE, D_IN, D_OUT = 3, 5, 7, 11, 13, 17, 19
D_MODEL = HEADS * D_HEAD
TOLERANCE = {"float64": 1e-12, "float32": 2e-5, "float16": 1e-3}

any_dtype = pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
any_batch = pytest.mark.parametrize("batch", [(), (2,), (2, 23)], ids=str)


def normals(*shape, dtype="float64"):
    """Standard normals, the same for the same shape; as many as `shape` asks for."""
    return np.random.default_rng(shape).standard_normal(shape).astype(dtype)


def whole(*shape):
    """Small whole numbers, as floats."""
    return np.random.default_rng(shape).integers(-4, 5, shape).astype(float)


def eighths(*shape):
    """Rows of weights in eighths."""
    *rows, n_keys = shape
    return np.random.default_rng(shape).multinomial(8, [1 / n_keys] * n_keys, rows) / 8


def assert_close(ours, theirs):
    """Equal shapes, and numbers as near as ours can be in their dtype."""
    assert np.shape(ours) == np.shape(theirs)
    tolerance = TOLERANCE[ours.dtype.name]
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


# function: (its arrays, by name), (its other arguments, by name). Whole numbers and
# eighths, since every dtype holds them exactly.
CALLS = {
    mhalib.softmax: ({"logits": whole(QUERIES, KEYS)}, {}),
    mhalib.split_heads: ({"x": whole(QUERIES, D_MODEL)}, {"n_heads": HEADS}),
    mhalib.concat_heads: ({"heads": whole(HEADS, QUERIES, D_HEAD)}, {}),
    mhalib.scaled_dot_product_attention: (
        {"q": whole(QUERIES, D_HEAD), "k": whole(KEYS, D_HEAD), "v": whole(KEYS, D_VALUE)},
        {},
    ),
    mhalib.multi_head_attention: (
        {
            "x": whole(QUERIES, D_IN),
            "w_q": whole(D_IN, D_MODEL),
            "w_k": whole(D_IN, D_MODEL) / 8,
            "w_v": whole(D_IN, HEADS * D_VALUE),
            "w_o": whole(HEADS * D_VALUE, D_OUT),
            "context": whole(KEYS, D_IN),
        },
        {"n_heads": HEADS},
    ),
    mhalib.merge_logits: ({"logits": whole(HEADS, QUERIES, KEYS)}, {"how": "big_head"}),
    mhalib.average_of_weights: ({"logits": whole(HEADS, QUERIES, KEYS)}, {}),
    partners.partner: ({"weights": np.array([5, 2, 1]) / 8}, {}),
    mhalib.entropy: ({"weights": np.array([[5, 2, 1], [0, 8, 0]]) / 8}, {}),
    partners.js_divergence: (
        {"p": np.array([[5, 2, 1], [0, 8, 0]]) / 8, "q": np.array([[1, 3, 4], [8, 0, 0]]) / 8},
        {},
    ),
    gradients.softmax: (
        {"weights": eighths(QUERIES, KEYS), "upstream": whole(QUERIES, KEYS)},
        {},
    ),
    gradients.softmax_jacobian: ({"weights": eighths(QUERIES, KEYS)}, {}),
    gradients.split_heads: ({"upstream": whole(HEADS, QUERIES, D_HEAD)}, {}),
    gradients.concat_heads: ({"upstream": whole(QUERIES, D_MODEL)}, {"n_heads": HEADS}),
    gradients.scaled_dot_product_attention: (
        {
            "q": whole(QUERIES, D_HEAD),
            "k": whole(KEYS, D_HEAD),
            "v": whole(KEYS, D_VALUE),
            "weights": eighths(QUERIES, KEYS),
            "upstream": whole(QUERIES, D_VALUE) / 8,
        },
        {},
    ),
    gradients.multi_head_attention: (
        {
            "x": whole(QUERIES, D_IN) / 8,
            "w_q": whole(D_IN, D_MODEL) / 8,
            "w_k": whole(D_IN, D_MODEL) / 8,
            "w_v": whole(D_IN, HEADS * D_VALUE) / 8,
            "w_o": whole(HEADS * D_VALUE, D_OUT) / 8,
            "weights": eighths(HEADS, QUERIES, KEYS),
            "upstream": whole(QUERIES, D_OUT) / 8,
            "context": whole(KEYS, D_IN) / 8,
        },
        {},
    ),
}
PUBLIC = {  # all functions that answer to the same rules
    *(getattr(mhalib, name) for name in mhalib.__all__),
    partners.partner,
    partners.js_divergence,
    *(f for n, f in vars(gradients).items() if isfunction(f) and not n.startswith("_")),
}
ARRAYS = [(function, name) for function, (arrays, _) in CALLS.items() for name in arrays]


def name_of(function):
    """As one writes it in code: softmax, gradients.softmax."""
    module = "gradients." if function.__module__ == gradients.__name__ else ""
    return module + function.__name__
