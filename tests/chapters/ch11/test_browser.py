"""A learner in a real JupyterLab makes a cache fit."""

import pytest
from lab import View, until, wait_for_pictures

from mhalib.chapters import ch11
from mhalib.chapters.ch11.make_it_fit import COSTS

CHAPTER_11 = "11_what_heads_cost.ipynb"


class Fit(View):
    """The explorer in chapter 11, and the same one in mhalib, moved alike."""

    def __init__(self, lab):
        super().__init__(lab, CHAPTER_11, "fit = ch11.MakeItFit()", ch11.MakeItFit())

    def choose(self, control, index):
        """The same choice on the page and in the mirror."""
        self.chooser(control).select_option(index=index)
        control.index = index

    def set(self, number, control, value):
        """A typed value, on the page and in the mirror."""
        self.type(self.sliders.nth(number), str(value))
        until(lambda: self.values()[number] == value, f"the box reads {value}")
        control.value = value

    def goal(self):
        return self.output.locator(".widget-html", has_text=" of 4:").inner_text()

    def start(self):
        self.choose(self.mirror.example, 0)
        self.press("Back to example")
        self.mirror.back()
        while "Goal 1 of" not in self.goal():
            self.press("◀ Goal")
        until(lambda: self.values() == [32, 16], "32 thousand tokens, 16 texts")


@pytest.fixture
def fit(quiet):
    quiet.show(CHAPTER_11)
    fit = Fit(quiet)
    fit.start()
    return fit


def test_it_opens_with_two_pictures_and_six_controls_at_160_gib(fit):
    wait_for_pictures(fit.output)
    assert fit.pictures.count() == 2
    assert fit.sliders.count() + fit.output.locator("select:visible").count() == 6
    assert "take 160 GiB of cache" in fit.shows_what_its_mirror_shows()
    assert "not yet" in fit.goal()


def test_dragging_the_texts_changes_pictures_and_sentence_to_what_mhalib_computes(fit):
    said, before = fit.shows_what_its_mirror_shows(), fit.shown()
    with fit.dragged(fit.sliders.nth(1), 60):
        fit.mirror.texts.value = fit.values()[1]
        assert fit.mirror.texts.value > 20
        assert fit.shows_what_its_mirror_shows() != said, "before the mouse lets go"
        assert all(a != b for a, b in zip(fit.shown(), before, strict=True))


def test_the_goal_is_reached_by_one_change_and_not_by_two(fit):
    fit.choose(fit.mirror.bits, 1)
    until(lambda: "reached" in fit.goal(), "8 bits do it")
    assert f"The price: {COSTS['bits']}." in fit.shows_what_its_mirror_shows()
    fit.set(1, fit.mirror.texts, 8)
    until(lambda: "These are 2 changes" in fit.goal(), "two changes are not one")
    fit.shows_what_its_mirror_shows()
    fit.choose(fit.mirror.bits, 0)
    until(lambda: "reached" in fit.goal(), "8 texts do it alone")


def test_four_ways_are_found_by_real_clicks(fit):
    mirror = fit.mirror
    for control, index in ((mirror.bits, 1), (mirror.sharing, 3), (mirror.window, 1)):
        fit.choose(control, index)
        fit.shows_what_its_mirror_shows()
        fit.choose(control, 0)
    fit.set(0, mirror.tokens, 16)
    fit.press("Goal ▶")
    until(lambda: "Goal 2 of 4" in fit.goal() and "reached" in fit.goal(), "four ways")


def test_heads_that_cannot_share_so_many_blocks_are_told_so(fit):
    names = list(fit.mirror.examples)
    fit.choose(fit.mirror.example, names.index("SmolLM2-135M"))
    fit.choose(fit.mirror.sharing, 2)
    assert "n_kv = 8 blocks" in fit.shows_what_its_mirror_shows()


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_jumps_when_models_are_chosen(width, fit, lab):
    lab.resize(width)
    until(lambda: (fit.output.bounding_box()["width"] < 300) == (width < 600), "resized")
    places = [picture.bounding_box() for picture in fit.pictures.all()]
    height = fit.output.bounding_box()["height"]
    fit.choose(fit.mirror.example, 4)
    fit.choose(fit.mirror.sharing, 5)
    fit.choose(fit.mirror.bits, 2)
    fit.choose(fit.mirror.window, 1)
    fit.shows_what_its_mirror_shows()
    assert [picture.bounding_box() for picture in fit.pictures.all()] == places
    assert fit.output.bounding_box()["height"] == height
