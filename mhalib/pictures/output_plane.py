"""What is carried, as points of a plane: one head's block across, another's up."""

import numpy as np
from matplotlib.patches import Polygon

from mhalib.pictures.raster import Picture
from mhalib.pictures.style import FAINT, INK, PAPER, STAR
from mhalib.plane import hull


class OutputPlane(Picture):
    """What is carried: x is what comes home in one head's block, y what comes in another's.

    The words are points; multi-head is a star, merged a square, the average of weights a diamond.
    The shaded line (or area) is all that *one* row of weights can reach.

    Parameters of `update`
    ----------------------
    words_at : (n_words, 2), the two blocks' values of each word
    star, square, diamond : (2,), outputs; `square` may be NaN (not shown)
    ghost : (2, 2), optional, star and square kept from before, as outlines
    """

    TOP = 10  # values run from 0 to here

    def __init__(self, words, names, colours, **arrays):
        super().__init__(344, 280)
        self.words = words
        axes = self.figure.add_axes(
            (0.145, 0.275, 0.815, 0.63), xlim=(0, self.TOP), ylim=(0, self.TOP)
        )
        axes.tick_params(labelsize=9, colors=FAINT)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_xlabel(names[0], color=colours[0], fontsize=9.4, labelpad=2)
        axes.set_ylabel(names[1], color=colours[1], fontsize=9.4, labelpad=2)
        self.text(172, 14, "what is carried", 13, weight="bold")
        self.axes = axes
        one_row = {"facecolor": "#d9dee3", "edgecolor": "#8b95a0", "linewidth": 1.6}
        self.reach = axes.add_patch(Polygon([(0, 0)], closed=True, zorder=3, **one_row))
        hollow = {"markerfacecolor": "none", "markeredgecolor": INK}
        self.points = self._marks("o", 6, FAINT, markerfacecolor=PAPER)
        self.labels = [
            self.text(0, 0, word, 12, colour=FAINT, axes=axes, va="top", zorder=4) for word in words
        ]
        self.diamond = self._marks("D", 11, FAINT, markeredgewidth=1.3, **hollow)
        self.square = self._marks("s", 9, INK)
        self.star = self._marks("*", 14, STAR, markeredgecolor=INK)
        self.ghost_square = self._marks("s", 12, INK, markeredgewidth=0.9, **hollow)
        self.ghost_star = self._marks("*", 18, INK, markeredgewidth=0.9, **hollow)
        marks = [self.diamond, self.square, self.star, self.ghost_square, self.ghost_star]
        artists = [self.reach, self.points, *self.labels, *marks]
        self.plane = self.slot(38, 16, 306, 196, artists)
        self._legend()
        self.update(**arrays)

    def _marks(self, marker, size, colour, **style):
        style |= {"linestyle": "none", "zorder": 3.5 if marker == "o" else 5}
        return self.axes.plot([], [], marker=marker, markersize=size, color=colour, **style)[0]

    def _legend(self):
        entries = ((16, "*", "multi-head"), (112, "s", "merged"), (188, "D", "average of weights"))
        for x, marker, name in entries:
            star = {"color": STAR, "markeredgecolor": INK}
            face = star if marker == "*" else {"color": INK}
            if marker == "D":
                face |= {"markerfacecolor": "none"}
            self.page.plot([x], [269], marker=marker, markersize=9 if marker == "*" else 6, **face)
            self.text(x + 10, 269, name, 12, colour=INK, ha="left")

    def update(self, words_at, star, square, diamond, ghost=None):
        """Move the marks; their meaning stands at the class."""
        words_at = np.asarray(words_at, float)
        self.reach.set_xy(hull(words_at))
        self.points.set_data(words_at[:, 0], words_at[:, 1])
        for label, (x, y) in zip(self.labels, words_at, strict=True):
            left = x > 0.85 * self.TOP
            label.set(x=x - 0.2 if left else x + 0.2, y=y - 0.15, ha="right" if left else "left")
        places = {"star": star, "square": square, "diamond": diamond}
        if ghost is not None:
            places |= {"ghost_star": ghost[0], "ghost_square": ghost[1]}
        for name in ("star", "square", "diamond", "ghost_star", "ghost_square"):
            mark, place = getattr(self, name), places.get(name)
            seen = place is not None and not np.isnan(place).any()
            mark.set_data(*(([place[0]], [place[1]]) if seen else ([], [])))
        self.plane.renew(tuple(np.concatenate([words_at.ravel(), *map(np.ravel, places.values())])))
