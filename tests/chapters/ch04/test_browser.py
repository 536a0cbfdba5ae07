"""A learner in a real JupyterLab, in real Chromium, runs the chapters and moves the flagship."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from lab import HOW_TO_GET_IT, ROOT, View, cells_with, until, wait_for_pictures

from mhalib.chapters import ch04

CHAPTER_4 = "04_the_softmax_decides.ipynb"
NAMES = {path.name for path in ROOT.glob("notebooks/*.ipynb")}
CHAPTERS = [CHAPTER_4, *sorted(NAMES - {CHAPTER_4})]  # chapter 4 is open already
FLAGSHIP = "flagship = ch04.TwoLanes()"
INTERACTIVE = re.compile(r"\bPrediction\(|\bexplorers\.\w+\(")
VIEW_DATA = "application/vnd.jupyter.widget-view+json"


class Flagship(View):
    """The flagship in chapter 4, whose four sliders are logits."""

    def __init__(self, lab):
        super().__init__(lab, CHAPTER_4, FLAGSHIP, ch04.TwoLanes())
        self.logits = self.values

    def start(self):
        """Example 1, as chosen by a click, with goal 1 on show."""
        self.chooser(self.mirror.example).select_option(index=0)
        self.press("Back to example")
        until(lambda: self.logits() == [10, 0, 0, 10], "example 1 is back")
        self.show_goal(1)

    def agrees(self, logits=None):
        """Wait until sentence and pictures are mhalib's, for these logits or the four on show."""
        logits = np.reshape(self.logits(), (2, 2)) if logits is None else logits
        with self.mirror.one_redraw():
            self.mirror.apply(logits)
        return self.shows_what_its_mirror_shows()


@pytest.fixture
def flagship(quiet):
    """The flagship in chapter 4 after Run All, at its first example."""
    quiet.show(CHAPTER_4)
    flagship = Flagship(quiet)
    flagship.start()
    return flagship


def test_a_fresh_copy_shows_stored_pictures_and_folded_answers_before_anything_runs(quiet):
    quiet.open(CHAPTER_4)
    for number, cell in cells_with(CHAPTER_4, INTERACTIVE).items():
        output = quiet.output(number)
        if "Prediction(" in cell.source:
            answer = output.locator("details")
            assert answer.get_attribute("open") is None
            assert answer.locator("p").first.is_visible() is False
        else:
            assert output.locator("img").count() == 1
            wait_for_pictures(output)


def test_a_prediction_answers_after_commit_and_keeps_the_choice(quiet):
    kept = quiet.server.home / "mhalib/predictions.json"
    if kept.exists():
        quiet.close()  # and open it afresh, with nothing answered
    quiet.show(CHAPTER_4)
    number, cell = next(iter(cells_with(CHAPTER_4, r"\bPrediction\(").items()))
    [stored] = [output.data["text/html"] for output in cell.outputs if "data" in output]
    answer = re.search(r"</summary><p>(.*?)</p>", stored)[1]
    answer = re.sub(r"<.*?>", "", answer)
    output = quiet.output(number)
    assert answer not in output.inner_text()
    output.locator("input[type=radio]").first.check()
    assert answer not in output.inner_text()
    assert not kept.exists()
    output.get_by_role("button", name="Commit").click()
    until(lambda: answer in output.inner_text(), f"“{answer}”")
    until(kept.exists, "the choice is kept")


def test_run_all_ends_with_no_error_and_an_idle_kernel(flagship, lab):
    outputs = [output for outputs in lab.outputs() for output in outputs]
    assert len(outputs) > 10
    assert [output for output in outputs if output["output_type"] == "error"] == []
    status = "panel.sessionContext.session.kernel.status"
    until(lambda: lab.page.evaluate(status) == "idle", "an idle kernel")


def test_the_flagship_opens_with_two_pictures_four_sliders_examples_and_merge_rules(flagship):
    assert flagship.pictures.count() == 2
    wait_for_pictures(flagship.output)
    assert flagship.sliders.count() == 4
    assert flagship.chooser(flagship.mirror.example).input_value() == "1  Two sure heads"
    assert flagship.chooser(flagship.mirror.rule).input_value() == "add"
    flagship.agrees()


def test_dragging_a_slider_changes_pictures_and_sentence_to_what_mhalib_computes(flagship):
    said, before = flagship.agrees(), flagship.shown()
    with flagship.dragged(flagship.sliders.nth(0), -60):
        assert flagship.logits()[0] < 5
        assert flagship.agrees() != said, "before the mouse lets go"
        assert all(a != b for a, b in zip(flagship.shown(), before, strict=True))
    flagship.agrees()


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_jumps_under_the_mouse_while_it_drags(width, flagship, lab):
    lab.resize(width)
    slider = flagship.sliders.nth(0)
    slider.scroll_into_view_if_needed()
    flagship.output.evaluate(
        """output => {
            const place = thing => thing.getBoundingClientRect();
            const pictures = [...output.querySelectorAll('img.widget-image')];
            const sliders = [...output.querySelectorAll('.widget-slider')].filter(
                slider => slider.offsetParent);
            window.seen = new Set();
            window.watching = true;
            const look = () => {
                seen.add(JSON.stringify({
                    heights: pictures.map(picture => place(picture).height),
                    tops: [...pictures, ...sliders].map(thing => place(thing).top),
                }));
                if (watching) requestAnimationFrame(look);
            };
            look();
        }"""
    )
    with flagship.dragged(slider, -60, 30):
        flagship.agrees()
    seen = flagship.page.evaluate("watching = false, [...seen]")
    assert seen == seen[:1]


def test_a_typed_value_counts_after_enter(flagship):
    flagship.type(flagship.sliders.nth(1), "7.5")
    until(lambda: flagship.logits() == [10, 7.5, 0, 10], "the box reads 7.5")
    flagship.agrees()


def test_arrow_keys_move_a_slider_by_its_step(flagship):
    flagship.sliders.nth(0).locator(".noUi-handle").focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowRight"):
        flagship.page.keyboard.press(key)
    until(lambda: flagship.logits() == [9.8, 0, 0, 10], "two steps to the left")
    flagship.agrees()


@pytest.mark.parametrize(("typed", "kept"), [("999", 20), ("-999", -20)])
def test_a_number_outside_the_range_becomes_the_nearest_end(typed, kept, flagship):
    flagship.type(flagship.sliders.nth(0), typed)
    until(lambda: flagship.logits() == [kept, 0, 0, 10], f"the box reads {kept}")
    flagship.agrees()


def test_a_word_in_a_sliders_box_changes_nothing(flagship):
    flagship.type(flagship.sliders.nth(0), "cat")
    until(lambda: flagship.logits() == [10, 0, 0, 10], "the box reads 10 again")
    flagship.agrees()


def test_choosing_an_example_changes_pictures_sentence_and_sliders(flagship):
    said, before = flagship.agrees(), flagship.shown()
    flagship.chooser(flagship.mirror.example).select_option(index=1)
    until(lambda: flagship.logits() == [10, 0, 0, 4], "the sliders of example 2")
    assert flagship.agrees() != said
    assert all(a != b for a, b in zip(flagship.shown(), before, strict=True))


def test_the_last_example_changes_the_number_of_heads_and_next_comes_round(flagship):
    names = list(flagship.mirror.examples)
    flagship.chooser(flagship.mirror.example).select_option(index=len(names) - 1)
    logits = flagship.mirror.examples[names[-1]]
    flagship.agrees(logits)
    assert flagship.sliders.count() == len(logits[0]), "one head's sliders at a time"
    flagship.press("Next")
    until(lambda: flagship.logits() == [10, 0, 0, 10], "the sliders of example 1")
    flagship.agrees()


def test_a_ghost_stays_until_it_is_dropped(flagship):
    flagship.agrees()
    before = flagship.shown()
    flagship.press("Keep a ghost")
    until(lambda: flagship.shown() != before, "outlines in the picture")
    flagship.press("Drop the ghost")
    until(lambda: flagship.shown() == before, "no outlines in the picture")


def test_goal_2_is_reached_by_typing_one_number(flagship):
    flagship.show_goal(2)
    goal = flagship.output.locator(".widget-html", has_text="Goal 2 of")
    assert "reached" not in goal.inner_text()
    flagship.type(flagship.sliders.nth(0), "20")
    until(lambda: "reached" in goal.inner_text(), "goal 2 is reached")
    assert flagship.logits() == [20, 0, 0, 10]
    flagship.agrees()


# What reaches out of an output sideways, would scroll in it, or has lost the end of its text.
OVERFLOW = """output => [...output.querySelectorAll('*'), output].filter(thing => {
    const at = thing.getBoundingClientRect(), edge = output.getBoundingClientRect();
    if (!at.width || thing.closest('.slider-container')) return false;  // tracks are shifted
    return at.right > edge.right + .5 || at.left < edge.left - .5
        || thing.tagName !== 'INPUT' && thing.clientWidth  // a box to type into scrolls
        && thing.scrollWidth > thing.clientWidth + 1;
}).map(thing => `${thing.tagName} ${(thing.textContent || thing.className).slice(0, 60)}`)"""


def test_in_a_wide_window_the_sliders_stand_beside_the_lanes(flagship):
    lanes = flagship.pictures.nth(0).bounding_box()
    boxes = [slider.bounding_box() for slider in flagship.sliders.all()]
    assert lanes["x"] + lanes["width"] <= min(box["x"] for box in boxes)
    assert lanes["y"] <= min(box["y"] for box in boxes)
    assert max(box["y"] + box["height"] for box in boxes) <= lanes["y"] + lanes["height"]
    assert flagship.output.evaluate(OVERFLOW) == []


def test_on_a_phone_the_flagship_fits_and_the_lanes_stand_above_the_sliders(flagship, lab):
    lab.resize(400)
    until(lambda: flagship.output.bounding_box()["width"] < 300, "the output is narrow")
    assert flagship.output.evaluate(OVERFLOW) == []
    lanes = flagship.pictures.nth(0).bounding_box()
    tops = [slider.bounding_box()["y"] for slider in flagship.sliders.all()]
    assert len(tops) == 4
    assert lanes["y"] + lanes["height"] <= min(tops)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_explorer_and_prediction_of_a_chapter_is_drawn_and_fits_a_phone(chapter, quiet):
    quiet.show(chapter)
    outputs = quiet.outputs()
    assert [o for cell in outputs for o in cell if o["output_type"] == "error"] == []
    cells = cells_with(chapter, INTERACTIVE)
    for number, cell in cells.items():
        assert any(VIEW_DATA in o.get("data", {}) for o in outputs[number]), (
            f"no view: {cell.source}"
        )
        quiet.output(number).locator(".jupyter-widgets").first.wait_for()
        wait_for_pictures(quiet.output(number))
    quiet.resize(400)
    too_wide = {number: quiet.output(number).evaluate(OVERFLOW) for number in cells}
    assert too_wide == dict.fromkeys(cells, [])


@pytest.mark.parametrize(("wish", "outcome"), [("", "1 skipped"), ("required", "1 error")])
def test_where_chromium_is_missing_one_line_says_how_to_get_it(wish, outcome, tmp_path):
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", __file__, "-k", "goal_2"]
    environment = os.environ | {"PATH": str(tmp_path), "MHALIB_BROWSER": wish, "COLUMNS": "120"}
    environment.pop("CI", None)  # there pytest repeats a whole message in its summary
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert outcome in run.stdout.splitlines()[-1]
    told = [line for line in run.stdout.splitlines() if HOW_TO_GET_IT in line]
    assert [line.split()[0] for line in told] == ["E" if wish else "SKIPPED"]
