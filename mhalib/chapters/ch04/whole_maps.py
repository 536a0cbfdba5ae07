"""Chapter 04: whole tables of weights, a loudness for each head, and what merging changes."""

from functools import partial
from types import SimpleNamespace

import numpy as np

from mhalib import running_sentence
from mhalib.attention import softmax
from mhalib.live.controls import chooser, column, heading, put, row, slider
from mhalib.live.explorer import Explorer, goal, reached_if
from mhalib.merging import RULE_NAMES, average_of_weights, merge_logits
from mhalib.pictures import HEAD_COLOURS, INK, Heatmap, Sheet
from mhalib.pictures.wording import HEADS, heads_and_merged, quoted

SAT = running_sentence.WORDS.index("sat")


@goal("by loudness alone, make the merged row of “sat” put .95 on “mat”.")
def sat_on_mat(state, found):
    mat = state.merged[SAT, -1]
    return reached_if(mat >= 0.95, f"Now it gives “mat” {mat:.3f}.")


@goal("make the whole merged table equal head B's, to .01.")
def harmless(state, found):
    gap = abs(state.merged - state.weights[1]).max()
    speaks = np.ptp(state.weights[1]) > 0.5
    now = f"The largest difference is {gap:.3f}."
    if not speaks:
        now += " But head B must still have something to say."
    return reached_if(gap < 0.01 and speaks, now)


class WholeMaps(Explorer):
    """Chapter 04: whole tables of weights, a loudness for each head, and what merging changes."""

    sentence_lines = 7
    words = running_sentence.WORDS
    examples = {"start": (1.0, 1.0)}
    goals = (sat_on_mat, harmless)

    def __init__(self):
        x = running_sentence.features(self.words)
        made = map(running_sentence.head, (running_sentence.WHO, running_sentence.WHERE))
        self.logits = np.array(
            [(x @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1]) for w_q, w_k in made]
        )
        super().__init__()
        self.loudness = [
            self.watch(slider(f"head {HEADS[r]}", 0, 3, 1.0, 0.05, HEAD_COLOURS[r], ".2f"))
            for r in range(2)
        ]
        self.rule = self.watch(chooser("Merged by", RULE_NAMES))
        against = [("average of weights", 2), ("head A", 0), ("head B", 1)]
        self.against = self.watch(chooser("Minus", against))
        self.refresh()
        panel = [heading("loudness of each head, 0 to 3"), *self.loudness]
        buttons = row(*self.goal_buttons, self.back_button)
        self.view = row(
            column(*panel, self.rule, self.against),
            column(self.sentence_line, self.goal_line, buttons),
            *self.frames,
        )

    def read(self):
        logits = self.logits * np.array([control.value for control in self.loudness])[:, None, None]
        weights, average = softmax(logits), average_of_weights(logits)
        merged = softmax(merge_logits(logits, self.rule.value))
        against = [*weights, average][self.against.value]
        return SimpleNamespace(
            weights=weights,
            merged=merged,
            average=average,
            difference=merged - against,
            minus=self.against.label,
        )

    def draw(self, state):
        tables = [*state.weights, state.merged, state.difference]
        titles = ["head A asks who", "head B asks where", "merged", f"merged − {state.minus}"]
        colours, signed = [*HEAD_COLOURS[:2], INK, INK], [False, False, False, True]
        heatmap = partial(Heatmap, queries=self.words, keys=self.words)
        a, b, merged, difference = self.drawn(
            *(
                (partial(heatmap, colour=colour, signed=sign), {"table": table, "title": title})
                for colour, sign, table, title in zip(colours, signed, tables, titles, strict=True)
            )
        )
        return self.pictures or [Sheet([[a], [b]]), Sheet([[merged], [difference]])]

    def describe(self, state):
        return row_that_changes_most(self.words, state.weights, state.merged, state.average)

    def apply(self, loudness):
        self.rule.value, self.against.value = "add", 2
        put(self.loudness, loudness)


def row_that_changes_most(words, weights, merged, average):
    """The row in which merged differs most from the average of weights, or the rows."""
    change = abs(merged - average).sum(axis=-1)
    if change.max() < 1e-6:
        return "Merging changes no row: it gives the average of the weights."
    rows = np.flatnonzero(change > change.max() - 1e-6)
    named = "row" if len(rows) == 1 else "rows"
    heads = heads_and_merged(words, weights[:, rows[0]], merged[rows[0]])
    which = f"the {named} of {quoted(words[row] for row in rows)}"
    return f"Merging changes {which} most: {heads[0].lower()}{heads[1:]}"
