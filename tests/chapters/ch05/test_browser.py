"""A learner in a real JupyterLab inserts words and unmasks the heads of chapter 05."""

import pytest
from lab import View, fresh_views, view_of

from mhalib.chapters import ch05
from mhalib.chapters.ch05.unmask import MASKED

CHAPTER_5 = "05_routes_and_criteria.ipynb"

test_every_view_is_drawn_and_fits_a_wide_page_and_a_phone = fresh_views(CHAPTER_5)


class Masked(View):
    def insert(self):
        for control in self.mirror.inserts:
            self.choose(control, "inserted")

    def show(self, head):
        self.choose(self.mirror.shown_head, f"head {head}")

    def call(self, name):
        self.choose(self.mirror.name, name)


masked = view_of(CHAPTER_5, "masked = ch05.Unmask()", ch05.Unmask, Masked)


def test_it_opens_with_a_table_two_graphs_and_six_controls(masked):
    assert masked.pictures.count() == 3
    assert masked.sliders.count() + masked.choosers.count() == 6
    table, graph, _ = masked.places()
    assert table["x"] + table["width"] <= graph["x"], "the graph is beside the table"
    assert graph["y"] == pytest.approx(table["y"], abs=1)


def test_an_inserted_word_moves_the_arrows_and_no_picture(masked):
    said, before, places = masked.agrees(), masked.shown(), masked.places()
    masked.insert()
    assert masked.agrees() != said
    assert all(a != b for a, b in zip(masked.shown(), before, strict=True))
    assert masked.places() == places


def test_dragging_the_strictness_brings_a_merged_route_back(masked):
    masked.insert()
    masked.show("A")
    masked.agrees()
    before = masked.shown()
    with masked.dragged(masked.mirror.strictness, -120):
        assert masked.mirror.strictness.value < 3, "sat keeps its route to cat"
        masked.agrees()
    assert all(a != b for a, b in zip(masked.shown(), before, strict=True))


def test_the_heads_are_unmasked_by_real_clicks(masked):
    for head, name in zip("ABCD", MASKED, strict=True):
        masked.show(head)
        masked.call(name)
    masked.goal_says("Named: 4 of 4")
    assert "tells them apart" in masked.goal() and "reached" not in masked.goal()
    masked.insert()
    for head in "ABC":
        masked.show(head)
    masked.goal_says("reached")
    masked.agrees()


def test_a_wrong_name_is_answered_by_the_word_that_shows_it(masked):
    masked.insert()
    masked.show("A")
    masked.call("verb → previous word")
    masked.goal_says("would have “sat” look at “quietly”")


def test_on_a_phone_table_and_graph_stand_above_the_choosers(masked):
    masked.resize(400)
    table, graph, merged = masked.places()
    choosers = [select.bounding_box() for select in masked.choosers.all()]
    assert table["y"] < graph["y"] < min(box["y"] for box in choosers) < merged["y"]
    assert max(box["x"] + box["width"] for box in (table, graph, merged, *choosers)) <= 400


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_jumps_when_words_and_names_are_chosen(width, masked):
    masked.resize(width)
    places = masked.places()
    masked.insert()
    masked.show("D")
    masked.call("preposition → 2 words on")
    masked.goal_says("Head D is not")  # the longest answer
    assert masked.places() == places
