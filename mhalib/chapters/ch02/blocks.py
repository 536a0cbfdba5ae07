"""A table cut into heads' blocks, with lights where something changed."""

import numpy as np

from mhalib.pictures import HEAD_COLOURS, INK, Picture
from mhalib.pictures.style import CELL, FAINT, PAPER
from mhalib.pictures.wording import HEADS


class Blocks(Picture):
    """What goes into a split and what comes out: one cell a number, lit where it changed.

    Above stands the table x, a row a word; below, a table of the same rows for every head.

    Parameters of `update`
    ----------------------
    before : bool (T, d_model), the cells of x that changed
    after : bool (n_heads, T, d_head), the cells of the heads' tables that changed
    """

    MOST_WORDS, CELL_WIDTH, CELL_HEIGHT, LEFT, GAP = 4, 31, 20, 44, 14

    def __init__(self, title, words, before, after):
        n_heads, _, d_head = after.shape
        deep = self.MOST_WORDS * self.CELL_HEIGHT
        super().__init__(344, 2 * deep + 96)
        self.words = words
        self.text(self.LEFT, 14, "x: one row for each word", 12, colour=FAINT, ha="left")
        self.before = self._table(self.LEFT, 26, before.shape[1], INK)
        self._cut(title, 26 + deep)
        self.after, top = [], deep + 82
        for r in range(n_heads):
            left = self.LEFT + r * (d_head * self.CELL_WIDTH + self.GAP)
            self.headline(f"head {HEADS[r]}", left, top - 10, 12, colour=HEAD_COLOURS[r])
            self.after.append(self._table(left, top, d_head, HEAD_COLOURS[r], named=r == 0))
        self.update(before, after)

    def _table(self, left, top, n_columns, colour, named=True):
        """The slots of a table, row by row; each is a cell that a light may fill."""
        wide, high, slots = self.CELL_WIDTH, self.CELL_HEIGHT, []
        for t, word in enumerate(self.words):
            if named:
                self.text(self.LEFT - 6, top + (t + 0.5) * high, word, 12, ha="right")
            for c in range(n_columns):
                x, y = left + c * wide, top + t * high
                self.box(x, y, wide, high, facecolor=CELL, edgecolor=PAPER, linewidth=1.5)
                light = self.box(x + 2, y + 2, wide - 4, high - 4, facecolor=colour, linewidth=0)
                slots.append(self.slot(x + 1, y + 1, wide - 2, high - 2, [light]))
        return slots

    def _cut(self, title, top):
        """The arrow down, with the name of the code that cuts."""
        middle = self.LEFT + 4 * self.CELL_WIDTH
        self.text(middle, top + 18, title, 14, weight="bold")
        for x in (middle - 60, middle + 60):
            self.text(x, top + 18, "▼", 12, colour=FAINT)

    def update(self, before, after):
        """Light what changed; the meaning stands at the class."""
        tables = [(self.before, before), *zip(self.after, after, strict=True)]
        for slots, changed in tables:
            for slot, lit in zip(slots, np.ravel(changed), strict=True):
                slot.renew(bool(lit))
                slot.artists[0].set_visible(bool(lit))
