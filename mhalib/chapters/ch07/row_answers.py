"""Chapter 07: how the weights of one row answer when one of its logits is raised."""

from types import SimpleNamespace

import numpy as np

from mhalib.attention import softmax
from mhalib.chapters.ch07.jacobian import Jacobian
from mhalib.gradients import softmax_jacobian
from mhalib.live import Explorer, Goal, Verdict, chooser, column, heading, row, slider
from mhalib.pictures import HEAD_COLOURS, INK, Lanes, percent


class RowAnswers(Explorer):
    """The Jacobian of one row, what it predicts for a raised logit, and what softmax gives."""

    sentence_lines = 7
    words = ("cat", "mat", "sat", "on")
    examples = {"start": ((2.0, 1.0, 0.0, -1.0), 0, 0.5)}

    def __init__(self):
        self.goals = ANSWER_GOALS
        super().__init__()
        self.logits = [self.watch(slider(word, -10, 10)) for word in self.words]
        named = [(word, j) for j, word in enumerate(self.words)]
        self.raised = self.watch(chooser("Raise", named))
        self.by = self.watch(slider("by", -1, 1, 0.5, 0.05, INK, ".2f"))
        self.back()
        self.view = row(
            column(self.frames[0], self.frames[1], self.sentence_line),
            column(
                heading("logits of one row, −10 to 10", HEAD_COLOURS[0]),
                *self.logits,
                heading("raise one logit by −1 to 1"),
                self.raised,
                self.by,
                self.goal_line,
                row(*self.goal_buttons, self.back_button),
            ),
        )

    def apply(self, example):
        logits, self.raised.value, self.by.value = example
        for control, value in zip(self.logits, logits, strict=True):
            control.value = value

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
        if not self.pictures:
            table = Jacobian("the table, before the raise", self.words, self.words, state.jacobian)
            return [Lanes(self.words, names=["after the raise"], **lanes), table]
        self.pictures[0].update(**lanes)
        self.pictures[1].update(state.jacobian)
        return self.pictures

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


def _asleep(state, found):
    largest = abs(state.jacobian).max()
    now = f"The largest entry is {largest:.4f}."
    return Verdict("reached" if largest < 0.01 else "not yet", now)


def _widest_awake(state, found):
    largest = abs(state.jacobian).max()
    now = f"The largest entry is {largest:.4f}."
    if largest < 0.249:
        return Verdict("not yet", now)
    return Verdict("reached", f"{now} p (1 − p) is never more than 1/4, and it is that at p = 1/2.")


ANSWER_GOALS = (
    Goal("put the row to sleep: no entry of the table above .01 in size.", _asleep),
    Goal("find the most that a weight can answer: an entry of .25.", _widest_awake),
)
