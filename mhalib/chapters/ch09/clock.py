"""Pairs of channels as clocks: a query's and a key's hand on each."""

import numpy as np
from matplotlib.patches import Arc, Circle

from mhalib.pictures import HEAD_COLOURS, INK, Picture
from mhalib.pictures.raster import move
from mhalib.pictures.style import CELL, DASHED, FAINT, PAPER


class Clock(Picture):
    """One to four pairs of channels, each as a dial with two hands, q and k.

    Angles are counted from three o'clock, against the clock, as mathematics does. The first pair
    has the large dial; a single one stands in the middle. The number of pairs stays as it was made.

    Parameters of `update`
    ----------------------
    queries, keys : (n_pairs,), where the hands stand, in radians
    names : (n_pairs,), what is written over each dial
    ghost : (2, n_pairs), optional, hands kept from before, as dashed lines
    """

    ALONE = (200, 172, 104)  # x, y, radius
    PLACES = ((136, 172, 104), (338, 68, 34), (338, 162, 34), (338, 256, 34))
    LETTER = 0.15  # radians that a letter needs beside another

    def __init__(self, title, queries, keys, names, ghost=None):
        super().__init__(400, 300)
        self.headline(title)
        self.places = self.PLACES[: len(queries)] if len(queries) > 1 else (self.ALONE,)
        self.dials = [self._dial(*place) for place in self.places]
        self.update(queries, keys, names, ghost)

    def _dial(self, x, y, radius):
        """A face, an arc between the hands, two ghosts, two hands with their ends, a name."""
        big, colour, page = radius > 60, HEAD_COLOURS[0], self.page
        edge = {"facecolor": CELL, "edgecolor": FAINT, "linewidth": 1}
        face = page.add_patch(Circle((x, y), radius, **edge))
        arc = page.add_patch(Arc((x, y), 0.6 * radius, 0.6 * radius, color=FAINT, linewidth=1.4))
        ghosts = [page.plot([], [], color=INK, **DASHED)[0] for _ in "qk"]
        width = 2.4 if big else 1.8
        hands = [page.plot([], [], color=colour, linewidth=width)[0] for _ in "qk"]
        style = {"zorder": 2, "markeredgewidth": 1.6}
        ends = [
            self.mark(page, "o", 8 if big else 5, colour, markerfacecolor=fill, **style)
            for fill in (colour, PAPER)
        ]
        letters = [self.text(x, y, letter if big else "", 13, weight="bold") for letter in "qk"]
        name = self.text(x, y - radius - (28 if big else 12), "", 12 if big else 11, colour=FAINT)
        artists = [face, arc, *ghosts, *hands, *ends, *letters, name]
        aside, above, below = (radius + 24, 40, 24) if big else (60, 20, 6)
        top = y - radius - above
        return self.slot(x - aside, top, 2 * aside, 2 * radius + above + below, artists)

    def update(self, queries, keys, names, ghost=None):
        """Move the hands; their meaning stands at the class."""
        ghosts = np.full((2, len(queries)), np.nan) if ghost is None else np.asarray(ghost, float)
        hands = zip(queries, keys, strict=True)
        every = zip(self.dials, self.places, hands, ghosts.T, names, strict=True)
        for dial, place, pair, kept, name in every:
            if dial.renew((*pair, name, *kept.astype(str))):
                self._set(dial.artists, *place, pair, kept, name)

    def _set(self, artists, x, y, radius, hands, ghosts, name):
        _, arc, *rest = artists
        lines, ends, letters, label = (*rest[2:4], *rest[:2]), rest[4:6], rest[6:8], rest[8]

        def at(angle, radius=radius):
            return x + radius * np.cos(angle), y - radius * np.sin(angle)

        for line, angle in zip(lines, (*hands, *ghosts), strict=True):
            move(line, *([] if np.isnan(angle) else [(x, y), at(angle)]))
        turn = np.angle(np.exp(1j * (hands[0] - hands[1])))
        aside = max(0, self.LETTER - abs(turn)) / 2 * (1 if turn >= 0 else -1)
        for end, letter, angle, step in zip(ends, letters, hands, (aside, -aside), strict=True):
            move(end, at(angle))  # letters of hands that lie on each other stand side by side
            letter.set_position(at(angle + step, radius + 14))
        start = -hands[0]
        first, last = sorted((start, start + turn))  # the page counts downwards: angles turn round
        arc.theta1, arc.theta2 = np.degrees(first), np.degrees(last)
        label.set_text(name)
