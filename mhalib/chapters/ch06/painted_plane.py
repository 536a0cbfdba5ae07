"""What one head or two have reached, as paint on the plane of who and where."""

import numpy as np
from matplotlib.patches import Polygon

from mhalib.pictures import HEAD_COLOURS, INK, Picture
from mhalib.pictures.style import FAINT, PAPER, STAR
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
        self.text(44, 12, title, 13, weight="bold", ha="left")
        place = (44 / 400, 46 / 392, 336 / 400, 322 / 392)
        axes = self.figure.add_axes(place, xlim=(0, self.TOP), ylim=(0, self.TOP))
        axes.tick_params(labelsize=9, colors=FAINT)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_xlabel(names[0], color=HEAD_COLOURS[0], fontsize=9.4, labelpad=2)
        axes.set_ylabel(names[1], color=HEAD_COLOURS[1], fontsize=9.4, labelpad=2)
        self.axes, self.words_at, self.corners = axes, words_at, corners
        edges = (0, self.TOP, 0, self.TOP)
        style = {"origin": "lower", "interpolation": "nearest", "zorder": 3, "aspect": "auto"}
        self.paint = axes.imshow(np.zeros((1, 1, 4)), extent=edges, **style)
        outline = {"facecolor": "none", "edgecolor": INK, "linewidth": 1.4, "zorder": 3.2}
        self.reach = axes.add_patch(Polygon([(0, 0)], closed=True, **outline))
        ring = {"linestyle": "none", "marker": "o", "markersize": 12, "zorder": 3.4}
        ring |= {"markeredgecolor": INK, "markerfacecolor": "none"}
        self.rings = axes.plot([], [], markeredgewidth=0.8, **ring)[0]
        self.filled = axes.plot([], [], markeredgewidth=2.4, **ring)[0]
        point = {"markersize": 5, "markerfacecolor": PAPER, "color": INK, "zorder": 3.6}
        self.points = axes.plot(*np.transpose(words_at), linestyle="none", marker="o", **point)[0]
        self.labels = [
            self.text(x + 0.32, y + up, word, 13, axes=axes, ha="left", va=va, zorder=4)
            for word, (x, y) in zip(words, words_at, strict=True)
            for up, va in [(0.1, "bottom") if word in above else (-0.2, "top")]
        ]
        star = {"markersize": 15, "color": STAR, "markeredgecolor": INK, "zorder": 5}
        self.star = axes.plot([], [], linestyle="none", marker="*", **star)[0]
        rings = [self.rings, self.filled, self.points]
        artists = [self.paint, self.reach, *rings, *self.labels, self.star]
        self.plane = self.slot(36, 20, 360, 334, artists)
        self.update(**arrays)

    def update(self, paint, star, visited, reach=None):
        """Show this paint, this output and, if given, what can be reached at all."""
        visited = np.asarray(visited, bool)
        reach = np.zeros((0, 2)) if reach is None else np.asarray(reach, float)
        star = [] if star is None else [star]
        key = (paint.tobytes(), *np.ravel(star), *visited, *reach.ravel())
        if not self.plane.renew(key):
            return
        self.paint.set_data(PAINTS[paint])
        self.reach.set_xy(hull(reach) if len(reach) else [(0, 0)])
        self.reach.set_visible(len(reach) > 0)
        self.rings.set_data(*self.corners[~visited].T)
        self.filled.set_data(*self.corners[visited].T)
        self.star.set_data(*np.reshape(star, (-1, 2)).T)
        told = [f"; the star is at ({who:.2f}, {where:.2f})" for who, where in star]
        self.alt = f"{self.title}{''.join(told)}."
