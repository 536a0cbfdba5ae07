"""What the heads write into the stream: as arrows head to tail, and as a table."""

import numpy as np

from mhalib.pictures import HEAD_COLOURS, INK, Picture, share, short
from mhalib.pictures.raster import move
from mhalib.pictures.style import CELL, FAINT, HOLLOW, STAR
from mhalib.pictures.wording import HEADS


class Stream(Picture):
    """Two channels of the stream as a plane: each head's write is an arrow, set head to tail.

    Parameters of `update`
    ----------------------
    start : (2,), the stream before the heads write
    writes : (n_heads, 2)
    ghost : (2,), optional, where the stream ended before, as an outline
    """

    LOW, HIGH = -6, 20  # of both channels

    def __init__(self, names, start, writes, ghost=None):
        super().__init__(400, 392)
        self.headline("the stream: a dot before, ★ after", 44, 12)
        limits = {"xlim": (self.LOW, self.HIGH), "ylim": (self.LOW, self.HIGH)}
        style = {"colours": (INK, INK), "pads": (2, -2)}
        axes = self.plane(50, 24, 322, 322, names, **style, **limits)
        for line in (axes.axhline, axes.axvline):
            line(0, color="#d9dee3", linewidth=1)
        colours, style = HEAD_COLOURS[: len(writes)], {"mutation_scale": 13, "linewidth": 2.2}
        self.arrows = [
            self.arrow((0, 0), (1, 1), colour, axes, zorder=4, **style) for colour in colours
        ]
        self.labels = [
            self.text(0, 0, head, 13, colour=colour, weight="bold", axes=axes, zorder=5)
            for head, colour in zip(HEADS, colours, strict=False)
        ]
        self.start = self.mark(axes, "o", 6, INK, zorder=6)
        self.ghost = self.mark(axes, "*", 18, INK, zorder=6, markeredgewidth=0.9, **HOLLOW)
        self.star = self.mark(axes, "*", 13, STAR, zorder=6, markeredgecolor=INK)
        artists = [*self.arrows, *self.labels, self.start, self.ghost, self.star]
        self.drawing = self.slot(45, 22, 352, 323, artists)
        self.update(start, writes, ghost)

    def update(self, start, writes, ghost=None):
        """Show these writes, added to this start."""
        key = (*start, *np.ravel(writes), None if ghost is None else tuple(ghost))
        if not self.drawing.renew(key):
            return
        stops = np.cumsum([start, *writes], axis=0)
        middle = stops.mean(axis=0)
        parts = zip(self.arrows, self.labels, stops[:-1], stops[1:], strict=True)
        for arrow, label, tail, head in parts:
            length = np.linalg.norm(head - tail)
            arrow.set_positions(tail, head)
            arrow.set_visible(length > 0.05)
            label.set_visible(length > 0.5)
            if length > 0.5:
                aside = np.array([tail[1] - head[1], head[0] - tail[0]]) / length
                aside *= np.sign(aside @ ((tail + head) / 2 - middle)) or 1
                label.set_position((tail + head) / 2 + 0.9 * aside)
        move(self.start, start)
        move(self.star, stops[-1])
        move(self.ghost, ghost)


class WriteTable(Picture):
    """Each head's write and their sum as numbers with bars, their sizes, and how alike they are.

    Parameters of `update`
    ----------------------
    writes : (n_heads, 2)
    cosines : (n_heads, n_heads), NaN where a write is 0
    """

    ROW, TOP, UNIT, MOST = 34, 50, 2.9, 36  # CSS pixels; a bar has UNIT for 1 and MOST at most
    HALF = 26  # a bar of a cosine has HALF for 1

    def __init__(self, channels, writes, cosines):
        n_heads = len(writes)
        self.pairs = [(a, b) for a in range(n_heads) for b in range(a + 1, n_heads)]
        bottom = self.TOP + (n_heads + 1) * self.ROW
        super().__init__(400, bottom + 96)
        self.headline("what each head writes", 8, 12)
        self.zeros = (164, 300)
        for zero, name in zip(self.zeros, channels, strict=True):
            self.text(zero - 42, 36, name, 12, colour=FAINT, ha="right")
        self.text(372, 36, "size", 12, colour=FAINT)
        self.box(8, bottom - self.ROW - 2, 384, 1, facecolor="#c5cbd1")
        named = [(f"head {HEADS[r]}", HEAD_COLOURS[r]) for r in range(n_heads)] + [("sum", INK)]
        self.rows = [self._row(number, *each) for number, each in enumerate(named)]
        self.headline("how alike", 8, bottom + 22)
        scale = "1 same way, 0 at right angles, −1 against"
        self.text(394, bottom + 22, scale, 11, colour=FAINT, ha="right")
        self.alike = []
        for number, (a, b) in enumerate(self.pairs):
            x, y = 8 + 130 * number, bottom + 46
            self.text(x + 26, y + 17, f"{HEADS[a]} and {HEADS[b]}", 12)
            self.box(x + 58, y, 58, 34, facecolor=CELL)
            artists = [
                *self._bar(x + 87, y + 22, 8, 2, facecolor=FAINT),
                self.text(x + 87, y + 11, ""),
            ]
            self.alike.append(self.slot(x + 57, y - 1, 60, 36, artists))
        self.update(writes, cosines)

    def _row(self, number, name, colour):
        y = self.TOP + number * self.ROW
        self.headline(name, 8, y + 15, colour=colour)
        artists = []
        for zero in self.zeros:
            artists += self._bar(zero, y + 4, 22, facecolor=colour, alpha=0.35)
            artists.append(self.text(zero - 42, y + 15, "", ha="right", weight="bold"))
        return self.slot(66, y, 330, 30, [*artists, self.text(372, y + 15, "")])

    def _bar(self, zero, y, tall, overhang=3, **style):
        """A bar without a length yet, and the line of its zero."""
        line = (zero - 0.5, y - overhang, 1, tall + 2 * overhang)
        return [self.box(zero, y, 0, tall, **style), self.box(*line, facecolor=INK)]

    def update(self, writes, cosines):
        """Show these arrays; their meaning stands at the class."""
        for slot, write in zip(self.rows, [*writes, np.sum(writes, axis=0)], strict=True):
            slot.renew(tuple(write))
            for bar, label, value in zip(
                slot.artists[:6:3], slot.artists[2:6:3], write, strict=True
            ):
                bar.set_width(np.clip(self.UNIT * value, -self.MOST, self.MOST))
                label.set_text(short(value, 2))
            slot.artists[-1].set_text(f"{np.linalg.norm(write):.2f}")
        for slot, pair in zip(self.alike, self.pairs, strict=True):
            cosine = round(float(cosines[pair]), 2)
            slot.artists[0].set_width(0 if np.isnan(cosine) else self.HALF * cosine)
            slot.write("–" if np.isnan(cosine) else share(cosine))
