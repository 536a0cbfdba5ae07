"""Chapter 06: everywhere an output has been stays painted; one head paints a line."""

from functools import partial
from itertools import product
from types import SimpleNamespace

import numpy as np

from mhalib import pictures
from mhalib.attention import softmax
from mhalib.chapters.ch06.painted_plane import PaintedPlane
from mhalib.live.controls import button, chooser, column, heading, put, row, slider
from mhalib.live.explorer import ONE_AT_A_TIME, Explorer, goal, impossible, not_yet, reached
from mhalib.pictures import HEAD_COLOURS, wording
from mhalib.plane import distance_to_hull
from mhalib.running_sentence import CARRIED

CELL = 0.25  # side of a painted cell
THERE = 0.1  # an output this near to a corner is there
ALL_OF_IT = 0.25  # goal 3: this share of the rectangle
WORDS = ("cat", "mat")
VALUES = np.array([CARRIED[word][:2] for word in WORDS], float).T  # block (who, where) by word
CORNERS = np.array(list(product(*VALUES)))  # every who with every where
WISH = np.array([VALUES[0, 0], VALUES[1, 1]])  # who from cat, where from mat


@goal("bring ★ to the corner (1, 8): who from “cat”, where from “mat”.")
def wish(state, found):
    away = np.linalg.norm(state.star - WISH)
    if away < THERE:
        return reached(f"★ is {away:.2f} away from (1, 8).")
    if state.heads == 1:
        nearest = distance_to_hull(WISH, VALUES.T)
        return impossible(
            "one row of weights w carries w · “cat” + (1 − w) · “mat”, a point on the line between "
            f"the words, and the corner lies {nearest:.2f} from that line. Now {away:.2f}."
        )
    return not_yet(f"★ is {away:.2f} away from (1, 8).")


@goal("visit all four corners (the rings).")
def corners(state, found):
    visited = int(state.visited.sum())
    if visited == 4:
        return reached("All four: each number is chosen on its own.")
    now = f"Visited so far: {visited} of 4."
    if state.heads == 1:
        return impossible(
            "the line between the words ends in two of the corners and comes nowhere near the "
            f"other two. {now}"
        )
    return not_yet(now)


@goal("paint a quarter of the rectangle between the corners.")
def quarter(state, found):
    now = f"{pictures.percent(state.share)} so far."
    if state.share >= ALL_OF_IT:
        return reached(now)
    if state.heads == 1:
        return impossible(
            "however long you paint, it stays the line between the words: no more than one cell "
            f"in ten. {now}"
        )
    return not_yet(f"{now} Leave one slider where it is and draw the other across.")


def carried(gaps):
    """What comes home, (..., 2), for a gap between the two logits in each block, (..., 2)."""
    weights = softmax(np.stack([gaps, np.zeros_like(gaps)], axis=-1))
    return (weights * VALUES).sum(axis=-1)


class Paint(Explorer):
    """Two words, each with a who and a where; move the rows of weights and see where one gets."""

    sentence_lines = 5
    goals = (wish, corners, quarter)
    low, high = -6, 6
    examples = {"start": (0.0, 0.0)}

    def __init__(self):
        super().__init__()
        counts = chooser("heads", [("one head", 1), ("two heads", 2)])
        self.heads = self.watch(counts, self._other_heads)
        self.gaps = [
            self.watch(slider(name, self.low, self.high, colour=HEAD_COLOURS[r]))
            for r, name in enumerate(("gap", "gap of B"))
        ]
        self.clear_button = button("Clear the paint", self.clear)
        self.reveal_button = button("Show all that can be reached", self.reveal)
        self.revealed = False
        with self.one_redraw():
            self._other_heads()
            self.clear()
        text = f"gap: how far the logit of “cat” lies above that of “mat”, −{-self.low} to "
        panel = column(self.heads, heading(f"{text}{self.high}"), *self.gaps, width="100%")
        buttons = row(*self.goal_buttons, self.clear_button, self.reveal_button, self.back_button)
        self.view = row(
            column(self.frames[0]), column(panel, self.sentence_line, self.goal_line, buttons)
        )

    def _other_heads(self):
        """Name and show the sliders that so many heads have."""
        two = self.heads.value == 2
        self.gaps[0].description = "gap of A" if two else "gap"
        self.gaps[1].layout.visibility = "visible" if two else "hidden"
        self.refresh()

    def _each_gap(self):
        """The gap in each block: with one head the same in both."""
        return np.round([self.gaps[0].value, self.gaps[self.heads.value - 1].value], 2)

    def refresh(self):
        """Paint all that was passed on the way from the gaps before to these, and redraw."""
        with ONE_AT_A_TIME:
            if not self._muted:
                self._brush(self.heads.value, self._each_gap())
            super().refresh()

    def _brush(self, heads, gaps):
        before = self._before[1] if self._before and self._before[0] == heads else gaps
        steps = 1 + int(np.ceil(abs(gaps - before).max() / 0.05))
        path = carried(np.linspace(before, gaps, steps))
        across, up = np.floor(path / CELL).astype(int).T
        self.paint[heads][up, across] = True
        away = np.linalg.norm(path[:, None] - CORNERS, axis=-1)
        self.visited |= (away < THERE).any(axis=0)
        self._before = heads, gaps

    def read(self):
        heads, gaps = self.heads.value, self._each_gap()
        who, where = np.round(VALUES / CELL).astype(int)
        reach = VALUES.T if heads == 1 else CORNERS
        return SimpleNamespace(
            heads=heads,
            weights=softmax(np.stack([gaps, 0 * gaps], axis=-1)),
            star=carried(gaps),
            paint=np.where(self.paint[1], 1, np.where(self.paint[2], 2, 0)),
            share=self.paint[heads][slice(*where), slice(*who)].mean(),
            visited=self.visited.copy(),
            reach=reach if self.revealed else None,
        )

    def draw(self, state):
        places = {"words_at": VALUES.T, "corners": CORNERS}
        places["names"] = ["who (block A)", "where (block B)"]
        arrays = {name: getattr(state, name) for name in ("paint", "star", "visited", "reach")}
        return self.drawn((partial(PaintedPlane, WORDS, **places), arrays))

    def describe(self, state):
        choices = [wording.choice(WORDS, weights) for weights in state.weights]
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
        put(self.gaps, gaps)
        self._before = None

    def clear(self):
        """Take all paint away, and forget the corners that were visited."""
        cells = round(PaintedPlane.TOP / CELL)
        self.paint = {heads: np.zeros((cells, cells), bool) for heads in (1, 2)}
        self.visited, self._before = np.zeros(len(CORNERS), bool), None
        self.refresh()

    def reveal(self):
        """Outline all that can be reached, or hide it again."""
        self.revealed = not self.revealed
        what = "Hide" if self.revealed else "Show"
        self.reveal_button.description = f"{what} all that can be reached"
        self.refresh()
