"""A logit over the difference of two positions."""

import numpy as np

from mhalib.pictures import HEAD_COLOURS, INK, Picture, short
from mhalib.pictures.style import FAINT, STAR


class Differences(Picture):
    """A dot for each whole difference of positions up to `reach`, the present one marked.

    The logits reach from -top to top.

    Parameters of `update`
    ----------------------
    logit_at : function from differences (an array) to logits
    now : the present difference
    ghost : (difference, logit) kept from before, optional, as an outline
    key : what the curve depends on; a new curve is drawn when it changes
    """

    def __init__(self, title, reach, logit_at, now, ghost=None, key=(), top=1):
        super().__init__(400, 300)
        self.title, self.reach = title, reach
        self.text(12, 14, title, 13, weight="bold", ha="left")
        place = (46 / 400, 48 / 300, 340 / 400, 220 / 300)
        self.axes = self.figure.add_axes(place, xlim=(-reach - 1, reach + 1), yticks=[-top, 0, top])
        self.axes.set_ylim(-1.12 * top, 1.12 * top)
        self.axes.tick_params(labelsize=9, colors=FAINT)
        self.axes.spines[["top", "right"]].set_visible(False)
        self.axes.set_xlabel("position of q − position of k", color=FAINT, fontsize=9.4, labelpad=2)
        self.axes.set_ylabel("logit", color=FAINT, fontsize=9.4, labelpad=-4)
        colour = HEAD_COLOURS[0]
        (self.curve,) = self.axes.plot([], [], color=colour, linewidth=0.8, alpha=0.4, zorder=4)
        (self.dots,) = self.axes.plot([], [], "o", color=colour, markersize=2.6, zorder=5)
        self.level = self.axes.axhline(0, color=FAINT, linewidth=1, linestyle="--", zorder=3)
        style = {"markeredgecolor": INK, "markersize": 8, "linestyle": "none", "marker": "o"}
        (self.kept,) = self.axes.plot([], [], markerfacecolor="none", zorder=6, **style)
        (self.mark,) = self.axes.plot([], [], markerfacecolor=STAR, zorder=7, **style)
        artists = [self.level, self.curve, self.dots, self.kept, self.mark]
        self.plane = self.slot(40, 26, 352, 232, artists)
        self.update(logit_at, now, ghost, key)

    def update(self, logit_at, now, ghost=None, key=()):
        """Move the curve and the mark; their meaning stands at the class."""
        whole = np.arange(-self.reach, self.reach + 1)
        fine = np.linspace(-self.reach, self.reach, 20 * self.reach + 1)
        (height,) = logit_at(np.array([now]))
        if self.plane.renew((key, now, ghost)):
            self.curve.set_data(fine, logit_at(fine))
            self.dots.set_data(whole, logit_at(whole))
            self.mark.set_data([now], [height])
            self.level.set_ydata([height, height])
            self.kept.set_data(*(([], []) if ghost is None else ([ghost[0]], [ghost[1]])))
        self.alt = f"{self.title}: at a difference of {short(now)} the logit is {short(height, 3)}."
