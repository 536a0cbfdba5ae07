"""A quantity over two logits."""

import numpy as np

from mhalib.pictures import HEAD_COLOURS, INK, Picture
from mhalib.pictures.style import BACKED, CELL_COLOURS, FAINT, PAPER


class Field(Picture):
    """A quantity over two logits, as colours with a scale and marked places.

    `values[i, j]` belongs to y = ys[i] and x = xs[j]; `marks` maps a name to its (x, y).
    """

    def __init__(self, title, xs, ys, values, labels, limits, marks):
        super().__init__(400, 344)
        self.headline(title)
        axes = self.plane(56, 34.4, 264, 258, labels, colours=HEAD_COLOURS, pads=(4, 0))
        axes.spines[:].set_visible(True)
        self.image = axes.imshow(
            values,
            origin="lower",
            extent=(xs[0], xs[-1], ys[0], ys[-1]),
            cmap=CELL_COLOURS,
            vmin=limits[0],
            vmax=limits[1],
            aspect="auto",
            interpolation="nearest",
        )
        for name, (x, y) in marks.items():
            axes.plot([x], [y], "o", color=PAPER, markeredgecolor=INK)
            box = BACKED | {"pad": 1.5, "alpha": 0.85}
            self.text(x, y - 0.06 * (ys[-1] - ys[0]), name, 11, axes=axes, va="top", bbox=box)
        scale = self.figure.colorbar(self.image, cax=self.axes_at(332, 34.4, 14, 258))
        scale.ax.tick_params(labelsize=9, colors=FAINT)
        spread = f"from {np.min(values):.2f} to {np.max(values):.2f}"
        self.alt = f"{title}, {spread}, over {labels[0]} (across) and {labels[1]} (up)."
