"""The head with which adding does no harm, and how far apart two rows of weights are."""

import math

import numpy as np
import oracles
import pytest
from examples import KEYS, QUERIES, any_batch, any_dtype, assert_close, normals

from mhalib import merge_logits, softmax
from mhalib.chapters.ch04 import js_divergence, partner

DIVIDED = [[10, 0], [0, 10]]


def row(*logits):
    return oracles.softmax(logits)


def merged(logits):
    return softmax(merge_logits(logits))


@pytest.mark.parametrize(
    "weights, other",
    [
        ([0.7, 0.2, 0.1], [0.1008, 0.1575, 0.7417]),
        ([0.9, 0.1], [0.1, 0.9]),
        ([0.25, 0.25, 0.25, 0.25], [0.25, 0.25, 0.25, 0.25]),
    ],
)
def test_a_head_has_the_published_partner(weights, other):
    np.testing.assert_allclose(partner(weights), other, atol=5e-5)


ROWS = [
    (0.7, 0.2, 0.1),
    (0.98, 0.01, 0.01),
    (0.4, 0.3, 0.2, 0.1),
    (1 - 1e-9, 1e-9),
    (1e-200, 0.5, 0.5),
    tuple(row(*normals(97))),
]


@pytest.mark.parametrize("p", ROWS, ids="{0[0]:.3g}...".format)
def test_with_its_partner_adding_logits_is_averaging_weights(p):
    q = partner(p)
    assert math.fsum(q) == pytest.approx(1, abs=1e-12)
    sums = [1 / a + 1 / b for a, b in zip(p, q, strict=True)]
    assert sums == pytest.approx([sums[0]] * len(p), rel=1e-6)
    scores = [math.log(a) + math.log(b) for a, b in zip(p, q, strict=True)]
    np.testing.assert_allclose(row(*scores), (np.array(p) + q) / 2, rtol=1e-6)


@pytest.mark.parametrize("p", ROWS[:3], ids=str)
def test_the_partner_of_the_partner_is_the_head_itself(p):
    assert_close(partner(partner(p)), p)


@pytest.mark.parametrize("p", ROWS[:1] + [(0.4, 0.35, 0.25)], ids=str)
def test_no_other_head_is_a_partner(p):
    grid = [(a, b, 50 - a - b) for a in range(1, 49) for b in range(1, 50 - a)]
    near = []
    for q in np.array(grid) / 50:
        products = [x * y for x, y in zip(p, q, strict=True)]
        triples = zip(products, p, q, strict=True)
        if all(abs(both / sum(products) - (x + y) / 2) < 0.02 for both, x, y in triples):
            near.append(q)
    assert near
    assert abs(np.array(near) - partner(p)).max() < 0.05


@any_dtype
@any_batch
def test_js_divergence_is_half_of_both_divergences_to_the_middle(batch, dtype):
    p, q = softmax(2 * normals(2, *batch, QUERIES, KEYS, dtype=dtype))
    ours = js_divergence(p, q)
    assert ours.shape == (*batch, QUERIES)
    for index in np.ndindex(ours.shape):
        a, b = p[index].tolist(), q[index].tolist()
        middle = [(x + y) / 2 for x, y in zip(a, b, strict=True)]
        halves = oracles.kl_divergence(a, middle) + oracles.kl_divergence(b, middle)
        assert_close(ours[index], halves / 2)


def test_js_divergence_of_a_divided_head_from_the_merged_one_is_as_published():
    distances = js_divergence(softmax(DIVIDED), [merged(DIVIDED)] * 2)
    assert distances.round(4).tolist() == [0.2155, 0.2155]
    assert (distances / math.log(2)).round(3).tolist() == [0.311, 0.311]


def test_js_divergence_is_zero_between_equals_log_2_between_strangers_and_symmetric():
    p, q = softmax(normals(2, QUERIES, KEYS))
    assert (js_divergence(p, p) == 0).all()
    assert (js_divergence(p, q) == js_divergence(q, p)).all()
    assert js_divergence([1, 0, 0], [0, 0.5, 0.5]) == pytest.approx(math.log(2))


@any_dtype
def test_rows_that_softmax_rounded_still_differ(dtype):
    p, q = softmax(normals(2, 29, 997, dtype=dtype))
    assert (js_divergence(p, q) > 0).all()
