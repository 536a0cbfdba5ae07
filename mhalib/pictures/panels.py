"""Runs from several seeds, in small panels that share their axes."""

import numpy as np

from mhalib.pictures.raster import Picture
from mhalib.pictures.style import FAINT


class Panels(Picture):
    """Small panels, two beside each other: a dot for every run, a line through the runs' middle.

    Parameters
    ----------
    title : str
    panels : {name: array (n_series, n_runs, n_x)}, heights between 0 and 1
    series : the names of the series, each with (colour, line style)
    ticks : the words across
    labels : what runs across, and what runs up
    reference : (label, height) of a dashed line in every panel
    marks : {name of a panel: place}, optional, a faint vertical line, between two ticks at .5
    tall : height of a panel's plane in CSS pixels
    """

    def __init__(
        self, title, panels, series, ticks, labels, *, reference=None, marks=None, tall=122
    ):
        rows = -(-len(panels) // 2)
        legend = 20 * (len(series) > 1)
        super().__init__(400, 34 + rows * (tall + 56) + legend)
        self.headline(title)
        self.planes = {}
        for n, (name, runs) in enumerate(panels.items()):
            left, top = 46 + 182 * (n % 2), 54 + (tall + 56) * (n // 2)
            place = (left / 400, 1 - (top + tall) / self.height, 160 / 400, tall / self.height)
            last = len(ticks) - 0.5
            axes = self.figure.add_axes(place, xlim=(-0.5, last), ylim=(-0.02, 1.05))
            self.planes[name] = axes
            self.text(left, top - 11, name, 12, ha="left")
            self._axis(axes, ticks, labels, first=n % 2 == 0)
            if reference:
                self._reference(axes, *reference, last, labelled=n == 0)
            if name in (marks or {}):
                axes.axvline(marks[name], color="#c5cbd1", linewidth=1, zorder=0)
            self._runs(axes, np.asarray(runs, float), list(series.values()))
        if legend:
            self._legend(series)
        self.alt = f"{title}: " + "; ".join(
            f"{name}: {_middles(np.asarray(runs, float), series, ticks)}"
            for name, runs in panels.items()
        )

    def _axis(self, axes, ticks, labels, first):
        axes.tick_params(labelsize=8.6, colors=FAINT, length=2, pad=2)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_xticks(range(len(ticks)), ticks)
        axes.set_yticks([0, 0.5, 1], ["0", ".5", "1"])
        axes.set_xlabel(labels[0], color=FAINT, fontsize=9, labelpad=1)
        if first:
            axes.set_ylabel(labels[1], color=FAINT, fontsize=9, labelpad=2)

    def _reference(self, axes, label, height, last, labelled):
        axes.axhline(height, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        if labelled:
            style = {"ha": "right", "va": "bottom", "zorder": 1}
            self.text(last - 0.1, height, label, 10.5, colour=FAINT, axes=axes, **style)

    def _runs(self, axes, runs, series):
        """Dots beside each other inside a tick, so that equal runs are seen as several."""
        n_series, n_runs, n_x = runs.shape
        for values, (colour, style) in zip(runs, series, strict=True):
            aside = np.linspace(-0.18, 0.18, n_runs)[:, None] if n_runs > 1 else np.zeros((1, 1))
            places = np.arange(n_x) + aside
            dots = {"markersize": 3.2, "markeredgewidth": 0, "alpha": 0.8, "color": colour}
            axes.plot(places.ravel(), values.ravel(), "o", zorder=3, **dots)
            if style:
                middle = np.median(values, axis=0)
                axes.plot(range(n_x), middle, style, color=colour, linewidth=1.6, zorder=2)

    def _legend(self, series):
        x, y = 12, self.height - 12
        for name, (colour, style) in series.items():
            self.page.plot([x, x + 22], [y, y], color=colour, linestyle=style, linewidth=1.8)
            self.page.plot([x + 11], [y], "o", color=colour, markersize=3.6)
            self.text(x + 28, y, name, 12, colour=colour, ha="left")
            x += 44 + 6.6 * len(name)


def _middles(runs, series, ticks):
    """The median over the runs, for every series and place."""
    said = []
    for name, values in zip(series, np.median(runs, axis=1), strict=True):
        each = ", ".join(f"{tick} {value:.2f}" for tick, value in zip(ticks, values, strict=True))
        said.append(f"{name} {each}" if len(series) > 1 else each)
    return "; ".join(said)
