"""Chapter 07: how the weights of one row answer when one of its logits is raised."""

from functools import partial
from types import SimpleNamespace

import numpy as np

from mhalib.attention import softmax
from mhalib.chapters.ch07.jacobian import Jacobian
from mhalib.gradients import softmax_jacobian
from mhalib.live.controls import chooser, column, heading, put, row, slider
from mhalib.live.explorer import Explorer, goal, not_yet, reached, reached_if
from mhalib.pictures import HEAD_COLOURS, INK, Lanes, percent


@goal("put the row to sleep: no entry of the table above .01 in size.")
def asleep(state, found):
    largest = abs(state.jacobian).max()
    now = f"The largest entry is {largest:.4f}."
    return reached_if(largest < 0.01, now)


@goal("find the most that a weight can answer: an entry of .25.")
def widest_awake(state, found):
    largest = abs(state.jacobian).max()
    now = f"The largest entry is {largest:.4f}."
    if largest < 0.249:
        return not_yet(now)
    return reached(f"{now} p (1 − p) is never more than 1/4, and it is that at p = 1/2.")


class RowAnswers(Explorer):
    """The Jacobian of one row, what it predicts for a raised logit, and what softmax gives."""

    sentence_lines = 7
    goals = (asleep, widest_awake)
    words = ("cat", "mat", "sat", "on")
    examples = {"start": ((2.0, 1.0, 0.0, -1.0), 0, 0.5)}

    def __init__(self):
        super().__init__()
        self.logits = [self.watch(slider(word, -10, 10)) for word in self.words]
        named = [(word, j) for j, word in enumerate(self.words)]
        self.raised = self.watch(chooser("Raise", named))
        self.by = self.watch(slider("by", -1, 1, 0.5, 0.05, INK, ".2f"))
        self.back()
        logits = heading("logits of one row, −10 to 10", HEAD_COLOURS[0]), *self.logits
        raised = heading("raise one logit by −1 to 1"), self.raised, self.by
        buttons = row(*self.goal_buttons, self.back_button)
        self.view = row(
            column(*self.frames, self.sentence_line),
            column(*logits, *raised, self.goal_line, buttons),
        )

    def apply(self, example):
        logits, self.raised.value, self.by.value = example
        put(self.logits, logits)

    def read(self):
        logits = np.array([control.value for control in self.logits])
        weights, k = softmax(logits), self.raised.value
        raised = logits + self.by.value * np.eye(4)[k]
        jacobian = softmax_jacobian(weights)
        return SimpleNamespace(
            logits=raised,
            weights=weights,
            jacobian=jacobian,
            predicted=weights + self.by.value * jacobian[:, k],
            exact=softmax(raised),
            raised=k,
            by=self.by.value,
        )

    def draw(self, state):
        lanes = {"logits": [state.logits], "weights": [state.exact], "ghost": [state.predicted]}
        title = "the table, before the raise"
        return self.drawn(
            (partial(Lanes, self.words, names=["after the raise"]), lanes),
            (partial(Jacobian, title, self.words, self.words), {"table": state.jacobian}),
        )

    def describe(self, state):
        k, own = state.raised, state.jacobian[state.raised, state.raised]
        others = [j for j in range(4) if j != k]
        payer = others[int(np.argmax(state.weights[others]))]
        share = state.weights[payer] / (1 - state.weights[k])
        verb, pays = ("raised", "pays") if state.by >= 0 else ("lowered", "gets")
        return (
            f"“{self.words[k]}”, {verb} by {abs(state.by):.2f}, goes from {state.weights[k]:.3f} "
            f"to {state.exact[k]:.3f}; its own entry of the table, {own:.3f}, predicted "
            f"{state.predicted[k]:.3f}. “{self.words[payer]}” {pays} most, {percent(share)} of "
            "it: its share of what the others have."
        )
