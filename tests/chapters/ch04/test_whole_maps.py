"""Whole maps of weights: goals, numbers and the sentence."""

import numpy as np
import pytest
from drive import number_of, row_by_hand

from mhalib.chapters.ch04 import WholeMaps, whole_maps


def test_the_maps_goals_are_reached_by_loudness_alone():
    maps = WholeMaps()
    assert maps.verdicts[0].status == "not yet"
    maps.loudness[1].value = 2
    assert maps.verdicts[0].status == "reached"
    maps.loudness[0].value = 0
    assert maps.verdicts[1].status == "reached"
    maps.loudness[1].value = 0
    assert maps.verdicts[1].status == "not yet"


def test_the_maps_show_heads_merged_and_their_difference_from_what_was_chosen():
    maps = WholeMaps()
    maps.loudness[0].value, maps.rule.value = 0.7, "big_head"
    heatmaps = [heatmap for sheet in maps.pictures for [heatmap] in sheet.rows]
    tables = [[number_of(slot.artists[1]) for slot in heatmap.cells] for heatmap in heatmaps]
    logits = maps.logits * np.array([0.7, 1])[:, None, None]
    added = logits.sum(axis=0) / 2**0.5
    right = [[row_by_hand(row) for row in rows] for rows in zip(*logits, added, strict=True)]
    for number, table in enumerate(tables[:3]):
        assert table == pytest.approx(np.ravel([rows[number] for rows in right]), abs=0.0051)
    for choice, name in ((0, "head A"), (1, "head B"), (2, "average of weights")):
        maps.against.value = choice
        shown = [number_of(slot.artists[1]) for slot in heatmaps[3].cells]
        minus = [np.mean(r[:2], axis=0) if choice == 2 else r[choice] for r in right]
        assert shown == pytest.approx(np.ravel([r[2] for r in right] - np.array(minus)), abs=0.0051)
        assert heatmaps[3].title.get_text() == f"merged − {name}"


def test_the_maps_sentence_names_the_row_that_changes_most():
    maps = WholeMaps()
    changed = abs(maps.state.merged - maps.state.average).sum(axis=1)
    assert np.sort(changed)[-2:] == pytest.approx(changed.max())  # the two nouns ask alike
    assert maps.sentence.startswith("Merging changes the rows of “cat” and “mat” most: head A")
    maps.loudness[0].value = maps.loudness[1].value = 0
    assert maps.sentence == "Merging changes no row: it gives the average of the weights."


def test_the_maps_goals_are_not_reached_just_before():
    maps = WholeMaps()
    maps.loudness[1].value = 1.6  # .941
    assert maps.verdicts[0].status == "not yet"
    maps.loudness[1].value, maps.loudness[0].value = 1, 0.05  # .013
    assert maps.verdicts[1].status == "not yet"


def test_the_row_that_changes_most_is_that_with_the_largest_sum():
    before = np.array([[0.9, 0.1, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]])
    after = np.array([[0.5, 0.5, 0.0, 0.0], [0.15, 0.15, 0.35, 0.35]])  # .4 twice; .35 four times
    said = whole_maps.row_that_changes_most(list("abcd"), before[None], after, before)
    assert said.startswith("Merging changes the row of “b” most: each head splits")
