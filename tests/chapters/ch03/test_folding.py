"""Heads together and one head, against plain loops and what must hold by algebra."""

import numpy as np
import oracles
import pytest

from mhalib.chapters.ch03 import heads_together, one_head, relative_difference

CORNERS = [(own, rows) for own in (False, True) for rows in ("linear", "softmax")]


def drawn(seed=0, n_heads=3, n_queries=5, n_keys=7, d_head=2):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_heads, n_queries, n_keys)), rng.normal(
        size=(n_keys, n_heads * d_head)
    )


def table(logits, rows):
    """One table in plain Python: logits as they are, or each row turned into weights."""
    return [
        oracles.softmax(row) if rows == "softmax" else row for row in np.asarray(logits).tolist()
    ]


def by_loops(logits, values, rows, own):
    """Number by number: every head's output, then the average or the blocks side by side."""
    n_heads, width = len(logits), values.shape[1] // len(logits)
    outputs = [oracles.product(table(head, rows), values.tolist()) for head in logits]
    result = np.zeros((logits.shape[1], values.shape[1]))
    for i, c in np.ndindex(*result.shape):
        everyone = [output[i][c] for output in outputs]
        result[i, c] = everyone[c // width] if own else sum(everyone) / n_heads
    return result


@pytest.mark.parametrize("own, rows", CORNERS)
def test_the_heads_together_are_what_loops_give(own, rows):
    logits, values = drawn()
    assert np.allclose(
        heads_together(logits, values, rows, own), by_loops(logits, values, rows, own)
    )


@pytest.mark.parametrize("rows", ["linear", "softmax"])
def test_one_head_reads_all_values_through_the_average_of_logits(rows):
    logits, values = drawn()
    average = [[sum(logits[:, i, j]) / 3 for j in range(7)] for i in range(5)]
    right = oracles.product(table(average, rows), values.tolist())
    assert np.allclose(one_head(logits, values, rows), right)


@pytest.mark.parametrize("own, rows", CORNERS)
def test_heads_that_agree_are_one_head_in_every_corner(own, rows):
    logits, values = drawn()
    agreeing = np.stack([logits[0]] * 3)
    assert np.allclose(
        heads_together(agreeing, values, rows, own), one_head(agreeing, values, rows)
    )


def test_only_linear_heads_on_one_path_fold_whatever_the_logits():
    logits, values = drawn()
    folds = {
        corner: relative_difference(
            heads_together(logits, values, corner[1], corner[0]),
            one_head(logits, values, corner[1]),
        )
        < 1e-12
        for corner in CORNERS
    }
    assert [corner for corner, fold in folds.items() if fold] == [(False, "linear")]


def test_with_a_path_each_one_head_differs_by_the_cross_terms():
    """Two linear heads: block r of one head is (S_r V_r + S_s V_r) / 2."""
    logits, values = drawn(n_heads=2)
    blocks = values[:, :2], values[:, 2:]
    gap = one_head(logits, values, "linear") - heads_together(logits, values, "linear")
    for r, s in ((0, 1), (1, 0)):
        right = (logits[s] @ blocks[r] - logits[r] @ blocks[r]) / 2
        assert np.allclose(gap[:, 2 * r : 2 * r + 2], right)


def query_for(output, values):
    """By Newton's steps, the query of a softmax head with keys = values that carries `output`."""
    query = np.zeros(values.shape[1])
    for _ in range(60):
        weights = np.array(oracles.softmax((values @ query).tolist()))
        carried = weights @ values
        spread = (values.T * weights) @ values - np.outer(carried, carried)
        query += 0.5 * np.linalg.solve(spread, output - carried)
    return query


def test_another_table_of_the_heads_joint_width_may_carry_the_same_for_these_tokens():
    """The average of two tables has log-rank 16, out of reach for width 8; its output is not."""
    q, k = np.random.default_rng(1).normal(size=(2, 2, 16, 4))
    values = np.random.default_rng(5).normal(size=(16, 8))
    together = heads_together(q @ k.swapaxes(-1, -2) / 2, values, "softmax", own=False)
    queries = np.array([query_for(output, values) for output in together])
    assert np.allclose(table(queries @ values.T, "softmax") @ values, together, atol=1e-9)


def test_with_a_path_each_another_table_may_carry_the_same_for_tokens_enough():
    """With no fewer tokens than channels (8), linear heads' output is some one table times V."""
    for n_tokens, reached in ((5, False), (7, False), (8, True), (11, True)):
        logits, values = drawn(n_queries=n_tokens, n_keys=n_tokens, n_heads=2, d_head=4)
        together = heads_together(logits, values, "linear")
        other = together @ np.linalg.pinv(values)
        assert np.allclose(other @ values, together) == reached


def test_without_softmax_loudness_is_a_factor_on_both_sides():
    logits, values = drawn()
    for loudness in (0.1, 8):
        for own in (False, True):
            louder = heads_together(loudness * logits, values, "linear", own)
            assert np.allclose(louder, loudness * heads_together(logits, values, "linear", own))
        louder = one_head(loudness * logits, values, "linear")
        assert np.allclose(louder, loudness * one_head(logits, values, "linear"))


def test_batches_go_draw_by_draw():
    logits, values = (np.stack(arrays) for arrays in zip(drawn(0), drawn(1), strict=True))
    for own, rows in CORNERS:
        together, one = heads_together(logits, values, rows, own), one_head(logits, values, rows)
        for n in range(2):
            assert np.allclose(together[n], heads_together(*drawn(n), rows, own))
            assert np.allclose(one[n], one_head(*drawn(n), rows))


def test_the_relative_difference_is_a_root_of_sums_of_squares():
    reference, other = np.array([[3.0, 0], [0, 4]]), np.array([[3.0, 1], [2, 2]])
    assert relative_difference(reference, other) == pytest.approx(np.sqrt(1 + 4 + 4) / 5)
    assert relative_difference(reference, reference) == 0
    assert relative_difference(reference, 0 * reference) == 1
    assert relative_difference([reference] * 3, [other, reference, 0 * other]).shape == (3,)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_keep_their_dtype_and_integers_become_float64(dtype):
    logits, values = (array.astype(dtype) for array in drawn())
    assert heads_together(logits, values).dtype == one_head(logits, values).dtype == dtype
    assert relative_difference(logits, logits).dtype == dtype
    assert one_head(np.ones((2, 3, 5), int), np.ones((5, 4), int)).dtype == np.float64


def test_the_input_is_left_as_it_was():
    logits, values = drawn()
    kept = logits.copy(), values.copy()
    for own, rows in CORNERS:
        heads_together(logits, values, rows, own)
        one_head(logits, values, rows)
    assert np.array_equal(logits, kept[0]) and np.array_equal(values, kept[1])


REFUSED = {
    "rows must be 'linear' or 'softmax', but is 'relu'": dict(rows="relu"),
    "rows must be": dict(rows=True),
    "logits has shape (5, 7); it needs at least 3 axes": dict(logits=np.ones((5, 7))),
    "values (6, 6) do not fit": dict(values=np.ones((6, 6))),
    "values stand in one table, not cut into heads": dict(values=np.ones((3, 7, 2))),
    "n_heads = 3 equal blocks": dict(values=np.ones((7, 4))),
    "values holds NaN": dict(values=np.full((7, 6), np.nan)),
    "logits must hold real numbers": dict(logits=np.full((3, 5, 7), "a")),
}


@pytest.mark.parametrize("message", REFUSED)
def test_bad_input_is_refused_in_one_sentence(message):
    logits, values = drawn()
    given = {"logits": logits, "values": values} | REFUSED[message]
    with pytest.raises((ValueError, TypeError)) as caught:
        heads_together(**given)
    said = str(caught.value)
    assert message in said and "\n" not in said and said.endswith(".")


def test_a_difference_needs_two_equal_shapes_and_something_to_be_relative_to():
    with pytest.raises(ValueError, match="nothing is broadcast"):
        relative_difference(np.ones((3, 5)), np.ones((1, 5)))
    with pytest.raises(ValueError, match="all zero"):
        relative_difference(np.zeros((3, 5)), np.ones((3, 5)))
