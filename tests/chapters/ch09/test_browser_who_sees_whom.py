"""Chapter 09's masks, chosen by a learner in a real JupyterLab."""

import pytest
from lab import View, until, wait_for_pictures

from mhalib.chapters import ch09

CHAPTER_9 = "09_masks_and_positions.ipynb"


class Masked(View):
    """The explorer in chapter 9 with three lists: setting, padding, and when the mask acts."""

    def __init__(self, lab):
        super().__init__(lab, CHAPTER_9, "ch09.WhoSeesWhom()", ch09.WhoSeesWhom())

    def start(self):
        """An encoder, no padding, hidden before softmax; goal 1 on show."""
        self.show_goal(1)
        self.press("Back to example")
        self.mirror.back()
        self.shows_what_its_mirror_shows()

    def goal(self):
        return self.output.locator(".widget-html", has_text=" of 3:").inner_text()

    def choose(self, control, option):
        self.chooser(control).select_option(option)
        control.value = option


@pytest.fixture
def masked(quiet):
    masked = Masked(quiet)
    masked.start()
    return masked


def test_it_opens_with_a_mask_and_weights(masked):
    assert masked.pictures.count() == 2 and masked.sliders.count() == 0
    wait_for_pictures(masked.output)
    masked.shows_what_its_mirror_shows()


def test_every_setting_shows_what_mhalib_computes(masked):
    seen = [masked.shown()]
    for setting in masked.mirror.setting.options[1:]:
        masked.choose(masked.mirror.setting, setting)
        masked.shows_what_its_mirror_shows()
        assert masked.shown() not in seen
        seen.append(masked.shown())


def test_goal_1_is_reached_by_a_causal_decoder(masked):
    assert "reached" not in masked.goal()
    masked.choose(masked.mirror.setting, "causal decoder")
    until(lambda: "reached" in masked.goal(), "goal 1 is reached")


def test_goal_2_is_reached_by_padding_at_the_start(masked):
    masked.show_goal(2)
    masked.choose(masked.mirror.padding, "2 at the start")
    masked.shows_what_its_mirror_shows()
    assert "reached" not in masked.goal()
    masked.choose(masked.mirror.setting, "causal decoder")
    until(lambda: "reached" in masked.goal(), "goal 2 is reached")
    assert "2 rows see nothing" in masked.shows_what_its_mirror_shows()


def test_goal_3_is_reached_by_a_mask_that_comes_too_late(masked):
    masked.show_goal(3)
    masked.choose(masked.mirror.setting, "causal decoder")
    masked.choose(masked.mirror.hidden, "after softmax")
    until(lambda: "reached" in masked.goal(), "goal 3 is reached")
    masked.shows_what_its_mirror_shows()
