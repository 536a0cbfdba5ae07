"""What is carried, as points of a plane: one head's block across, another's up."""

import numpy as np
from matplotlib.patches import Polygon

from mhalib.pictures.raster import Picture, move
from mhalib.pictures.style import FAINT, HOLLOW, INK, PAPER, STAR
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
        limits = {"xlim": (0, self.TOP), "ylim": (0, self.TOP)}
        corner = (49.88, 26.6, 280.36, 176.4)
        self.axes = axes = self.plane(*corner, names, colours=colours, **limits)
        self.text(172, 14, "what is carried", 13, weight="bold")
        one_row = {"facecolor": "#d9dee3", "edgecolor": "#8b95a0", "linewidth": 1.6}
        self.reach = axes.add_patch(Polygon([(0, 0)], closed=True, zorder=3, **one_row))
        self.points = self.mark(axes, "o", 6, FAINT, zorder=3.5, markerfacecolor=PAPER)
        self.labels = [
            self.text(0, 0, word, 12, colour=FAINT, axes=axes, va="top", zorder=4) for word in words
        ]
        self.diamond = self.mark(axes, "D", 11, FAINT, markeredgewidth=1.3, **HOLLOW)
        self.square = self.mark(axes, "s", 9, INK)
        self.star = self.mark(axes, "*", 14, STAR, markeredgecolor=INK)
        self.ghost_square = self.mark(axes, "s", 12, INK, markeredgewidth=0.9, **HOLLOW)
        self.ghost_star = self.mark(axes, "*", 18, INK, markeredgewidth=0.9, **HOLLOW)
        marks = [self.diamond, self.square, self.star, self.ghost_square, self.ghost_star]
        artists = [self.reach, self.points, *self.labels, *marks]
        self.drawing = self.slot(38, 16, 306, 196, artists)
        self._legend()
        self.update(**arrays)

    def _legend(self):
        star = {"color": STAR, "markeredgecolor": INK, "markersize": 9}
        entries = (
            (16, "*", "multi-head", star),
            (112, "s", "merged", {"color": INK, "markersize": 6}),
            (188, "D", "average of weights", HOLLOW | {"markersize": 6}),
        )
        for x, marker, name, style in entries:
            self.page.plot([x], [269], marker=marker, **style)
            self.text(x + 10, 269, name, 12, ha="left")

    def update(self, words_at, star, square, diamond, ghost=None):
        """Move the marks; their meaning stands at the class."""
        words_at = np.asarray(words_at, float)
        self.reach.set_xy(hull(words_at))
        move(self.points, *words_at)
        for label, (x, y) in zip(self.labels, words_at, strict=True):
            left = x > 0.85 * self.TOP
            label.set(x=x - 0.2 if left else x + 0.2, y=y - 0.15, ha="right" if left else "left")
        ghosts = (None, None) if ghost is None else ghost
        marks = (self.star, self.square, self.diamond, self.ghost_star, self.ghost_square)
        for mark, place in zip(marks, (star, square, diamond, *ghosts), strict=True):
            move(mark, place)
        shown = [words_at, star, square, diamond, *([] if ghost is None else ghost)]
        self.drawing.renew(tuple(np.concatenate([np.ravel(each) for each in shown])))
