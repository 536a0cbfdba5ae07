"""Every explorer, driven through its controls with no front end."""

import contextlib
import functools
import io
import itertools
import math
import re
import threading

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
import pytest
from drive import (
    CHOOSERS,
    controls,
    counted_redraws,
    ends,
    judged,
    number_of,
    painted,
    shown,
    undrawn,
)
from made_model import MadeModel
from PIL import Image

from mhalib import training
from mhalib.attention import softmax
from mhalib.chapters import ch01, ch02, ch05, ch06, ch08, ch09, ch10, ch11, ch12
from mhalib.chapters.ch01 import OneRow
from mhalib.chapters.ch03 import FourCorners
from mhalib.chapters.ch04 import TwoLanes, WholeMaps
from mhalib.chapters.ch07 import RowAnswers, TugOfWar
from mhalib.live import WIDGET_VIEW, Goal, Verdict
from mhalib.merging import merge_logits
from mhalib.pictures.raster import DENSITY, Raster
from tools.home import ROOT


@functools.cache
def trained():
    settings = training.Settings(k=4, n_heads=8)
    return training.train(settings, np.random.default_rng(1), n_steps=600)


MADE = {
    "first_softmax": ch01.first_softmax,
    "one_budget": ch01.one_budget,
    "paint": ch06.Paint,
    "rope_clock": ch09.RopeClock,
    "row_answers": RowAnswers,
    "tug_of_war": TugOfWar,
    "published_layers": ch02.PublishedLayers,
    "fewest_heads": ch10.FewestHeads,
    "four_corners": FourCorners,
    "two_lanes": TwoLanes,
    "two_splits": ch02.TwoSplits,
    "who_sees_whom": ch09.WhoSeesWhom,
    "whole_maps": WholeMaps,
    "writes": ch06.Writes,
    "unmask": ch05.Unmask,
    "train_it": ch08.TrainIt,
    "inside": lambda: ch08.Inside(trained()),
    "make_it_fit": ch11.MakeItFit,
    "head_hunt": lambda: ch12.HeadHunt(MadeModel()),
}


@pytest.fixture(params=MADE, name="made")
def every_explorer(request):
    return MADE[request.param]()


@pytest.fixture
def flagship():
    return TwoLanes()


def set_logits(flagship, *heads):
    with flagship.one_redraw():
        flagship.n_heads.value, flagship.n_words.value = len(heads), len(heads[0])
        for r, head in enumerate(heads):
            for j, logit in enumerate(head):
                flagship.slider("logit", r, j).value = logit


def mover(made):
    """The first slider of an explorer, or, where there is none, its last chooser."""
    sliders = (w for w in controls(made) if isinstance(w, widgets.FloatSlider))
    return next(sliders, controls(made)[-1])


# What a reader meets


def test_at_most_six_sliders_and_choosers_are_visible_at_first(made):
    assert 0 < len(controls(made)) <= 6


def test_the_flagship_opens_with_four_sliders_the_examples_and_the_merge_rule(flagship):
    names = sorted(control.description for control in controls(flagship))
    assert names == ["Example", "Merged by", "cat", "cat", "mat", "mat"]


def test_every_picture_stands_on_the_page_with_a_fixed_shape(made):
    images = [w for w in shown(made.view) if isinstance(w, widgets.Image)]
    assert len(images) == len(made.pictures)
    for image, picture in zip(images, made.pictures, strict=True):
        assert (image.width, image.height) == (str(picture.width), str(picture.height))
        assert image.value == picture.png()


def test_every_slider_has_its_range_in_the_heading_above_it(made):
    for box in shown(made.view, folded=True):
        heading = ""
        for child in getattr(box, "children", ()):
            if isinstance(child, widgets.HTML):
                heading = child.value
            if isinstance(child, widgets.FloatSlider):
                low, high = (f"{end:g}".replace("-", "−") for end in (child.min, child.max))
                assert f"{low} to {high}" in heading


def test_the_sentence_stands_under_the_picture_and_in_the_text_of_the_output(made):
    bundle, metadata = made._repr_mimebundle_()
    assert made.sentence in re.sub("<[^>]+>", "", made.sentence_line.value)
    assert bundle["text/plain"] == metadata["image/png"]["alt"] == made.sentence
    assert bundle[WIDGET_VIEW]["model_id"] == made.view.model_id


def test_a_viewer_without_a_kernel_gets_a_still_picture_of_all_pictures(made):
    bundle, metadata = made._repr_mimebundle_()
    still = Image.open(io.BytesIO(bundle["image/png"]))
    assert still.width == metadata["image/png"]["width"] * DENSITY
    assert still.width <= 848 * DENSITY
    shown = sum(p.width * p.height for p in made.pictures) * DENSITY**2
    assert still.width * still.height > shown


def test_words_are_escaped_on_the_page():
    made = OneRow(("<b>", "$x_$"), (1.0, 0.0), [Goal("a", lambda s, f: _never)])
    assert "<b>“" not in made.sentence_line.value and "&lt;b&gt;" in made.sentence_line.value


_never = Verdict("not yet", "Never.")


# What each hook does: read reads, draw draws, describe describes


def seen(value):
    """A state, or a part of one, as plain things that can be compared."""
    if hasattr(value, "__dict__") and not callable(value):
        return {name: seen(part) for name, part in vars(value).items()}
    if isinstance(value, (list, tuple)):
        return [seen(part) for part in value]
    return value.tolist() if isinstance(value, np.ndarray) else repr(value)


@contextlib.contextmanager
def hands_off(monkeypatch, *others):
    """Inside, no widget is made or moved, and no function `(class, name)` of `others` is called."""
    with monkeypatch.context() as here:
        for kind, name in ((widgets.Widget, "__setattr__"), *others):
            here.setattr(kind, name, lambda *_, **__: pytest.fail("this is not for a hook to do"))
        yield


def movable(made):
    return [c for c in shown(made.view, True) if isinstance(c, (*CHOOSERS, widgets.ToggleButton))]


def to_the_other_end(control):
    toggles = isinstance(control, widgets.ToggleButton)
    control.value = not control.value if toggles else ends(control)[-1]


def test_reading_and_describing_paint_nothing_and_make_and_move_no_control(made, monkeypatch):
    with undrawn(made):
        for control in movable(made):
            if control is not made.example:  # which would make what the others must make
                to_the_other_end(control)
    painting = [(kind, "update") for picture in made.pictures for kind in type(picture).mro()[:-1]]
    painting = [(kind, name) for kind, name in painting if name in vars(kind)]
    with hands_off(monkeypatch, (Raster, "__init__"), *painting):
        made.describe(made.read())


def test_reading_leaves_no_trace(made):
    """To read elsewhere and come back is as if it had never been read."""
    here = seen(made.state)
    for control in controls(made):
        value, other = control.value, next(end for end in ends(control) if end != control.value)
        with undrawn(made):
            control.value = other
            made.describe(made.read())
            control.value = value
    made.refresh()
    assert seen(made.state) == here


def test_pictures_and_sentence_are_made_of_the_state_alone_and_move_no_control(made, monkeypatch):
    drawn = []
    for control in movable(made)[:8]:
        to_the_other_end(control)
        drawn.append((made.state, painted(made), made.sentence))
    with hands_off(monkeypatch):
        for state, pixels, sentence in drawn:
            assert [picture.pixels().tobytes() for picture in made.draw(state)] == pixels
            assert made.describe(state) == sentence


# What a move does


def test_one_move_of_a_control_redraws_once_and_showing_other_sliders_not_at_all(made, monkeypatch):
    calls = counted_redraws(made, monkeypatch)
    for control in controls(made, folded=True):
        before = control.value
        other = next((value for value in ends(control) if value != before), before)
        calls.clear()
        control.value = other
        shows_other_sliders = isinstance(control, widgets.ToggleButtons)
        assert len(calls) == (other != before and not shows_other_sliders), control.description


def test_a_slider_moves_the_picture_the_sentence_and_nothing_else(flagship):
    pictures = [image.value for image in flagship.frames]
    sentence, logits = flagship.sentence, flagship.state.logits.copy()
    flagship.slider("logit", 0, 0).value = 3
    assert [image.value != old for image, old in zip(flagship.frames, pictures, strict=True)] == [
        True,
        True,
    ]
    assert flagship.sentence != sentence
    logits[0, 0] = 3
    assert np.array_equal(flagship.state.logits, logits)


def test_fifty_moves_leave_no_figure_open_and_show_the_last_value(made):
    control = mover(made)
    values = ends(control)
    if isinstance(control, widgets.FloatSlider):
        values = np.linspace(*values, 50)
    for value in np.resize(values, 50):
        control.value = value.item()
    assert plt.get_fignums() == []
    fresh = made.pictures[0].png()
    assert made.frames[0].value == fresh
    assert control.value == value


def test_two_threads_at_once_leave_the_picture_of_the_last_state():
    """As in JupyterLab, where every widget's messages come on a thread of their own."""
    moved, still = ch02.PublishedLayers(), ch02.PublishedLayers()
    for _ in range(3):
        movers = [lambda v=v: setattr(moved.n_words, "value", v) for v in range(7, 13)]
        threads = [threading.Thread(target=move) for move in (moved.back, *movers, moved.refresh)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        still.n_words.value = moved.n_words.value
        assert moved.sentence == still.sentence
        assert painted(moved) == painted(still)


def test_an_error_while_drawing_is_shown_in_the_view_and_reaches_the_caller(made, monkeypatch):
    def broken(state):
        raise ZeroDivisionError("a <broken> picture")

    monkeypatch.setattr(made, "draw", broken)
    control = mover(made)
    with pytest.raises(ZeroDivisionError):
        control.value = next(value for value in ends(control) if value != control.value)
    assert "ZeroDivisionError: a &lt;broken&gt; picture" in made.sentence_line.value


def test_every_observer_names_the_trait_it_observes():
    for file in (ROOT / "mhalib").rglob("*.py"):
        for call in re.findall(r"\.observe\(.*", file.read_text(encoding="utf-8")):
            assert 'names="value"' in call


def test_every_example_stands_on_the_steps_of_its_sliders(made):
    """A slider on the page moves a value between two steps to one of them."""
    for name in made.examples:
        made.example.value = name
        for control in controls(made, folded=True):
            if isinstance(control, widgets.FloatSlider):
                steps = (control.value - control.min) / control.step
                assert steps == pytest.approx(round(steps), abs=1e-6), (name, control.description)


# Corners


def check_state(made):
    """What must hold in any state of any explorer, whether drawn or not."""
    state, verdicts = judged(made)
    for name in ("weights", "merged", "average"):
        if hasattr(state, name):
            rows = getattr(state, name)
            assert np.isfinite(rows).all() and np.allclose(rows.sum(axis=-1), 1)
    sentence = made.describe(state)
    assert sentence.endswith(".") and "nan" not in sentence and "\n" not in sentence
    for status, why in verdicts:
        assert status in ("not yet", "reached", "impossible") and why
    return sentence


def test_every_corner_of_the_visible_controls_holds_and_every_pair_of_ends_is_drawn(made):
    visible, drawn = [c for c in controls(made) if c is not made.example], set()
    for corner in itertools.product(*map(ends, visible)):
        with undrawn(made):
            for control, value in zip(visible, corner, strict=True):
                control.value = value
        check_state(made)
        pairs = {*itertools.combinations(enumerate(corner), min(2, len(corner)))}
        if not pairs <= drawn:
            drawn |= pairs
            made.refresh()
            assert made.sentence == check_state(made)


def set_corner(flagship, heads, words, x, y, rule):
    flagship.n_heads.value, flagship.n_words.value = heads, words
    flagship.x_head.value, flagship.y_head.value = min(x, heads - 1), min(y, heads - 1)
    flagship.rule.value = rule


RANGES = [(2, 3, 4), (2, 3, 4, 5, 6), (0, 1, 2, 3), (0, 1, 2, 3), ("add", "big_head", "average")]


def test_every_pair_of_choices_behind_the_fold_holds_and_a_sample_is_drawn(flagship):
    rng, number = np.random.default_rng(0), 0
    for one, other in itertools.combinations(range(5), 2):
        for pair in itertools.product(RANGES[one], RANGES[other]):
            corner = [values[rng.integers(len(values))] for values in RANGES]
            corner[one], corner[other] = pair
            with undrawn(flagship):
                set_corner(flagship, *corner)
            sentence, number = check_state(flagship), number + 1
            if number % 7 == 0:
                flagship.refresh()
                assert flagship.sentence == sentence


def test_two_hundred_seeded_corners_of_all_sliders_hold_and_a_sample_is_drawn(flagship):
    rng = np.random.default_rng(1)
    for number in range(200):
        with undrawn(flagship):
            set_corner(flagship, *(values[rng.integers(len(values))] for values in RANGES))
            for kind, low, high in (("logit", -20, 20), ("value", 0, 10)):
                for r in range(flagship.n_heads.value):
                    for j in range(flagship.n_words.value):
                        flagship.slider(kind, r, j).value = rng.choice([low, high])
        sentence = check_state(flagship)
        if number % 20 == 0:
            flagship.refresh()
            assert flagship.sentence == sentence
            assert len(flagship.pictures[0].cells) == flagship.state.rows.size


def test_the_front_end_cannot_leave_a_slider_out_of_its_range(made):
    for slider in controls(made, folded=True):
        if isinstance(slider, widgets.FloatSlider):
            slider.value = 1e9
            assert slider.value == slider.max
            slider.value = -1e9
            assert slider.value == slider.min


# Examples, back, ghost


def test_every_example_shows_its_logits_and_back_returns_to_it(flagship):
    for name, logits in flagship.examples.items():
        flagship.example.value = name
        assert np.allclose(flagship.state.logits, logits)
        sentence = flagship.sentence
        flagship.slider("logit", 0, 0).value = -7
        flagship.slider("value", 1, 1).value = 0
        flagship.rule.value = "average"
        flagship.back_button.click()
        assert flagship.sentence == sentence


def test_next_walks_through_all_examples_and_starts_again(flagship):
    seen = [flagship.example.value]
    for _ in flagship.examples:
        flagship.next_button.click()
        seen.append(flagship.example.value)
    assert seen == [*flagship.examples, seen[0]]


def test_above_four_sliders_one_head_is_shown_at_a_time_and_all_are_kept(flagship):
    flagship.example.value = "4  The compromise"
    for head in (0, 1):
        flagship.shown_head.value = head
        sliders = [w for w in shown(flagship.logit_panel) if isinstance(w, widgets.FloatSlider)]
        assert [s.value for s in sliders] == [[10, 0, 8], [0, 10, 8]][head]


def test_the_ghost_keeps_what_was_and_can_be_dropped(flagship):
    flagship.ghost_button.click()
    flagship.slider("logit", 0, 0).value = -10
    outlines = [slot.artists[1] for slot in flagship.pictures[0].cells]
    assert all(outline.get_visible() for outline in outlines)
    assert outlines[0].get_height() == pytest.approx(-46, abs=0.1)  # head A gave "cat" all
    assert flagship.pictures[1].ghost_star.get_xdata()[0] == pytest.approx(1, abs=1e-3)
    flagship.ghost_button.click()
    assert not any(outline.get_visible() for outline in outlines)
    assert len(flagship.pictures[1].ghost_star.get_xdata()) == 0


def test_a_ghost_of_another_number_of_words_is_not_drawn(flagship):
    flagship.ghost_button.click()
    flagship.n_words.value = 3
    assert not any(slot.artists[1].get_visible() for slot in flagship.pictures[0].cells)


# Goals


def test_chapter_00s_goal_needs_both_times():
    made = ch01.first_softmax()
    cat, mat = made.logits
    cat.value, mat.value = 2.2, 0
    assert made.verdicts[0].status == "not yet" and "Once done" in made.verdicts[0].why
    with made.one_redraw():
        cat.value, mat.value = 9.2, 7
    assert made.verdicts[0].status == "reached"


def test_chapter_00s_goal_is_not_reached_by_one_high_pair_of_another_share():
    made = ch01.first_softmax()
    with made.one_redraw():
        made.logits[0].value, made.logits[1].value = 9, 7
    assert made.verdicts[0].status == "not yet" and "Once done" not in made.verdicts[0].why


def test_chapter_01s_goal_is_impossible_over_the_whole_grid():
    steps = np.linspace(-10, 10, 41)
    grid = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    for temperature in (0.1, 0.5, 1, 2, 5):
        assert softmax(grid / temperature)[:, :2].min(axis=1).max() < 0.6
    assert ch01.one_budget().verdicts[0].status == "impossible"


def test_g0_is_won_by_two_heads_and_not_by_one_that_has_both(flagship):
    assert flagship.verdicts[0].status == "reached"
    set_logits(flagship, (0.5, 0), (0, 0.5))
    assert flagship.verdicts[0].status == "reached"
    set_logits(flagship, (0, 0), (0, 10))
    assert flagship.verdicts[0].status == "not yet"


def test_g1_silences_head_b_without_touching_it(flagship):
    assert flagship.verdicts[1].status == "not yet"
    flagship.slider("logit", 0, 0).value = 20
    assert flagship.verdicts[1].status == "reached"
    flagship.slider("logit", 1, 1).value = 9
    assert flagship.verdicts[1].status == "not yet"


def test_g2_needs_a_third_word_and_is_then_reached(flagship):
    assert "third word" in flagship.verdicts[2].why
    set_logits(flagship, (10, 0, 8), (0, 10, 8))
    assert flagship.verdicts[2].status == "reached"
    set_logits(flagship, (10, 0, 9.9), (0, 10, 9.9))  # now a head gives it too much
    assert flagship.verdicts[2].status == "not yet"


def test_g2_is_impossible_with_two_words_over_the_whole_grid():
    gaps = np.linspace(-40, 40, 801)
    rows = softmax(np.stack([gaps, 0 * gaps], axis=-1))
    for how in ("add", "big_head", "average"):
        a, b = np.meshgrid(gaps, gaps)
        pairs = np.stack([np.stack([a, 0 * a], -1), np.stack([b, 0 * b], -1)])
        merged = softmax(merge_logits(pairs, how))[..., 0]
        most = np.maximum(rows[:, 0][None, :], rows[:, 0][:, None])
        assert merged[most <= 0.2].max() < 0.9


def test_g3_collects_three_different_reasons(flagship):
    assert flagship.found[3] == {"partners"}  # example 1 is a pair of mirror images
    set_logits(flagship, (0, 0), (0, 0))
    assert flagship.verdicts[3].status == "not yet"
    set_logits(flagship, (20, 0), (20, 0))
    assert flagship.verdicts[3].status == "reached"
    assert flagship.found[3] == {"flat", "agreeing and sure", "partners"}


def test_g3_finds_the_partners_of_example_6(flagship):
    flagship.found.clear()
    flagship.example.value = "6  Partners"
    assert flagship.found[3] == {"partners"}
    set_logits(flagship, (3, 0), (3, 0))  # agreeing, but not sure: adding sharpens
    assert flagship.found[3] == {"partners"}


def test_g4_is_impossible_over_the_whole_grid(flagship):
    steps = np.linspace(-20, 20, 31)
    logits = np.stack(np.meshgrid(*[steps] * 4, indexing="ij"), axis=-1).reshape(-1, 2, 2)
    values = np.array([[1, 5], [2, 8]])
    weights = softmax(logits)
    asked = (weights[:, 0, 0] >= 0.9) & (weights[:, 1, 1] >= 0.9)
    star = (weights[asked] * values).sum(axis=-1)
    for how in ("add", "big_head", "average"):
        square = softmax(merge_logits(logits[asked], how, axis=1)) @ values.T
        assert np.linalg.norm(star - square, axis=-1).min() > 2
    assert flagship.verdicts[4].status == "impossible"
    set_logits(flagship, (0, 0), (0, 0))
    assert flagship.verdicts[4].status == "not yet"


def test_g4_says_so_when_the_words_offer_the_same(flagship):
    for r in (0, 1):
        for j in (0, 1):
            flagship.slider("value", r, j).value = 3
    assert flagship.verdicts[4].status == "reached"


def test_the_maps_goals_are_reached_by_loudness_alone():
    maps = WholeMaps()
    assert maps.verdicts[0].status == "not yet"
    maps.loudness[1].value = 2
    assert maps.verdicts[0].status == "reached"
    maps.loudness[0].value = 0
    assert maps.verdicts[1].status == "reached"
    maps.loudness[1].value = 0
    assert maps.verdicts[1].status == "not yet"


def test_an_explorer_opens_at_a_goal_and_an_example(flagship):
    assert flagship.at(goal=3, example="4  The compromise") is flagship
    assert "Goal 3 of 5" in flagship.goal_line.value and flagship.verdict.status == "reached"
    assert flagship.state.logits.tolist() == [[10, 0, 8], [0, 10, 8]]
    assert flagship.at(goal=1).state.logits.shape == (2, 3)  # the example stays
    for goal in (0, 6):
        with pytest.raises(ValueError, match="goal must be 1 to 5"):
            flagship.at(goal)


def test_goals_go_round_and_an_impossible_one_is_folded(flagship):
    seen = []
    for _ in range(6):
        seen.append(flagship.goal)
        flagship.goal_buttons[1].click()
    assert seen == [0, 1, 2, 3, 4, 0]
    flagship.show_goal(4)
    assert "<details><summary>" in flagship.goal_line.value
    assert "Goal 5 of 5" in flagship.goal_line.value


# What the pictures and sentences say


def by_hand(logits, values, divide_by):
    """Rows and outputs of heads, merged and average, in plain Python."""

    def row_of(logits):
        exponentials = [math.exp(logit - max(logits)) for logit in logits]
        return [e / sum(exponentials) for e in exponentials]

    def carried(row, block):
        return sum(weight * value for weight, value in zip(row, block, strict=True))

    rows = [row_of(head) for head in logits]
    sums = [sum(column) / divide_by for column in zip(*logits, strict=True)]
    merged = row_of(sums)
    average = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    return {
        "rows": [*rows, merged],
        "sums": sums,
        "star": [carried(row, block) for row, block in zip(rows, values, strict=True)],
        "square": [carried(merged, block) for block in values],
        "diamond": [carried(average, block) for block in values],
    }


@pytest.mark.parametrize("rule, power", [("add", 0), ("big_head", 0.5), ("average", 1)])
@pytest.mark.parametrize("n_heads, n_words", [(2, 2), (2, 3), (3, 5)])
def test_the_flagships_pictures_show_what_the_logits_give_by_hand(rule, power, n_heads, n_words):
    flagship = TwoLanes()
    logits = np.random.default_rng(n_words).uniform(-6, 6, size=(n_heads, n_words)).round(1)
    set_logits(flagship, *logits)
    flagship.rule.value = rule
    values = [row[:n_words] for row in flagship.values[:n_heads]]
    right = by_hand(logits.tolist(), values, n_heads**power)
    lanes, plane = flagship.pictures
    cells = [float(slot.artists[-1].get_text()) for slot in lanes.cells]
    assert cells == pytest.approx(np.ravel(right["rows"]), abs=0.0051)
    shown = np.vstack([logits, right["sums"]]).ravel()
    assert [number_of(slot.artists[-1]) for slot in lanes.columns] == pytest.approx(
        shown, abs=0.5 if n_words > 4 else 0.051
    )
    carried = [[float(text.get_text()) for text in slot.artists] for slot in lanes.carried]
    assert np.ravel(carried[:-1]) == pytest.approx(right["star"], abs=0.0051)
    assert carried[-1] == pytest.approx(right["square"], abs=0.0051)
    for name in ("star", "square", "diamond"):
        place = np.ravel(getattr(plane, name).get_data())
        assert place == pytest.approx(right[name][:2]), name


def test_the_maps_show_heads_merged_and_their_difference_from_what_was_chosen():
    maps = WholeMaps()
    maps.loudness[0].value, maps.rule.value = 0.7, "big_head"
    heatmaps = [heatmap for sheet in maps.pictures for [heatmap] in sheet.rows]
    tables = [[number_of(slot.artists[1]) for slot in heatmap.cells] for heatmap in heatmaps]
    logits = maps.logits * np.array([0.7, 1])[:, None, None]
    right = [by_hand(logits[:, i].tolist(), [[0] * 6] * 2, 2**0.5)["rows"] for i in range(6)]
    for number, table in enumerate(tables[:3]):
        assert table == pytest.approx(np.ravel([rows[number] for rows in right]), abs=0.0051)
    for choice, name in ((0, "head A"), (1, "head B"), (2, "average of weights")):
        maps.against.value = choice
        shown = [number_of(slot.artists[1]) for slot in heatmaps[3].cells]
        minus = [np.mean(r[:2], axis=0) if choice == 2 else r[choice] for r in right]
        assert shown == pytest.approx(np.ravel([r[2] for r in right] - np.array(minus)), abs=0.0051)
        assert heatmaps[3].title.get_text() == f"merged − {name}"


@pytest.mark.parametrize("seed", range(30))
def test_the_flagships_sentence_agrees_with_its_arrays(seed):
    flagship = TwoLanes()
    logits = np.random.default_rng(seed).uniform(-20, 20, size=(2, 2)).round(1)
    set_logits(flagship, *logits)
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    rows = e / e.sum(axis=1, keepdims=True)
    total = logits.sum(axis=0)
    merged = np.exp(total - total.max()) / np.exp(total - total.max()).sum()
    first, second = flagship.sentence.split(". ")[:2]
    clauses = [first] * 2 if first.startswith("Each head") else first.split(", ")
    for clause, row in zip(clauses, rows, strict=True):
        if abs(row[0] - row[1]) > 0.01:
            assert f"“{'cat' if row[0] > row[1] else 'mat'}”" in clause
            number = float(re.search(r"([\d.]+)%", clause).group(1)) / 100
            assert number == pytest.approx(row.max(), abs=0.006)
    if abs(merged[0] - merged[1]) > 0.01:
        assert second.split("“")[1].startswith("cat" if merged[0] > merged[1] else "mat")
    carried = [float(number) for number in re.findall(r"-?\d+\.\d\d", flagship.sentence)][-4:]
    values = np.array([[1, 5], [2, 8]])
    assert carried[:2] == pytest.approx((rows * values).sum(axis=1), abs=0.006)
    assert carried[2:] == pytest.approx(values @ merged, abs=0.006)


def test_the_maps_sentence_names_the_row_that_changes_most():
    maps = WholeMaps()
    changed = abs(maps.state.merged - maps.state.average).sum(axis=1)
    assert f"the row of “{maps.words[changed.argmax()]}” most" in maps.sentence


def test_chapter_00s_goal_wants_both_logits_above_5():
    made = ch01.first_softmax()
    with made.one_redraw():
        made.logits[0].value, made.logits[1].value = 6, 3.8
    assert made.verdicts[0].status == "not yet"


def test_the_maps_goals_are_not_reached_just_before():
    maps = WholeMaps()
    maps.loudness[1].value = 1.6  # .941
    assert maps.verdicts[0].status == "not yet"
    maps.loudness[1].value, maps.loudness[0].value = 1, 0.05  # .013
    assert maps.verdicts[1].status == "not yet"


@pytest.mark.parametrize(
    "number, heads",
    [
        (0, ((0.5, 0), (0, 0.3))),  # “mat” .57
        (1, ((14, 0), (0, 10))),  # merged “mat” .018
        (2, ((5, 0, 3.6), (0, 5, 3.6))),  # merged .82, a head gives .197
        (2, ((10, 0, 8.8), (0, 10, 8.8))),  # merged .9995, a head gives .23
        (4, ((10, 0), (0, 2))),  # head B gives “mat” .88
    ],
)
def test_the_flagships_goals_are_not_reached_just_before(number, heads):
    flagship = TwoLanes()
    set_logits(flagship, *heads)
    assert flagship.verdicts[number].status == "not yet"


def test_partners_agree_to_a_thousandth():
    flagship = TwoLanes()
    flagship.found.clear()
    set_logits(flagship, (3, 0), (-2.98, 0))
    gap = abs(flagship.state.merged - flagship.state.average).max()
    assert 1e-3 < gap < 1e-2 and not flagship.found[3]
