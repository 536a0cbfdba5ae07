"""Amounts of memory on one axis, on which every step to the right is a doubling."""

import numpy as np

from mhalib.pictures import INK, Picture, plain, three_digits
from mhalib.pictures.raster import move
from mhalib.pictures.style import FAINT, HOLLOW, REFERENCE

GIB = 2**30
AXIS = "GiB; every line to the right is four times as much"


class MemoryRuler(Picture):
    """A dot for each amount on a doubling axis in GiB, with sizes to compare them to.

    What is beyond the axis is a triangle at its end.

    Parameters
    ----------
    title : str
    names : what each amount is of
    sizes : {label: bytes}, dashed lines from top to bottom, named at their left
    colours : one for each name

    Parameters of `update`
    ----------------------
    amounts : bytes, one for each name; None is not drawn
    ghost : earlier amounts, as outlines, or None
    """

    LEFT, END, ROW = 106, 322, 34
    LOW, HIGH = -2, 14  # powers of 2, in GiB

    def __init__(self, title, names, sizes, colours, amounts=()):
        top = 34 + 14 * len(sizes)
        bottom = top + self.ROW * len(names)
        super().__init__(400, bottom + 40)
        self.headline(title, 10)
        for power in range(self.LOW, self.HIGH + 1, 2):
            x = self._x(power)
            self.page.plot([x, x], [top, bottom + 4], color="#e3e7eb", linewidth=1, zorder=0)
            if power % 4 == 2:
                self.text(x, bottom + 13, plain(2.0**power), 11, colour=FAINT)
        self.text((self.LEFT + self.END) / 2, bottom + 29, AXIS, 11, colour=FAINT)
        for n, (label, size) in enumerate(sorted(sizes.items(), key=lambda item: -item[1])):
            x, y = self._x(np.log2(size / GIB)), 34 + 14 * n
            self.page.plot([x, x], [y - 6, bottom + 4], color=INK, **REFERENCE | {"linewidth": 1.1})
            self.text(x - 4, y, label, 11, ha="right")
        named = enumerate(zip(names, colours, strict=True))
        self.rows = [self._row(top + self.ROW * (n + 0.5), *each) for n, each in named]
        self.update(amounts or [None] * len(names))

    def _row(self, y, name, colour):
        """The height and the slot of an amount: a line with a dot at its end, and a ghost's dot."""
        self.headline(name, 10, y, colour=colour)
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
                powers = [None if size is None else np.log2(size / GIB) for size in sizes]
                now, kept = (None if power is None else (self._x(power), y) for power in powers)
                move(line, now and (self.LEFT, y), now)
                move(dot, now)
                move(outline, kept)
                low, high = (now and powers[0] < self.LOW), (now and powers[0] > self.HIGH)
                dot.set_marker("<" if low else ">" if high else "o")
                value.set_text(memory(sizes[0]) if now else "")

    def _x(self, power):
        share = (np.clip(power, self.LOW, self.HIGH) - self.LOW) / (self.HIGH - self.LOW)
        return self.LEFT + share * (self.END - self.LEFT)


def memory(size):
    """Bytes in MiB, GiB or TiB, with three digits."""
    units = {"TiB": 2**40, "GiB": 2**30, "MiB": 2**20}
    name = next((name for name, unit in units.items() if size >= unit), "MiB")
    text = three_digits(size / units[name])
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {name}"
