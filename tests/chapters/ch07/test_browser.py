"""Chapter 07's explorers in a real JupyterLab, by real clicks."""

import pytest
from lab import View, until, wait_for_pictures

from mhalib.chapters import ch07

CHAPTER_7 = "07_competition.ipynb"


class Tug(View):
    """The tug of war, whose mirror is pressed together with it."""

    def __init__(self, lab):
        super().__init__(lab, CHAPTER_7, "ch07.TugOfWar()", ch07.TugOfWar())

    def start(self, example):
        """The example with this number, as chosen by a click, and no step made."""
        names = list(self.mirror.examples)
        self.chooser(self.mirror.example).select_option(index=example)
        self.press("Back to example")
        self.mirror.example.value = names[example]
        self.mirror.back()
        return self.shows_what_its_mirror_shows()

    def both_press(self, name):
        buttons = [*self.mirror.step_buttons, self.mirror.reset_button]
        self.press(name)
        next(button for button in buttons if button.description == name).click()
        return self.shows_what_its_mirror_shows()

    def goal_line(self):
        return self.output.locator(".widget-html", has_text="Goal 1 of").inner_text()


@pytest.fixture
def tug(quiet):
    quiet.show(CHAPTER_7)
    tug = Tug(quiet)
    tug.start(0)
    return tug


def test_it_opens_with_its_two_pictures_and_two_sliders(tug):
    assert tug.pictures.count() == 2
    wait_for_pictures(tug.output)
    assert tug.sliders.count() == 2
    assert tug.values() == [0.85, 0.5]


def test_each_press_of_step_moves_pictures_and_sentence(tug):
    said, before = tug.start(0), tug.shown()
    for _ in range(3):
        now = tug.both_press("Step")
        assert now != said
        assert all(a != b for a, b in zip(tug.shown(), before, strict=True))
        said, before = now, tug.shown()
    assert said.startswith("After 3 steps")
    assert tug.both_press("Reset").startswith("At the start")


def test_one_row_goes_back_to_the_middle_and_its_goal_is_impossible(tug):
    said = tug.both_press("10 steps")
    assert "“cat” 50% and “mat” 50%" in said
    assert "Can it be reached at all?" in tug.goal_line()


def test_with_two_rows_the_goal_is_reached_by_two_presses(tug):
    tug.chooser(tug.mirror.n_rows).select_option(index=1)
    tug.mirror.n_rows.value = 2
    tug.shows_what_its_mirror_shows()
    assert "reached" not in tug.goal_line()
    tug.both_press("10 steps")
    tug.both_press("10 steps")
    until(lambda: "✓ reached" in tug.goal_line(), "the goal is reached")


def test_dragging_the_start_moves_the_row_while_the_hand_moves(tug):
    said = tug.start(0)
    with tug.dragged(tug.sliders.nth(0), -40):
        lead = tug.values()[0]
        assert lead < 0
        tug.mirror.lead.value = lead
        assert tug.shows_what_its_mirror_shows() != said, "before the mouse lets go"


def test_a_typed_start_is_taken(tug):
    tug.type(tug.sliders.nth(0), "-2.5")
    until(lambda: tug.values()[0] == -2.5, "the box reads −2.5")
    tug.mirror.lead.value = -2.5
    assert "“mat” 92%" in tug.shows_what_its_mirror_shows()


def test_the_row_of_four_falls_asleep_when_a_logit_is_typed(quiet):
    view = View(quiet, CHAPTER_7, "ch07.RowAnswers()", ch07.RowAnswers())
    wait_for_pictures(view.output)
    assert view.pictures.count() == 2
    view.type(view.sliders.nth(0), "10")
    until(lambda: view.values()[0] == 10, "the box reads 10")
    view.mirror.logits[0].value = 10
    view.shows_what_its_mirror_shows()
    until(lambda: "✓ reached" in view.output.inner_text(), "the row is asleep")
