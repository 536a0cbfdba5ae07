"""Chapter 10's explorer, moved by a learner in a real JupyterLab."""

import pytest
from lab import View, until, wait_for_pictures

from mhalib.chapters import ch10

CHAPTER_10 = "10_heads_on_pictures.ipynb"


class Fewest(View):
    """The explorer in chapter 10, and what its goal line says."""

    def __init__(self, lab):
        super().__init__(lab, CHAPTER_10, "ch10.FewestHeads()", ch10.FewestHeads())

    def start(self):
        """The example: sharpen by two soft heads; goal 1 on show."""
        self.press("Back to example")
        self.show_goal(1)
        until(lambda: self.values() == [2, 1], "two heads, α = 1")
        self.shows_what_its_mirror_shows()

    def choose(self, name, value):
        """Choose in the list of a control, on the page and in the mirror."""
        control = getattr(self.mirror, name)
        values = [o[1] if isinstance(o, tuple) else o for o in control.options]
        self.chooser(control).select_option(index=values.index(value))
        control.value = value

    def set(self, heads, alpha):
        for number, (name, value) in enumerate((("heads", heads), ("alpha", alpha))):
            self.type(self.sliders.nth(number), str(value))
            getattr(self.mirror, name).value = value
        until(lambda: self.values() == [heads, alpha], f"{heads} heads, α = {alpha}")

    def goal(self):
        return self.output.locator(".widget-html", has_text=" of 4:").inner_text()


@pytest.fixture
def fewest(quiet):
    fewest = Fewest(quiet)
    fewest.start()
    return fewest


def test_it_opens_with_its_pictures_its_sentence_and_its_goal(fewest):
    wait_for_pictures(fewest.output)
    assert fewest.pictures.count() == 2
    assert "Sharpen by 2 heads" in fewest.shows_what_its_mirror_shows()
    assert "not yet" in fewest.goal()


def test_dragging_alpha_changes_pictures_and_sentence_while_the_button_is_down(fewest):
    before = fewest.shown()
    with fewest.dragged(fewest.sliders.nth(1), 60):
        until(lambda: fewest.shown() != before, "rows that grow sharper")
        assert fewest.values()[1] > 1
    fewest.mirror.alpha.value = fewest.values()[1]
    fewest.shows_what_its_mirror_shows()


def test_goal_1_counts_kernels_that_are_made_with_the_fewest_heads(fewest):
    fewest.set(2, 10)
    until(lambda: "Sharpen takes 2" in fewest.goal(), "sharpen is done")
    fewest.choose("kernel", "blur")
    until(lambda: "more heads than it takes" in fewest.goal(), "two heads are too many")
    fewest.set(1, 10)
    until(lambda: "Blur takes 1. Done: " in fewest.goal(), "blur is done")
    fewest.shows_what_its_mirror_shows()


def test_sobel_with_one_head_unfolds_why_it_is_impossible(fewest):
    fewest.show_goal(2)
    fewest.choose("kernel", "Sobel")
    fewest.set(1, 10)
    until(lambda: "Can it be reached" in fewest.goal(), "a question to unfold")
    assert "one sign" not in fewest.goal()
    fewest.output.locator("summary").click()
    until(lambda: "one sign" in fewest.goal(), "the reason unfolds")
    fewest.shows_what_its_mirror_shows()


def test_five_heads_of_one_place_make_the_laplacian(fewest):
    fewest.show_goal(3)
    fewest.choose("kernel", "Laplacian")
    fewest.choose("kind", "place")
    fewest.choose("pixel", "corner")
    fewest.set(5, 10)
    until(lambda: "reached" in fewest.goal(), "goal 3 is reached")
    fewest.shows_what_its_mirror_shows()


def test_a_typed_number_makes_the_kernel_the_readers_own(fewest):
    fewest.output.get_by_text("The kernel's nine numbers").click()
    box = fewest.output.locator("input[type=number]").nth(4)
    box.fill("9")
    box.press("Enter")
    fewest.mirror.numbers[4].value = 9
    assert "A kernel of your own" in fewest.shows_what_its_mirror_shows()
    fewest.output.get_by_text("The kernel's nine numbers").click()
