"""The stored rows of a trained layer: what they are, and what the express notebook says of them."""

import math

import numpy as np
import pytest

from mhalib import merge_logits, softmax
from mhalib.chapters import twenty_minutes
from mhalib.chapters.twenty_minutes import induction_head
from mhalib.pictures.wording import HEADS


@pytest.fixture(scope="module")
def real():
    return twenty_minutes.stored()


def test_it_is_twenty_words_given_twice_and_all_nine_heads(real):
    assert len(HEADS) == 9 == len(real.logits)
    assert real.words[:20] == real.words[20:] == induction_head.TEXT.split()
    assert len(set(real.words)) == 20
    assert real.logits.shape == (9, 20, 40) and real.logits.dtype == np.float32


def test_a_row_sees_what_came_before_and_itself_and_nothing_later(real):
    for row in range(20):
        assert np.isfinite(real.logits[:, row, : 21 + row]).all()
        assert np.isneginf(real.logits[:, row, 21 + row :]).all()


def test_a_target_is_the_word_after_the_first_times_same_word(real):
    for row, place in enumerate(real.target):
        assert real.words[place - 1] == real.words[20 + row]
        assert place - 1 < 20


def test_what_is_on_target_is_the_mean_over_rows_counted_in_a_loop(real):
    total = 0.0
    for row, place in enumerate(real.target):
        logits = [float(x) for x in real.logits[twenty_minutes.HEAD, row, : 21 + row]]
        total += math.exp(logits[place]) / sum(map(math.exp, logits))
    weights = softmax(real.logits)
    assert twenty_minutes.on_target(weights, real.target)[6] == pytest.approx(total / 20, abs=1e-5)
    assert total / 20 == pytest.approx(0.889, abs=0.001)


def test_merged_the_specialists_are_gone_and_the_first_word_has_it_all(real):
    merged = softmax(merge_logits(real.logits, "big_head"))
    assert twenty_minutes.on_target(merged, real.target) < 0.001
    assert merged[:, 0].min() > 0.99
    heads = softmax(real.logits)
    assert twenty_minutes.on_target(heads, real.target).argmax() == twenty_minutes.HEAD
    assert heads[8, :, 0].min() > 0.99  # the sink


def test_the_file_is_small_and_nothing_in_it_needs_unpickling():
    file = induction_head.files("mhalib.chapters.twenty_minutes").joinpath("induction_head.npz")
    assert len(file.read_bytes()) < 30_000
    with file.open("rb") as opened, np.load(opened, allow_pickle=False) as arrays:
        assert set(arrays) == {"words", "logits"}
