"""Sentences say what the arrays say."""

import numpy as np

from mhalib.attention import softmax
from mhalib.merging import merge_logits
from mhalib.pictures import wording


def sentence(*logits, words=("cat", "mat", "sat", "on")):
    logits = np.array(logits, float)
    merged = softmax(merge_logits(logits))
    return wording.heads_and_merged(words[: logits.shape[1]], softmax(logits), merged)


def test_two_sure_heads_are_split_evenly():
    assert sentence([10, 0], [0, 10]) == (
        "Head A puts over 99.9% on “cat”, head B puts over 99.9% on “mat”. "
        "The merged head splits evenly."
    )


def test_a_lost_choice_is_named():
    assert sentence([10, 0], [0, 4]).endswith(
        "The merged head puts 99.8% on “cat” and leaves 0.2% for head B's “mat”."
    )


def test_a_compromise_is_called_one_only_if_no_head_preferred_it():
    assert "“sat”, which no head preferred." in sentence([10, 0, 8], [0, 10, 8])
    assert "no head preferred" not in sentence([10, 0, 8], [0, 10, 11])


def test_ties_are_named_with_their_share():
    assert sentence([6, 6, 0, 0], [0, 6, 6, 0]).startswith(
        "Head A splits, 50% each on “cat” and “mat”, head B splits, 50% each on “mat” and “sat”."
    )
    assert "spreads evenly over all 3 words" in sentence([0, 0, 0], [1, 0, 0])


def test_heads_that_do_the_same_are_named_together():
    assert sentence([3, 0], [3, 0]).startswith("Each head puts 95% on “cat”. The merged")


def test_a_tie_is_a_tie_to_half_a_percent():
    assert wording.favourites(np.array([0.5, 0.496, 0.004])).tolist() == [0, 1]
    assert wording.favourites(np.array([0.5, 0.494, 0.006])).tolist() == [0]


def test_only_a_sure_choice_that_nearly_vanishes_is_called_lost():
    assert "leaves" not in sentence([3, 0], [0, 2])  # the merged head keeps .27
    assert "leaves" not in sentence([10, 0, 0, 0], [0, 1, 0, 0])  # head B was not sure: .48
