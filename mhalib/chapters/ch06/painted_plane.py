"""What one head or two have reached, as paint on the plane of who and where."""

import numpy as np
from matplotlib.patches import Polygon

from mhalib.pictures import HEAD_COLOURS, INK, Picture
from mhalib.pictures.raster import move
from mhalib.pictures.style import HOLLOW, PAPER, STAR
from mhalib.plane import hull

# No paint, grey by one head, gold by two: RGBA as bytes, which are drawn faster than fractions.
PAINTS = np.array([(0, 0, 0, 0), (140, 150, 163, 255), (247, 214, 122, 255)], np.uint8)


class PaintedPlane(Picture):
    """A plane with the words as points, paint where outputs have been, and a star that is one.

    The name of a word stands below its point, or above if the word is in `above`.

    Parameters of `update`
    ----------------------
    paint : (n, n) of 0 (none), 1 (by one head, grey) or 2 (by two heads, gold)
        Square cells of the plane, [up, across], from (0, 0) to (TOP, TOP).
    star : (2,), the output now, or None
    visited : for each corner whether an output has been there
    reach : (n, 2) points, optional; the line or area between them is outlined
    """

    TOP = 10

    def __init__(
        self, words, words_at, corners, names, title="where outputs have been", above=(), **arrays
    ):
        super().__init__(400, 392)
        self.title = title
        self.headline(title, 44, 12)
        limits, style = (0, self.TOP), {"colours": HEAD_COLOURS}
        axes = self.plane(44, 24, 336, 322, names, **style, xlim=limits, ylim=limits)
        self.axes, self.corners = axes, corners
        style = {"origin": "lower", "interpolation": "nearest", "zorder": 3, "aspect": "auto"}
        self.paint = axes.imshow(np.zeros((1, 1, 4)), extent=limits * 2, **style)
        outline = {"facecolor": "none", "edgecolor": INK, "linewidth": 1.4, "zorder": 3.2}
        self.reach = axes.add_patch(Polygon([(0, 0)], closed=True, **outline))
        self.rings, self.filled = (
            self.mark(axes, "o", 12, INK, zorder=3.4, markeredgewidth=width, **HOLLOW)
            for width in (0.8, 2.4)
        )
        self.points = self.mark(axes, "o", 5, INK, zorder=3.6, markerfacecolor=PAPER)
        move(self.points, *words_at)
        self.labels = [
            self.text(x + 0.32, y + up, word, 13, axes=axes, ha="left", va=va, zorder=4)
            for word, (x, y) in zip(words, words_at, strict=True)
            for up, va in [(0.1, "bottom") if word in above else (-0.2, "top")]
        ]
        self.star = self.mark(axes, "*", 15, STAR, markeredgecolor=INK)
        rings = [self.rings, self.filled, self.points]
        artists = [self.paint, self.reach, *rings, *self.labels, self.star]
        self.drawing = self.slot(36, 20, 360, 334, artists)
        self.update(**arrays)

    def update(self, paint, star, visited, reach=None):
        """Show this paint, this output and, if given, what can be reached at all."""
        visited = np.asarray(visited, bool)
        reach = np.zeros((0, 2)) if reach is None else np.asarray(reach, float)
        key = (paint.tobytes(), *np.ravel([] if star is None else star), *visited, *reach.ravel())
        if not self.drawing.renew(key):
            return
        self.paint.set_data(PAINTS[paint])
        self.reach.set_xy(hull(reach) if len(reach) else [(0, 0)])
        self.reach.set_visible(len(reach) > 0)
        move(self.rings, *self.corners[~visited])
        move(self.filled, *self.corners[visited])
        move(self.star, star)
        told = "" if star is None else "; the star is at ({:.2f}, {:.2f})".format(*star)
        self.alt = f"{self.title}{told}."
