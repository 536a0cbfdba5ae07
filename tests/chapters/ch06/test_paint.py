"""Chapter 06, paint: the star, the paint and the goals, against loops and a whole grid."""

import math

import numpy as np
import pytest

from mhalib.chapters.ch06 import Paint
from mhalib.chapters.ch06.paint import CELL, THERE

CAT, MAT = (1, 2), (5, 8)  # who, where


@pytest.fixture
def paint():
    return Paint()


def share(gap):
    return 1 / (1 + math.exp(-gap))


def output(gap_who, gap_where):
    """By hand: each number from its own row of weights."""
    return tuple(
        share(gap) * CAT[k] + (1 - share(gap)) * MAT[k]
        for k, gap in enumerate((gap_who, gap_where))
    )


def move(paint, *gaps, heads=None):
    if heads:
        paint.heads.value = heads
    for control, gap in zip(paint.gaps, gaps, strict=False):
        control.value = gap


def sweep(control):
    """As with a mouse: to one end and to the other, in jumps."""
    for gap in (-6, -1.5, 2, 6):
        control.value = gap


def statuses(paint):
    return [verdict.status for verdict in paint.verdicts]


def test_the_star_is_what_the_rows_of_weights_carry(paint):
    for gap in (-6, -1, 0, 0.7, 6):
        move(paint, gap, heads=1)
        assert paint.state.star == pytest.approx(output(gap, gap))
    for one, other in ((3, -2), (-6, 6), (0.1, 0)):
        move(paint, one, other, heads=2)
        assert paint.state.star == pytest.approx(output(one, other))
        assert np.ravel(paint.pictures[0].star.get_data()) == pytest.approx(output(one, other))


def test_paint_lies_where_outputs_have_been_and_nowhere_else(paint):
    move(paint, 0, 0, heads=2)
    paint.clear_button.click()
    paint.gaps[1].value = 4  # passes every gap from 0 to 4
    passed = {tuple(int(c // CELL) for c in output(0, gap)) for gap in np.arange(0, 4.001, 0.001)}
    painted = {(int(x), int(y)) for y, x in np.argwhere(paint.state.paint == 2)}
    assert painted <= passed and len(painted) >= 0.9 * len(passed)
    assert paint.state.share == pytest.approx(len(painted) / (16 * 24))


def test_one_head_paints_only_cells_that_the_line_between_the_words_crosses(paint):
    sweep(paint.gaps[0])
    cells = np.argwhere(paint.state.paint == 1) * CELL
    assert len(cells) >= 30
    for where, who in cells:
        corners = [(who + a, where + b) for a in (0, CELL) for b in (0, CELL)]
        sides = [(x - 1) * 6 - (y - 2) * 4 for x, y in corners]
        assert min(sides) <= 1e-9 and max(sides) >= -1e-9
    assert paint.state.share < 0.1
    assert "8% of the rectangle" in paint.sentence


def test_a_change_of_heads_or_of_example_draws_no_path(paint):
    move(paint, 6, heads=1)
    paint.gaps[1].value = -6
    paint.heads.value = 2
    assert paint.paint[2].sum() == 1
    paint.back_button.click()
    assert paint.paint[2].sum() == 2
    assert paint.state.star == pytest.approx((3, 5))


def test_clearing_takes_paint_and_visits_and_keeps_the_sliders(paint):
    sweep(paint.gaps[0])
    paint.clear_button.click()
    assert (paint.state.paint > 0).sum() == 1 and paint.gaps[0].value == 6
    assert paint.state.visited.tolist() == [True, False, False, False]


def test_what_can_be_reached_is_outlined_on_request(paint):
    plane = paint.pictures[0]
    assert not plane.reach.get_visible()
    paint.reveal_button.click()
    assert sorted(map(tuple, np.unique(plane.reach.get_xy(), axis=0))) == [CAT, MAT]
    paint.heads.value = 2
    corners = {(1, 2), (1, 8), (5, 2), (5, 8)}
    assert plane.reach.get_visible() and set(map(tuple, plane.reach.get_xy())) == corners
    paint.reveal_button.click()
    assert not plane.reach.get_visible()


def test_the_second_slider_is_there_for_two_heads_only(paint):
    assert paint.gaps[1].layout.visibility == "hidden"
    paint.heads.value = 2
    assert paint.gaps[1].layout.visibility == "visible"


def test_with_one_head_no_goal_is_reached_over_the_whole_slider(paint):
    gaps = np.linspace(-6, 6, 1201)
    line = np.array([output(gap, gap) for gap in gaps])
    assert np.linalg.norm(line - (1, 8), axis=1).min() > 3.3  # 12 / √13, by the formula
    assert np.linalg.norm(line - (5, 2), axis=1).min() > 3.3
    sweep(paint.gaps[0])
    assert statuses(paint) == ["impossible"] * 3
    assert "3.33 from that line" in paint.verdicts[0].why
    assert "2 of 4" in paint.verdicts[1].why


def test_two_heads_bring_the_star_to_the_corner(paint):
    move(paint, 0, 0, heads=2)
    assert statuses(paint)[0] == "not yet"
    move(paint, 6, -6)
    assert statuses(paint)[0] == "reached"
    assert math.dist(paint.state.star, (1, 8)) < THERE


def test_two_heads_visit_all_four_corners(paint):
    paint.heads.value = 2
    for n, (one, other) in enumerate(((6, 6), (6, -6), (-6, 6), (-6, -6))):
        assert statuses(paint)[1] == "not yet"
        paint.clear() if n == 0 else None
        with paint.one_redraw():
            move(paint, one, other)
            paint._before = None  # typed, not drawn: no corner on the way
        assert paint.state.visited.sum() == n + 1
    assert statuses(paint)[1] == "reached"


def test_two_heads_paint_a_quarter_of_the_rectangle_in_four_strokes(paint):
    paint.heads.value = 2
    for gap in (-2, -0.7, 0.2, 1):
        assert statuses(paint)[2] == "not yet"
        paint.gaps[0].value = gap
        sweep(paint.gaps[1])
    assert statuses(paint)[2] == "reached"


def test_the_sentence_says_what_the_rows_do_and_where_the_star_is(paint):
    move(paint, 2, heads=1)
    assert paint.sentence.startswith("One row of weights puts 88% on “cat”, for both blocks")
    move(paint, 2, -2, heads=2)
    assert paint.sentence.startswith("Head A puts 88% on “cat”, head B puts 88% on “mat”")
    who, where = output(2, -2)
    assert f"({who:.2f}, {where:.2f})" in paint.sentence


def test_a_tenth_is_near_and_more_is_not():
    paint = Paint()
    paint.heads.value = 2
    paint.clear_button.click()
    with paint.one_redraw():
        paint.gaps[0].value, paint.gaps[1].value = 4, -4  # .13 from the corner
    assert paint.verdicts[0].status == "not yet" and paint.state.visited.sum() == 0
