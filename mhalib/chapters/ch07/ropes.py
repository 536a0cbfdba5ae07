"""Two losses that pull at rows of two weights."""

import numpy as np
from matplotlib.patches import Polygon

from mhalib.pictures import HEAD_COLOURS, INK, Picture, share
from mhalib.pictures.style import CELL


class Ropes(Picture):
    """Each row of two weights as a bar, cut where the first word's share ends.

    The losses pull at the cut: loss A to the right (more for the first word), loss B to the left.
    An arrow is as long as the pull, and a pull of 1 is half of the bar.

    Parameters
    ----------
    words : the two words
    names, colours : of the rows
    pullers : for each row, the losses (0 for A, 1 for B) that pull at it

    Parameters of `update`
    ----------------------
    weights : (n_rows, 2)
    pulls : (2,), the pull of loss A and of loss B, from 0 to 1
    """

    LEFT, WIDE, TALL, LANE, ROOM = 12, 376, 40, 112, 2  # room for so many rows

    def __init__(self, words, names, colours, pullers, **arrays):
        super().__init__(2 * self.LEFT + self.WIDE, self.LANE * self.ROOM)
        self.words, self.names, self.pullers = words, names, pullers
        first = self.LANE * (self.ROOM - len(names)) / 2
        self.lanes = [
            self._draw_lane(first + i * self.LANE, i, colour) for i, colour in enumerate(colours)
        ]
        self.update(**arrays)

    def _draw_lane(self, top, i, colour):
        """A row's bar: its slot, where the bar stands, and what is moved on it."""
        left, right, bar = self.LEFT, self.LEFT + self.WIDE, top + 40
        self.headline(self.names[i], left, top + 14, 14, colour=colour)
        frame = {"facecolor": CELL, "edgecolor": colour, "linewidth": 1.4}
        self.box(left, bar, self.WIDE, self.TALL, **frame)
        fill = self.box(left + 1, bar + 1, 0, self.TALL - 2, facecolor="#c3d0da")
        cut = self.box(left, bar - 3, 3, self.TALL + 6, facecolor=INK)
        ends = (left, "left"), (right, "right")
        shares = [self.text(x, bar - 9, "", 13, ha=side) for x, side in ends]
        arrows, pulls = [], []
        for r in self.pullers[i]:
            (x, side), paint = ends[1 - r], HEAD_COLOURS[r]
            arrow = Polygon(np.zeros((7, 2)), closed=True, facecolor=paint)
            arrows.append(self.page.add_patch(arrow))
            pulls.append(self.text(x, bar + self.TALL + 14, "", 13, colour=paint, ha=side))
        artists = [fill, cut, *arrows, *shares, *pulls]
        slot = self.slot(0, top + 24, self.width, self.LANE - 25, artists)
        return slot, bar, fill, cut, arrows, shares, pulls

    def update(self, weights, pulls):
        """Move the cuts and the arrows; their meaning stands at the class."""
        lanes = zip(self.lanes, np.asarray(weights, float), self.pullers, strict=True)
        for (slot, bar, fill, cut, arrows, shares, texts), row, pullers in lanes:
            if not slot.renew((*row, *(pulls[r] for r in pullers))):
                continue
            at = self.LEFT + row[0] * self.WIDE
            fill.set_width(max(0, row[0] * self.WIDE - 2))
            cut.set_x(min(max(at - 1.5, self.LEFT), self.LEFT + self.WIDE - 3))
            for text, word, weight in zip(shares, self.words, row, strict=True):
                text.set_text(f"{word} {share(weight)}")
            for n, (r, arrow, text) in enumerate(zip(pullers, arrows, texts, strict=True)):
                y = bar + self.TALL * (n + 1) / (len(pullers) + 1)
                arrow.set_xy(_arrow(at, y, pulls[r] * self.WIDE / 2 * (-1 if r else 1)))
                pull = f"loss {'AB'[r]} pulls {share(pulls[r])}"
                text.set_text(f"← {pull}" if r else f"{pull} →")


def _arrow(x, y, length):
    """The corners of an arrow from (x, y) to the right, or with a negative length to the left."""
    neck = x + length - np.sign(length) * min(10, abs(length))
    half = [(x, 3), (neck, 3), (neck, 7), (x + length, 0)]
    return [(x, y - away) for x, away in half] + [(x, y + away) for x, away in half[2::-1]]
