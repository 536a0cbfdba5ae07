"""Curves, their cursor and its values."""

from functools import partial

import numpy as np
import pytest
from pictured import assert_moves, words

from mhalib.pictures import Curves

XS = np.array([0.1, 1.0, 2.0, 8.0])
HEIGHTS = np.array([[0.0, 0.0, 0.0, 0.0], [0.1, 0.2, 0.6, 0.9], [0.7, np.nan, 0.5, 0.4]])
SIDES = ["first", "second", "third"], ("loudness", "difference"), ((0.1, 8), (0, 1))
make = partial(Curves, "a title", *SIDES, XS, HEIGHTS)


def test_moved_curves_are_those_drawn_anew():
    cursors = ((4, 1.0, None), (3, 2.0, 1), (4, 8.0, 2), (0, None, None), (4, 2.0, 1))
    states = [
        {"xs": XS[:n], "ys": HEIGHTS[:, :n], "at": at, "chosen": chosen}
        for n, at, chosen in cursors
    ]
    style = {"log": True, "references": {"a bound": 0.8}}
    assert_moves(partial(Curves, "a title", *SIDES, **style), states)


def test_curves_are_drawn_through_their_points_on_limits_that_never_move():
    picture = make()
    picture.update(XS[:3], HEIGHTS[:, :3] * 50, at=2.0)
    for line, heights in zip(picture.lines, HEIGHTS, strict=True):
        assert np.array_equal(line.get_xdata(), XS[:3])
        assert np.array_equal(line.get_ydata(), 50 * heights[:3], equal_nan=True)
    assert (picture.axes.get_xlim(), picture.axes.get_ylim()) == ((0.1, 8), (0, 1))


def test_the_cursor_marks_each_curve_and_writes_its_value_beside_its_name():
    picture = make(at=2.0)
    places = [mark.get_xydata().tolist() for mark in picture.marks]
    assert places == [[[2, 0]], [[2, 0.6]], [[2, 0.5]]]
    assert written(picture) == [".000", ".600", ".500"]
    picture.update(XS, 20 * HEIGHTS, at=1.0)
    assert written(picture) == [".000", "4.00", ""]
    assert picture.cursor.get_visible() and picture.cursor.get_xdata() == [1, 1]
    said = "At loudness 1: first .000, second 4.00."
    assert picture.alt == f"a title: difference over loudness. {said}"
    picture.update(XS, HEIGHTS)
    assert not picture.cursor.get_visible() and written(picture) == [""] * 3
    assert not any(mark.get_xydata().size for mark in picture.marks)


def written(picture):
    return words(slot.artists[0] for slot in picture.legend)


@pytest.mark.parametrize("log, between", [(False, 5.0), (True, 4.0)])
def test_between_points_the_mark_stands_on_the_line_that_is_drawn(log, between):
    """Half way from 2 to 8 is 5 on a plain axis and 4 on a logarithmic one."""
    assert make(at=between, log=log).marks[1].get_ydata() == pytest.approx([0.75])


def test_the_chosen_curve_is_thick_and_alone_marked_but_every_value_stays():
    picture = make(at=2.0, chosen=1)
    assert [line.get_linewidth() for line in picture.lines] == [1.8, 3, 1.8]
    assert [mark.get_xydata().size for mark in picture.marks] == [0, 2, 0]
    assert written(picture) == [".000", ".600", ".500"]


@pytest.mark.parametrize("height, va", [(0.8, "top"), (0.02, "bottom")])
def test_a_reference_stands_at_its_height_with_its_name_where_there_is_room(height, va):
    axes = make(references={"bound": height}).axes
    assert any(np.array_equal(line.get_ydata(), [height] * 2) for line in axes.lines)
    (label,) = (text for text in axes.texts if text.get_text() == "bound")
    assert label.get_va() == va


def test_a_logarithmic_axis_is_written_in_plain_numbers():
    picture = make(log=True, ticks=(0.1, 1, 8))
    picture.png()
    assert words(picture.axes.get_xticklabels()) == [".1", "1", "8"]
    assert words(picture.axes.get_yticklabels()) == ["0", ".2", ".4", ".6", ".8", "1"]


@pytest.mark.parametrize("log, xs", [(True, (0.2, 1, 5)), (False, (1, 3, 5))])
def test_equal_ratios_are_equally_far_on_a_logarithmic_axis(log, xs):
    left, middle, right = make(log=log).axes.transData.transform([(x, 0.5) for x in xs])[:, 0]
    assert middle - left == pytest.approx(right - middle)
