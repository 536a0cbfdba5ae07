"""Chapter 06's paint and its writes, moved by a learner in a real JupyterLab."""

import pytest
from lab import View, fresh_views, until, view_of

from mhalib.chapters import ch06

CHAPTER_6 = "06_mixing_and_w_o.ipynb"

test_every_view_is_drawn_and_fits_a_wide_page_and_a_phone = fresh_views(CHAPTER_6)


@pytest.fixture
def painting(quiet):
    """One head, both words alike, no paint."""
    painting = View(quiet, CHAPTER_6, "ch06.Paint()", ch06.Paint())
    painting.choose(painting.mirror.heads, "one head")
    painting.press("Back to example")
    painting.press("Clear the paint")
    return painting.start()


def test_paint_opens_with_a_picture_and_one_slider_and_says_why_one_head_fails(painting):
    assert painting.pictures.count() == painting.sliders.count() == 1
    assert "not yet" in painting.goal() and "from that line" not in painting.goal()
    painting.goal_line.locator("summary").click()
    painting.goal_says("3.33 from that line")


def test_dragging_paints_what_was_passed_while_the_button_is_down(painting):
    painting.choose(painting.mirror.heads, "two heads")
    until(lambda: painting.sliders.count() == 2, "two sliders")
    painting.agrees()
    before = painting.shown()
    with painting.dragged(painting.mirror.gaps[1], 70):
        assert painting.mirror.gaps[1].value > 1
        until(lambda: painting.shown() != before, "paint, before the mouse lets go")
    painting.agrees()


def test_the_corner_is_reached_by_two_typed_values(painting):
    painting.choose(painting.mirror.heads, "two heads")
    until(lambda: painting.sliders.count() == 2, "two sliders")
    first, second = painting.mirror.gaps
    painting.reach(1, (painting.set, first, 6), (painting.set, second, -6))


def test_paint_can_be_cleared_and_what_can_be_reached_shown_and_hidden(painting):
    fresh = painting.shown()
    painting.set(painting.mirror.gaps[0], 6)
    painting.set(painting.mirror.gaps[0], 0)
    painting.agrees()
    assert painting.shown() != fresh
    painting.press("Clear the paint")
    until(lambda: painting.shown() == fresh, "no paint")
    painting.press("Show all that can be reached")
    until(lambda: painting.shown() != fresh, "an outline")
    painting.press("Hide all that can be reached")
    until(lambda: painting.shown() == fresh, "no outline")


written = view_of(CHAPTER_6, "ch06.Writes()", ch06.Writes)


def test_the_writes_open_with_two_pictures_and_three_sliders(written):
    assert written.pictures.count() == 2 and written.sliders.count() == 3


def test_dragging_a_factor_changes_pictures_and_sentence_to_what_mhalib_computes(written):
    assert written.drag(written.mirror.factors[1], -60) < 0.9


def test_another_word_and_another_w_o_give_other_arrows(written):
    before = written.shown()
    written.choose(written.mirror.word, "mat (5)")
    assert "“mat” looks" in written.agrees()
    written.choose(written.mirror.w_o, "A's who as where, B's where as who")
    written.agrees()
    assert written.shown() != before


def test_goal_1_is_reached_by_typing_0_for_head_c(written):
    written.reach(1, (written.set, written.mirror.factors[2], 0))


def test_goal_3_is_reached_with_a_ghost_and_three_typed_values(written):
    written.show_goal(3)
    written.goal_says("Keep a ghost” first")
    typed = zip(written.mirror.factors, (0.5, 0.91, 0.84), strict=True)
    written.reach(3, (written.press, "Keep a ghost"), *((written.set, *move) for move in typed))
