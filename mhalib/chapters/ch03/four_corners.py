"""Chapter 03: two switches and a dial, several heads together against one head."""

import functools
from functools import partial
from types import SimpleNamespace

import numpy as np

from mhalib.attention import split_heads
from mhalib.chapters.ch03.folding import heads_together, one_head, relative_difference
from mhalib.chapters.ch03.pairs import Pairs
from mhalib.live.controls import button, chooser, column, heading, row, slider
from mhalib.live.explorer import Explorer, goal, impossible, not_yet, reached, reached_if
from mhalib.pictures import HEAD_COLOURS, INK, Curves, share

CORNERS = {  # (own values, rows): its name
    (False, "linear"): "shared, linear",
    (False, "softmax"): "shared, softmax",
    (True, "linear"): "own, linear",
    (True, "softmax"): "own, softmax",
}
OWN_COLOUR = "#8a6a00"  # the colour of multi-head's star, dark enough to be read


@functools.cache
def draws():
    """200 draws of two heads' logits and of values: 6 tokens, 8 channels, unit normals."""
    q, k, v = np.random.default_rng(0).normal(size=(3, 200, 6, 8))
    return split_heads(q, 2) @ split_heads(k, 2).swapaxes(-1, -2) / np.sqrt(4), v


def differences(loudness):
    """The relative difference in each corner and draw: (n_corners, n_draws)."""
    logits, values = draws()
    logits = loudness * logits
    return np.array(
        [
            relative_difference(
                heads_together(logits, values, rows, own), one_head(logits, values, rows)
            )
            for own, rows in CORNERS
        ]
    )


@functools.cache
def curves():
    """The mean difference of each corner over the whole dial: (n,) and (n_corners, n)."""
    dial = np.geomspace(0.1, 8, 61)
    return dial, np.array([differences(loudness).mean(axis=1) for loudness in dial]).T


@goal("values shared, softmax on: make the difference smaller than .01.")
def whisper(state, found):
    if state.own or state.rows != "softmax":
        return not_yet("Set the values to shared and softmax to on.")
    return reached_if(state.mean < 0.01, f"The difference is {share(state.mean, 4)}.")


@goal("a block each, softmax off: make the difference smaller than .50.")
def quiet_blocks(state, found):
    if not state.own or state.rows != "linear":
        return not_yet("Set the values to a block each and softmax to off.")
    if state.mean < 0.5:
        return reached(f"The difference is {share(state.mean, 3)}.")
    return impossible(
        "without softmax, logits twice as loud make both outputs twice as large, and their "
        f"relative difference stays what it is, {share(state.mean, 3)}."
    )


@goal("a block each: make softmax on differ more than softmax off.")
def over_linear(state, found):
    if not state.own or state.rows != "softmax":
        return not_yet("Set the values to a block each and softmax to on.")
    linear = state.means[list(CORNERS).index((True, "linear"))]
    why = f"With softmax {share(state.mean, 3)}, without {share(linear, 3)}."
    return reached_if(state.mean > linear, why)


def _curves_by_the_dial(**arrays):
    labels, limits = ("loudness of the logits", "relative difference"), ((0.1, 8), (-0.02, 1))
    style = {"colours": [INK, INK, OWN_COLOUR, OWN_COLOUR], "styles": ["--", "-"] * 2, "log": True}
    style["ticks"] = (0.1, 0.2, 0.5, 1, 2, 4, 8)
    title = "heads together against one head"
    return Curves(title, CORNERS.values(), labels, limits, **arrays, **style)


class FourCorners(Explorer):
    """Values shared or one block each, softmax on or off, and how loud the logits are."""

    sentence_lines = 7
    goals = (whisper, quiet_blocks, over_linear)
    examples = {"start": (True, "softmax", 1.0)}

    def __init__(self):
        super().__init__()
        self.own = self.watch(chooser("Values", [("shared by all", False), ("a block each", True)]))
        self.rows = self.watch(chooser("Softmax", [("off", "linear"), ("on", "softmax")]))
        self.loudness = self.watch(slider("loudness", 0.1, 8, 1.0, 0.05, INK, ".2f"))
        self.number = 3  # of the draw on show; in this one all corners are near their means
        self.back()
        buttons = row(*self.goal_buttons, self.back_button)
        another = button("Another draw", self.another_draw)
        dial = heading("loudness of all logits, 0.1 to 8")
        self.view = row(
            column(self.frames[0], self.own, self.rows, dial, self.loudness, self.sentence_line),
            column(self.frames[1], row(another), self.goal_line, buttons),
        )

    def another_draw(self):
        """Show the next of the draws."""
        with self.one_redraw():
            self.number = (self.number + 1) % len(draws()[1])

    def read(self):
        own, rows, loudness = self.own.value, self.rows.value, self.loudness.value
        logits, values = (array[self.number] for array in draws())
        each = differences(loudness)
        chosen = list(CORNERS).index((own, rows))
        return SimpleNamespace(
            own=own,
            rows=rows,
            loudness=loudness,
            chosen=chosen,
            number=self.number,
            means=each.mean(axis=1),
            mean=each.mean(axis=1)[chosen],
            here=each[chosen, self.number],
            together=heads_together(loudness * logits, values, rows, own),
            one=one_head(loudness * logits, values, rows),
        )

    def draw(self, state):
        dial, heights = curves()
        place = np.searchsorted(dial, state.loudness)
        moved = {
            "xs": np.insert(dial, place, state.loudness),
            "ys": np.insert(heights, place, state.means, axis=1),
            "at": state.loudness,
            "chosen": state.chosen,
        }
        largest = max(abs(state.together).max(), abs(state.one).max())
        dots = {
            "across": split_heads(state.together / largest, 2).reshape(2, -1),
            "up": split_heads(state.one / largest, 2).reshape(2, -1),
            "names": ["block A", "block B"] if state.own else ["every channel", ""],
            "colours": HEAD_COLOURS[:2] if state.own else [INK, INK],
        }
        sides = ("the heads together", "one head")
        return self.drawn(
            (_curves_by_the_dial, moved),
            (partial(Pairs, "one draw, number by number", sides), dots),
        )

    def describe(self, state):
        values = "a block of values each" if state.own else "values shared by all"
        softmax = "with softmax" if state.rows == "softmax" else "without softmax"
        where = f"With {values} and {softmax}, at loudness {state.loudness:.2f},"
        if state.mean < 1e-12:
            how = "one head carries what the heads carry together, in all 200 draws."
        else:
            how = (
                f"one head differs from the heads together by {share(state.mean, 3)}, the mean of "
                f"200 draws ({share(state.here, 3)} in draw {state.number}, the one shown)."
            )
        return f"{where} {how} {_why(state)}"

    def apply(self, example):
        self.own.value, self.rows.value, self.loudness.value = example
        self.number = 3


def _why(state):
    if state.rows == "linear":
        if not state.own:
            return "The heads fold into one, at any loudness: every dot stands on the diagonal."
        return "Louder or quieter, it stays: both sides are scaled by the same factor."
    if state.loudness < 0.5:
        return "The logits whisper: every row is nearly even, whoever makes it."
    return (
        "The louder these unrelated logits, the further, on average, the softmax of their average "
        "is from the softmax of each."
    )
