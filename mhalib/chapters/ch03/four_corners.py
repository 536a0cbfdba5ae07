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

CORNERS = {  # (a path each, rows): its name
    (False, "linear"): "one path, linear",
    (False, "softmax"): "one path, softmax",
    (True, "linear"): "each, linear",
    (True, "softmax"): "each, softmax",
}
SHOWN_FIRST = 115  # a draw in which all corners are near their means
OWN_COLOUR = "#8a6a00"  # the colour of multi-head's star, dark enough to be read


@functools.cache
def draws():
    """200 draws of two heads' logits and of centred values: 6 tokens, 8 channels, unit normals."""
    q, k, v = np.random.default_rng(0).normal(size=(3, 200, 6, 8))
    logits = split_heads(q, 2) @ split_heads(k, 2).swapaxes(-1, -2) / np.sqrt(4)
    return logits, v - v.mean(axis=-2, keepdims=True)


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


@goal("one path, softmax on: make the difference smaller than .10.")
def whisper(state, found):
    if state.own or state.rows != "softmax":
        return not_yet("Set the paths to one for all and softmax to on.")
    return reached_if(state.mean < 0.1, f"The difference is {share(state.mean, 3)}.")


@goal("a path each, softmax off: make the difference smaller than .50.")
def quiet_paths(state, found):
    if not state.own or state.rows != "linear":
        return not_yet("Set the paths to one each and softmax to off.")
    if state.mean < 0.5:
        return reached(f"The difference is {share(state.mean, 3)}.")
    return impossible(
        "without softmax, logits twice as loud make both outputs twice as large, and their "
        f"relative difference stays what it is, {share(state.mean, 3)}."
    )


@goal("one path, softmax on: make it differ more than a path each with softmax off.")
def over_linear(state, found):
    if state.own or state.rows != "softmax":
        return not_yet("Set the paths to one for all and softmax to on.")
    linear = state.means[list(CORNERS).index((True, "linear"))]
    why = f"It is {share(state.mean, 3)}; a path each without softmax has {share(linear, 3)}."
    return reached_if(state.mean > linear, why)


def _curves_by_the_dial(**arrays):
    labels, limits = ("loudness of the logits", "relative difference"), ((0.1, 8), (-0.02, 1))
    style = {"colours": [INK, INK, OWN_COLOUR, OWN_COLOUR], "styles": ["--", "-"] * 2, "log": True}
    style["ticks"] = (0.1, 0.2, 0.5, 1, 2, 4, 8)
    title = "heads together against one head"
    return Curves(title, CORNERS.values(), labels, limits, **arrays, **style)


class FourCorners(Explorer):
    """One path for all heads or a path each, softmax on or off, and how loud the logits are."""

    sentence_lines = 7
    goals = (whisper, quiet_paths, over_linear)
    examples = {"start": (True, "softmax", 1.0)}

    def __init__(self):
        super().__init__()
        self.own = self.watch(chooser("Paths", [("one for all", False), ("one each", True)]))
        self.rows = self.watch(chooser("Softmax", [("off", "linear"), ("on", "softmax")]))
        self.loudness = self.watch(slider("loudness", 0.1, 8, 1.0, 0.05, INK, ".2f"))
        self.number = SHOWN_FIRST  # of the draw on show
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
        paths = "a path each" if state.own else "one path for all"
        softmax = "with softmax" if state.rows == "softmax" else "without softmax"
        where = f"With {paths} and {softmax}, at loudness {state.loudness:.2f},"
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
        self.number = SHOWN_FIRST


def _why(state):
    if state.rows == "linear":
        if not state.own:
            return "The heads fold into one, at any loudness: every dot stands on the diagonal."
        return "Louder or quieter, it stays: both sides are scaled by the same factor."
    if state.loudness < 0.5:
        return "The logits whisper: these softmax heads are nearly linear heads."
    return (
        "The louder these unrelated logits, the further, on average, the softmax of their average "
        "is from the softmax of each."
    )
