"""A quantity over two logits."""

import numpy as np

from mhalib.pictures import HEAD_COLOURS, INK, Picture
from mhalib.pictures.style import CELL_COLOURS, FAINT, PAPER


class Field(Picture):
    """A quantity over two logits, as colours with a scale and marked places.

    `values[i, j]` belongs to y = ys[i] and x = xs[j]; `marks` maps a name to its (x, y).
    """

    def __init__(self, title, xs, ys, values, labels, limits, marks):
        super().__init__(400, 344)
        self.text(12, 14, title, 13, weight="bold", ha="left")
        axes = self.figure.add_axes((0.14, 0.15, 0.66, 0.75))
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
        axes.tick_params(labelsize=9, colors=FAINT)
        axes.set_xlabel(labels[0], fontsize=9.4, color=HEAD_COLOURS[0])
        axes.set_ylabel(labels[1], fontsize=9.4, color=HEAD_COLOURS[1], labelpad=0)
        for name, (x, y) in marks.items():
            axes.plot([x], [y], "o", color=PAPER, markeredgecolor=INK)
            box = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.5, "alpha": 0.85}
            self.text(x, y - 0.06 * (ys[-1] - ys[0]), name, 11, axes=axes, va="top", bbox=box)
        scale = self.figure.colorbar(
            self.image, cax=self.figure.add_axes((0.83, 0.15, 0.035, 0.75))
        )
        scale.ax.tick_params(labelsize=9, colors=FAINT)
        spread = f"from {np.min(values):.2f} to {np.max(values):.2f}"
        self.alt = f"{title}, {spread}, over {labels[0]} (across) and {labels[1]} (up)."
