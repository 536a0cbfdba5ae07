"""Merging heads against the published numbers, plain loops, and the laws it must keep."""

import math

import numpy as np
import oracles
import pytest
from examples import (
    D_HEAD,
    D_MODEL,
    HEADS,
    KEYS,
    QUERIES,
    any_batch,
    any_dtype,
    assert_close,
    normals,
)

from mhalib import (
    average_of_weights,
    entropy,
    merge_logits,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)

RULES = {"add": 1, "big_head": 1 / math.sqrt(HEADS), "average": 1 / HEADS}
DIVIDED = [[10, 0], [0, 10]]
LOUDER = [[10, 0], [0, 4]]
COMPROMISE = [[10, 0, 8], [0, 10, 8]]
SHORT_LISTS = [[6, 6, 0, 0], [0, 6, 6, 0]]
FAINT = np.eye(32)[[5] * 12]  # 12 heads, each in favour of key 5 of 32 by 1


def merged(logits, how="add"):
    return softmax(merge_logits(logits, how))


def row(*scores):
    """Weights of one row, by the loop."""
    return np.array(oracles.softmax(scores))


# The numbers of the chapters


@pytest.mark.parametrize(
    "logits, key, add, big_head, average",
    [
        (DIVIDED, 0, 0.5, 0.5, 0.5),
        (LOUDER, 1, 0.0025, 0.0142, 0.0474),
        ([[8, 0], [0, 10]], 0, 0.1192, 0.1956, 0.2689),
        ([[12, 0], [0, 10]], 0, 0.8808, 0.8044, 0.7311),
        (COMPROMISE, 2, 0.9951, 0.9721, 0.9094),
        (SHORT_LISTS, 0, 0.0025, 0.014, 0.0452),
        (SHORT_LISTS, 1, 0.9951, 0.9719, 0.9074),
        (SHORT_LISTS, 3, 0.0, 0.0002, 0.0022),
        (FAINT, 5, 0.9998, 0.5075, 0.0806),
    ],
)
def test_the_merged_head_shows_the_published_weight(logits, key, add, big_head, average):
    shown = [round(merged(logits, how)[key], 4) for how in RULES]
    assert shown == [add, big_head, average]


@pytest.mark.parametrize(
    "logits, average",
    [
        (DIVIDED, [0.5, 0.5]),
        (SHORT_LISTS, [0.250, 0.499, 0.250, 0.001]),
        (FAINT, np.where(np.arange(32) == 5, 0.081, (1 - 0.081) / 31)),
    ],
)
def test_the_average_of_weights_is_as_published(logits, average):
    np.testing.assert_allclose(average_of_weights(logits), average, atol=5e-4)


def test_divided_heads_decide_alone_and_carry_their_own():
    heads, values = softmax(DIVIDED), np.array([[1, 5], [2, 8]])
    assert abs(heads - np.eye(2)).max() == pytest.approx(4.54e-5, abs=5e-8)
    np.testing.assert_allclose((heads * values).sum(axis=-1), [1.000, 8.000], atol=5e-4)
    assert (values @ merged(DIVIDED)).tolist() == [3, 5]


def test_the_quiet_head_alone_is_sure():
    assert round(softmax(LOUDER)[1, 1], 3) == 0.982


def test_no_head_prefers_the_compromise():
    assert softmax(COMPROMISE)[:, 2].round(3).tolist() == [0.119, 0.119]


# Laws


@any_dtype
@any_batch
@pytest.mark.parametrize("how", RULES)
def test_merged_logits_are_the_sum_over_heads_times_the_rules_factor(how, batch, dtype):
    logits = normals(*batch, HEADS, QUERIES, KEYS, dtype=dtype)
    ours = merge_logits(logits, how, axis=-3)
    assert ours.shape == (*batch, QUERIES, KEYS)
    for *at, i, j in np.ndindex(ours.shape):
        scores = [float(logits[*at, r, i, j]) for r in range(HEADS)]
        assert_close(ours[*at, i, j], math.fsum(scores) * RULES[how])


@any_dtype
@any_batch
def test_the_average_of_weights_is_one_softmax_a_head_and_then_the_mean(batch, dtype):
    logits = normals(*batch, HEADS, QUERIES, KEYS, dtype=dtype)
    ours = average_of_weights(logits, axis=-3)
    assert ours.shape == (*batch, QUERIES, KEYS)
    for *at, i in np.ndindex(ours.shape[:-1]):
        heads = [row(*logits[*at, r, i].tolist()) for r in range(HEADS)]
        assert_close(ours[*at, i], sum(heads) / HEADS)


def test_heads_stand_first_unless_told():
    logits = normals(HEADS, QUERIES, KEYS)
    assert_close(merge_logits(logits), merge_logits(np.moveaxis(logits, 0, 1), "add", axis=1))
    assert_close(average_of_weights(logits), average_of_weights(logits.swapaxes(0, 1), axis=1))


def test_merged_by_adding_is_the_normalised_product_of_the_heads():
    logits = normals(HEADS, KEYS)
    heads = [row(*scores) for scores in logits]
    products = [math.prod(head[key] for head in heads) for key in range(KEYS)]
    assert_close(merged(logits), np.divide(products, math.fsum(products)))


def test_merged_by_averaging_is_the_normalised_geometric_mean_of_the_heads():
    logits = normals(HEADS, KEYS)
    heads = [row(*scores) for scores in logits]
    means = [math.prod(head[key] for head in heads) ** (1 / HEADS) for key in range(KEYS)]
    assert_close(merged(logits, "average"), np.divide(means, math.fsum(means)))


def test_averaging_gives_the_heads_back_when_they_agree_up_to_a_constant():
    logits = normals(KEYS) + np.array([[-5], [0], [3]])
    assert_close(merged(logits, "average"), row(*logits[0]))
    assert_close(average_of_weights(logits), row(*logits[0]))


@pytest.mark.parametrize("how", ["add", "big_head"])
def test_adding_sharpens_heads_that_agree_unless_they_are_uniform(how):
    agreeing = np.array([[2, 1, 0]] * HEADS)
    assert merged(agreeing, how)[0] > row(2, 1, 0)[0] + 0.1
    assert_close(merged(np.full((HEADS, KEYS), 4.0), how), [1 / KEYS] * KEYS)


def test_the_big_head_is_one_head_with_the_same_queries_and_keys():
    q, k = normals(QUERIES, D_MODEL), normals(KEYS, D_MODEL)
    per_head = [
        [[np.dot(a, b) / math.sqrt(D_HEAD) for b in keys] for a in queries]
        for queries, keys in zip(split_heads(q, HEADS), split_heads(k, HEADS), strict=True)
    ]
    _, weights = scaled_dot_product_attention(q, k, k)
    assert_close(merged(per_head, "big_head"), weights)


@pytest.mark.parametrize("how", RULES)
def test_one_veto_is_enough_before_softmax_and_not_after(how):
    logits = [[-math.inf, 1, 2], [9, 1, 2]]
    assert merge_logits(logits, how)[0] == -math.inf
    assert merged(logits, how)[0] == 0
    assert average_of_weights(logits)[0] > 0.49


@pytest.mark.parametrize("how", RULES)
def test_one_head_merges_into_itself(how):
    logits = normals(1, QUERIES, KEYS)
    assert_close(merge_logits(logits, how), logits[0])


# Entropy


@any_dtype
@any_batch
def test_entropy_is_the_loop(batch, dtype):
    weights = softmax(3 * normals(*batch, QUERIES, KEYS, dtype=dtype))
    ours = entropy(weights)
    assert ours.shape == (*batch, QUERIES)
    for index in np.ndindex(ours.shape):
        p = weights[index].tolist()
        assert_close(ours[index], -math.fsum(x * math.log(x) for x in p if x > 0))


@pytest.mark.parametrize("n_keys", [1, 2, 16, 97])
def test_entropy_runs_from_zero_to_the_logarithm_of_the_number_of_keys(n_keys):
    assert str(entropy(np.eye(n_keys)[0])) == "0.0"
    assert entropy(np.full(n_keys, 1 / n_keys)) == pytest.approx(math.log(n_keys))


@any_dtype
def test_weights_that_softmax_rounded_are_still_weights(dtype):
    p = softmax(normals(2, 29, 997, dtype=dtype))
    assert (entropy(p) > 5).all()
