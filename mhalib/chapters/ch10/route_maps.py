"""Where one pixel looks, a small map for each head, and what the heads are together."""

import numpy as np

from mhalib.pictures import HEAD_COLOURS, INK, Picture, plain
from mhalib.pictures.style import CELL_COLOURS, FAINT, readable_on
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
        self.n, self.colours = n, {}
        self.text(4, 12, title, 13, weight="bold", ha="left")
        self.maps, self.images, self.labels, self.names, self.signs = [], [], [], [], []
        for number in range(self.TOGETHER):
            down, across = divmod(number, self.ACROSS)
            self._add(large + 28 + across * (side + 30), 26 + down * (side + 24), side)
        self._add(4, 26, large)
        self.update(windows, sizes)

    def _add(self, x, y, side):
        """One more map with its name below; the last one has room for signs."""
        n, number = self.n, len(self.maps)
        place = (x / 400, 1 - (y + side) / self.height, side / 400, side / self.height)
        axes = self.figure.add_axes(place, xlim=(0, n), ylim=(n, 0))
        axes.set_axis_off()
        edges = {"extent": (0, n, n, 0), "interpolation": "nearest", "aspect": "auto"}
        self.images.append(axes.imshow(np.zeros((1, 1, 3), np.uint8), **edges))
        if number == self.TOGETHER:
            middles = [(j + 0.5, i + 0.5) for i in range(n) for j in range(n)]
            self.signs = [self.text(*middle, "", 15, axes=axes) for middle in middles]
        self.maps.append(self.slot(x, y, side, side, [self.images[-1], *self.signs]))
        self.labels.append(self.text(x + side / 2, y + side + 10, "", 12, weight="bold"))
        room = 4 if number == self.TOGETHER else 15
        name = self.slot(x - room, y + side + 1, side + 2 * room, 18, [self.labels[-1]])
        self.names.append(name)

    def update(self, windows, sizes):
        """Show these heads."""
        windows, sizes = np.asarray(windows, float), np.asarray(sizes, float)
        together = np.tensordot(sizes, windows, 1)
        largest, most = (max(np.nanmax(abs(part)), 1e-12) for part in (together, windows))
        for number in range(self.TOGETHER):
            there = number < len(sizes)
            busy = there and sizes[number] != 0
            self._show(number, windows[number] / most if busy else None)
            name = HEADS[number] if there else ""
            text = f"{name} × {plain(sizes[number])}" if busy else there * f"{name} idle"
            self._name(number, text, (*HEAD_COLOURS, *[INK] * 9)[number] if busy else FAINT)
        self._show(self.TOGETHER, abs(together) / largest, together)
        self._name(self.TOGETHER, "together", INK)
        said = [f"{HEADS[r]} times {plain(size)}" for r, size in enumerate(sizes) if size]
        self.alt = f"Where the pixel looks: heads {', '.join(said) or 'without work'}."

    def _paint(self, slot):
        if slot in self.maps[: self.TOGETHER]:
            self._stamp(slot, self.colours[self.maps.index(slot)])
        else:
            super()._paint(slot)

    def _show(self, number, weights, signed=None):
        weights = np.full((self.n, self.n), -1.0) if weights is None else weights
        key = (weights.tobytes(), None if signed is None else signed.tobytes())
        if not self.maps[number].renew(key):
            return
        shown = (CELL_COLOURS(np.clip(np.nan_to_num(weights), 0, 1))[..., :3] * 255).round()
        shown[np.isnan(weights)] = OUTSIDE
        shown[weights < 0] = 255  # no head, no map
        self.colours[number] = shown.astype(np.uint8)
        self.images[number].set_data(self.colours[number])
        if signed is not None:
            for sign, value, size in zip(self.signs, signed.flat, weights.flat, strict=True):
                sign.set_text("" if np.isnan(size) or size < 0.01 else "−" if value < 0 else "+")
                sign.set_color(readable_on(CELL_COLOURS(size)) if size >= 0.01 else INK)

    def _name(self, number, text, colour):
        if self.names[number].renew((text, colour)):
            self.labels[number].set_text(text)
            self.labels[number].set_color(colour)
