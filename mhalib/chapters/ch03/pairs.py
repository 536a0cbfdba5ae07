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
        self.text(12, 14, title, 13, weight="bold", ha="left")
        self.axes = axes = self.figure.add_axes(
            (46 / 300, 1 - 270 / 330, 240 / 300, 240 / 330), xlim=(-1.08, 1.08), ylim=(-1.08, 1.08)
        )
        axes.set_xticks([-1, 0, 1])
        axes.set_yticks([-1, 0, 1])
        axes.tick_params(labelsize=9, colors=FAINT)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_xlabel(labels[0], color=INK, fontsize=9.4, labelpad=0)
        axes.set_ylabel(labels[1], color=INK, fontsize=9.4, labelpad=-4)
        axes.plot([-1.08, 1.08], [-1.08, 1.08], color=FAINT, linewidth=1, zorder=1)
        style = {"linestyle": "none", "markersize": 5, "markeredgewidth": 0.6, "zorder": 5}
        self.dots = [axes.plot([], [], "o", alpha=0.75, **style)[0] for _ in names]
        self.plane = self.slot(46, 28, 242, 242, self.dots)
        step = 240 / len(names)
        self.legend = [self.text(46 + (i + 0.5) * step, 316, "", 12) for i in range(len(names))]
        self.names = self.slot(0, 306, 300, 22, self.legend)
        self.labels, self.title = labels, title
        self.update(across, up, names, colours)

    def update(self, across, up, names, colours):
        """Move the dots; their meaning stands at the class."""
        across, up = np.asarray(across, float), np.asarray(up, float)
        groups = zip(self.dots, self.legend, across, up, names, colours, strict=True)
        for dots, label, x, y, name, colour in groups:
            dots.set_data(x, y)
            dots.set_color(colour)
            label.set_text(f"● {name}" if name else "")
            label.set_color(colour)
        self.plane.renew((across.tobytes(), up.tobytes(), tuple(colours)))
        self.names.renew((tuple(names), tuple(colours)))
        off = abs(across - up).max()
        self.alt = (
            f"{self.title}: {self.labels[0]} across, {self.labels[1]} up; "
            f"the dot farthest from the diagonal differs by {off:.2f}."
        )
