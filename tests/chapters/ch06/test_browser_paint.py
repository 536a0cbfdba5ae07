"""Chapter 06's paint, moved by a learner in a real JupyterLab."""

import pytest
from lab import View, until, wait_for_pictures

from mhalib.chapters import ch06

CHAPTER_6 = "06_mixing_and_w_o.ipynb"


class Painting(View):
    """The explorer in chapter 6, and what its goal line says."""

    def __init__(self, lab):
        super().__init__(lab, CHAPTER_6, "ch06.Paint()", ch06.Paint())

    def start(self):
        """One head, both words alike, no paint, goal 1 on show."""
        self.choose(0)
        self.show_goal(1)
        self.press("Back to example")
        self.press("Clear the paint")
        until(lambda: self.values() == [0], "one slider, at 0")
        self.shows_what_its_mirror_shows()

    def choose(self, heads):
        self.chooser(self.mirror.heads).select_option(index=heads)

    def goal(self):
        return self.output.locator(".widget-html", has_text=" of 3:").inner_text()


@pytest.fixture
def painting(quiet):
    painting = Painting(quiet)
    painting.start()
    return painting


def test_it_opens_with_a_picture_and_one_slider_and_says_why_one_head_fails(painting):
    assert painting.pictures.count() == 1
    wait_for_pictures(painting.output)
    painting.shows_what_its_mirror_shows()
    assert "not yet" in painting.goal() and "from that line" not in painting.goal()
    painting.output.locator("summary").click()
    until(lambda: "3.33 from that line" in painting.goal(), "the reason unfolds")


def test_dragging_paints_what_was_passed_while_the_button_is_down(painting):
    painting.choose(1)
    until(lambda: painting.values() == [0, 0], "two sliders")
    painting.mirror.heads.value = 2
    before = painting.shown()
    with painting.dragged(painting.sliders.nth(1), 70):
        assert painting.values()[1] > 1
        until(lambda: painting.shown() != before, "paint, before the mouse lets go")
    painting.mirror.gaps[1].value = painting.values()[1]
    painting.shows_what_its_mirror_shows()


def test_the_corner_is_reached_by_two_typed_values(painting):
    painting.choose(1)
    until(lambda: painting.values() == [0, 0], "two sliders")
    for number, text in enumerate(("6", "-6")):
        assert "reached" not in painting.goal()
        painting.type(painting.sliders.nth(number), text)
        until(lambda n=number, t=text: painting.values()[n] == float(t), f"the box reads {text}")
    until(lambda: "reached" in painting.goal(), "goal 1 is reached")
    painting.mirror.heads.value = 2
    painting.mirror.gaps[0].value = 6
    painting.mirror.gaps[1].value = -6
    painting.shows_what_its_mirror_shows()


def test_paint_can_be_cleared_and_what_can_be_reached_shown_and_hidden(painting):
    fresh = painting.shown()
    painting.type(painting.sliders.nth(0), "6")
    until(lambda: painting.shown() != fresh, "paint")
    painting.type(painting.sliders.nth(0), "0")
    until(lambda: painting.values() == [0], "back in the middle")
    assert painting.shown() != fresh
    painting.press("Clear the paint")
    until(lambda: painting.shown() == fresh, "no paint")
    painting.press("Show all that can be reached")
    until(lambda: painting.shown() != fresh, "an outline")
    painting.press("Hide all that can be reached")
    until(lambda: painting.shown() == fresh, "no outline")
