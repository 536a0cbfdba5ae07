"""Chapter 08's explorers in a real JupyterLab, by real clicks: train, stop, mute."""

import functools
import re

import numpy as np
from lab import View, fingerprint, fresh_views, until, view_of

from mhalib import training
from mhalib.chapters import ch08

CHAPTER_8 = "08_how_many_heads.ipynb"

test_every_view_is_drawn_and_fits_a_wide_page_and_a_phone = fresh_views(CHAPTER_8)


class Live(View):
    """The explorer that trains. Its mirror is trained to where the page has come."""

    def sentence(self):
        return self.output.locator(".widget-html", has_text="of new sequences").inner_text()

    def step(self):
        bar = self.output.locator(".widget-hprogress").inner_text()
        return int(re.search(r"([\d,]+) steps", bar)[1].replace(",", ""))

    def train(self, steps):
        """Press “Train”, and wait until it has come so far."""
        self.click("Train")
        until(lambda: self.step() >= steps, "it trains", 30)

    def stop(self):
        self.click("Stop")
        until(lambda: self.sentence().startswith("Stopped, after"), "it has stopped")

    def may_train(self):
        """What can be pressed: “Train” or “Stop”, never both."""
        enabled = [self.button(name).is_enabled() for name in ("Train", "Stop")]
        assert sum(enabled) == 1
        return enabled[0]

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
        table = fingerprint(made.pictures[1].pixels())
        until(lambda: self.shown()[1] == table, "the table of this model")


live = view_of(CHAPTER_8, "ch08.TrainIt()", ch08.TrainIt, Live)


def test_it_opens_untrained_with_two_pictures_and_an_empty_bar(live):
    assert live.pictures.count() == 2
    assert live.step() == 0 and live.may_train()


def test_pictures_and_bar_move_while_it_trains_and_stop_is_heard_at_once(live):
    before = live.shown()
    live.train(1)
    assert not live.may_train()
    until(lambda: live.step() >= 90, "it goes on")
    assert all(a != b for a, b in zip(live.shown(), before, strict=True))
    live.stop()
    step = live.step()
    assert 90 <= step < 1500 and live.may_train()
    live.shows_the_model_after(step)
    assert live.step() == step


def test_after_a_stop_it_goes_on_to_the_end_and_one_head_gives_up_a_question(live):
    live.train(30)
    live.stop()
    live.click("Train")
    until(lambda: live.sentence().startswith("Trained, after 1,500"), "it is trained", 60)
    assert live.step() == 1500
    live.shows_the_model_after(1500)
    assert live.mirror.state.right.max() > 0.9 and live.mirror.state.right.min() < 0.5


def test_another_seed_while_it_trains_begins_a_new_model(live):
    live.train(30)
    live.choose(live.mirror.seed, "4")
    live.agrees()
    assert live.step() == 0 and live.may_train()


def test_two_heads_stopped_early_reach_the_third_goal(live):
    live.choose(live.mirror.example, "2  Two questions, two heads")
    live.show_goal(3)
    for early in (360, 240, 120, 30):  # the busier the machine, the later the page knows
        live.click("Back to example")
        until(lambda: live.step() == 0, "a new model")
        live.train(early)
        live.stop()
        if live.step() <= 500:
            break
    assert 300 <= live.step() <= 500, "the hand had time"
    live.goal_says("✓ reached")


# Inside the trained model


@functools.cache
def eight():
    return training.train(training.Settings(k=4, n_heads=8), np.random.default_rng(1))


switches = view_of(CHAPTER_8, "ch08.Inside(", lambda: ch08.Inside(eight()))


def test_a_click_mutes_a_head_and_another_lets_it_speak(switches):
    switches.press("B speaks")
    assert switches.agrees().startswith("Head B is muted")
    switches.press("B muted")
    assert switches.agrees().startswith("No head is muted")


def test_as_many_heads_as_can_be_are_muted_by_clicks(switches):
    made = switches.mirror
    keep = made.rights["own"].min(axis=1) >= 0.95
    best = made.choices[keep][made.choices[keep].sum(axis=1).argmax()]
    for r in np.flatnonzero(best):
        switches.press(made.switches[r].description)
        switches.agrees()
    switches.goal_says("✓ reached")


def test_one_row_for_all_is_chosen_from_the_list(switches):
    switches.choose(switches.mirror.rows, list(dict(switches.mirror.rows.options))[2])
    assert switches.mirror.rows.value == "averaged"
    assert "all heads read with one row" in switches.agrees()
