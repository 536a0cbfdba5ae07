"""Amounts of memory on one axis, on which every step to the right is a doubling."""

import numpy as np

from mhalib.pictures import INK, Picture, plain, three_digits
from mhalib.pictures.style import FAINT, ghost_style

GIB = 2**30


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
        self.title, self.names, self.low, self.high = title, list(names), *np.log2(limits)
        self.headline(title, 10, 14)
        for power in np.arange(np.ceil(self.low / 2) * 2, self.high + 1, 2):
            x = self._x(2.0**power * GIB)
            self.page.plot([x, x], [top, bottom + 4], color="#e3e7eb", linewidth=1, zorder=0)
            if power % 4 == 2:
                self.text(x, bottom + 13, plain(2.0**power), 11, colour=FAINT)
        self.text((self.LEFT + width - self.RIGHT) / 2, bottom + 29, AXIS, 11, colour=FAINT)
        largest_first = sorted(sizes.items(), key=lambda item: -item[1])
        for n, (label, size) in enumerate(largest_first):
            x, y = self._x(size), 34 + 14 * n
            style = {"color": INK, "linewidth": 1.1, "linestyle": (0, (4, 3)), "zorder": 1}
            self.page.plot([x, x], [y - 6, bottom + 4], **style)
            self.text(x - 4, y, label, 11, ha="right")
        self.rows = []
        for n, (name, colour) in enumerate(zip(names, colours, strict=True)):
            y = top + self.ROW * (n + 0.5)
            self.text(10, y, name, 13, colour=colour, ha="left", weight="bold")
            style = {"markersize": 9, "zorder": 4, "linestyle": "none"}
            (line,) = self.page.plot([], [], color=colour, linewidth=2, zorder=3)
            (dot,) = self.page.plot([], [], color=colour, marker="o", **style)
            outline = {"markeredgecolor": ghost_style()["edgecolor"], "markerfacecolor": "none"}
            (ghost,) = self.page.plot([], [], marker="o", **outline, **(style | {"markersize": 12}))
            value = self.text(width - 8, y, "", 13, ha="right", weight="bold")
            place = (self.LEFT - 8, y - 13, width - self.LEFT + 8, 26)
            self.rows.append((y, self.slot(*place, [line, dot, ghost, value])))
        self.update(amounts or [None] * len(self.names))

    def update(self, amounts, ghost=None):
        """Move the dots; their meaning stands at the class."""
        ghosts = [None] * len(self.names) if ghost is None else ghost
        for (y, slot), amount, kept in zip(self.rows, amounts, ghosts, strict=True):
            if slot.renew((amount, kept)):
                line, dot, outline, value = slot.artists
                for artist, shown in ((dot, amount), (outline, kept)):
                    artist.set_data(*(([self._x(shown)], [y]) if shown is not None else ([], [])))
                x = [] if amount is None else [self.LEFT, self._x(amount)]
                line.set_data(x, [y] * len(x))
                dot.set_marker("o" if amount is None else self._marker(amount))
                value.set_text("" if amount is None else memory(amount))
        said = [
            f"{n} {memory(a)}" for n, a in zip(self.names, amounts, strict=True) if a is not None
        ]
        self.alt = f"{self.title}: {', '.join(said) or 'nothing'}."

    def _x(self, size):
        power = np.clip(np.log2(size / GIB), self.low, self.high)
        share = (power - self.low) / (self.high - self.low)
        return self.LEFT + share * (self.width - self.LEFT - self.RIGHT)

    def _marker(self, size):
        power = np.log2(size / GIB)
        return "<" if power < self.low else ">" if power > self.high else "o"


AXIS = "GiB; every line to the right is four times as much"


def memory(size):
    """Bytes in MiB, GiB or TiB, with three digits."""
    for unit, name in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB")):
        if size >= unit or name == "MiB":
            text = three_digits(size / unit)
            return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {name}"
