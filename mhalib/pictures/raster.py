"""What can be shown, of which only what changes is painted again.

A picture draws on a figure of its own, in a coordinate system of CSS pixels. What never changes
is drawn once. What changes is cut into slots: rectangles whose look depends on a key alone. To
`update` a picture sets its artists and keys; only slots with a new key are painted, and those
that repeat (the cells of a heat map) are kept as tiles. Drawing the figure in full, as Matplotlib
does, gives the same pixels.
"""

from struct import pack

import numpy as np
from isal import isal_zlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.transforms import Bbox

from mhalib.pictures.style import FAINT, INK, PAPER

DENSITY = 2  # image pixels per CSS pixel, so that pictures stay sharp on fine screens


class Slot:
    """A rectangle of a picture (CSS pixels, top left first) that is repainted on its own.

    `artists` are clipped to it and drawn in this order. `key` says all that its look depends on;
    with `tiles`, a dict shared by slots that look alike for equal keys, pixels are used again.
    """

    def __init__(self, picture, x, y, width, height, artists, tiles=None):
        left, right, top, bottom = (round(DENSITY * c) for c in (x, x + width, y, y + height))
        self.rows, self.columns = slice(top, bottom), slice(left, right)
        self.artists, self.tiles = artists, tiles
        self.key = self.painted = self.colours = None
        flipped = DENSITY * picture.height  # Matplotlib counts pixels from below
        frame = Bbox([[left, flipped - bottom], [right, flipped - top]])
        for artist in artists:
            artist.set_animated(True)
            artist.set_clip_path(None)
            artist.set_clip_box(frame)

    def renew(self, key):
        """Take a new key; say whether it differs, so that the artists must be set."""
        differs, self.key = key != self.key, key
        return differs

    def write(self, text, **style):
        """Let the last artist, which is a text, say this; it is the key, with the style."""
        if self.renew((text, *style.values())):
            for name, value in {"text": text, **style}.items():  # in half the time of `set`
                getattr(self.artists[-1], f"set_{name}")(value)

    def fill(self, colours, alone=True):
        """Give the first artist, an image, these RGB bytes; `alone`: no other artist is seen.

        Then they go straight into the picture: the same pixels in a tenth of the time.
        """
        rows, columns = (
            np.arange(s.stop - s.start) * n // (s.stop - s.start)
            for s, n in zip((self.rows, self.columns), colours.shape, strict=False)
        )
        enlarged = colours[:, columns][rows]
        self.artists[0].set_data(enlarged)
        self.colours = enlarged if alone else None


def move(line, *points):
    """Put a line or a mark at points (x, y); None is no point."""
    line.set_data(*np.reshape([point for point in points if point is not None], (-1, 2)).T)


class Raster:
    """What can be shown: `width` x `height` CSS pixels, a PNG file, `alt` for screen readers.

    A subclass repaints `_lines`, the lines of RGB bytes as a PNG file holds them, in `_repaint`,
    which returns how often they have changed.
    """

    def __init__(self, width, height):
        self.width, self.height, self.alt = width, height, ""
        self._lines = self._png = None
        self._changes = self._encoded = 0

    def pixels(self):
        """The picture as an array (height, width, 3) of bytes."""
        self._repaint()
        return self._lines[:, 1:].reshape(len(self._lines), -1, 3)

    def png(self):
        """The picture as the bytes of a PNG file; the same object while nothing changes."""
        if self._encoded != self._repaint():
            self._png, self._encoded = encode(self._lines), self._changes
        return self._png

    def _repr_mimebundle_(self, include=None, exclude=None):
        size = {"width": self.width, "alt": self.alt}
        return {"image/png": self.png(), "text/plain": self.alt}, {"image/png": size}


class Picture(Raster):
    """A Matplotlib figure, of which only what changes is repainted."""

    def __init__(self, width, height):
        super().__init__(width, height)
        inches = [(size + 1e-6) / 100 for size in (width, height)]  # 4.1 · 200 must not be 819.99
        self.figure = Figure(inches, dpi=100 * DENSITY, facecolor=PAPER)
        self.canvas = FigureCanvasAgg(self.figure)
        self.page = self.figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
        self.page.set_axis_off()
        self.slots = []

    def headline(self, title, x=12, y=14, size=13, **style):
        """Write what the picture, or a part of it, shows: bold, from (x, y) on."""
        return self.text(x, y, title, size, weight="bold", ha="left", **style)

    def text(self, x, y, string, size=13, *, colour=INK, axes=None, **style):
        """Write `string` (never read as mathematics) at CSS pixel (x, y), `size` pixels high."""
        style = {"ha": "center", "va": "center"} | style
        return (axes or self.page).text(
            x, y, string, fontsize=size * 0.72, color=colour, parse_math=False, **style
        )

    def box(self, x, y, width, height, **style):
        """Draw a rectangle whose corner (x, y) is its top left one."""
        return self.page.add_patch(Rectangle((x, y), width, height, **style))

    def arrow(self, tail, head, colour, axes=None, **style):
        """Draw an arrow from one point to another."""
        style = {"arrowstyle": "-|>", "mutation_scale": 11, "linewidth": 1.4} | style
        arrow = FancyArrowPatch(tail, head, color=colour, shrinkA=0, shrinkB=0, **style)
        return (axes or self.page).add_patch(arrow)

    def axes_at(self, x, y, width, height, **style):
        """Make axes in the rectangle whose top left corner is (x, y)."""
        below, sizes = self.height - y - height, (self.width, self.height) * 2
        place = [side / size for side, size in zip((x, below, width, height), sizes, strict=True)]
        return self.figure.add_axes(place, **style)

    def plane(
        self, x, y, width, height, labels, *, colours=(FAINT,) * 2, pads=(2, 2), size=9.4, **style
    ):
        """Make axes that are open above and at the right, and say what runs across and up."""
        axes = self.axes_at(x, y, width, height, **style)
        axes.tick_params(labelsize=9, colors=FAINT)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_xlabel(labels[0], color=colours[0], fontsize=size, labelpad=pads[0])
        axes.set_ylabel(labels[1], color=colours[1], fontsize=size, labelpad=pads[1])
        return axes

    def bitmap(self, x, y, width, height, across, down):
        """Make an image in axes without a frame, which count from the top left corner."""
        axes = self.axes_at(x, y, width, height, xlim=(0, across), ylim=(down, 0))
        axes.set_axis_off()
        edges = {"extent": (0, across, down, 0), "interpolation": "nearest", "aspect": "auto"}
        return axes, axes.imshow(np.zeros((1, 1, 3), np.uint8), **edges)

    def mark(self, axes, marker, size, colour, **style):
        """Make a mark that stands nowhere yet."""
        style = {"linestyle": "none", "zorder": 5, "markersize": size, "color": colour} | style
        return axes.plot([], [], marker=marker, **style)[0]

    def note(self, place, x, y, size=13, **style):
        """Make a slot, at `place`, of a text that changes."""
        return self.slot(*place, [self.text(x, y, "", size, **style)])

    def cell(self, x, y, width, height, size, tiles):
        """Make a slot of a rectangle without an edge, and a number in its middle."""
        number = self.text(x + width / 2, y + height / 2, "", size)
        square = self.box(x, y, width, height, linewidth=0)
        return self.slot(x, y, width, height, [square, number], tiles)

    def slot(self, x, y, width, height, artists, tiles=None):
        """Make the artists a slot, in the order in which they are drawn."""
        self.slots.append(Slot(self, x, y, width, height, artists, tiles))
        return self.slots[-1]

    def _begin(self):
        """Draw all that never changes, into lines of RGB bytes as a PNG file holds them."""
        self.canvas.draw()
        self._page = np.asarray(self.canvas.buffer_rgba())
        self._empty = self._page.copy()
        height, width = self._page.shape[:2]
        self._lines = np.zeros((height, 1 + 3 * width), np.uint8)  # 0: no filter
        self._lines[:, 1:] = self._page[..., :3].reshape(height, -1)

    def _paint(self, slot):
        """Put a slot's colours, its tile, or its artists drawn on the empty page in the lines."""
        tile = slot.colours
        if tile is None:
            tiles = {} if slot.tiles is None else slot.tiles
            if slot.key not in tiles:
                tiles[slot.key] = self._drawn(slot)
            tile = tiles[slot.key]
        columns = slice(1 + 3 * slot.columns.start, 1 + 3 * slot.columns.stop)
        self._lines[slot.rows, columns] = tile.reshape(len(tile), -1)
        slot.painted = slot.key

    def _drawn(self, slot):
        place = slot.rows, slot.columns
        self._page[place] = self._empty[place]
        for artist in slot.artists:
            self.figure.draw_artist(artist)
        return self._page[place][..., :3].copy()

    def _repaint(self):
        first = self._lines is None
        if first:
            self._begin()
        stale = [slot for slot in self.slots if slot.key != slot.painted]
        for slot in stale:
            self._paint(slot)
        self._changes += first or bool(stale)
        return self._changes


class Sheet(Raster):
    """Pictures in rows, above and beside each other, as one picture with one PNG file."""

    GAP = 16  # CSS pixels between pictures of a row

    def __init__(self, rows):
        self.rows, self._seen = rows, None
        width = max(sum(p.width + self.GAP for p in row) - self.GAP for row in rows)
        super().__init__(width, sum(max(p.height for p in row) for row in rows))
        self.alt = " ".join(picture.alt for row in rows for picture in row)

    def _repaint(self):
        changes = [picture._repaint() for row in self.rows for picture in row]
        if changes != self._seen:
            self._lines, self._seen = self._assemble(), changes
            self._changes += 1
        return self._changes

    def _assemble(self):
        lines = np.full((DENSITY * self.height, 1 + 3 * DENSITY * self.width), 255, np.uint8)
        lines[:, 0] = 0
        top = 0
        for row in self.rows:
            left = 1
            for picture in row:
                height, width = DENSITY * picture.height, 3 * DENSITY * picture.width
                lines[top : top + height, left : left + width] = picture._lines[:, 1:]
                left += width + 3 * DENSITY * self.GAP
            top += DENSITY * max(picture.height for picture in row)
        return lines


def encode(lines):
    """Lines of a filter byte 0 and RGB bytes as a PNG file, without loss: all for speed."""

    def chunk(name, data):
        return pack(">I", len(data)) + name + data + pack(">I", isal_zlib.crc32(name + data))

    height, width = len(lines), (lines.shape[1] - 1) // 3
    header = pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, RGB
    parts = ((b"IHDR", header), (b"IDAT", isal_zlib.compress(lines, 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)
