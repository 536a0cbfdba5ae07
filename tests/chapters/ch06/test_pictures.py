"""The painted plane, the stream and the table of writes."""

from functools import partial

import numpy as np
import pytest
from pictured import A_AND_B, assert_moves, at, words

from mhalib.chapters.ch06 import PaintedPlane, Stream, WriteTable
from mhalib.pictures import HEAD_COLOURS
from mhalib.pictures.style import CELL, contrast

WORDS_AT = np.array([[1.0, 2.0], [5.0, 8.0]])
CORNERS = np.array([[1, 2], [1, 8], [5, 2], [5, 8]])
plane = partial(PaintedPlane, ["cat", "mat"], WORDS_AT, CORNERS, ["who", "where"])
stream = partial(Stream, ["who", "where"])
write_table = partial(WriteTable, ["who", "where"])


def painted(seed):
    rng = np.random.default_rng(seed)
    shown = {"paint": rng.integers(0, 3, size=(40, 40)), "star": rng.uniform(1, 8, size=2)}
    reach = [None, WORDS_AT, CORNERS][seed % 3]
    return shown | {"visited": rng.integers(0, 2, size=4).astype(bool), "reach": reach}


def flowing(seed):
    rng = np.random.default_rng(seed)
    writes = rng.uniform(-4, 4, size=(3, 2)) * [[1], [seed % 2], [1]]  # now and then a muted head
    shown = {"start": rng.uniform(1, 8, size=2), "writes": writes}
    return shown | {"ghost": rng.uniform(1, 8, size=2) if seed % 2 else None}


def written(seed):
    rng = np.random.default_rng(seed)
    shown = {"writes": rng.uniform(-9, 9, size=(3, 2)), "cosines": rng.uniform(-1, 1, size=(3, 3))}
    shown["cosines"][0, 1] *= np.nan if seed % 2 else 1
    return shown


@pytest.mark.parametrize(
    "make, state", [(plane, painted), (stream, flowing), (write_table, written)]
)
def test_moved_they_are_those_drawn_anew(make, state):
    assert_moves(make, [state(seed) for seed in range(4)])


def test_a_painted_plane_shows_paint_star_rings_and_the_outline_of_what_can_be_reached():
    shown = painted(2)
    picture = plane(**shown)
    colours, visited = picture.paint.get_array(), shown["visited"]
    assert np.array_equal(colours[..., 3] > 0, shown["paint"] > 0)
    (grey,), (gold,) = (np.unique(colours[shown["paint"] == k], axis=0) for k in (1, 2))
    assert np.ptp(grey[:3] / 255) < 0.1 < np.ptp(gold[:3] / 255)
    assert picture.paint.get_extent() == [0, 10, 0, 10] and picture.paint.origin == "lower"
    assert at(picture.star) == [list(shown["star"])]
    assert np.array_equal(np.transpose(picture.filled.get_data()), CORNERS[visited])
    assert np.array_equal(np.transpose(picture.rings.get_data()), CORNERS[~visited])
    assert {*map(tuple, picture.reach.get_xy())} == {*map(tuple, CORNERS)}
    assert not plane(**painted(0)).reach.get_visible()
    axes = picture.axes.xaxis, picture.axes.yaxis
    assert tuple(axis.label.get_color() for axis in axes) == HEAD_COLOURS[:2]


def test_a_painted_plane_without_a_star_and_a_name_above_its_point():
    shown = painted(2) | {"star": None}
    picture = plane("outlined", above=["cat"], **shown)
    assert at(picture.star) == [[]] and picture.alt == "outlined."
    heights = [label.get_position()[1] for label in picture.labels]
    assert heights[0] > WORDS_AT[0, 1] and heights[1] < WORDS_AT[1, 1]
    picture.update(**shown | {"star": (1, 8)})
    assert at(picture.star) == [[1, 8]]
    assert picture.alt == "outlined; the star is at (1.00, 8.00)."


def test_arrows_of_writes_stand_head_to_tail_and_a_muted_head_has_none():
    shown = flowing(2)
    picture = stream(**shown)
    stops = np.cumsum([shown["start"], *shown["writes"]], axis=0)
    for r, arrow in enumerate(picture.arrows):
        assert np.array(arrow._posA_posB) == pytest.approx(stops[r : r + 2])
    assert [arrow.get_edgecolor() for arrow in picture.arrows[:2]] == A_AND_B
    assert [arrow.get_visible() for arrow in picture.arrows] == [True, False, True]
    assert np.array(at(picture.start, picture.star)) == pytest.approx(stops[[0, -1]])


def read(texts):
    return [float(text.replace("−", "-")) for text in words(texts)]


def test_bars_of_writes_follow_their_numbers_and_the_last_row_is_their_sum():
    shown = written(0)
    picture = write_table(**shown)
    limit = picture.MOST / picture.UNIT
    rows = np.vstack([shown["writes"], shown["writes"].sum(axis=0)])
    for slot, write in zip(picture.rows, rows, strict=True):
        lengths = [bar.get_width() / picture.UNIT for bar in slot.artists[0:6:3]]
        assert lengths == pytest.approx(np.clip(write, -limit, limit))
        assert read(slot.artists[2:6:3]) == pytest.approx(write, abs=0.0051)
        assert read(slot.artists[-1:]) == pytest.approx([np.hypot(*write)], abs=0.0051)


@pytest.mark.parametrize("cosine", np.linspace(-1, 1, 21))
def test_how_alike_two_writes_are_is_a_bar_to_the_right_or_to_the_left_and_a_number(cosine):
    picture = WriteTable(["x", "y"], np.ones((2, 2)), np.full((2, 2), cosine))
    bar, line, number = picture.alike[0].artists
    assert bar.get_width() == pytest.approx(picture.HALF * cosine, abs=0.13)
    assert bar.get_x() == line.get_x() + line.get_width() / 2
    assert contrast(CELL, number.get_color()) >= 4.5
    assert read([number]) == pytest.approx([cosine], abs=0.0051)
