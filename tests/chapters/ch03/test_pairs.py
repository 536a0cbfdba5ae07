"""Two arrays, number by number."""

from functools import partial

import pytest
from pictured import assert_moves, words

from mhalib.chapters.ch03 import Pairs
from mhalib.pictures import HEAD_COLOURS, INK

SHOWN = {"across": [[0.1, -0.5], [1.0, 0.3]], "up": [[0.2, -0.5], [0.4, -1.0]]}
NAMED = {"names": ["p", "q"], "colours": HEAD_COLOURS[:2]}
ALL = {"names": ["all", ""], "colours": [INK] * 2}
make = partial(Pairs, "a title", ["one side", "the other"])


def test_moved_pairs_are_those_drawn_anew():
    moved = {"across": [[1, 0], [0, 1]], "up": [[0, 0], [-1, 1]]}
    assert_moves(make, [SHOWN | NAMED, moved | NAMED, moved | ALL])


def test_pairs_stand_across_and_up_and_equal_ones_on_the_diagonal():
    picture = make(**SHOWN, **NAMED)
    dots = [dots.get_xydata().tolist() for dots in picture.dots]
    assert dots == [[[0.1, 0.2], [-0.5, -0.5]], [[1, 0.4], [0.3, -1]]]
    x, y = picture.axes.lines[0].get_data()
    assert list(x) == list(y) and picture.axes.get_xlim() == picture.axes.get_ylim()
    extent = picture.axes.get_window_extent()
    assert extent.width == pytest.approx(extent.height)


def test_a_group_of_pairs_has_its_colour_and_name():
    picture = make(**SHOWN, **NAMED)
    assert [dots.get_color() for dots in picture.dots] == list(HEAD_COLOURS[:2])
    assert words(picture.legend) == ["● p", "● q"]
    picture.update(**SHOWN, **ALL)
    assert words(picture.legend) == ["● all", ""]
