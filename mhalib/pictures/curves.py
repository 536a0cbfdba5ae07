"""Several quantities over one axis, as curves, with a cursor at one place."""

import numpy as np

from mhalib.pictures.numbers import plain, share, short
from mhalib.pictures.raster import Picture, move
from mhalib.pictures.style import FAINT, HEAD_COLOURS, INK, REFERENCE


class Curves(Picture):
    """Named curves over one axis, on a plane that never moves, with a cursor at one place.

    Under the plane stand the names, each with a piece of its line and its value at the cursor.

    Parameters
    ----------
    title : str
    names : the curves' names
    labels : what runs across, and what runs up
    limits : ((left, right), (bottom, top)) of the plane
    colours, styles : a colour and a line style (as Matplotlib writes it) for each curve
    references : {label: height}, horizontal lines
    log : whether the axis across is logarithmic
    ticks : places of the numbers across, if Matplotlib's are not wanted
    size : width and height in CSS pixels
    columns : how many names stand beside each other

    Parameters of `update`
    ----------------------
    xs : (n,), in rising order; ys : (n_curves, n), NaN where there is nothing to draw
    at : float, optional, where the cursor stands; without it there is none
    chosen : int, optional, the curve that is drawn thick and alone carries the cursor's mark
    """

    LINE = 19  # height of a line of names
    LEFT, TOP, RIGHT, BOTTOM = 52, 30, 14, 44  # what is kept free around the plane

    def __init__(
        self,
        title,
        names,
        labels,
        limits,
        xs=(),
        ys=None,
        at=None,
        *,
        chosen=None,
        colours=HEAD_COLOURS,
        styles=None,
        references=None,
        log=False,
        ticks=None,
        size=(400, 300),
        columns=2,
    ):
        super().__init__(*size)
        self.title, self.names, self.labels, self.log = title, list(names), labels, log
        self.rows = -(-len(self.names) // columns)
        self.headline(title)
        wide = self.width - self.LEFT - self.RIGHT
        tall = self.height - self.TOP - self.BOTTOM - self.rows * self.LINE
        corner, ends = (self.LEFT, self.TOP, wide, tall), {"xlim": limits[0], "ylim": limits[1]}
        self.axes = self.plane(*corner, labels, pads=(2, 4), **ends)
        self._axis(ticks)
        for label, height in (references or {}).items():
            self._reference(label, height, tall)
        lines = list(zip(colours, styles or ["-"] * len(self.names), self.names, strict=False))
        self._draw(lines, (self.LEFT - 7, self.TOP - 7, wide + 14, tall + 14))
        self.legend = [self._entry(i, columns, *line) for i, line in enumerate(lines)]
        self.update(xs, np.empty((len(self.names), 0)) if ys is None else ys, at, chosen)

    def _draw(self, lines, place):
        """The slot of all that moves: the cursor, the curves and their marks."""
        self.cursor = self.axes.axvline(self.axes.get_xlim()[0], color=FAINT, linewidth=1, zorder=3)
        self.lines = [
            self.axes.plot([], [], color=colour, linestyle=style, zorder=4)[0]
            for colour, style, _ in lines
        ]
        self.marks = [
            self.mark(self.axes, "o", None, colour, markeredgecolor=INK) for colour, *_ in lines
        ]
        self.drawing = self.slot(*place, [self.cursor, *self.lines, *self.marks])

    def _axis(self, ticks):
        if self.log:
            self.axes.set_xscale("log")
            self.axes.minorticks_off()
            for axis in (self.axes.xaxis, self.axes.yaxis):
                axis.set_major_formatter(lambda x, _: plain(x, 4))
        else:
            self.axes.yaxis.get_major_locator().set_params(steps=[1, 2, 5, 10])  # short numbers
        if ticks is not None:
            self.axes.set_xticks(ticks)

    def _reference(self, label, height, tall):
        """A dashed line, and its label under it, or over it where there is no room."""
        left, right = self.axes.get_xlim()
        bottom, top = self.axes.get_ylim()
        self.axes.plot([left, right], [height] * 2, color=FAINT, **REFERENCE)
        over = (height - bottom) / (top - bottom) * tall < 18
        pixel = (top - bottom) / tall
        y, va = (height + 2 * pixel, "bottom") if over else (height - 2 * pixel, "top")
        self.text(right, y, label, 11, colour=FAINT, axes=self.axes, ha="right", va=va, zorder=1)

    def _entry(self, i, columns, colour, style, name):
        """A piece of a curve's line, its name, and the slot of its value."""
        column = (self.width - 16) / columns
        x, end = 12 + i % columns * column, -2 + (i % columns + 1) * column
        y = self.height - (self.rows - i // columns - 0.5) * self.LINE - 3
        self.page.plot([x, x + 24], [y, y], color=colour, linestyle=style, linewidth=2)
        self.text(x + 30, y, name, 12, colour=colour, ha="left")
        return self.note((end - 46, y - 9, 50, 18), end, y, 12, ha="right", weight="bold")

    def update(self, xs, ys, at=None, chosen=None):
        """Move the curves and the cursor; their meaning stands at the class."""
        xs, ys = np.asarray(xs, float), np.asarray(ys, float)
        here = self._at(xs, ys, at)
        for i, (line, mark) in enumerate(zip(self.lines, self.marks, strict=True)):
            line.set_data(xs, ys[i])
            line.set_linewidth(3 if i == chosen else 1.8)
            move(mark, (at, here[i]) if at is not None and chosen in (None, i) else None)
        self.cursor.set_visible(at is not None)
        if at is not None:
            self.cursor.set_xdata([at, at])
        self.drawing.renew((xs.tobytes(), ys.tobytes(), at, chosen))
        texts = ["" if np.isnan(value) else _height(value) for value in here]
        for i, (slot, text) in enumerate(zip(self.legend, texts, strict=True)):
            slot.write(text, color=INK if chosen in (None, i) else FAINT)
        said = [f"{n} {t}" for n, t in zip(self.names, texts, strict=True) if t]
        place = "" if at is None else f" At {self.labels[0]} {at:g}: {', '.join(said)}."
        self.alt = f"{self.title}: {self.labels[1]} over {self.labels[0]}.{place}"

    def _at(self, xs, ys, at):
        """The curves' heights at the cursor, on the straight pieces between their points."""
        if at is None or not xs.size:
            return np.full(len(self.names), np.nan)
        scale = np.log if self.log else np.asarray
        return np.array([np.interp(scale(at), scale(xs), row) for row in ys])


def _height(value):
    """Three digits after the point below 10, as the chapters print them; fewer above."""
    return short(value) if abs(value) >= 10 else share(value, 2 if abs(value) >= 1 else 3)
