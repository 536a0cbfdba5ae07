"""Chapter 06: everywhere an output has been stays painted; one head paints a line."""

from itertools import product
from types import SimpleNamespace

import numpy as np

from mhalib import pictures
from mhalib.attention import softmax
from mhalib.chapters.ch06.painted_plane import PaintedPlane
from mhalib.live import Explorer, Goal, Verdict, button, chooser, column, heading, row, slider
from mhalib.pictures import HEAD_COLOURS, wording
from mhalib.plane import distance_to_hull
from mhalib.running_sentence import CARRIED

CELL = 0.25  # side of a painted cell
NEAR = 0.1  # an output this near to a corner is there


class Paint(Explorer):
    """Two words, each with a who and a where; move the rows of weights and see where one gets."""

    sentence_lines = 5
    words = ("cat", "mat")
    values = np.array([CARRIED[word][:2] for word in words], float).T  # block (who, where) by word
    corners = np.array(list(product(*values)))  # every who with every where
    low, high = -6, 6
    examples = {"start": (0.0, 0.0)}

    def __init__(self):
        self.goals = PAINT_GOALS
        super().__init__()
        self.heads = self.watch(chooser("heads", [("one head", 1), ("two heads", 2)]))
        self.gaps = [
            self.watch(slider(name, self.low, self.high, 0.0, colour=HEAD_COLOURS[r]))
            for r, name in enumerate(("gap", "gap of B"))
        ]
        self.clear_button = button("Clear the paint", self.clear)
        self.reveal_button = button("Show all that can be reached", self.reveal)
        self.revealed, self._before = False, None
        self._wipe()
        self.refresh()
        text = f"gap: how far the logit of “cat” lies above that of “mat”, −{-self.low} to "
        panel = column(self.heads, heading(f"{text}{self.high}"), *self.gaps, width="100%")
        buttons = row(*self.goal_buttons, self.clear_button, self.reveal_button, self.back_button)
        self.view = row(
            column(self.frames[0]), column(panel, self.sentence_line, self.goal_line, buttons)
        )

    def _wipe(self):
        cells = round(PaintedPlane.TOP / CELL)
        self.paint = {1: np.zeros((cells, cells), bool), 2: np.zeros((cells, cells), bool)}
        self.visited = np.zeros(len(self.corners), bool)

    def carried(self, gaps):
        """What comes home, (..., 2), for a gap between the two logits in each block, (..., 2)."""
        weights = softmax(np.stack([gaps, np.zeros_like(gaps)], axis=-1))
        return (weights * self.values).sum(axis=-1)

    def _brush(self, heads, gaps):
        """Paint all that was passed on the way from the gaps before to these."""
        before = self._before[1] if self._before and self._before[0] == heads else gaps
        steps = 1 + int(np.ceil(abs(gaps - before).max() / 0.05))
        path = self.carried(np.linspace(before, gaps, steps))
        across, up = np.floor(path / CELL).astype(int).T
        self.paint[heads][up, across] = True
        away = np.linalg.norm(path[:, None] - self.corners, axis=-1)
        self.visited |= (away < NEAR).any(axis=0)
        self._before = heads, gaps

    def read(self):
        heads = self.heads.value
        gaps = np.round([self.gaps[0].value, self.gaps[heads - 1].value], 2)
        self._brush(heads, gaps)
        who, where = np.round(self.values / CELL).astype(int)
        inside = (slice(*where), slice(*who))
        return SimpleNamespace(
            heads=heads,
            weights=softmax(np.stack([gaps, 0 * gaps], axis=-1)),
            star=self.carried(gaps),
            paint=np.where(self.paint[1], 1, np.where(self.paint[2], 2, 0)),
            share=self.paint[heads][inside].mean(),
            visited=self.visited.copy(),
        )

    def draw(self, state):
        reach = (self.values.T if state.heads == 1 else self.corners) if self.revealed else None
        arrays = {name: getattr(state, name) for name in ("paint", "star", "visited")}
        if not self.pictures:
            names = ["who (block A)", "where (block B)"]
            places = {"words_at": self.values.T, "corners": self.corners, "names": names}
            return [PaintedPlane(self.words, **places, **arrays, reach=reach)]
        self.pictures[0].update(**arrays, reach=reach)
        return self.pictures

    def describe(self, state):
        choices = [wording.choice(self.words, weights) for weights in state.weights]
        rows = f"Head A {choices[0]}, head B {choices[1]}"
        if state.heads == 1:
            rows = f"One row of weights {choices[0]}, for both blocks"
        who, where = state.star
        name = "one head" if state.heads == 1 else "two heads"
        return (
            f"{rows}: carried is ({who:.2f}, {where:.2f}). Painted by {name} so far: "
            f"{pictures.percent(state.share)} of the rectangle between the four corners."
        )

    def apply(self, gaps):
        for control, gap in zip(self.gaps, gaps, strict=True):
            control.value = gap
        self._before = None

    def refresh(self):
        two = self.heads.value == 2
        self.gaps[0].description = "gap of A" if two else "gap"
        self.gaps[1].layout.visibility = "visible" if two else "hidden"
        super().refresh()

    def clear(self):
        """Take all paint away, and forget the corners that were visited."""
        self._wipe()
        self._before = None
        self.refresh()

    def reveal(self):
        """Outline all that can be reached, or hide it again."""
        self.revealed = not self.revealed
        what = "Hide" if self.revealed else "Show"
        self.reveal_button.description = f"{what} all that can be reached"
        self.refresh()


WISH = np.array([Paint.values[0, 0], Paint.values[1, 1]])  # who from cat, where from mat
ALL_OF_IT = 0.25  # goal 3: this share of the rectangle


def _wish(state, found):
    away = np.linalg.norm(state.star - WISH)
    if away < NEAR:
        return Verdict("reached", f"★ is {away:.2f} away from (1, 8).")
    if state.heads == 1:
        nearest = distance_to_hull(WISH, Paint.values.T)
        return Verdict(
            "impossible",
            "one row of weights w carries w · “cat” + (1 − w) · “mat”, a point on the line between "
            f"the words, and the corner lies {nearest:.2f} from that line. Now {away:.2f}.",
        )
    return Verdict("not yet", f"★ is {away:.2f} away from (1, 8).")


def _corners(state, found):
    visited = int(state.visited.sum())
    if visited == 4:
        return Verdict("reached", "All four: each number is chosen on its own.")
    now = f"Visited so far: {visited} of 4."
    if state.heads == 1:
        return Verdict(
            "impossible",
            "the line between the words ends in two of the corners and comes nowhere near the "
            f"other two. {now}",
        )
    return Verdict("not yet", now)


def _quarter(state, found):
    now = f"{pictures.percent(state.share)} so far."
    if state.share >= ALL_OF_IT:
        return Verdict("reached", now)
    if state.heads == 1:
        return Verdict(
            "impossible",
            "however long you paint, it stays the line between the words: no more than one cell "
            f"in ten. {now}",
        )
    return Verdict("not yet", f"{now} Leave one slider where it is and draw the other across.")


PAINT_GOALS = (
    Goal("bring ★ to the corner (1, 8): who from “cat”, where from “mat”.", _wish),
    Goal("visit all four corners (the rings).", _corners),
    Goal("paint a quarter of the rectangle between the corners.", _quarter),
)
