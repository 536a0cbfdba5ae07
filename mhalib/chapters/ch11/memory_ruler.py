"""Amounts of memory on one axis, on which every step to the right is a doubling."""

import numpy as np

from mhalib.pictures import INK, Picture, plain, three_digits
from mhalib.pictures.raster import move
from mhalib.pictures.style import FAINT, HOLLOW, REFERENCE

GIB = 2**30
AXIS = "GiB; every line to the right is four times as much"


class MemoryRuler(Picture):
    """A dot for each amount on a doubling axis in GiB, with sizes to compare them to.

    Parameters
    ----------
    title : str
    names : what each amount is of
    sizes : {label: bytes}, dashed lines from top to bottom, named at their left
    colours : one for each name
    limits : the ends of the axis, in GiB, powers of 2; a dot beyond them is a triangle there

    Parameters of `update`
    ----------------------
    amounts : bytes, one for each name; None is not drawn
    ghost : earlier amounts, as outlines, or None
    """

    LEFT, RIGHT, ROW = 76, 78, 34

    def __init__(self, title, names, sizes, colours, limits=(0.25, 16384), amounts=(), width=400):
        top = 34 + 14 * len(sizes)
        bottom = top + self.ROW * len(names)
        super().__init__(width, bottom + 40)
        self.low, self.high = np.log2(limits)
        self.headline(title, 10, 14)
        for power in np.arange(np.ceil(self.low / 2) * 2, self.high + 1, 2):
            x = self._x(2.0**power * GIB)
            self.page.plot([x, x], [top, bottom + 4], color="#e3e7eb", linewidth=1, zorder=0)
            if power % 4 == 2:
                self.text(x, bottom + 13, plain(2.0**power), 11, colour=FAINT)
        self.text((self.LEFT + width - self.RIGHT) / 2, bottom + 29, AXIS, 11, colour=FAINT)
        for n, (label, size) in enumerate(sorted(sizes.items(), key=lambda item: -item[1])):
            x, y = self._x(size), 34 + 14 * n
            self.page.plot([x, x], [y - 6, bottom + 4], color=INK, **REFERENCE | {"linewidth": 1.1})
            self.text(x - 4, y, label, 11, ha="right")
        named = enumerate(zip(names, colours, strict=True))
        self.rows = [self._row(top + self.ROW * (n + 0.5), *each) for n, each in named]
        self.update(amounts or [None] * len(names))

    def _row(self, y, name, colour):
        """The height and the slot of an amount: a line with a dot at its end, and a ghost's dot."""
        self.text(10, y, name, 13, colour=colour, ha="left", weight="bold")
        (line,) = self.page.plot([], [], color=colour, linewidth=2, zorder=3)
        dot = self.mark(self.page, "o", 9, colour)
        ghost = self.mark(self.page, "o", 12, INK, **HOLLOW)
        value = self.text(self.width - 8, y, "", 13, ha="right", weight="bold")
        place = (self.LEFT - 8, y - 13, self.width - self.LEFT + 8, 26)
        return y, self.slot(*place, [line, dot, ghost, value])

    def update(self, amounts, ghost=None):
        """Move the dots; their meaning stands at the class."""
        ghosts = [None] * len(amounts) if ghost is None else ghost
        for (y, slot), *sizes in zip(self.rows, amounts, ghosts, strict=True):
            if slot.renew(tuple(sizes)):
                line, dot, outline, value = slot.artists
                now, kept = (None if size is None else (self._x(size), y) for size in sizes)
                move(dot, now)
                move(outline, kept)
                move(line, now and (self.LEFT, y), now)
                dot.set_marker(self._marker(sizes[0]) if now else "o")
                value.set_text(memory(sizes[0]) if now else "")

    def _x(self, size):
        power = np.clip(np.log2(size / GIB), self.low, self.high)
        share = (power - self.low) / (self.high - self.low)
        return self.LEFT + share * (self.width - self.LEFT - self.RIGHT)

    def _marker(self, size):
        power = np.log2(size / GIB)
        return "<" if power < self.low else ">" if power > self.high else "o"


def memory(size):
    """Bytes in MiB, GiB or TiB, with three digits."""
    for unit, name in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB")):
        if size >= unit or name == "MiB":
            text = three_digits(size / unit)
            return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {name}"
