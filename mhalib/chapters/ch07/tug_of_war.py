"""Chapter 07: two losses pull at one row of weights, or each at a row of its own."""

from functools import partial
from types import SimpleNamespace

import numpy as np

from mhalib.attention import softmax
from mhalib.chapters.ch07.ropes import Ropes
from mhalib.live.controls import button, chooser, column, heading, row, slider
from mhalib.live.explorer import Explorer, goal, impossible, not_yet, reached_if
from mhalib.pictures import HEAD_COLOURS, INK, Curves, percent
from mhalib.pictures.wording import HEADS

WORDS = ("cat", "mat")  # what loss A wants, what loss B wants
LEAST_SUM = 2 * np.log(2)


@goal("bring both losses below .10.")
def both_low(state, found):
    a, b = state.now
    now = f"Loss A is {a:.3f}, loss B {b:.3f}."
    if len(state.weights) == 2:
        return reached_if(max(a, b) < 0.1, now)
    return impossible(
        "one row adds up to 1, so the product of its two weights is 1/4 at most, and the losses "
        f"together are at least 2 ln 2 = {LEAST_SUM:.3f}. Now they are {a + b:.3f}."
    )


@goal("in one row, bring the two losses together below 1.39.")
def as_low_as_it_gets(state, found):
    total = state.now.sum()
    if len(state.weights) == 2:
        return not_yet("This goal is for one row: choose it under “Rows”.")
    return reached_if(total < 1.39, f"Together they are {total:.4f}.")


@goal("start with a loss above 9 and bring both below .10.")
def out_of_the_wrong(state, found):
    worst = state.losses[:2, 0].max()
    if worst <= 9:
        return not_yet(f"At the start the larger loss is {worst:.2f}: not yet above 9.")
    a, b = state.now
    return reached_if(
        max(a, b) < 0.1, f"It began at {worst:.2f}; now loss A is {a:.3f} and loss B {b:.3f}."
    )


class TugOfWar(Explorer):
    """Loss A is −log of the weight of “cat”, loss B −log of that of “mat”; step by step."""

    sentence_lines = 7
    goals = (both_low, as_low_as_it_gets, out_of_the_wrong)
    STEPS, TOPS = 50, (2, 4, 11)  # as many steps, as large a loss as the picture holds
    examples = {
        "1  One row, nudged to .70": (1, 0.85, 0.5),
        "2  Two rows, nudged to .70": (2, 0.85, 0.5),
        "3  One row, surely wrong": (1, 10, 0.5),
        "4  Two rows, one surely wrong": (2, 10, 0.5),
    }

    def __init__(self):
        super().__init__()
        rows = [("one, for both losses", 1), ("two, one for each loss", 2)]
        self.n_rows = self.watch(chooser("Rows", rows), self.reset)
        lead = slider("cat leads", -10, 10, step=0.05, number_format=".2f")
        self.lead = self.watch(lead, self.reset)
        self.rate = self.watch(slider("step size", 0.1, 1, 0.5, 0.05, INK, ".2f"))
        self.step_buttons = [
            button("Step", lambda: self.advance(1), "72px"),
            button("10 steps", lambda: self.advance(10), "84px"),
        ]
        self.reset_button = button("Reset", self.reset, "72px")
        self.back()
        buttons = row(*self.step_buttons, self.reset_button, self.back_button)
        start = heading("by how much, in logits, at the start: −10 to 10"), self.lead
        rate = heading("how far a step goes: 0.1 to 1"), self.rate
        self.view = column(
            row(self.example, self.next_button, self.n_rows),
            row(
                column(self.frames[0], buttons, self.sentence_line),
                column(self.frames[1], *start, *rate),
            ),
            row(column(self.goal_line), column(row(*self.goal_buttons))),
            width="100%",
        )

    def reset(self):
        """Back to the start: no step made, “cat” leads in every row by what the slider says."""
        self.trace = [np.tile([self.lead.value, 0.0], (self.n_rows.value, 1))]
        self.refresh()

    def advance(self, steps):
        """Let both losses pull, so many times."""
        for _ in range(min(steps, self.STEPS + 1 - len(self.trace))):
            logits = self.trace[-1]
            self.trace.append(logits + self.rate.value * pushes(softmax(logits)))
        self.refresh()

    def apply(self, example):
        self.n_rows.value, self.lead.value, self.rate.value = example
        self.reset()

    def read(self):
        weights = softmax(np.array(self.trace))
        wanted = np.array([weights[:, 0, 0], weights[:, -1, 1]])  # by loss A, by loss B
        losses = -np.log(wanted)
        return SimpleNamespace(
            logits=self.trace[-1],
            weights=weights[-1],
            losses=np.vstack([losses, losses.sum(axis=0)]),
            now=losses[:, -1],
            pulls=1 - wanted[:, -1],  # how far each is from all of the weight
            step=len(self.trace) - 1,
        )

    def draw(self, state):
        n_rows, losses = len(state.weights), state.losses
        ropes = {"weights": state.weights, "pulls": state.pulls}
        curves = {"xs": np.arange(state.step + 1), "ys": losses, "at": float(state.step)}
        top = next(top for top in self.TOPS if losses[:, 0].max() <= 0.95 * top)
        names = ["one row"] if n_rows == 1 else [f"head {HEADS[r]}'s row" for r in range(2)]
        colours = [INK] if n_rows == 1 else HEAD_COLOURS[:2]
        pullers = [[0, 1]] if n_rows == 1 else [[0], [1]]
        plane = partial(
            Curves,
            "the losses, step by step",
            ["loss A: −log cat", "loss B: −log mat", "both together"],
            ("steps", "loss"),
            ((0, self.STEPS), (0, top)),
            colours=[*HEAD_COLOURS[:2], INK],
            references={"2 ln 2: the least for both in one row": LEAST_SUM},
            size=(400, 260),
        )
        lanes = partial(Ropes, WORDS, names, colours, pullers)
        return self.drawn((lanes, ropes), (plane, curves), shape=(n_rows, top))

    def describe(self, state):
        cat, mat = state.weights[0, 0], state.weights[-1, 1]
        pull_a, pull_b = state.pulls
        after = {0: "At the start", 1: "After 1 step", self.STEPS: "After 50 steps, the last,"}
        after = after.get(state.step, f"After {state.step} steps")
        a, b = np.round(state.now, 3)  # so that what is read adds up
        together = f"loss A {a:.3f}, loss B {b:.3f}, together {a + b:.3f}"
        if len(state.weights) == 2:
            rows = f"head A gives “cat” {percent(cat)} and head B gives “mat” {percent(mat)}"
            return (
                f"{after} {rows}: {together}. Loss A pulls with {pull_a:.2f} and loss B with "
                f"{pull_b:.2f}, each at its own row, and nothing pulls back."
            )
        gap = pull_a - pull_b
        moves = f"so “{WORDS[int(gap < 0)]}” gains" if abs(gap) > 0.005 else "and nothing moves"
        return (
            f"{after} the row gives “cat” {percent(cat)} and “mat” {percent(mat)}: {together}. "
            f"Loss A pulls towards “cat” with {pull_a:.2f}, loss B towards “mat” with "
            f"{pull_b:.2f}, {moves}."
        )


def pushes(weights):
    """How a step of size 1 moves each row's logits: ``-dL/dS``, each loss 1[wanted] − p."""
    wishes = np.eye(2)
    if len(weights) == 2:
        return wishes - weights
    return (wishes - weights).sum(axis=0, keepdims=True)
