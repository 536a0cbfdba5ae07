"""Chapter 08: train a small model and watch; stop it and keep what is there.

This is the one explorer that works on after a click. One worker thread makes the steps, so that
"Stop" is heard while they run, whichever thread the front end calls on; it paints under the lock
under which everything else paints. Without a front end, `train()` and then `wait()`.
"""

import threading
import time
from functools import partial
from types import SimpleNamespace

import ipywidgets as widgets
import numpy as np

from mhalib import training
from mhalib.attention import softmax
from mhalib.chapters.ch08.head_table import HeadTable
from mhalib.live.controls import button, chooser, column, row
from mhalib.live.explorer import ONE_AT_A_TIME, Explorer, goal, not_yet, reached, reached_if
from mhalib.pictures import INK, Curves, percent
from mhalib.pictures.wording import HEADS, listed

ENOUGH = 0.95  # of the answers right
GUESS = np.log(8)  # the loss of a guess among 8 values


class LiveTraining:
    """One model in training: how far it has come, and the event that stops it."""

    def __init__(self, settings, seed, n_steps, held_out):
        rng = np.random.default_rng(seed)
        start = training.initial(settings, rng)
        self.settings, self.error = settings, None
        self.steps = training.steps(settings, rng, n_steps, parameters=start)
        self.losses, self.now = [], training.Progress(0, None, start)
        self.running, self.halt, self.thread = False, threading.Event(), None
        self.held_out, self.trace = held_out, []  # for each look: step, and what was measured

    def look(self):
        """Step, looks, right answers and losses as they are now; measured once for each step."""
        step, _, parameters = self.now
        if not self.trace or self.trace[-1][0] != step:
            seen = measured(parameters, self.settings, self.held_out)
            self.trace = [*self.trace, (step, *seen)]
        return self.trace[-1]


@goal("four questions, each answered right in 95% or more, by the fewest heads.")
def fewest(state, found):
    k, h, worst = state.settings.k, state.settings.n_heads, state.right.min()
    if k != 4:
        return not_yet("This goal is for four questions.")
    now = f"The worst answered one is right in {percent(worst)}."
    if worst < ENOUGH:
        return not_yet(now)
    found.add(h)
    if h > 3:
        return not_yet(f"{now} But {h} heads are more than it takes for that.")
    return reached(f"{now} With 2 heads no seed from 0 to 9 gets there; always right takes 4.")


@goal("one head, two questions: find a seed that gives up the 1st, and one the 2nd.")
def given_up(state, found):
    k, h, right = state.settings.k, state.settings.n_heads, state.right
    if (k, h) == (2, 1) and right.max() >= 0.9 and right.min() < 0.5:
        found.add(int(right.argmin()))
    given_up = " and ".join(f"the {HeadTable.NAMES[j]}" for j in sorted(found)) or "none"
    now = f"Given up so far: {given_up}."
    if (k, h) != (2, 1):
        now += " This goal is for two questions and one head."
    return reached_if(len(found) == 2, now)


@goal("two questions or more: stop after at most 500 steps with 95% or more for each.")
def early(state, found):
    step, worst = state.step, state.right.min()
    if state.settings.k < 2:
        return not_yet("This goal is for two questions or more.")
    now = f"After {step:,} steps the worst answered one is right in {percent(worst)}."
    early = step <= 500 and not state.running
    return reached_if(early and worst >= ENOUGH, now)


class TrainIt(Explorer):
    """k questions, h heads, a seed: 1,500 steps of training, with the loss and the heads' looks."""

    sentence_lines = 10
    goals = (fewest, given_up, early)
    STEPS, EVERY, PACE = 1500, 30, 0.1  # a look every 30 steps, and a tenth of a second for each
    DRAWN = 1 / 5  # the most of the time that painting may take
    examples = {
        "1  Two questions, one head": (2, 1),
        "2  Two questions, two heads": (2, 2),
        "3  Four questions, two heads": (4, 2),
        "4  Four questions, three heads": (4, 3),
    }

    def __init__(self):
        super().__init__()
        self.k = self.watch(chooser("Questions", numbered(1, 2, 3, 4), 1, "150px"), self.reset)
        self.n_heads = self.watch(chooser("Heads", numbered(1, 2, 3, 4, 8), 0, "150px"), self.reset)
        self.seed = self.watch(chooser("Seed", numbered(*range(10)), 0, "150px"), self.reset)
        self.train_button = button("Train", self.train, "80px")
        self.stop_button = button("Stop", self.stop, "80px")
        self.bar = widgets.FloatProgress(max=self.STEPS, description="0 steps")
        self.bar.layout.width = "98%"
        self.bar.style.description_width = "84px"
        self.run, self.held_out = None, {}
        self.reset()
        buttons = row(self.train_button, self.stop_button, self.back_button)
        self.view = column(
            row(self.example, self.next_button, self.k, self.n_heads, self.seed),
            row(
                column(self.frames[0], buttons, self.bar, self.sentence_line),
                column(self.frames[1], self.goal_line, row(*self.goal_buttons)),
            ),
            width="100%",
        )

    # What the buttons do

    def reset(self):
        """Stop what runs; a new model from the seed, not trained."""
        with ONE_AT_A_TIME:
            if self.run:
                self.run.halt.set()
            k, h = self.k.value, self.n_heads.value
            settings = training.Settings(k=k, n_heads=h, d_model=33 if h == 3 else 32)
            if settings.k not in self.held_out:
                new = settings.draw(np.random.default_rng(settings.k), 1000)
                self.held_out[settings.k] = new
            self.run = LiveTraining(
                settings, self.seed.value, self.STEPS, self.held_out[settings.k]
            )
            self._show_run()

    def train(self):
        """Train, or train on after a stop; once all steps are made, from the start again."""
        with ONE_AT_A_TIME:
            if self.run.running and not self.run.halt.is_set():
                return
            if self.run.error or self.run.now.step == self.STEPS:
                self.reset()
            run, before = self.run, self.run.thread
            run.running, run.halt = True, threading.Event()
            run.thread = threading.Thread(target=self._work, args=(run, run.halt, before))
            run.thread.daemon = True
            self._show_run()
            run.thread.start()

    def _show_run(self):
        """Bring the bar, the buttons and the view to where the run is now."""
        with ONE_AT_A_TIME:
            step, running = self.run.now.step, self.run.running
            self.bar.value, self.bar.description = step, f"{step:,} steps"
            self.train_button.disabled, self.stop_button.disabled = running, not running
            self.refresh()

    def stop(self):
        """Let the step that is being made be the last, and keep what is there."""
        self.run.halt.set()

    def wait(self):
        """Wait until training has ended or stopped. (Never inside a callback.)"""
        if self.run.thread:
            self.run.thread.join()

    @property
    def trained(self):
        """The model as it is now, to go on with in other cells."""
        run, (step, _, parameters) = self.run, self.run.now
        return training.Trained(run.settings, parameters, np.array(run.losses[:step]), run.error)

    # The worker

    def _work(self, run, halt, before):
        if before:
            before.join()  # a step that was being made when “Stop” was pressed
        try:
            with training.one_thread():
                self._steps(run, halt)
        except Exception as error:
            run.error = str(error) or type(error).__name__
            good = getattr(error, "parameters", run.now.parameters)  # the last good ones
            run.now = run.now._replace(parameters=good)
            run.trace = [look for look in run.trace if look[0] < run.now.step]
        finally:
            with ONE_AT_A_TIME:
                run.running = run.halt is not halt  # pressed again meanwhile
                self._show_run()

    def _steps(self, run, halt):
        due = quiet = time.monotonic()
        for progress in run.steps:
            run.losses.append(progress.loss)
            run.now = progress
            if halt.is_set():
                return
            if progress.step % self.EVERY:
                continue
            with ONE_AT_A_TIME:
                run.look()
            if (started := time.monotonic()) >= quiet:
                self._show_run()
                spent = time.monotonic() - started
                quiet = started + spent / self.DRAWN
            due = max(due + self.PACE, time.monotonic())
            halt.wait(due - time.monotonic())

    # State, pictures, sentence

    def apply(self, example):
        self.k.value, self.n_heads.value = example
        self.seed.value = 0
        self.reset()

    def read(self):
        run = self.run
        step, asked, right, _ = run.look()
        return SimpleNamespace(
            settings=run.settings,
            step=step,
            running=run.running,
            error=run.error,
            asked=asked,
            right=right,
            steps=np.array([past for past, *_ in run.trace]),
            losses=np.array([losses for *_, losses in run.trace]).T,
        )

    def draw(self, state):
        k = state.settings.k
        names = [f"{name} question" for name in HeadTable.NAMES[:k]]
        style = {"colours": [INK] * k, "styles": ["-", "--", ":", "-."][:k], "size": (400, 280)}
        limits, labels = ((0, self.STEPS), (0, 2.8)), ("steps", "loss, on new sequences")
        references = {"ln 8: a guess among 8 values": GUESS}
        plane = partial(Curves, "the loss of each question", names, labels, limits)
        curves = {"xs": state.steps, "ys": state.losses, "at": float(state.step)}
        table = {"asked": state.asked, "right": state.right}
        return self.drawn(
            (partial(plane, references=references, **style), curves),
            (partial(HeadTable, "where the heads look, on average"), table),
            shape=k,
        )

    def describe(self, state):
        k, h = state.settings.k, state.settings.n_heads
        after = f"after {state.step:,} of {self.STEPS:,} steps"
        how = "Training" if state.running else "Trained" if state.step == self.STEPS else "Stopped"
        how = f"{how}, {after}" if state.step or state.running else "Not trained yet"
        if state.error:
            how = f"Training broke off {after}: {state.error.rstrip('.')}. What is kept"
        heads = "1 head answers" if h == 1 else f"{h} heads answer"
        right = listed(percent(share) for share in state.right)
        questions = "1 question" if k == 1 else f"{k} questions"
        best = state.asked.argmax(axis=0)
        looks = listed(
            f"that of the {HeadTable.NAMES[j]} from head {HEADS[r]} ({percent(state.asked[r, j])})"
            for j, r in enumerate(best)
        )
        looks = looks.replace("that of", "the token of", 1)
        return (
            f"{how}: {heads} {questions} right in {right} of new sequences (chance 12.5%). "
            f"Most weight gets {looks}."
        )


def measured(parameters, settings, batch):
    """Weight of each head on each asked token, right answers and loss of each question."""
    logits, weights = training.forward(parameters, settings, batch)
    p = np.take_along_axis(softmax(logits), batch.answers[..., None], axis=-1)[..., 0]
    right = (logits.argmax(axis=-1) == batch.answers).mean(axis=0)
    losses = -np.log(np.maximum(p, np.finfo(p.dtype).tiny)).mean(axis=0)
    return training.weight_on_asked(weights, batch), right, losses


def numbered(*numbers):
    """Numbers as the options of a list."""
    return [(str(number), number) for number in numbers]
