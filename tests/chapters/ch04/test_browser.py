"""A learner in a real JupyterLab, in real Chromium, runs chapter 04 and moves the flagship."""

import os
import re
import subprocess
import sys

import pytest
from lab import (
    HOW_TO_GET_IT,
    ROOT,
    cells_with,
    fresh_views,
    interactive_cells,
    until,
    view_of,
    wait_for_pictures,
)

from mhalib.chapters.ch04 import TwoLanes

CHAPTER_4 = "04_the_softmax_decides.ipynb"


flagship = view_of(CHAPTER_4, "flagship = ch04.TwoLanes()", TwoLanes)


def logit(flagship, head=0, word=0):
    return flagship.mirror.slider("logit", head, word)


def test_a_fresh_copy_shows_stored_pictures_and_folded_answers_before_anything_runs(quiet):
    quiet.open(CHAPTER_4)
    for number, cell in interactive_cells(CHAPTER_4).items():
        output = quiet.output(number)
        if "Prediction(" in cell.source:
            answer = output.locator("details")
            assert answer.get_attribute("open") is None
            assert answer.locator("p").first.is_visible() is False
        else:
            assert output.locator("img").count() == 1
            wait_for_pictures(output)


def test_a_prediction_answers_after_commit_and_keeps_the_choice(quiet):
    kept = quiet.server.home / "mhalib/predictions.jsonl"
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


test_every_view_is_drawn_and_fits_a_wide_page_and_a_phone = fresh_views(CHAPTER_4)


def test_the_flagship_opens_with_two_pictures_four_sliders_examples_and_merge_rules(flagship):
    assert flagship.pictures.count() == 2
    assert flagship.sliders.count() == 4
    assert flagship.chooser(flagship.mirror.example).input_value() == "1  Two sure heads"
    assert flagship.chooser(flagship.mirror.rule).input_value() == "add"


def test_dragging_a_slider_changes_pictures_and_sentence_to_what_mhalib_computes(flagship):
    assert flagship.drag(logit(flagship), -60) < 5


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_jumps_under_the_mouse_while_it_drags(width, flagship):
    flagship.resize(width)
    flagship.at_rest(flagship.slider(logit(flagship)))
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
    with flagship.dragged(logit(flagship), -60, 30):
        flagship.agrees()
    seen = flagship.page.evaluate("watching = false, [...seen]")
    assert seen == seen[:1]


def test_arrow_keys_move_a_slider_by_its_step(flagship):
    first = logit(flagship)
    flagship.slider(first).locator(".noUi-handle").focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowRight"):
        flagship.page.keyboard.press(key)
    until(lambda: flagship.value(first) == 9.8, "two steps to the left")
    first.value = 9.8
    flagship.agrees()


@pytest.mark.parametrize(("typed", "kept"), [("7.5", 7.5), ("999", 20), ("-999", -20), ("cat", 10)])
def test_what_is_typed_counts_after_enter_within_the_range_and_a_word_does_not(
    typed, kept, flagship
):
    flagship.set(logit(flagship), kept, typed)
    flagship.agrees()


def test_choosing_an_example_changes_pictures_sentence_and_sliders(flagship):
    said, before = flagship.agrees(), flagship.shown()
    flagship.choose(flagship.mirror.example, "2  The largest sum")
    until(lambda: flagship.value(logit(flagship, 1, 1)) == 4, "the sliders of example 2")
    assert flagship.agrees() != said
    assert all(a != b for a, b in zip(flagship.shown(), before, strict=True))


def test_the_last_example_changes_the_number_of_heads_and_next_comes_round(flagship):
    flagship.choose(flagship.mirror.example, list(flagship.mirror.examples)[-1])
    flagship.agrees()
    words = len(flagship.mirror.state.logits[0])
    assert flagship.sliders.count() == words, "one head's sliders at a time"
    flagship.press("Next")
    until(lambda: flagship.sliders.count() == 4, "the sliders of example 1")
    flagship.agrees()


def test_a_ghost_stays_until_it_is_dropped(flagship):
    before = flagship.shown()
    flagship.press("Keep a ghost")
    until(lambda: flagship.shown() != before, "outlines in the picture")
    flagship.press("Drop the ghost")
    until(lambda: flagship.shown() == before, "no outlines in the picture")


def test_goal_2_is_reached_by_typing_one_number(flagship):
    flagship.reach(2, (flagship.set, logit(flagship), 20))


def test_in_a_wide_window_the_sliders_stand_beside_the_lanes(flagship):
    lanes = flagship.places()[0]
    boxes = [slider.bounding_box() for slider in flagship.sliders.all()]
    assert lanes["x"] + lanes["width"] <= min(box["x"] for box in boxes)
    assert lanes["y"] <= min(box["y"] for box in boxes)
    assert max(box["y"] + box["height"] for box in boxes) <= lanes["y"] + lanes["height"]


def test_on_a_phone_the_lanes_stand_above_the_sliders(flagship):
    flagship.resize(400)
    lanes = flagship.places()[0]
    tops = [slider.bounding_box()["y"] for slider in flagship.sliders.all()]
    assert len(tops) == 4
    assert lanes["y"] + lanes["height"] <= min(tops)


@pytest.mark.parametrize(("wish", "outcome"), [("", "1 skipped"), ("required", "1 error")])
def test_where_chromium_is_missing_one_line_says_how_to_get_it(wish, outcome, tmp_path):
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", __file__, "-k", "goal_2"]
    environment = os.environ | {"PATH": str(tmp_path), "MHALIB_BROWSER": wish, "COLUMNS": "120"}
    environment.pop("CI", None)  # there pytest repeats a whole message in its summary
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert outcome in run.stdout.splitlines()[-1]
    told = [line for line in run.stdout.splitlines() if HOW_TO_GET_IT in line]
    assert [line.split()[0] for line in told] == ["E" if wish else "SKIPPED"]
