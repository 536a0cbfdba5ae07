"""The tasks of chapter 08: what is asked, and that the answer stands among the tokens."""

import numpy as np
import pytest
from refusals import refusal

from mhalib.training import questions

BATCH, K, TOKENS, VALUES = 13, 3, 7, 5


def rng(seed=0):
    return np.random.default_rng(seed)


def drawn(seed=0):
    return questions.exact(rng(seed), K, BATCH, TOKENS, VALUES)


def test_every_example_by_hand():
    batch = drawn()
    assert batch.keys.shape == batch.values.shape == (BATCH, TOKENS)
    assert batch.asked.shape == batch.places.shape == batch.answers.shape == (BATCH, K)
    assert all(array.dtype.kind == "i" for array in batch)
    for keys, values, asked, places, answers in zip(*map(np.ndarray.tolist, batch), strict=True):
        assert sorted(keys) == list(range(TOKENS))
        assert set(values) <= set(range(VALUES))
        assert len(set(asked)) == K
        beside = dict(zip(keys, values, strict=True))
        assert answers == [beside[key] for key in asked]
        assert places == [keys.index(key) for key in asked]


def test_every_key_value_place_and_question_comes_equally_often():
    batch = questions.exact(rng(), K, 7000, TOKENS, VALUES)
    numbers = (TOKENS, VALUES, TOKENS, TOKENS, VALUES)
    for columns, kinds in zip(batch, numbers, strict=True):
        for column in columns.T:
            assert abs(np.bincount(column) * kinds / 7000 - 1).max() < 0.15


@pytest.mark.parametrize("task", [questions.exact, questions.nearest])
def test_the_same_seed_asks_the_same_and_the_next_draw_asks_something_else(task):
    one, other, generator = task(rng(1), 2), task(rng(1), 2), rng(1)
    first, second = task(generator, 2), task(generator, 2)
    for a, b, c, d in zip(one, other, first, second, strict=True):
        assert (a == b).all() and (a == c).all() and (a != d).any()


def test_as_many_questions_as_tokens_ask_for_all_of_them():
    batch = questions.exact(rng(), TOKENS, BATCH, TOKENS)
    assert (np.sort(batch.asked) == np.arange(TOKENS)).all()


def test_the_nearest_key_by_loops_is_mostly_the_one_meant():
    batch = questions.nearest(rng(), 2, 500, n_tokens=11, d_key=17, noise=0.4)
    assert batch.keys.shape == (500, 11, 17) and batch.asked.shape == (500, 2, 17)
    np.testing.assert_allclose((batch.keys**2).sum(axis=-1), 17)
    agreed = 0
    for n in range(500):
        for slot in range(2):
            distances = [sum((batch.asked[n, slot] - key) ** 2) for key in batch.keys[n]]
            place = batch.places[n, slot]
            agreed += distances.index(min(distances)) == place
            assert batch.answers[n, slot] == batch.values[n, place]
    assert agreed > 0.98 * 1000


@pytest.mark.parametrize("noise", [0, 0.7])
def test_the_noise_is_as_large_as_it_says(noise):
    batch = questions.nearest(rng(), 1, 2000, noise=noise)
    meant = np.take_along_axis(batch.keys, batch.places[..., None], axis=1)
    assert (batch.asked - meant).std() == pytest.approx(noise, rel=0.02)


@pytest.mark.parametrize("task", [questions.exact, questions.nearest])
@pytest.mark.parametrize(
    "bad, says",
    [
        ({"k": 9}, "k = 9 distinct keys cannot be asked of n_tokens = 8 tokens"),
        ({"k": 0}, "k must be at least 1, but is 0"),
        ({"k": 2.0}, "k must be a whole number, but is 2.0"),
        ({"batch": -1}, "batch must be at least 1, but is -1"),
        ({"n_values": 0}, "n_values must be at least 1"),
        ({"n_tokens": True}, "n_tokens must be a whole number"),
    ],
    ids=str,
)
def test_counts_that_make_no_task_are_refused(task, bad, says):
    raises = TypeError if "whole number" in says else ValueError
    assert says in refusal(raises, task, rng(), **{"k": 2, "n_tokens": 8} | bad)


def test_a_noise_that_is_no_number_is_refused():
    assert "noise must be one finite number" in refusal(
        ValueError, questions.nearest, rng(), noise=np.inf
    )
