"""Every derivative against central differences, and against the chain rule written as loops."""

import numpy as np
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
from oracles import central_differences, slopes

from mhalib import attention, gradients

SOME_HIDDEN = normals(QUERIES, KEYS) < 0.3
SOME_HIDDEN[3] = False  # a row with nothing to see
SELF_HIDDEN = normals(QUERIES, QUERIES) < 0.3
SELF_HIDDEN[2] = False
masked = pytest.mark.parametrize("mask", [None, SOME_HIDDEN], ids=["open", "masked"])


def assert_derivatives(ours, function, inputs, upstream):
    """`ours` are the derivatives of sum(upstream * function(*inputs)) by each of the inputs."""
    for number, derivative in enumerate(ours):

        def loss(moved, number=number):
            replaced = [moved if i == number else array for i, array in enumerate(inputs)]
            return float((upstream * function(*replaced)).sum())

        assert derivative.shape == inputs[number].shape
        for direction, right in slopes(loss, inputs[number]):
            assert (derivative * direction).sum() == pytest.approx(right, rel=1e-6, abs=1e-7)


# softmax


@masked
@any_batch
def test_softmax_by_central_differences(batch, mask):
    logits, upstream = 2 * normals(*batch, QUERIES, KEYS), normals(*batch, QUERIES, KEYS)[::-1]
    ours = gradients.softmax(attention.softmax(logits, mask), upstream)
    if batch == (2, 23):  # a loop over all of these would take long
        logits, upstream, ours = logits[1, 19:], upstream[1, 19:], ours[1, 19:]
    assert_derivatives([ours], lambda s: attention.softmax(s, mask), [logits], upstream)


@masked
def test_each_row_of_logits_gets_pushes_that_add_up_to_0_and_none_where_it_is_hidden(mask):
    weights = attention.softmax(3 * normals(2, QUERIES, KEYS), mask)
    pushes = gradients.softmax(weights, normals(2, QUERIES, KEYS))
    assert abs(pushes.sum(axis=-1)).max() < 1e-15
    assert (pushes[weights == 0] == 0).all()
    assert np.isfinite(pushes).all()


# The Jacobian of softmax


@any_batch
def test_the_jacobian_entry_by_entry(batch):
    weights = attention.softmax(2 * normals(*batch, KEYS))
    jacobian = gradients.softmax_jacobian(weights)
    assert jacobian.shape == (*batch, KEYS, KEYS)
    for *place, j, k in np.ndindex(jacobian.shape):
        a = weights[tuple(place)].tolist()
        right = a[j] * ((j == k) - a[k])
        assert jacobian[(*place, j, k)] == pytest.approx(right, abs=1e-15)


def test_the_jacobian_by_central_differences_has_weights_down_and_logits_across():
    logits = np.array([2.0, 1.0, 0.0, -1.0, 0.5])
    jacobian = gradients.softmax_jacobian(attention.softmax(logits))
    for j in range(5):
        right = central_differences(lambda s, j=j: attention.softmax(s)[j], logits)
        np.testing.assert_allclose(jacobian[j], right, atol=1e-10)


def test_the_jacobian_of_the_curriculums_row():
    jacobian = gradients.softmax_jacobian(attention.softmax([2, 1, 0, -1]))
    assert np.diag(jacobian) == pytest.approx([0.2293, 0.1808, 0.0796, 0.0310], abs=5e-5)
    assert jacobian[0, 1] == pytest.approx(-0.1525, abs=5e-5)
    assert jacobian.sum(axis=1) == pytest.approx(np.zeros(4), abs=1e-16)


@masked
def test_softmax_multiplies_by_the_jacobian_without_forming_it(mask):
    weights = attention.softmax(2 * normals(2, QUERIES, KEYS), mask)
    upstream = normals(2, QUERIES, KEYS)
    formed = np.einsum("...j,...jk->...k", upstream, gradients.softmax_jacobian(weights))
    assert_close(gradients.softmax(weights, upstream), formed)


def test_a_row_with_nothing_to_see_answers_to_nothing():
    weights = attention.softmax(np.zeros((2, 3)), [[True, True, True], [False, False, False]])
    assert (gradients.softmax_jacobian(weights)[1] == 0).all()
    assert (gradients.softmax(weights, np.ones((2, 3)))[1] == 0).all()


# Cutting and setting side by side


@pytest.mark.parametrize("batch", [(), (2,)], ids=str)
def test_cutting_and_setting_side_by_side_by_central_differences(batch):
    x, heads = normals(*batch, 2, 3 * 5), normals(*batch, 3, 2, 5)
    cut, set_back = gradients.split_heads(heads), gradients.concat_heads(x, 3)
    assert_derivatives([cut], lambda x: attention.split_heads(x, 3), [x], heads)
    assert_derivatives([set_back], attention.concat_heads, [heads], x)


# A head


@masked
@pytest.mark.parametrize("scale", [None, 0.37, -2, 0])
@pytest.mark.parametrize("batch", [(), (2,), (2, 3)], ids=str)
def test_a_head_by_central_differences(batch, scale, mask):
    q, k = normals(*batch, QUERIES, D_HEAD), normals(*batch, KEYS, D_HEAD)
    v, upstream = normals(*batch, KEYS, D_VALUE), normals(*batch, QUERIES, D_VALUE)
    _, weights = attention.scaled_dot_product_attention(q, k, v, mask, scale)
    ours = gradients.scaled_dot_product_attention(q, k, v, weights, upstream, scale)

    def output(q, k, v):
        return attention.scaled_dot_product_attention(q, k, v, mask, scale)[0]

    if batch == (2, 3):  # batches do not meet, so one of them will do
        q, k, v, upstream = (array[1, 2] for array in (q, k, v, upstream))
        ours = [array[1, 2] for array in ours]
    assert_derivatives(ours, output, [q, k, v], upstream)


def test_a_head_is_the_chain_rule_written_as_loops():
    q, k, v = normals(QUERIES, D_HEAD), normals(KEYS, D_HEAD), normals(KEYS, D_VALUE)
    g = normals(QUERIES, D_VALUE)
    _, a = attention.scaled_dot_product_attention(q, k, v, SOME_HIDDEN)
    d_q, d_k, d_v = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for i in range(QUERIES):
        d_a = [float(g[i] @ v[j]) for j in range(KEYS)]
        for j in range(KEYS):
            d_v[j] += a[i, j] * g[i]
            d_s = sum(d_a[m] * a[i, m] * ((m == j) - a[i, j]) for m in range(KEYS))
            d_q[i] += d_s * k[j] / D_HEAD**0.5
            d_k[j] += d_s * q[i] / D_HEAD**0.5
    ours = gradients.scaled_dot_product_attention(q, k, v, a, g)
    for derivative, right in zip(ours, (d_q, d_k, d_v), strict=True):
        assert_close(derivative, right)


def test_a_query_with_nothing_to_see_moves_nothing_and_a_key_that_none_sees_is_not_moved():
    mask = np.ones((QUERIES, KEYS), bool)
    mask[3], mask[:, 4] = False, False
    q, k, v = normals(QUERIES, D_HEAD), normals(KEYS, D_HEAD), normals(KEYS, D_VALUE)
    _, weights = attention.scaled_dot_product_attention(q, k, v, mask)
    d_q, d_k, d_v = gradients.scaled_dot_product_attention(
        q, k, v, weights, normals(QUERIES, D_VALUE)
    )
    assert (d_q[3] == 0).all() and (d_k[4] == 0).all() and (d_v[4] == 0).all()
    assert (d_q[2] != 0).all() and (d_k[5] != 0).all() and (d_v[5] != 0).all()


# The whole layer


def layer(*batch):
    """x and its four matrices; d_value and d_head may differ."""
    matrices = [
        normals(D_IN, D_MODEL),
        normals(D_IN, D_MODEL)[::-1],
        normals(D_IN, HEADS * D_VALUE),
        normals(HEADS * D_VALUE, D_OUT),
    ]
    return normals(*batch, QUERIES, D_IN), *(w / len(w) ** 0.5 for w in matrices)


@pytest.mark.parametrize("mask", [None, SELF_HIDDEN], ids=["open", "masked"])
@pytest.mark.parametrize("batch", [(), (2,)], ids=str)
def test_the_layer_by_central_differences(batch, mask):
    inputs, upstream = layer(*batch), normals(*batch, QUERIES, D_OUT)
    _, weights = attention.multi_head_attention(*inputs, HEADS, mask)
    ours = gradients.multi_head_attention(*inputs, weights, upstream)

    def output(*inputs):
        return attention.multi_head_attention(*inputs, HEADS, mask)[0]

    assert_derivatives(ours, output, inputs, upstream)


@masked
@pytest.mark.parametrize("batch", [(), (2,)], ids=str)
def test_the_layer_with_a_context_by_central_differences(batch, mask):
    x, w_q, _, _, w_o = layer(*batch)
    context = normals(*batch, KEYS, 23)
    w_k, w_v = normals(23, D_MODEL) / 5, normals(23, HEADS * D_VALUE) / 5
    inputs, upstream = (x, w_q, w_k, w_v, w_o, context), normals(*batch, QUERIES, D_OUT)
    if mask is not None and batch:
        mask = np.broadcast_to(mask, (*batch, HEADS, QUERIES, KEYS))

    def output(*inputs):
        *tables, context = inputs
        return attention.multi_head_attention(*tables, HEADS, mask, context)[0]

    _, weights = attention.multi_head_attention(*inputs[:-1], HEADS, mask, context)
    ours = gradients.multi_head_attention(*inputs[:-1], weights, upstream, context)
    assert len(ours) == 6
    assert_derivatives(ours, output, inputs, upstream)


def test_of_a_text_that_is_its_own_context_both_derivatives_add_up():
    inputs, upstream = layer(2), normals(2, QUERIES, D_OUT)
    _, weights = attention.multi_head_attention(*inputs, HEADS, None, inputs[0])
    d_x, *d_matrices = gradients.multi_head_attention(*inputs, weights, upstream)
    d_own, *parts, d_context = gradients.multi_head_attention(*inputs, weights, upstream, inputs[0])
    assert_close(d_own + d_context, d_x)
    for ours, right in zip(parts, d_matrices, strict=True):
        assert_close(ours, right)


# What all of them share


@any_dtype
def test_weights_of_any_dtype_with_a_masked_row_are_taken_as_softmax_gives_them(dtype):
    q, k, v = (normals(n, m, dtype=dtype) for n, m in [(5, 11), (7, 11), (7, 13)])
    mask = SOME_HIDDEN
    output, weights = attention.scaled_dot_product_attention(q, k, v, mask)
    exact = gradients.scaled_dot_product_attention(
        *(array.astype("float64") for array in (q, k, v)),
        attention.scaled_dot_product_attention(
            *(array.astype("float64") for array in (q, k, v)), mask
        )[1],
        normals(QUERIES, D_VALUE, dtype=dtype).astype("float64"),
    )
    ours = gradients.scaled_dot_product_attention(
        q, k, v, weights, normals(QUERIES, D_VALUE, dtype=dtype)
    )
    tolerance = {"float64": 1e-12, "float32": 1e-5, "float16": 2e-2}[dtype]
    for derivative, right in zip(ours, exact, strict=True):
        assert derivative.dtype == output.dtype == dtype
        np.testing.assert_allclose(derivative, right, rtol=tolerance, atol=tolerance)


def test_the_names_and_their_order_are_those_of_attention():
    def names(module):
        public = [name for name, thing in vars(module).items() if callable(thing)]
        return [name for name in public if not name.startswith("_")]

    forward = [name for name in names(attention) if name != "causal_mask"]
    assert [name for name in names(gradients) if name != "softmax_jacobian"] == forward
    assert "causal_mask" in gradients.__doc__
