"""Runs from several seeds, in small panels that share their axes."""

import numpy as np

from mhalib.pictures.raster import Picture
from mhalib.pictures.style import FAINT, REFERENCE


class Panels(Picture):
    """Small panels, two beside each other: a dot for every run, a line through the runs' middle.

    Parameters
    ----------
    title : str
    panels : {name: array (n_series, n_runs, n_x)}, heights between 0 and 1
    series : the names of the series, each with (colour, line style); dots alone for style ""
    ticks : the words across
    labels : what runs across, and what runs up
    reference : (label, height) of a dashed line in every panel
    marks : {name of a panel: place}, optional, a faint vertical line, between two ticks at .5
    tall : height of a panel's plane in CSS pixels
    """

    def __init__(
        self, title, panels, series, ticks, labels, *, reference=None, marks=None, tall=122
    ):
        rows, legend = -(-len(panels) // 2), 20 * (len(series) > 1)
        super().__init__(400, 34 + rows * (tall + 56) + legend)
        self.headline(title)
        self.planes, said = {}, []
        for n, (name, runs) in enumerate(panels.items()):
            runs = np.asarray(runs, float)
            axes = self.planes[name] = self._panel(n, tall, name, ticks, labels)
            if reference:
                axes.axhline(reference[1], color=FAINT, **REFERENCE)
            if name in (marks or {}):
                axes.axvline(marks[name], color="#c5cbd1", linewidth=1, zorder=0)
            self._runs(axes, runs, series.values())
            said.append(f"{name}: {_in_words(runs, series, ticks)}")
        if reference:
            at, style = (len(ticks) - 0.6, reference[1]), {"ha": "right", "va": "bottom"}
            first = next(iter(self.planes.values()))
            self.text(*at, reference[0], 10.5, colour=FAINT, axes=first, zorder=1, **style)
        if legend:
            self._legend(series)
        self.alt = f"{title}: {'; '.join(said)}"

    def _panel(self, n, tall, name, ticks, labels):
        """The axes of the n-th panel, two beside each other; what runs up is said at the left."""
        left, top = 46 + 182 * (n % 2), 54 + (tall + 56) * (n // 2)
        self.text(left, top - 11, name, 12, ha="left")
        limits = {"xlim": (-0.5, len(ticks) - 0.5), "ylim": (-0.02, 1.05)}
        labels = labels if n % 2 == 0 else (labels[0], "")
        axes = self.plane(left, top, 160, tall, labels, size=9, pads=(1, 2), **limits)
        axes.tick_params(labelsize=8.6, length=2, pad=2)
        axes.set_xticks(range(len(ticks)), ticks)
        axes.set_yticks([0, 0.5, 1], ["0", ".5", "1"])
        return axes

    def _runs(self, axes, runs, series):
        """Dots beside each other inside a tick, so that equal runs are seen as several."""
        _, n_runs, n_x = runs.shape
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


def _in_words(runs, series, ticks):
    """The median of the runs, for every series and place; where no line shows it, their range."""
    said = []
    for (name, (_, line)), values in zip(series.items(), runs, strict=True):
        shown = [np.median(values, axis=0)] if line else [values.min(axis=0), values.max(axis=0)]
        places = zip(ticks, zip(*shown, strict=True), strict=True)
        each = ", ".join(f"{tick} " + " to ".join(f"{x:.2f}" for x in at) for tick, at in places)
        said.append(f"{name} {each}" if len(series) > 1 else each)
    return "; ".join(said)
