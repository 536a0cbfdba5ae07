"""A learner in a real JupyterLab hunts for heads, types a sentence, and cuts a wire."""

import pytest
from lab import View, until, wait_for_pictures

from mhalib.chapters import ch12
from mhalib.real_models import load

CHAPTER_12 = "12_reading_real_heads.ipynb"
START = ("induction", "given twice", 16, 3)


class Hunt(View):
    """The explorer for SmolLM2 in chapter 12, and the same one in mhalib, moved alike."""

    def __init__(self, lab):
        mirror = ch12.HeadHunt(load("SmolLM2"), START)
        super().__init__(lab, CHAPTER_12, "ch12.HeadHunt(smol", mirror)

    def start(self):
        """Layer 16, head 3, all heads on; goal 1 on show and nothing found."""
        self.press("Back to example")
        self.mirror.back()
        self.show_goal(1)
        self.shows_what_its_mirror_shows()

    def choose(self, control, index):
        """The same choice on the page and in the mirror."""
        self.chooser(control).select_option(index=index)
        control.index = index

    def set(self, number, control, value):
        """A typed value, on the page and in the mirror."""
        self.type(self.sliders.nth(number), str(value))
        until(lambda: self.values()[number] == value, f"the box reads {value}")
        control.value = value

    def switch(self, head):
        """Press a head's switch, on the page and in the mirror."""
        self.press(str(head))
        self.mirror.switches[head].value = not self.mirror.switches[head].value

    def goal(self):
        return self.output.locator(".widget-html", has_text=" of 3:").inner_text()


@pytest.fixture
def hunt(quiet):
    quiet.show(CHAPTER_12)
    hunt = Hunt(quiet)
    hunt.start()
    return hunt


def test_it_opens_with_two_pictures_two_sliders_and_nine_switches(hunt):
    wait_for_pictures(hunt.output)
    assert hunt.pictures.count() == 2 and hunt.sliders.count() == 2
    assert hunt.output.locator(".widget-toggle-button:visible").count() == 9
    assert "All heads on: loss 2.8 on tokens given twice" in hunt.shows_what_its_mirror_shows()


def test_dragging_the_head_changes_pictures_and_sentence_to_what_mhalib_computes(hunt):
    said, before = hunt.shows_what_its_mirror_shows(), hunt.shown()
    with hunt.dragged(hunt.sliders.nth(1), 60):
        hunt.mirror.head.value = hunt.values()[1]
        assert hunt.mirror.head.value > 3
        assert hunt.shows_what_its_mirror_shows() != said, "before the mouse lets go"
        assert all(a != b for a, b in zip(hunt.shown(), before, strict=True))


def test_a_poster_is_found_by_typed_numbers(hunt):
    hunt.set(0, hunt.mirror.layer, 18)
    assert ", found;" not in hunt.shows_what_its_mirror_shows()
    hunt.set(1, hunt.mirror.head, 6)
    assert ", found;" in hunt.shows_what_its_mirror_shows()
    until(lambda: "induction" in hunt.goal(), "the poster is noted")


def test_a_sentence_of_ones_own_is_read_whatever_it_holds(hunt):
    box = hunt.at_rest(hunt.output.locator("input[type=text]:visible").first)
    for text in ("a cat saw a dog", "猫 😀 $x_$ <b>", ""):
        box.fill(text)
        box.press("Enter")
        hunt.mirror.own.value = text
        hunt.shows_what_its_mirror_shows()
    assert "Nothing was typed" in hunt.shows_what_its_mirror_shows()


def test_goal_3_is_reached_by_one_real_click_and_undone_by_another(hunt):
    hunt.show_goal(3)
    assert "not yet" in hunt.goal()
    hunt.switch(0)
    until(lambda: "reached" in hunt.goal(), "one wire is cut")
    assert "Muted: (16, 0)." in hunt.shows_what_its_mirror_shows()
    hunt.switch(0)
    until(lambda: "0 heads are muted" in hunt.goal(), "it is whole again")
    hunt.shows_what_its_mirror_shows()
