"""Chapter 09's clock and masks, moved by a learner in a real JupyterLab."""

import pytest
from lab import View, every_view_is_drawn_and_fits, until, wait_for_pictures

from mhalib.chapters import ch09

CHAPTER_9 = "09_masks_and_positions.ipynb"


class Clocked(View):
    def move(self, *places):
        for control, at in zip(self.mirror.positions, places, strict=True):
            self.set(control, at)

    def keep(self):
        self.press("Keep a ghost")
        until(self.button("Drop the ghost").count, "a ghost is kept")


@pytest.fixture
def clocked(quiet):
    return Clocked(quiet, CHAPTER_9, "ch09.RopeClock()", ch09.RopeClock()).start()


def test_the_clock_opens_with_a_curve_and_three_sliders(clocked):
    assert clocked.pictures.count() == 2 and clocked.sliders.count() == 3
    wait_for_pictures(clocked.output)


def test_dragging_the_query_turns_its_hand_and_changes_the_sentence(clocked):
    assert clocked.drag(clocked.mirror.positions[0], 60) > 8


def test_the_clocks_goal_1_is_reached_with_a_ghost_and_both_moved_on_by_4(clocked):
    assert "Keep a ghost” first" in clocked.goal()
    clocked.keep()
    clocked.move(9, 7)
    clocked.goal_says("reached")
    clocked.agrees()


def test_the_clocks_goal_2_is_reached_seven_turns_away(clocked):
    clocked.show_goal(2)
    clocked.keep()
    clocked.move(9, 3)
    clocked.agrees()
    assert "reached" not in clocked.goal()
    clocked.move(48, 2)
    clocked.goal_says("reached")


def test_the_clocks_goal_3_is_reached_with_four_clocks(clocked):
    clocked.show_goal(3)
    clocked.move(44, 0)
    clocked.agrees()
    assert "reached" not in clocked.goal()
    clocked.choose(clocked.mirror.pairs, "4 pairs")
    clocked.goal_says("reached")
    clocked.agrees()


@pytest.fixture
def masked(quiet):
    return View(quiet, CHAPTER_9, "ch09.WhoSeesWhom()", ch09.WhoSeesWhom()).start()


def test_the_mask_opens_with_weights_and_no_slider(masked):
    assert masked.pictures.count() == 2 and masked.sliders.count() == 0
    wait_for_pictures(masked.output)


def test_every_setting_shows_what_mhalib_computes(masked):
    seen = [masked.shown()]
    for setting in masked.mirror.setting.options[1:]:
        masked.choose(masked.mirror.setting, setting)
        masked.agrees()
        assert masked.shown() not in seen
        seen.append(masked.shown())


def test_the_masks_goal_1_is_reached_by_a_causal_decoder(masked):
    assert "reached" not in masked.goal()
    masked.choose(masked.mirror.setting, "causal decoder")
    masked.goal_says("reached")


def test_the_masks_goal_2_is_reached_by_padding_at_the_start(masked):
    masked.show_goal(2)
    masked.choose(masked.mirror.padding, "2 at the start")
    masked.agrees()
    assert "reached" not in masked.goal()
    masked.choose(masked.mirror.setting, "causal decoder")
    masked.goal_says("reached")
    assert "2 rows see nothing" in masked.agrees()


def test_the_masks_goal_3_is_reached_by_a_mask_that_comes_too_late(masked):
    masked.show_goal(3)
    masked.choose(masked.mirror.setting, "causal decoder")
    masked.choose(masked.mirror.hidden, "after softmax")
    masked.goal_says("reached")
    masked.agrees()


def test_every_view_is_drawn_and_fits_a_wide_page_and_a_phone(quiet):
    every_view_is_drawn_and_fits(quiet, CHAPTER_9)
