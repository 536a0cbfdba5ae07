"""Every explorer, driven through its controls with no front end."""

import contextlib
import functools
import io
import itertools
import re
import threading

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
import pytest
from drive import (
    CHOOSERS,
    check_state,
    controls,
    counted_redraws,
    ends,
    painted,
    shown,
    undrawn,
)
from made_model import MadeModel
from PIL import Image

from mhalib import training
from mhalib.chapters import ch01, ch02, ch05, ch06, ch08, ch09, ch10, ch11, ch12
from mhalib.chapters.ch01 import OneRow
from mhalib.chapters.ch03 import FourCorners
from mhalib.chapters.ch04 import TwoLanes, WholeMaps
from mhalib.chapters.ch07 import RowAnswers, TugOfWar
from mhalib.live import WIDGET_VIEW, Goal, Verdict
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


@pytest.fixture(params=MADE, name="opened", scope="module")
def every_explorer_once(request):
    """For tests that only look: none of them moves a control."""
    return MADE[request.param]()


def mover(made):
    """The first slider of an explorer, or, where there is none, its last chooser."""
    sliders = (w for w in controls(made) if isinstance(w, widgets.FloatSlider))
    return next(sliders, controls(made)[-1])


# What a reader meets


def test_at_most_six_sliders_and_choosers_are_visible_at_first(opened):
    assert 0 < len(controls(opened)) <= 6


def test_every_picture_stands_on_the_page_with_a_fixed_shape(opened):
    images = [w for w in shown(opened.view) if isinstance(w, widgets.Image)]
    assert len(images) == len(opened.pictures)
    for image, picture in zip(images, opened.pictures, strict=True):
        assert (image.width, image.height) == (str(picture.width), str(picture.height))
        assert image.value == picture.png()


def test_every_slider_has_its_range_in_the_heading_above_it(opened):
    for box in shown(opened.view, folded=True):
        heading = ""
        for child in getattr(box, "children", ()):
            if isinstance(child, widgets.HTML):
                heading = child.value
            if isinstance(child, widgets.FloatSlider):
                low, high = (f"{end:g}".replace("-", "−") for end in (child.min, child.max))
                assert f"{low} to {high}" in heading


def test_a_viewer_without_a_kernel_gets_the_sentence_and_a_still_picture_of_all_pictures(made):
    bundle, metadata = made._repr_mimebundle_()
    assert made.sentence in re.sub("<[^>]+>", "", made.sentence_line.value)
    assert bundle["text/plain"] == metadata["image/png"]["alt"] == made.sentence
    assert bundle[WIDGET_VIEW]["model_id"] == made.view.model_id
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


def test_twelve_moves_leave_no_figure_open_and_show_the_last_value(made):
    control = mover(made)
    values = ends(control)
    if isinstance(control, widgets.FloatSlider):
        values = np.linspace(*values, 12)
    for value in np.resize(values, 12):
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


def test_the_front_end_cannot_leave_a_slider_out_of_its_range(made):
    for slider in controls(made, folded=True):
        if isinstance(slider, widgets.FloatSlider):
            slider.value = 1e9
            assert slider.value == slider.max
            slider.value = -1e9
            assert slider.value == slider.min
