"""Chapter 08: a trained model, its heads muted one by one, or all made to read with one row."""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import ipywidgets as widgets
import numpy as np

from mhalib import training
from mhalib.chapters.ch08.head_table import HeadTable
from mhalib.chapters.ch08.train_it import ENOUGH
from mhalib.live.controls import chooser, column, heading, row
from mhalib.live.explorer import Explorer, goal, impossible, not_yet, reached, reached_if
from mhalib.pictures import percent
from mhalib.pictures.wording import HEADS, listed

ROWS = [
    ("own, as trained", "own"),
    ("one, merged: true big head", "merged"),
    ("one, average of weights", "averaged"),
]


@goal("mute as many heads as you can, with every question right in 95% or more.")
def mute_many(state, found):
    right, counts = state.rights["own"], state.counts
    most = counts[right.min(axis=1) >= ENOUGH].max(initial=-1)
    n, worst = len(state.muted), state.right.min()
    now = f"{n} muted; the worst answered question is right in {percent(worst)}."
    if state.rows != "own":
        return not_yet("This goal is for the heads' own rows.")
    if most < 0:
        return impossible(f"even with all heads it is not: {now}")
    if worst >= ENOUGH and n == most:
        more = f"Of all {len(counts)} choices none with more muted heads does it."
        return reached(f"{now} {more}")
    return not_yet(now)


@goal("bring one question below 50% with all others at 95% or more, by the fewest muted heads.")
def one_question(state, found):
    if state.rows != "own":
        return not_yet("This goal is for the heads' own rows.")
    if len(state.right) < 2:
        return not_yet("This goal is for two questions or more.")

    def falls(right):
        first, second = np.sort(right, axis=-1)[..., :2].T
        return (first < 0.5) & (second >= ENOUGH)

    does = falls(state.rights["own"])
    if not does.any():
        return impossible(f"none of the {len(does)} choices of muted heads does it in this model.")
    n, fewest = len(state.muted), state.counts[does].min()
    if falls(state.right):
        if n == fewest:
            return reached(f"With {n} muted; no choice with fewer does it.")
        return not_yet(f"Right, but with {n} muted; fewer do it.")
    return not_yet(f"{n} muted; right in {listed(map(percent, state.right))}.")


@goal("with one row for all heads, every question right in 95% or more.")
def one_row_for_all(state, found):
    best = max(state.rights[rows].min(axis=1).max() for rows in ("merged", "averaged"))
    if best >= ENOUGH:
        done = state.rows != "own" and state.right.min() >= ENOUGH
        return reached_if(done, "In this model it can be done.")
    tried = 2 * len(state.counts)
    return impossible(
        f"of all {tried} ways (two rules for the row, any heads muted) the best still leaves a "
        f"question right in only {percent(best)}: one row has one budget for all the tokens."
    )


class Inside(Explorer):
    """Each head of a trained model has a switch; right answers are counted on new sequences."""

    sentence_lines = 7
    goals = (mute_many, one_question, one_row_for_all)
    examples = {"all heads speak": ()}

    def __init__(self, trained):
        settings = trained.settings
        if settings.n_heads > HeadTable.HEADS or settings.k > HeadTable.QUESTIONS:
            raise ValueError(
                f"{settings.n_heads} heads and {settings.k} questions do not fit into the picture; "
                f"it has room for {HeadTable.HEADS} heads and {HeadTable.QUESTIONS} questions."
            )
        if (settings.n_layers, settings.readout) != (1, "linear"):
            raise ValueError("the heads' parts add up in one layer with a linear read-out only.")
        super().__init__()
        self.settings = settings
        self.held_out = settings.draw(np.random.default_rng(settings.k), 1000)
        self.parts, self.looks = {}, {}
        for _, rows in ROWS:
            self._look_inside(trained.parameters, rows)
        self.choices = np.array(list(np.ndindex(*[2] * settings.n_heads)), bool)  # who is muted
        self.rights = {rows: self._right(rows, self.choices) for rows in self.parts}
        self.rows = self.watch(chooser("Rows", ROWS, width="340px"))
        self.switches = [self._switch(r) for r in range(settings.n_heads)]
        self.refresh()
        buttons = row(*self.goal_buttons, self.back_button)
        panel = [heading("each head speaks, or is muted: it writes nothing"), row(*self.switches)]
        self.view = row(
            column(self.frames[0], self.rows),
            column(*panel, self.sentence_line, self.goal_line, buttons),
        )

    def _look_inside(self, parameters, rows):
        """What each head alone adds to the answers' logits, and where it looks."""
        settings, everyone = replace(self.settings, rows=rows), set(range(self.settings.n_heads))
        alone = [
            training.forward(parameters, settings, self.held_out, everyone - {r}) for r in everyone
        ]
        self.parts[rows] = np.array([logits for logits, _ in alone])
        self.looks[rows] = training.weight_on_asked(alone[0][1], self.held_out)

    def _right(self, rows, muted):
        """Right answers for each choice of muted heads: (n_choices, k)."""
        logits = np.tensordot(~np.atleast_2d(muted), self.parts[rows], axes=1)
        return (logits.argmax(axis=-1) == self.held_out.answers).mean(axis=1)

    def _switch(self, r):
        switch = widgets.ToggleButton(description=f"{HEADS[r]} speaks")
        switch.layout.width = "88px"

        def name():
            switch.description = f"{HEADS[r]} {'muted' if switch.value else 'speaks'}"
            self.refresh()

        return self.watch(switch, name)

    def apply(self, muted):
        self.rows.value = "own"
        for r, switch in enumerate(self.switches):
            switch.value = r in muted

    def read(self):
        muted = np.array([switch.value for switch in self.switches])
        rows = self.rows.value
        return SimpleNamespace(
            rows=rows,
            muted=tuple(np.flatnonzero(muted).tolist()),
            asked=self.looks[rows],
            right=self._right(rows, muted)[0],
            rights=self.rights,
            counts=self.choices.sum(axis=1),
        )

    def draw(self, state):
        arrays = {"asked": state.asked, "right": state.right, "muted": state.muted}
        return self.drawn((partial(HeadTable, "where the heads look, on average"), arrays))

    def describe(self, state):
        names = [HEADS[r] for r in state.muted]
        who = "No head is muted"
        if names:
            plural = "s" if len(names) > 1 else ""
            who = f"Head{plural} {listed(names)} {'are' if plural else 'is'} muted"
        how = {
            "own": "each head reads with its own row",
            "merged": "all heads read with one row, of their merged logits (true big head)",
            "averaged": "all heads read with one row, the average of their weights",
        }[state.rows]
        right = listed(percent(share) for share in state.right)
        return f"{who}, and {how}: right answers in {right} (chance 12.5%)."
