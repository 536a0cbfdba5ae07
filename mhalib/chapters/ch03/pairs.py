"""Two arrays, number by number."""

import numpy as np

from mhalib.pictures import INK, Picture
from mhalib.pictures.style import FAINT


class Pairs(Picture):
    """Two arrays, number by number: one across, the other up; equal ones stand on the diagonal.

    Parameters of `update`
    ----------------------
    across, up : (n_groups, n), between -1 and 1
    names, colours : for each group
    """

    def __init__(self, title, labels, across, up, names, colours):
        super().__init__(300, 330)
        self.headline(title)
        ends, ticks = (-1.08, 1.08), [-1, 0, 1]
        style = {"xlim": ends, "ylim": ends, "xticks": ticks, "yticks": ticks}
        style |= {"colours": (INK, INK), "pads": (0, -4)}
        self.axes = axes = self.plane(46, 30, 240, 240, labels, **style)
        axes.plot(ends, ends, color=FAINT, linewidth=1, zorder=1)
        style = {"alpha": 0.75, "markeredgewidth": 0.6}
        self.dots = [self.mark(axes, "o", 5, INK, **style) for _ in names]
        self.drawing = self.slot(46, 28, 242, 242, self.dots)
        step = 240 / len(names)
        self.legend = [self.text(46 + (i + 0.5) * step, 316, "", 12) for i in range(len(names))]
        self.names = self.slot(0, 306, 300, 22, self.legend)
        self.update(across, up, names, colours)

    def update(self, across, up, names, colours):
        """Move the dots; their meaning stands at the class."""
        across, up = np.asarray(across, float), np.asarray(up, float)
        groups = zip(self.dots, self.legend, across, up, names, colours, strict=True)
        for dots, label, x, y, name, colour in groups:
            dots.set_data(x, y)
            dots.set_color(colour)
            label.set(text=f"● {name}" if name else "", color=colour)
        self.drawing.renew((across.tobytes(), up.tobytes(), tuple(colours)))
        self.names.renew((tuple(names), tuple(colours)))
