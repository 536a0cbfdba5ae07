"""A learner in a real browser turns chapter 03's switches and its dial."""

import pytest
from lab import View, until, wait_for_pictures

from mhalib.chapters.ch03 import FourCorners

CHAPTER_3 = "03_take_the_softmax_away.ipynb"


class Corners(View):
    def __init__(self, lab):
        super().__init__(lab, CHAPTER_3, "corners = ch03.FourCorners()", FourCorners())

    def agrees(self, own=True, rows="softmax"):
        """Wait until sentence and pictures are mhalib's for what the dial reads."""
        with self.mirror.one_redraw():
            self.mirror.own.value, self.mirror.rows.value = own, rows
            [self.mirror.loudness.value] = self.values()
        return self.shows_what_its_mirror_shows()

    def goal(self, number):
        """The text of a goal's line, after turning to it."""
        self.show_goal(number)
        return self.output.locator(".widget-html", has_text=f"Goal {number} of")


@pytest.fixture
def corners(quiet):
    quiet.show(CHAPTER_3)
    corners = Corners(quiet)
    corners.press("Back to example")
    until(lambda: corners.values() == [1], "the dial is back at 1")
    corners.agrees()
    return corners


def test_it_opens_with_two_pictures_two_switches_and_a_dial(corners):
    wait_for_pictures(corners.output)
    assert corners.pictures.count() == 2 and corners.sliders.count() == 1
    assert corners.chooser(corners.mirror.own).input_value() == "a block each"
    assert corners.chooser(corners.mirror.rows).input_value() == "on"
    corners.agrees()


def test_dragging_the_dial_changes_pictures_and_sentence_to_what_mhalib_computes(corners):
    said, before = corners.agrees(), corners.shown()
    with corners.dragged(corners.sliders.nth(0), 60):
        assert corners.values()[0] > 1.5
        assert corners.agrees() != said, "before the mouse lets go"
        assert all(a != b for a, b in zip(corners.shown(), before, strict=True))
    corners.agrees()


def test_goal_1_is_reached_by_a_choice_and_a_typed_number(corners):
    goal = corners.goal(1)
    assert "not yet" in goal.inner_text()
    corners.chooser(corners.mirror.own).select_option(label="shared by all")
    corners.type(corners.sliders.nth(0), "0.15")
    until(lambda: "reached" in goal.inner_text(), "goal 1 is reached")
    corners.agrees(own=False)


def test_goal_2_is_said_to_be_impossible_behind_a_fold(corners):
    goal = corners.goal(2)
    corners.chooser(corners.mirror.rows).select_option(label="off")
    until(lambda: "Can it be reached at all?" in goal.inner_text(), "the question of goal 2")
    assert "twice as loud" not in goal.inner_text()
    goal.locator("summary").click()
    until(lambda: "twice as loud" in goal.inner_text(), "the reason")
    corners.agrees(rows="linear")


def test_another_draw_changes_the_dots(corners):
    before = corners.shown()
    corners.press("Another draw")
    corners.mirror.another_draw()
    corners.agrees()
    assert corners.shown()[0] == before[0] and corners.shown()[1] != before[1]


def test_on_a_phone_the_dial_stands_between_the_curves_and_the_sentence(corners, lab):
    lab.resize(400)
    until(lambda: corners.output.bounding_box()["width"] < 300, "the output is narrow")
    curves, dots = (picture.bounding_box() for picture in corners.pictures.all())
    dial = corners.sliders.nth(0).bounding_box()
    assert curves["y"] + curves["height"] <= dial["y"] < dots["y"]
    assert dial["y"] + dial["height"] - curves["y"] < 600, "both are seen at once"
