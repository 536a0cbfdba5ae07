"""Chapter 06's writes, moved by a learner in a real JupyterLab."""

import pytest
from lab import View, until, wait_for_pictures

from mhalib.chapters import ch06
from mhalib.chapters.ch06.writes import W_O

CHAPTER_6 = "06_mixing_and_w_o.ipynb"


class Written(View):
    """The explorer in chapter 6, whose three sliders are factors on the heads' writes."""

    def __init__(self, lab):
        super().__init__(lab, CHAPTER_6, "ch06.Writes()", ch06.Writes())

    def start(self):
        """The word “sat”, all factors 1, no ghost, goal 1 on show."""
        if self.output.get_by_role("button", name="Drop the ghost").count():
            self.press("Drop the ghost")
        self.show_goal(1)
        self.press("Back to example")
        self.shows_what_its_mirror_shows()

    def goal(self):
        return self.output.locator(".widget-html", has_text=" of 3:").inner_text()

    def set(self, *factors):
        for number, factor in enumerate(factors):
            self.type(self.sliders.nth(number), str(factor))
        until(lambda: self.values() == list(factors), f"the boxes read {factors}")
        for control, factor in zip(self.mirror.factors, factors, strict=True):
            control.value = factor


@pytest.fixture
def written(quiet):
    written = Written(quiet)
    written.start()
    return written


def test_it_opens_with_two_pictures_and_three_sliders(written):
    assert written.pictures.count() == 2 and written.sliders.count() == 3
    wait_for_pictures(written.output)
    written.shows_what_its_mirror_shows()


def test_dragging_a_factor_changes_pictures_and_sentence_to_what_mhalib_computes(written):
    said, before = written.shows_what_its_mirror_shows(), written.shown()
    with written.dragged(written.sliders.nth(1), -60):
        written.mirror.factors[1].value = written.values()[1]
        assert written.mirror.factors[1].value < 0.9
        assert written.shows_what_its_mirror_shows() != said, "before the mouse lets go"
        assert all(a != b for a, b in zip(written.shown(), before, strict=True))


def test_another_word_and_another_w_o_give_other_arrows(written):
    before = written.shown()
    written.chooser(written.mirror.word).select_option(index=5)
    written.mirror.word.value = 5
    assert "“mat” looks" in written.shows_what_its_mirror_shows()
    written.chooser(written.mirror.w_o).select_option(index=2)
    written.mirror.w_o.value = list(W_O)[2]
    written.shows_what_its_mirror_shows()
    assert written.shown() != before


def test_goal_1_is_reached_by_typing_0_for_head_c(written):
    assert "reached" not in written.goal()
    written.set(1, 1, 0)
    until(lambda: "reached" in written.goal(), "goal 1 is reached")
    written.shows_what_its_mirror_shows()


def test_goal_3_is_reached_with_a_ghost_and_three_typed_values(written):
    written.show_goal(3)
    until(lambda: "Keep a ghost” first" in written.goal(), "goal 3 asks for a ghost")
    written.press("Keep a ghost")
    written.set(0.5, 0.91, 0.84)
    until(lambda: "reached" in written.goal(), "goal 3 is reached")
