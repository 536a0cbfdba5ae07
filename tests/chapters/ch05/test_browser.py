"""A learner in a real JupyterLab inserts words and unmasks the heads of chapter 05."""

import pytest
from lab import View, until, wait_for_pictures

from mhalib.chapters import ch05
from mhalib.chapters.ch05.unmask import MASKED, NAMES

CHAPTER_5 = "05_routes_and_criteria.ipynb"


class Masked(View):
    """The explorer in chapter 05, and the same one in mhalib, moved alike."""

    def __init__(self, lab):
        super().__init__(lab, CHAPTER_5, "masked = ch05.Unmask()", ch05.Unmask())

    def label(self, name):
        """The drop-down list that stands behind a name."""
        return self.output.locator(f".widget-dropdown:has(label:text-is('{name}')) select")

    def choose(self, name, control, index):
        """The same choice on the page and in the mirror."""
        self.label(name).select_option(index=index)
        control.index = index

    def insert(self, yes=True):
        for control in self.mirror.inserts:
            self.choose(control.description, control, int(yes))

    def show(self, head):
        self.choose("Show", self.mirror.shown_head, head)

    def call(self, name):
        self.choose("It is", self.mirror.name, 1 + list(NAMES).index(name))

    def goal(self):
        return self.output.locator(".widget-html", has_text="Goal 1 of").inner_text()


@pytest.fixture
def masked(quiet):
    """The explorer after Run All, at its start."""
    quiet.show(CHAPTER_5)
    masked = Masked(quiet)
    masked.press("Start again")
    masked.shows_what_its_mirror_shows()
    return masked


def test_it_opens_with_a_table_two_graphs_and_six_controls(masked):
    wait_for_pictures(masked.output)
    assert masked.pictures.count() == 3
    assert masked.sliders.count() + masked.output.locator("select:visible").count() == 6
    boxes = [picture.bounding_box() for picture in masked.pictures.all()]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"], "the graph is beside the table"
    assert all(box["y"] == pytest.approx(boxes[0]["y"], abs=1) for box in boxes[:2])


def test_an_inserted_word_moves_the_arrows_and_no_picture(masked):
    places = [picture.bounding_box() for picture in masked.pictures.all()]
    said, before = masked.shows_what_its_mirror_shows(), masked.shown()
    masked.insert()
    assert masked.shows_what_its_mirror_shows() != said
    assert all(a != b for a, b in zip(masked.shown(), before, strict=True))
    assert [picture.bounding_box() for picture in masked.pictures.all()] == places


def test_dragging_the_threshold_takes_arrows_away(masked):
    masked.show(1)
    masked.shows_what_its_mirror_shows()
    before = masked.shown()
    with masked.dragged(masked.sliders.nth(0), 240):
        until(lambda: masked.values()[0] >= 0.85, "a threshold that previous-word arrows miss")
        masked.mirror.threshold.value = masked.values()[0]
        masked.shows_what_its_mirror_shows()
    table, graph, _ = masked.shown()
    assert table == before[0] and graph != before[1]


def test_the_heads_are_unmasked_by_real_clicks(masked):
    for head, name in enumerate(MASKED):
        masked.show(head)
        masked.call(name)
    until(lambda: "Named: 4 of 4" in masked.goal(), "four names are given")
    assert "tells them apart" in masked.goal() and "reached" not in masked.goal()
    masked.insert()
    for head in (0, 1, 2):
        masked.show(head)
    until(lambda: "reached" in masked.goal(), "the goal is reached")
    masked.shows_what_its_mirror_shows()


def test_a_wrong_name_is_answered_by_the_word_that_shows_it(masked):
    masked.insert()
    masked.show(0)
    masked.call("verb → previous word")
    until(lambda: "would have “sat” look at “quietly”" in masked.goal(), "the word that shows it")


def test_on_a_phone_table_and_graph_stand_above_the_choosers(masked, lab):
    lab.resize(400)
    until(lambda: masked.output.bounding_box()["width"] < 300, "the output is narrow")
    table, graph, merged = (picture.bounding_box() for picture in masked.pictures.all())
    choosers = [select.bounding_box() for select in masked.output.locator("select:visible").all()]
    assert table["y"] < graph["y"] < min(box["y"] for box in choosers) < merged["y"]
    assert max(box["x"] + box["width"] for box in (table, graph, merged, *choosers)) <= 400


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_jumps_when_words_and_names_are_chosen(width, masked, lab):
    lab.resize(width)
    until(lambda: (masked.output.bounding_box()["width"] < 300) == (width < 600), "resized")
    places = [picture.bounding_box() for picture in masked.pictures.all()]
    masked.insert()
    masked.show(3)
    masked.call("preposition → 2 words on")
    until(lambda: "Head D is not" in masked.goal(), "the longest answer")
    assert [picture.bounding_box() for picture in masked.pictures.all()] == places
