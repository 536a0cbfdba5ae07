"""A table of weights as a heat map with numbers."""

from itertools import compress

import numpy as np

from mhalib.pictures.numbers import share
from mhalib.pictures.raster import Picture
from mhalib.pictures.style import CELL, FAINT, INK, PAPER, cell_style, signed_style
from mhalib.pictures.wording import most_looked_at


class Heatmap(Picture):
    """A table of weights, queries down and keys across, with numbers in the cells.

    `signed` shows differences: purple below 0, white at 0, green above, with their sign. With
    `block` there is a gap after each so many rows and columns. `captions` say what runs down and
    across.

    Parameters of `update`: table (n_queries, n_keys), between 0 and 1 (-1 and 1 if signed). What is
    NaN stays empty, and the word of a row or column that is all NaN is not written. `hidden`, of
    the same shape and optional: True where a mask hides, which is a pale cell with no number.
    """

    tiles = {}  # cells of all heat maps, by size, scale and number
    DOWN, ACROSS = "query: looks", "key: looked at"
    FULL = 1  # the size of a number whose colour is the brightest
    LEFT, TOP, GAP = 66, 62, 6  # CSS pixels around the cells, and between blocks

    def __init__(
        self,
        title,
        queries,
        keys,
        table,
        *,
        colour=INK,
        signed=False,
        block=None,
        captions=None,
        hidden=None,
    ):
        self.signed, self.words = signed, (queries, keys)
        cell = self.side = max(26, min(48, 240 // len(keys)))
        self.middles = [
            np.array([(k + 0.5) * cell + k // (block or n) * self.GAP for k in range(n)])
            for n in (len(queries), len(keys))
        ]
        down, across = (int(middles[-1] + cell / 2) for middles in self.middles)
        super().__init__(self.LEFT + across + 10, self.TOP + down + 10)
        self.title = self.headline(title, self.LEFT - 4, 13, colour=colour)
        self.heading = self.slot(self.LEFT - 6, 2, self.width - self.LEFT + 6, 22, [self.title])
        self._name_sides(down, across, captions or (self.DOWN, self.ACROSS))
        tiles = self.tiles.setdefault((cell, signed, self.FULL), {})
        self.cells = [
            self.cell(self.LEFT + x, self.TOP + y, cell, cell, min(12, 0.34 * cell), tiles)
            for y in self.middles[0] - cell / 2
            for x in self.middles[1] - cell / 2
        ]
        if not tiles:
            self._paint_every_number()
        self.update(table, hidden=hidden)

    def _name_sides(self, down, across, captions):
        """What runs down and across, and the words of the rows and columns."""
        left, top, (queries, keys) = self.LEFT, self.TOP, self.words
        self.text(left + across / 2, 32, captions[1], 11, colour=FAINT)
        self.text(9, top + down / 2, captions[0], 11, colour=FAINT, rotation=90)
        self.query_labels = [
            self.text(left - 5, top + y, word, 12, ha="right")
            for y, word in zip(self.middles[0], queries, strict=True)
        ]
        self.key_labels = [
            self.text(left + x, top - 10, word, 12 if self.side > 30 else 10.5)
            for x, word in zip(self.middles[1], keys, strict=True)
        ]
        self.named = [
            self.slot(17, top, left - 18, down, self.query_labels),
            self.slot(left - self.side / 2, top - 20, across + self.side, 20, self.key_labels),
        ]

    def _paint_every_number(self):
        """Once, so that the first drag is as quick as the next."""
        shape = [len(words) for words in self.words]
        for first in range(0, 101, len(self.cells)):
            numbers = np.arange(first, first + len(self.cells)) % 101 / 100
            self.update(numbers.reshape(shape))
            self._repaint()

    def update(self, table, title=None, hidden=None):
        """Show this table, and another title if one is given."""
        title = title or self.title.get_text()
        self.heading.write(title)
        exact = np.asarray(table, float)
        values = np.round(exact, 2)  # the colour says what the number says
        there = [~np.isnan(values).all(axis=axis) for axis in (1, 0)]
        for slot, seen in zip(self.named, there, strict=True):
            slot.renew(tuple(seen))
            for text, visible in zip(slot.artists, seen, strict=True):
                text.set_visible(visible)
        masked = np.zeros(exact.shape, bool) if hidden is None else np.asarray(hidden, bool)
        cells = zip(self.cells, values.flat, exact.flat, masked.flat, strict=True)
        for slot, value, number, out in cells:
            known = not (out or np.isnan(value))
            if slot.renew(self._number(value, number) if known else "hidden" if out else ""):
                square, label = slot.artists
                empty = (CELL if out else PAPER, INK)
                colour, text_colour = self._style(value) if known else empty
                square.set_facecolor(colour)
                label.set_text(slot.key if known else "")
                label.set_color(text_colour)
        queries, keys = (list(compress(*pair)) for pair in zip(self.words, there, strict=True))
        self.alt = f"{title}: {most_looked_at(queries, keys, exact[there[0]][:, there[1]])}"

    def _style(self, value):
        """The colour of a cell with this number, and that of the number."""
        return (signed_style if self.signed else cell_style)(value / self.FULL)

    def _number(self, value, exact):
        """How a number is written, rounded to `value`."""
        sign = ("+" if value > 0 else "−") if self.signed and value else ""
        return sign + share(abs(value))
