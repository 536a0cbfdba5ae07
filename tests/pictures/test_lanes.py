"""Lanes: bars are logits, cells are weights, the last column is what is carried."""

from functools import partial

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from pictured import A_AND_B, assert_moves, words

from mhalib.attention import softmax
from mhalib.merging import merge_logits
from mhalib.pictures import Lanes
from mhalib.pictures.raster import DENSITY
from mhalib.pictures.style import CELL, contrast

LOGITS = np.array([[10.0, 0.0, -8.0], [-3.5, 10.0, 8.0]])
VALUES = np.array([[1.0, 5.0, 3.0], [2.0, 8.0, 4.0]])
make = partial(Lanes, ["cat", "mat", "sat"])


def arrays(factor=1.0, **changes):
    logits = factor * LOGITS
    weights, merged = softmax(logits), softmax(merge_logits(logits))
    carried = np.vstack([np.diag((weights * VALUES).sum(axis=1)), VALUES @ merged])
    shown = {"logits": logits, "weights": weights, "parts": logits, "merged": merged}
    return shown | {"carried": carried} | changes


def test_moved_lanes_are_those_drawn_anew():
    kept = np.vstack([softmax(-LOGITS), [0.2, 0.3, 0.5]])
    states = [arrays(factor) for factor in (1, 1 / 3, -1, 0, 1.9)]
    assert_moves(make, [*states, arrays(), arrays(0.4, ghost=kept)])


def test_lanes_show_logits_as_labels_and_weights_as_cells():
    picture = make(**arrays())
    labels = words(slot.artists[-1] for slot in picture.columns)
    assert labels == ["10", "0", "−8", "−3.5", "10", "8", "6.5", "10", "0"]
    weights = np.vstack([softmax(LOGITS), softmax(LOGITS.sum(axis=0))]).ravel()
    cells = [float(slot.artists[-1].get_text()) for slot in picture.cells]
    assert cells == pytest.approx(weights, abs=0.0051)
    fills = [slot.artists[0].get_height() for slot in picture.cells]
    assert fills == pytest.approx(-46 * weights, abs=0.25)


def test_merged_bars_stack_the_heads_parts_in_their_colours():
    picture = make(**arrays())
    scale = picture.columns[0].artists[0].get_height() / -10  # head A's "cat" is 10
    for j, slot in enumerate(picture.columns[6:]):
        bars = slot.artists[:2]
        assert [-bar.get_height() / scale for bar in bars] == pytest.approx(LOGITS[:, j])
        assert [bar.get_facecolor() for bar in bars] == A_AND_B


@pytest.mark.parametrize("factor", [1, -2, 8, 0.01])
def test_no_bar_or_label_leaves_its_lane(factor):
    for slot in make(**arrays(factor)).columns:
        *bars, _, label = slot.artists
        low, high = slot.rows.start / DENSITY, slot.rows.stop / DENSITY
        ends = [y for bar in bars for y in (bar.get_y(), bar.get_y() + bar.get_height())]
        assert low <= min(ends) <= max(ends) <= high
        assert low + 5 <= label.get_position()[1] <= high - 5


def test_unknown_weights_are_question_marks_and_unknown_ghosts_are_not_drawn():
    picture = make(**arrays(merged=None))
    assert words(slot.artists[-1] for slot in picture.cells[6:]) == ["?"] * 3
    assert not any(slot.artists[1].get_visible() for slot in picture.cells)


def test_a_ghost_is_an_unfilled_outline():
    for slot in make(**arrays(ghost=np.full((3, 3), 0.4))).cells:
        outline = slot.artists[1]
        assert outline.get_visible() and not outline.get_fill()
        assert outline.get_height() == pytest.approx(-46 * 0.4)


def test_the_last_column_is_what_each_lane_carries():
    carried = arrays()["carried"]
    wanted = [[carried[0, 0]], [carried[1, 1]], carried[2]]
    texts = [words(slot.artists) for slot in make(**arrays()).carried]
    assert texts == [[f"{number:.2f}" for number in lane] for lane in wanted]


def test_numbers_on_cells_can_be_read_on_their_fill():
    for slot in make(**arrays()).cells:
        fill = np.array(slot.artists[0].get_facecolor())
        seen = fill[3] * fill[:3] + (1 - fill[3]) * np.array(to_rgb(CELL))
        assert contrast(seen, slot.artists[-1].get_color()) >= 4.5
