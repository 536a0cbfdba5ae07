"""Weights of one head over the tokens of a text: colours, and labels that fit."""

import numpy as np

from mhalib.chapters.ch12.token_labels import most_weight, token_label
from mhalib.pictures import INK, Picture
from mhalib.pictures.style import FAINT, STAR, colours_of


class TokenMap(Picture):
    """A table of weights without numbers, queries down and keys across, for up to 32 tokens a side.

    Its size never changes, however many tokens there are. Colours go from 0 to 1.

    Parameters of `update`
    ----------------------
    title : str
    queries, keys : lists of tokens
    table : (n_queries, n_keys)
    wanted : (n_queries, n_keys) of booleans, optional, cells that are marked: where a pattern looks
    """

    LEFT, TOP, SIDE, MOST = 78, 92, 312, 32

    def __init__(self, title, queries, keys, table, wanted=None, tall=None, colour=INK):
        self.tall = tall or self.SIDE
        super().__init__(self.LEFT + self.SIDE + 10, self.TOP + self.tall + 8)
        self.title = self.headline("", 4, 12, colour=colour)
        self.heading = self.slot(0, 2, self.width, 21, [self.title])
        middle = self.LEFT + self.SIDE / 2
        self.text(middle, 31, "key: looked at", 11, colour=FAINT)
        down = self.TOP + self.tall / 2
        self.text(8, down, "query: looks", 11, colour=FAINT, rotation=90)
        self.labels = [
            [self.text(0, 0, "", ha="right") for _ in range(self.MOST)],
            [self.text(0, 0, "", rotation=90, va="bottom") for _ in range(self.MOST)],
        ]
        self.named = [
            self.slot(16, self.TOP, self.LEFT - 18, self.tall, self.labels[0]),
            self.slot(self.LEFT, 38, self.SIDE, self.TOP - 40, self.labels[1]),
        ]
        corner = (self.LEFT, self.TOP, self.SIDE, self.tall)
        axes, image = self.bitmap(*corner, self.SIDE, self.tall)
        self.marks = [
            axes.plot([], [], "s", fillstyle="none", color=c, markeredgewidth=w)[0]
            for c, w in ((INK, 2.2), (STAR, 1.1))
        ]
        self.map = self.slot(*corner, [image, *self.marks])
        self.update(title, queries, keys, table, wanted)

    def update(self, title, queries, keys, table, wanted=None):
        """Show this table; the meaning of the arrays stands at the class."""
        self.heading.write(title)
        for axis, words in enumerate((queries, keys)):
            self._write(axis, words)
        table = np.asarray(table, float)
        wanted = np.zeros(table.shape, bool) if wanted is None else np.asarray(wanted, bool)
        if self.map.renew((table.tobytes(), wanted.tobytes(), table.shape)):
            self.map.fill(colours_of(table), alone=not wanted.any())
            down, across = np.nonzero(wanted)
            wide, high = self.SIDE / table.shape[1], self.tall / table.shape[0]
            for mark in self.marks:
                mark.set_data((across + 0.5) * wide, (down + 0.5) * high)
                mark.set_markersize(min(14, 0.5 * min(wide, high)))
        self.alt = f"{title}: {most_weight(queries, keys, table)}"

    def _write(self, axis, words):
        """The labels of an axis: as large as their cells allow."""
        step = (self.SIDE if axis else self.tall) / len(words)
        size, room = min(11.5, 0.9 * step), self.TOP - 44 if axis else self.LEFT - 22
        words = [token_label(word, room, size) for word in words]
        if not self.named[axis].renew(tuple(words)):
            return
        for number, text in enumerate(self.labels[axis]):
            text.set_visible(number < len(words))
            if number < len(words):
                at = (number + 0.5) * step
                place = (self.LEFT + at, self.TOP - 4) if axis else (self.LEFT - 4, self.TOP + at)
                text.set(position=place, text=words[number], fontsize=0.72 * size)
