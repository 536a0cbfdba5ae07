"""Panels show every run and the middle of the runs; listings show lines in a room of fixed size."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from pictured import assert_moves, drawn_in_full, faces, words

from mhalib.pictures import HEAD_COLOURS, INK, Listing, Panels
from mhalib.pictures.style import CELL, PAPER

RUNS = np.random.default_rng(0).random((2, 5, 4))
SERIES = {"first": (INK, "-"), "second": (HEAD_COLOURS[0], "--")}
LINES = [("n_embd", "768", False), ("split Q", "(12, 6, 64)", True), ("$x_$ + Y", "6", False)]


def test_panels_show_every_run_and_the_middle_of_the_runs():
    named, style = {f"panel {i}": RUNS for i in range(3)}, {"marks": {"panel 1": 1.5}}
    sides = [1, 2, 4, 8], ("heads", "right")
    picture = Panels("a title", named, SERIES, *sides, reference=("chance", 0.125), **style)
    for axes in picture.planes.values():
        dots = [line for line in axes.lines if line.get_marker() == "o"]
        middles = [line for line in axes.lines if len(line.get_xdata()) == 4]
        for values, drawn, middle in zip(RUNS, dots, middles, strict=True):
            assert np.array_equal(drawn.get_ydata(), values.ravel())
            assert np.array_equal(np.round(drawn.get_xdata()).astype(int), np.tile(range(4), 5))
            assert np.array_equal(middle.get_ydata(), np.median(values, axis=0))
    (label,) = picture.planes["panel 0"].texts
    assert label.get_position()[1] == 0.125 and label.get_va() == "bottom", "it stands on its line"
    assert "panel 2: first 1 " in picture.alt
    assert (drawn_in_full(picture)[..., 3] == 255).all()


def test_equal_runs_of_a_panel_stand_beside_each_other():
    same = Panels("t", {"a": np.ones((1, 5, 2))}, {"": (INK, "-")}, "pq", ("x", "y"))
    [dots] = [line for line in same.planes["a"].lines if line.get_marker() == "o"]
    assert len(set(dots.get_xdata().round(6))) == 10


def test_a_series_without_a_line_is_its_dots_and_its_words_are_their_range():
    halves = np.repeat([[0.3, 1.0], [0.9, 1.0]], [2, 3], axis=0)[None]
    picture = Panels("t", {"a": halves}, {"": (INK, "")}, "pq", ("x", "y"))
    assert [line.get_marker() for line in picture.planes["a"].lines] == ["o"]
    assert picture.alt == "t: a: p 0.30 to 0.90, q 1.00 to 1.00"


def listing(lines):
    return Listing("a title", 5, lines)


def test_a_moved_listing_is_one_drawn_anew():
    every = (LINES, LINES[:1], [("gp", "7", True)] * 5, [])
    assert_moves(listing, [{"lines": lines} for lines in every])


def test_a_listing_shows_its_lines_in_order_marks_some_and_shows_nothing_below_them():
    picture = listing(LINES)
    texts = [words(slot.artists[1:]) for slot in picture.lines]
    assert texts == [[left, right] for left, right, _ in LINES] + [["", ""]] * 2
    strips = [to_rgba(colour) for colour in (PAPER, CELL, PAPER, PAPER, PAPER)]
    assert faces(picture.lines) == strips


def test_a_listing_refuses_more_lines_than_it_has_room_for():
    with pytest.raises(ValueError):
        Listing("a title", 2, LINES)
