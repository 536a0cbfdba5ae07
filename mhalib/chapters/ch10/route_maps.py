"""Where one pixel looks, a small map for each head, and what the heads are together."""

import numpy as np

from mhalib.pictures import HEAD_COLOURS, INK, Picture, plain
from mhalib.pictures.style import CELL_COLOURS, FAINT, colours_of, readable_on
from mhalib.pictures.wording import HEADS

OUTSIDE = np.array([236, 239, 242], np.uint8)


class RouteMaps(Picture):
    """Weights of one pixel around itself, a map for each of up to nine heads, and their sum.

    Brightest is the largest weight of all maps, and in the sum its largest number.

    Parameters of `update`
    ----------------------
    windows : (n_heads, n, n)
        Weights around the pixel, which stands in the middle; NaN outside the picture.
    sizes : (n_heads,)
        What W_O multiplies each head by; 0: a head with nothing to do.
    """

    CELL, ACROSS = 11, 3
    TOGETHER, LARGE = 9, 26  # the place of the last map, and its cells

    def __init__(self, title, windows, sizes):
        n = np.shape(windows)[-1]
        side, large = n * self.CELL, n * self.LARGE
        super().__init__(400, 26 + 3 * (side + 24))
        self.headline(title, 4, 12)
        self.maps, self.names, self.signs = [], [], []
        for number in range(self.TOGETHER):
            down, across = divmod(number, self.ACROSS)
            self._add(n, large + 28 + across * (side + 30), 26 + down * (side + 24), side)
        self._add(n, 4, 26, large)
        self.update(windows, sizes)

    def _add(self, n, x, y, side):
        """One more map with its name below; the last one has room for signs."""
        last = len(self.maps) == self.TOGETHER
        axes, image = self.bitmap(x, y, side, side, n, n)
        if last:
            middles = [(j + 0.5, i + 0.5) for i in range(n) for j in range(n)]
            self.signs = [self.text(*middle, "", 15, axes=axes) for middle in middles]
        self.maps.append(self.slot(x, y, side, side, [image, *self.signs]))
        room = 4 if last else 15
        place = (x - room, y + side + 1, side + 2 * room, 18)
        self.names.append(self.note(place, x + side / 2, y + side + 10, 12, weight="bold"))

    def update(self, windows, sizes):
        """Show these heads."""
        windows, sizes = np.asarray(windows, float), np.asarray(sizes, float)
        together = np.tensordot(sizes, windows, 1)
        largest, most = (max(np.nanmax(abs(part)), 1e-12) for part in (together, windows))
        for r in range(self.TOGETHER):
            busy = r < len(sizes) and sizes[r] != 0
            shown = windows[r] / most if busy else np.full(together.shape, -1.0)
            self._show(self.maps[r], shown)
            text = f"{HEADS[r]} × {plain(sizes[r])}" if busy else f"{HEADS[r]} idle"
            colour = (*HEAD_COLOURS, *[INK] * 9)[r] if busy else FAINT
            self.names[r].write(text if r < len(sizes) else "", color=colour)
        self._show(self.maps[-1], abs(together) / largest, together)
        self.names[-1].write("together", color=INK)

    def _show(self, slot, weights, signed=None):
        """Weights as colours; below 0 stands for no head, which has no map."""
        if not slot.renew((weights.tobytes(), None if signed is None else signed.tobytes())):
            return
        colours = colours_of(np.nan_to_num(weights))
        colours[np.isnan(weights)], colours[weights < 0] = OUTSIDE, 255
        slot.fill(colours, alone=signed is None)
        if signed is not None:
            for sign, value, size in zip(self.signs, signed.flat, weights.flat, strict=True):
                seen = size >= 0.01  # which NaN is not
                sign.set_text(("−" if value < 0 else "+") if seen else "")
                sign.set_color(readable_on(CELL_COLOURS(size)) if seen else INK)
