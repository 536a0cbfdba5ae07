"""Chapter 02's explorers in a real JupyterLab: which code is the bug, and real layers."""

import pytest
from drive import labelled
from lab import View, until, wait_for_pictures

from mhalib.chapters import ch02

CHAPTER_2 = "02_cutting_into_heads.ipynb"


class Shown(View):
    """An explorer of chapter 02, beside its mirror; both are moved by choosing by name."""

    def __init__(self, lab, source, mirror):
        super().__init__(lab, CHAPTER_2, source, mirror)
        self.press("Back to example")
        if len(mirror.goals) > 1:
            self.show_goal(1)

    def choose(self, control, label):
        """Choose on the page and in the mirror; wait until both show the same."""
        self.chooser(control).select_option(label=str(label))
        control.value = dict(labelled(control))[str(label)]
        return self.shows_what_its_mirror_shows()

    def goal(self):
        return self.output.locator(".widget-html", has_text="Goal ").inner_text()


@pytest.fixture
def splits(quiet):
    return Shown(quiet, "splits = ch02.TwoSplits()", ch02.TwoSplits())


@pytest.fixture
def layers(quiet):
    layers = Shown(quiet, "layers = ch02.PublishedLayers()", ch02.PublishedLayers())
    layers.choose(layers.mirror.example, "GPT-2 small")
    return layers


def test_the_two_codes_open_side_by_side_with_five_choosers_and_no_light(splits):
    assert splits.pictures.count() == 2
    wait_for_pictures(splits.output)
    assert splits.output.locator("select:visible").count() == 5
    left, right = (splits.pictures.nth(n).bounding_box() for n in range(2))
    assert left["x"] + left["width"] <= right["x"] and left["y"] == right["y"]
    assert splits.shows_what_its_mirror_shows() == "No word is changed, so nothing lights up."


def test_a_changed_word_lights_cells_in_both_pictures(splits):
    before = splits.shown()
    said = splits.choose(splits.mirror.word, "cat")
    assert said.startswith("“cat” is changed")
    assert all(a != b for a, b in zip(splits.shown(), before, strict=True))
    assert splits.choose(splits.mirror.n_heads, 4) != said


def test_goal_1_one_word_convicts_the_bug(splits):
    mirror = splits.mirror
    splits.choose(mirror.accused, "code 2")
    assert "needs evidence" in splits.goal()
    splits.choose(mirror.word, "sat")
    until(lambda: "reached" in splits.goal(), "code 2 is convicted")
    splits.choose(mirror.accused, "code 1")
    until(lambda: "not yet" in splits.goal(), "code 1 is not")


def test_goal_2_is_reached_with_one_head_and_then_with_one_word(splits):
    splits.show_goal(2)
    splits.choose(splits.mirror.n_heads, 1)
    splits.choose(splits.mirror.n_heads, 2)
    splits.choose(splits.mirror.n_words, 1)
    until(lambda: "reached" in splits.goal(), "both settings are found")


def test_dragging_the_words_changes_every_shape_while_the_button_is_down(layers):
    before = layers.shown()
    with layers.dragged(layers.sliders.nth(0), 40):
        until(lambda: layers.values()[0] > 6, "more than 6 words")
        layers.mirror.n_words.value = layers.values()[0]
        layers.shows_what_its_mirror_shows()
        assert layers.shown()[1] != before[1]
    layers.mirror.n_words.value = layers.values()[0]
    layers.shows_what_its_mirror_shows()


def test_ten_heads_are_refused_in_one_sentence_on_the_page(layers):
    said = layers.choose(layers.mirror.heads, "10")
    assert said.startswith("n_embd = 768 cannot be cut into n_head = 10 equal blocks")
    until(lambda: "reached" in layers.goal(), "the refusal is goal 1")
