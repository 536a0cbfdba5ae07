"""A logit over the difference of two positions."""

import numpy as np

from mhalib.pictures import HEAD_COLOURS, INK, Picture
from mhalib.pictures.raster import move
from mhalib.pictures.style import FAINT, HOLLOW, STAR


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
        self.reach = reach
        self.headline(title)
        labels, style = ("position of q − position of k", "logit"), {"yticks": [-top, 0, top]}
        style |= {"xlim": (-reach - 1, reach + 1), "ylim": (-1.12 * top, 1.12 * top)}
        self.axes = axes = self.plane(46, 32, 340, 220, labels, pads=(2, -4), **style)
        colour = HEAD_COLOURS[0]
        (self.curve,) = axes.plot([], [], color=colour, linewidth=0.8, alpha=0.4, zorder=4)
        self.dots = self.mark(axes, "o", 2.6, colour)
        self.level = axes.axhline(0, color=FAINT, linewidth=1, linestyle="--", zorder=3)
        self.kept = self.mark(axes, "o", 8, INK, zorder=6, **HOLLOW)
        self.now = self.mark(axes, "o", 8, STAR, zorder=7, markeredgecolor=INK)
        artists = [self.level, self.curve, self.dots, self.kept, self.now]
        self.drawing = self.slot(40, 26, 352, 232, artists)
        self.update(logit_at, now, ghost, key)

    def update(self, logit_at, now, ghost=None, key=()):
        """Move the curve and the mark; their meaning stands at the class."""
        whole = np.arange(-self.reach, self.reach + 1)
        fine = np.linspace(-self.reach, self.reach, 20 * self.reach + 1)
        if self.drawing.renew((key, now, ghost)):
            self.curve.set_data(fine, logit_at(fine))
            self.dots.set_data(whole, logit_at(whole))
            (height,) = logit_at(np.array([now]))
            move(self.now, (now, height))
            self.level.set_ydata([height, height])
            move(self.kept, ghost)
