"""Sentences say what the arrays say."""

import numpy as np

from mhalib.attention import softmax
from mhalib.chapters.ch01 import one_row
from mhalib.chapters.ch02 import published_layers
from mhalib.chapters.ch04 import whole_maps
from mhalib.chapters.ch05 import unmask
from mhalib.merging import merge_logits
from mhalib.pictures import wording
from mhalib.published_models import CONFIGURATIONS, sizes


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


def test_one_row_lists_every_word():
    assert one_row.each_share(("a", "b"), softmax([2.0, 1.0])) == (
        "“a” gets 73%, “b” gets 27%: together 100%."
    )


def test_routes_name_who_looks_elsewhere_and_count_the_others():
    words = ["The", "cat", "sat"]
    rows = [[0.9, 0.1, 0], [1, 0, 0], [0.48, 0.48, 0.04]]
    said = "“cat” to “The” (1.00); “sat” to “The” and “cat” (0.48); "
    assert unmask.routes(words, np.array(rows)) == said + "the other one looks most at itself."
    assert unmask.routes(words, np.eye(3)) == "each looks most at itself."
    assert unmask.routes(words, np.eye(3)[[1, 2, 0]]).endswith("“sat” to “The” (1.00).")
    assert "the other 2 look most at themselves" in unmask.routes(words, np.eye(3)[[0, 0, 2]])


def test_a_tie_is_a_tie_to_half_a_percent():
    assert wording.favourites(np.array([0.5, 0.496, 0.004])).tolist() == [0, 1]
    assert wording.favourites(np.array([0.5, 0.494, 0.006])).tolist() == [0]


def test_only_a_sure_choice_that_nearly_vanishes_is_called_lost():
    assert "leaves" not in sentence([3, 0], [0, 2])  # the merged head keeps .27
    assert "leaves" not in sentence([10, 0, 0, 0], [0, 1, 0, 0])  # head B was not sure: .48


def test_a_layer_with_values_of_their_own_width():
    said = published_layers.layer("DeepSeek-V2", sizes(CONFIGURATIONS["DeepSeek-V2"]))
    assert "128 heads of 192 channels (values 128); side by side they have 16384" in said
    assert said.endswith("so W_O is 16384 × 5120.")


def test_the_row_that_changes_most_is_that_with_the_largest_sum():
    before = np.array([[0.9, 0.1, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]])
    after = np.array([[0.5, 0.5, 0.0, 0.0], [0.15, 0.15, 0.35, 0.35]])  # .4 twice; .35 four times
    said = whole_maps.row_that_changes_most(list("abcd"), before[None], after, before)
    assert said.startswith("Merging changes the row of “b” most: each head splits")
