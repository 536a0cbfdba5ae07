"""Patterns and scores, against loops that say what the words mean."""

import numpy as np
import pytest

from mhalib.attention import softmax
from mhalib.chapters.ch12 import PATTERNS, given_twice, score

TOKENS = [5, 3, 8, 5, 3, 3, 9]
SAYS = {  # where the token at i should look, in words
    "previous word": lambda t, i: [i - 1] if i else [],
    "next word": lambda t, i: [i + 1] if i + 1 < len(t) else [],
    "itself": lambda t, i: [i],
    "sink": lambda t, i: [0] if i else [],
    "duplicate": lambda t, i: [j for j in range(len(t)) if t[j] == t[i] and j != i],
    "induction": lambda t, i: [j + 1 for j in range(i) if t[j] == t[i]],
}


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("tokens", [TOKENS, [4], [4, 4], list("abcab")], ids=str)
def test_a_pattern_marks_what_its_name_says(name, tokens):
    pattern = PATTERNS[name](tokens)
    for i, row in enumerate(pattern):
        assert np.flatnonzero(row).tolist() == SAYS[name](tokens, i)


def test_every_pattern_is_tested():
    assert PATTERNS.keys() == SAYS.keys()


@pytest.mark.parametrize("name", PATTERNS)
def test_a_score_is_the_average_over_the_rows_that_count(name):
    weights = softmax(np.random.default_rng(0).normal(size=(2, 3, 7, 7)))
    pattern = PATTERNS[name](TOKENS)
    by_hand = np.zeros((2, 3))
    for head in np.ndindex(2, 3):
        rows = [sum(weights[head][i, j] for j in SAYS[name](TOKENS, i)) for i in range(7)]
        counted = [row for i, row in enumerate(rows) if SAYS[name](TOKENS, i)]
        by_hand[head] = sum(counted) / len(counted)
    np.testing.assert_allclose(score(weights, pattern), by_hand)


def test_a_head_that_is_the_pattern_scores_1_and_one_that_is_not_0():
    shift = np.roll(np.eye(7), 1, axis=0)  # row i has all its weight at i - 1
    previous = PATTERNS["previous word"](TOKENS)
    assert score(shift, previous) == 1 and score(np.eye(7), previous) == 0


def test_with_no_row_to_see_there_is_no_score():
    weights = softmax(np.zeros((3, 2, 2)))
    assert np.isnan(score(weights, PATTERNS["duplicate"](["a", "b"]))).all()
    assert np.isnan(score(weights[0], PATTERNS["induction"](["a", "b"])))


def test_what_is_given_twice_is_the_same_twice_and_else_random():
    ids = given_twice(13, seed=3)
    assert ids.shape == (26,) and np.array_equal(ids[:13], ids[13:])
    assert ids.min() >= 100 and ids.max() < 49_000
    assert not np.array_equal(ids, given_twice(13))
    assert PATTERNS["induction"](ids)[13:].any(axis=1).all()


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: PATTERNS["sink"]([[1, 2]]), "tokens must be a list"),
        (lambda: PATTERNS["sink"]([]), "tokens must be a list"),
        (lambda: PATTERNS["duplicate"]([0.5]), "tokens must be a list"),
        (lambda: score(np.eye(3), np.eye(2, dtype=bool)), "mask has shape"),
        (lambda: score(np.ones((3, 3)), np.eye(3, dtype=bool)), "weights must be weights"),
        (lambda: score(np.eye(3), np.eye(3) / 2), "mask must be boolean"),
        (lambda: given_twice(0), "must be at least 1"),
        (lambda: given_twice(2.5), "must be a whole number"),
    ],
)
def test_bad_input_gets_one_sentence(call, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        call()
