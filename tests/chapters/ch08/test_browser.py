"""Chapter 08's explorers in a real JupyterLab, by real clicks: train, stop, mute."""

import functools
import re

import numpy as np
import pytest
from lab import View, fingerprint, until, wait_for_pictures

from mhalib import training
from mhalib.chapters import ch08

CHAPTER_8 = "08_how_many_heads.ipynb"


class Live(View):
    """The explorer that trains. Its mirror is trained to where the page has come."""

    def __init__(self, lab):
        super().__init__(lab, CHAPTER_8, "ch08.TrainIt()", ch08.TrainIt())

    def sentence(self):
        return self.output.locator(".widget-html", has_text="of new sequences").inner_text()

    def step(self):
        return int(re.search(r"([\d,]+) steps", self.bar().inner_text())[1].replace(",", ""))

    def bar(self):
        return self.output.locator(".widget-hprogress")

    def button(self, name):
        return self.output.get_by_role("button", name=name, exact=True)

    def start(self, example):
        names = list(self.mirror.examples)
        self.chooser(self.mirror.example).select_option(index=example)
        self.press("Back to example")
        self.mirror.example.value = names[example]
        self.mirror.back()
        self.shows_what_its_mirror_shows()

    def shows_the_model_after(self, step):
        """Sentence and table on the page are those of a model trained so far in this process."""
        made = self.mirror
        settings = training.Settings(k=made.k.value, n_heads=made.n_heads.value)
        rng = np.random.default_rng(made.seed.value)
        parameters = training.train(settings, rng, n_steps=step).parameters
        made.run.now = training.Progress(step, None, parameters)
        made.refresh()
        sentence = " ".join(made.sentence.split())
        until(lambda: " ".join(self.sentence().split()) == sentence, f"“{sentence}”")
        until(
            lambda: self.shown()[1] == fingerprint(made.pictures[1].pixels()),
            "the table of this model",
        )


@pytest.fixture
def live(quiet):
    quiet.show(CHAPTER_8)
    live = Live(quiet)
    live.start(0)
    return live


def test_it_opens_untrained_with_two_pictures_and_an_empty_bar(live):
    assert live.pictures.count() == 2
    wait_for_pictures(live.output)
    assert live.step() == 0
    assert live.button("Stop").is_disabled() and live.button("Train").is_enabled()


def test_pictures_and_bar_move_while_it_trains_and_stop_is_heard_at_once(live):
    before = live.shown()
    live.press("Train")
    until(lambda: live.step() > 0, "the bar moves")
    assert live.button("Train").is_disabled() and live.button("Stop").is_enabled()
    until(lambda: live.step() >= 90, "it goes on")
    now = live.shown()
    assert all(a != b for a, b in zip(now, before, strict=True))
    live.press("Stop")
    until(lambda: live.sentence().startswith("Stopped, after"), "it has stopped", 10)
    step = live.step()
    assert 90 <= step < 1500
    assert live.button("Train").is_enabled() and live.button("Stop").is_disabled()
    live.page.wait_for_timeout(400)
    assert live.step() == step
    live.shows_the_model_after(step)


def test_after_a_stop_it_goes_on_to_the_end_and_one_head_gives_up_a_question(live):
    live.press("Train")
    until(lambda: live.step() >= 30, "it trains")
    live.press("Stop")
    until(lambda: live.sentence().startswith("Stopped, after"), "it has stopped", 10)
    live.press("Train")
    until(lambda: live.sentence().startswith("Trained, after 1,500"), "it is trained", 60)
    assert live.step() == 1500
    live.shows_the_model_after(1500)
    assert live.mirror.state.right.max() > 0.9 and live.mirror.state.right.min() < 0.5


def test_another_seed_while_it_trains_begins_a_new_model(live):
    live.press("Train")
    until(lambda: live.step() >= 30, "it trains")
    live.chooser(live.mirror.seed).select_option(index=4)
    live.mirror.seed.value = 4
    live.shows_what_its_mirror_shows()
    assert live.step() == 0 and live.button("Train").is_enabled()


def test_two_heads_stopped_early_reach_the_third_goal(live):
    live.start(1)
    live.press("Goal ▶")
    live.press("Goal ▶")
    for early in (360, 240, 120, 30):  # the busier the machine, the later the page knows
        live.press("Back to example")
        until(lambda: live.step() == 0, "a new model")
        live.press("Train")
        until(lambda early=early: live.step() >= early, "it trains", 30)
        live.press("Stop")
        until(lambda: live.sentence().startswith("Stopped, after"), "it has stopped", 10)
        if live.step() <= 500:
            break
    assert 300 <= live.step() <= 500, "the hand had time"
    goal = live.output.locator(".widget-html", has_text="Goal 3 of 3")
    until(lambda: "✓ reached" in goal.inner_text(), "the goal is reached")
    live.press("Goal ▶")


# Inside the trained model


@functools.cache
def eight():
    return training.train(training.Settings(k=4, n_heads=8), np.random.default_rng(1))


class Switches(View):
    def __init__(self, lab):
        super().__init__(lab, CHAPTER_8, "ch08.Inside(", ch08.Inside(eight()))

    def toggle(self, r):
        self.press(self.mirror.switches[r].description)
        self.mirror.switches[r].value = not self.mirror.switches[r].value
        return self.shows_what_its_mirror_shows()


@pytest.fixture
def switches(quiet):
    quiet.show(CHAPTER_8)
    switches = Switches(quiet)
    switches.press("Back to example")
    switches.shows_what_its_mirror_shows()
    return switches


def test_a_click_mutes_a_head_and_another_lets_it_speak(switches):
    said = switches.toggle(1)
    assert said.startswith("Head B is muted")
    assert switches.toggle(1).startswith("No head is muted")


def test_as_many_heads_as_can_be_are_muted_by_clicks(switches):
    made = switches.mirror
    keep = made.rights["own"].min(axis=1) >= 0.95
    best = made.choices[keep][made.choices[keep].sum(axis=1).argmax()]
    for r in np.flatnonzero(best):
        switches.toggle(int(r))
    goal = switches.output.locator(".widget-html", has_text="Goal 1 of 3")
    until(lambda: "✓ reached" in goal.inner_text(), "the goal is reached")


def test_one_row_for_all_is_chosen_from_the_list(switches):
    switches.chooser(switches.mirror.rows).select_option(index=2)
    switches.mirror.rows.value = "averaged"
    assert "all heads read with one row" in switches.shows_what_its_mirror_shows()
