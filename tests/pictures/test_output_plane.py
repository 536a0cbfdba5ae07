"""The output plane: every mark where its output is, on limits that never move."""

from functools import partial

import numpy as np
from pictured import assert_moves, at, words

from mhalib.pictures import HEAD_COLOURS, OutputPlane

WORDS_AT = np.array([[1.0, 2.0], [5.0, 8.0], [3.0, 4.0]])
SHOWN = {"words_at": WORDS_AT, "star": (1, 8), "square": (3, 5), "diamond": (3, 4.5)}
make = partial(OutputPlane, ["cat", "mat", "sat"], ["who", "where"], HEAD_COLOURS)


def test_a_moved_plane_is_one_drawn_anew():
    ends = [((4, 2), (5, 8)), ((10, 10), (0, 0)), ((0, 10), (10, 0)), ((1, 8), (np.nan, np.nan))]
    states = [{"star": star, "square": square, "diamond": star} for star, square in ends]
    states = [{"words_at": WORDS_AT + 1, "ghost": None} | state for state in states]
    last = {name: np.array(place) / 2 for name, place in SHOWN.items()}
    assert_moves(make, [SHOWN | {"ghost": None}, *states, last | {"ghost": ((2, 2), (6, 7))}])


def test_the_plane_sets_each_mark_where_its_output_is():
    picture = make(**SHOWN, ghost=((2, 2), (6, 7)))
    assert at(picture.star, picture.square, picture.diamond) == [[1, 8], [3, 5], [3, 4.5]]
    assert at(picture.ghost_star, picture.ghost_square) == [[2, 2], [6, 7]]
    assert np.array_equal(np.transpose(picture.points.get_data()), WORDS_AT)
    assert picture.ghost_star.get_markerfacecolor() == "none"


def test_limits_of_the_plane_never_move_and_an_axis_has_the_colour_of_its_head():
    picture = make(**SHOWN)
    picture.update(words_at=WORDS_AT, star=(0, 0), square=(10, 10), diamond=(5, 5))
    assert picture.axes.get_xlim() == picture.axes.get_ylim() == (0, 10)
    axes = picture.axes.xaxis, picture.axes.yaxis
    assert tuple(axis.label.get_color() for axis in axes) == HEAD_COLOURS[:2]


def test_the_legend_shows_the_marks_of_the_plane():
    picture = make(**SHOWN)
    shown = [mark.get_marker() for mark in (picture.star, picture.square, picture.diamond)]
    assert [line.get_marker() for line in picture.page.lines] == shown
    assert words(picture.page.texts[-3:]) == ["multi-head", "merged", "average of weights"]
