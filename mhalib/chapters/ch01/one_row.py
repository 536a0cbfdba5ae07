"""Chapters 00 and 01: logits of one row, one softmax."""

from functools import partial
from types import SimpleNamespace

import numpy as np

from mhalib.attention import softmax
from mhalib.live.controls import column, heading, put, row, slider
from mhalib.live.explorer import Explorer, goal, impossible, not_yet, reached
from mhalib.pictures import HEAD_COLOURS, INK, Lanes, percent


class OneRow(Explorer):
    """Logits of one row, one softmax; with `temperature`, divided by it first."""

    sentence_lines = 3

    def __init__(self, words, logits, goals, *, temperature=False, low=-10, high=10):
        self.words, self.goals = words, goals
        self.examples = {"start": logits}
        super().__init__()
        self.logits = [
            self.watch(slider(word, low, high, value, colour=HEAD_COLOURS[0]))
            for word, value in zip(words, logits, strict=True)
        ]
        hot = slider("divide by", 0.1, 5, 1.0, colour=INK)
        self.temperature = self.watch(hot) if temperature else None
        self.refresh()
        controls = [heading(f"logits, −{-low} to {high}", HEAD_COLOURS[0]), *self.logits]
        if temperature:
            controls += [heading("temperature, 0.1 to 5"), self.temperature]
        buttons = row(self.back_button, self.ghost_button)
        self.view = row(
            column(*self.frames, self.sentence_line), column(*controls, self.goal_line, buttons)
        )

    def read(self):
        logits = np.array([control.value for control in self.logits])
        temperature = self.temperature.value if self.temperature else 1.0
        return SimpleNamespace(logits=logits, weights=softmax(logits / temperature))

    def draw(self, state):
        ghost = [self.keepsake.weights] if self.keepsake else None
        arrays = {"logits": [state.logits], "weights": [state.weights], "ghost": ghost}
        return self.drawn((partial(Lanes, self.words, names=["one row"]), arrays))

    def describe(self, state):
        return each_share(self.words, state.weights)

    def apply(self, logits):
        put(self.logits, logits)
        if self.temperature:
            self.temperature.value = 1.0


def each_share(words, weights):
    """One softmax: every word with its share."""
    shares = zip(words, weights, strict=True)
    said = ", ".join(f"“{word}” gets {percent(weight)}" for word, weight in shares)
    return f"{said}: together 100%."


@goal("make “cat” show .90, then do it again with both logits above 5.")
def cat_at_ninety(state, found):
    if abs(state.weights[0] - 0.9) < 0.005:
        found.add("once")
        if state.logits.min() > 5:
            found.add("above 5")
    gap = state.logits[0] - state.logits[1]
    now = f"Now {state.weights[0]:.3f}, with a difference of {gap:.1f} between the logits."
    if found == {"once", "above 5"}:
        return reached(f"Both times the difference was ln 9 = {np.log(9):.3f}. {now}")
    return not_yet(("Once done; now again, with both logits above 5. " if found else "") + now)


@goal("“cat” at .60 or more and, in the same row, “mat” at .60 or more.")
def sixty_sixty(state, found):
    cat, mat = state.weights[:2]
    if cat >= 0.6 and mat >= 0.6:
        return reached(f"“cat” {cat:.2f}, “mat” {mat:.2f}.")
    return impossible(
        f"the row adds up to 1, and .60 + .60 is 1.20. Now “cat” has {cat:.2f} and “mat” "
        f"{mat:.2f}, together {cat + mat:.2f}."
    )


def first_softmax():
    """Chapter 00: two logits, one softmax."""
    return OneRow(("cat", "mat"), (2.0, 1.0), [cat_at_ninety])


def one_budget():
    """Chapter 01: three logits, a temperature, one row of weights."""
    return OneRow(("cat", "mat", "sat"), (2.0, 1.0, 0.0), [sixty_sixty], temperature=True)
