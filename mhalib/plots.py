"""Finished arrays in, picture out.

A picture draws on a figure of its own, in a coordinate system of CSS pixels. What never changes
is drawn once. What changes is cut into slots: rectangles whose look depends on a key alone. To
`update` a picture sets its artists and keys; only slots with a new key are painted, and those
that repeat (the cells of a heat map) are kept as tiles. Drawing the figure in full, as Matplotlib
does, gives the same pixels.
"""

import functools
from struct import pack

import numpy as np
from isal import isal_zlib
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Polygon, Rectangle
from matplotlib.transforms import Bbox

from mhalib.describe import HEADS, most_looked_at

HEAD_COLOURS = ("#0072b2", "#b84e00", "#00785a", "#a04a7d")
INK, FAINT, PAPER, CELL, STAR = "#1b1f24", "#5b6570", "#ffffff", "#eef1f4", "#f0b400"
CELL_COLOURS = colormaps["cividis"]
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
        self.key = self.painted = None
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
        self.figure = Figure((width / 100, height / 100), dpi=100 * DENSITY, facecolor=PAPER)
        self.canvas = FigureCanvasAgg(self.figure)
        self.page = self.figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
        self.page.set_axis_off()
        self.slots = []

    def text(self, x, y, string, size=13, *, colour=INK, axes=None, **style):
        """Write `string` (never read as mathematics) at CSS pixel (x, y), `size` pixels high."""
        style = {"ha": "center", "va": "center"} | style
        return (axes or self.page).text(
            x, y, string, fontsize=size * 0.72, color=colour, parse_math=False, **style
        )

    def box(self, x, y, width, height, **style):
        """Draw a rectangle whose corner (x, y) is its top left one."""
        return self.page.add_patch(Rectangle((x, y), width, height, **style))

    def arrow(self, start, end, y, colour):
        """Draw an arrow to the right."""
        style = {"arrowstyle": "-|>", "mutation_scale": 11, "linewidth": 1.4}
        ends = {"shrinkA": 0, "shrinkB": 0}
        self.page.add_patch(FancyArrowPatch((start, y), (end, y), color=colour, **style, **ends))

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
        """Draw a slot's artists on the empty page, or take its tile; then put it in the lines."""
        tile = None if slot.tiles is None else slot.tiles.get(slot.key)
        if tile is None:
            place = slot.rows, slot.columns
            self._page[place] = self._empty[place]
            for artist in slot.artists:
                self.figure.draw_artist(artist)
            tile = self._page[place][..., :3].reshape(self._page[place].shape[0], -1)
            if slot.tiles is not None:
                slot.tiles[slot.key] = tile
        columns = slice(1 + 3 * slot.columns.start, 1 + 3 * slot.columns.stop)
        self._lines[slot.rows, columns] = tile
        slot.painted = slot.key

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


def ghost_style():
    """A ghost is an outline, never a second colour."""
    return {"fill": False, "edgecolor": INK, "linewidth": 1.1, "linestyle": (0, (3, 2))}


def luminance(colour):
    """Relative luminance of an RGB colour, from 0 (black) to 1 (white): WCAG 2, 1.4.3."""
    rgb = np.asarray(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return linear @ (0.2126, 0.7152, 0.0722)


def contrast(one, other):
    """Contrast ratio of two colours, from 1 to 21: WCAG 2, 1.4.3."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def readable_on(colour):
    """Black or white, whichever stands out more on `colour`: at least 4.5 on any."""
    return max(("#000000", "#ffffff"), key=lambda text: contrast(text, colour))


@functools.cache
def cell_style(weight):
    """The colour of a cell for a weight (in hundredths), and that of its number."""
    colour = CELL_COLOURS(weight)
    return colour, readable_on(colour)


def short(number, decimals=1):
    """A logit as its label: few decimals, a real minus sign, never '−0'."""
    text = f"{number:.{decimals}f}".removesuffix(".0").replace("-", "−")
    return "0" if text == "−0" else text


def share(weight):
    """A weight as its label: '.67', and '1.00' for all of it."""
    return f"{weight:.2f}".removeprefix("0")


class Lanes(Picture):
    """Logits, softmax, weights: a lane for each head and, if asked for, one for the merged head.

    In a lane, bars are logits (in the merged lane each head's part is stacked in its colour),
    cells are weights, and the last column is what the weighted average of the values carries.

    Parameters of `update` (heads as rows, words as columns)
    --------------------------------------------------------
    logits, weights : (n_heads, n_words), or () for the merged lane alone
    parts : (n_heads, n_words), optional
        What each head adds to the merged logits; without it there is no merged lane.
    merged : (n_words,), optional
        The merged head's weights; without it its cells show "?".
    carried : (n_heads + 1, n_heads), optional
        What each lane carries of each head's block (a head's lane shows its own block only).
    ghost : (n_lanes, n_words), optional
        Weights kept from before, drawn as outlines; NaN where there are none.
    """

    HEADER, LANE, BARS, CELL_HEIGHT = 26, 96, 52, 48
    LEFT, ARROW, CELLS, RIGHT = 6, 150, 206, 338

    def __init__(self, words, logits, weights, parts=None, names=None, **arrays):
        n_heads, has_merged = len(logits), parts is not None
        self.n_heads, self.n_parts, self.words = n_heads, len(parts) if has_merged else 0, words
        carries, n_lanes = arrays.get("carried") is not None, n_heads + has_merged
        super().__init__(400 if carries else 346, self.HEADER + n_lanes * self.LANE)
        names = names or [f"head {letter}" for letter in HEADS[:n_heads]]
        self.names = [*names, "merged"][:n_lanes]
        self.colours = [*HEAD_COLOURS[:n_heads], INK][:n_lanes]
        self.narrow = len(words) > 4

        headings = [(78, "logits"), (272, "weights, sum 1")]
        for x, heading in headings + [(369, "carries")] * carries:
            self.text(x, 12, heading, 13, weight="bold")
        self.columns, self.cells, self.carried = [], [], []
        for lane in range(n_lanes):
            self._draw_lane(lane)
            if carries:
                self._draw_carried(lane)
        self.update(logits, weights, parts, **arrays)

    def _bottom(self, lane):
        return self.HEADER + lane * self.LANE + 20 + self.BARS

    def _stack(self, lane):
        """The heads whose logits are stacked in this lane."""
        return range(self.n_parts) if lane == self.n_heads else [lane]

    def _draw_lane(self, lane):
        bottom, colour = self._bottom(lane), self.colours[lane]
        if lane and lane == self.n_heads:
            self.box(0, bottom - self.BARS - 21, self.width, 1, facecolor="#c5cbd1")
        name = {"colour": colour, "weight": "bold", "ha": "left"}
        self.text(self.LEFT, bottom - self.BARS - 9, self.names[lane], 14, **name)
        self.text((self.ARROW + self.CELLS) / 2, bottom - 35, "softmax", 11, colour=FAINT)
        self.arrow(self.ARROW + 8, self.CELLS - 6, bottom - 22, colour)
        n_words, size = len(self.words), 9.5 if self.narrow else 12
        wide, cell = (self.ARROW - self.LEFT) / n_words, (self.RIGHT - self.CELLS) / n_words
        for j, word in enumerate(self.words):
            x, c = self.LEFT + j * wide, self.CELLS + j * cell
            self.text(x + wide / 2, bottom + 10, word, size, colour=FAINT)
            self.text(c + cell / 2, bottom + 10, word, size, colour=FAINT)
            self._draw_column(lane, x, bottom, wide)
            self._draw_cell(lane, c, bottom, cell)

    def _draw_column(self, lane, x, bottom, wide):
        """A word's logit in a lane: a bar (or a stack), its label and its piece of base line."""
        bar = (x + 0.14 * wide, bottom, 0.72 * wide, 0)
        bars = [self.box(*bar, facecolor=HEAD_COLOURS[r]) for r in self._stack(lane)]
        base = self.box(x, bottom, wide, 1.5, facecolor=INK)
        label = self.text(x + wide / 2, bottom, "", 8.5 if self.narrow else 12)
        top = bottom - self.BARS - 1
        self.columns.append(self.slot(x, top, wide, self.BARS + 3, [*bars, base, label]))

    def _draw_cell(self, lane, x, bottom, wide):
        """A word's weight in a lane: a frame, filled up to the weight, and the number."""
        colour, top, tall = self.colours[lane], bottom - self.CELL_HEIGHT, self.CELL_HEIGHT
        self.box(x, top, wide, tall, facecolor=CELL, edgecolor=colour, linewidth=1.4)
        fill = self.box(x, bottom, wide, 0, facecolor=colour)
        ghost = self.box(x + 3, bottom - 1, wide - 6, 0, **ghost_style())
        size = min(15, 0.4 * wide)
        label = self.text(x + wide / 2, bottom - tall / 2, "", size, weight="bold")
        inside = (x + 1, top + 1, wide - 2, tall - 2)
        self.cells.append(self.slot(*inside, [fill, ghost, label]))

    def _draw_carried(self, lane):
        middle, stack = self._bottom(lane) - 24, self._stack(lane)
        self.arrow(self.RIGHT + 4, self.RIGHT + 18, middle, FAINT)
        step = min(22, 54 / len(stack))
        first = middle - (len(stack) - 1) / 2 * step
        style = {"weight": "bold"}
        numbers = [
            self.text(379, first + i * step, "", min(16, step), colour=HEAD_COLOURS[r], **style)
            for i, r in enumerate(stack)
        ]
        self.carried.append(self.slot(358, middle - 34, 42, 68, numbers))

    def update(self, logits, weights, parts=None, merged=None, carried=None, ghost=None):
        """Show these arrays; their meaning stands at the class."""
        stacks = [row[None] for row in np.asarray(logits, float)]
        rows = list(np.asarray(weights, float))
        if parts is not None:
            stacks.append(np.asarray(parts, float))
            rows.append(np.full(len(self.words), np.nan) if merged is None else merged)
        ghost = np.full((len(rows), len(self.words)), np.nan) if ghost is None else ghost
        up = max(np.maximum(s, 0).sum(axis=0).max() for s in stacks)
        down = max(np.maximum(-s, 0).sum(axis=0).max() for s in stacks)
        below = 14 if down else 0  # room for the labels of negative logits
        scale = (self.BARS - 14 - below) / max(4, up + down)
        base = below + scale * down
        columns, cells = iter(self.columns), iter(self.cells)
        for lane, (stack, row) in enumerate(zip(stacks, rows, strict=True)):
            for j in range(len(self.words)):
                self._set_column(next(columns), lane, stack[:, j], scale, base)
                self._set_cell(next(cells), lane, row[j], ghost[lane][j])
        for lane, slot in enumerate(self.carried):
            values = [carried[lane][r] for r in self._stack(lane)]
            slot.renew(tuple("?" if np.isnan(value) else f"{value:.2f}" for value in values))
            for label, text in zip(slot.artists, slot.key, strict=True):
                label.set_text(text)

    def _set_column(self, slot, lane, values, scale, base):
        if not slot.renew((*values, scale, base)):
            return
        *bars, line, label = slot.artists
        base = self._bottom(lane) - base
        line.set_y(base)
        top = bottom = 0.0
        for bar, value in zip(bars, values, strict=True):
            bar.set(y=base - scale * (top if value > 0 else bottom), height=-scale * value)
            top, bottom = top + max(value, 0), bottom + min(value, 0)
        total = sum(values)
        below = total < 0 or (bottom < 0 and top == 0)
        label.set_text(short(total, 0 if self.narrow and abs(total) >= 10 else 1))
        label.set_y(base - scale * bottom + 8 if below else base - scale * top - 7)

    def _set_cell(self, slot, lane, weight, ghost):
        weight = np.round(weight, 2)  # the fill says what the number says
        known = not np.isnan(weight)
        if not slot.renew((weight if known else None, None if np.isnan(ghost) else ghost)):
            return
        fill, outline, label = slot.artists
        label.set_text(share(weight) if known else "?")
        tall = self.CELL_HEIGHT - 2
        fill.set_y(self._bottom(lane) - 1)
        fill.set(height=-tall * weight if known else 0, alpha=0.2 + 0.3 * weight if known else 0)
        outline.set_visible(not np.isnan(ghost))
        outline.set_height(0 if np.isnan(ghost) else -tall * ghost)


class OutputPlane(Picture):
    """What is carried: x is what comes home in one head's block, y what comes in another's.

    The words are points; multi-head is a star, merged a square, the average of weights a diamond.
    The shaded line (or area) is all that *one* row of weights can reach.

    Parameters of `update`
    ----------------------
    words_at : (n_words, 2), the two blocks' values of each word
    star, square, diamond : (2,), outputs; `square` may be NaN (not shown)
    ghost : (2, 2), optional, star and square kept from before, as outlines
    """

    TOP = 10  # values run from 0 to here

    def __init__(self, words, names, colours, **arrays):
        super().__init__(344, 280)
        self.words = words
        axes = self.figure.add_axes(
            (0.145, 0.275, 0.815, 0.63), xlim=(0, self.TOP), ylim=(0, self.TOP)
        )
        axes.tick_params(labelsize=9, colors=FAINT)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_xlabel(names[0], color=colours[0], fontsize=9.4, labelpad=2)
        axes.set_ylabel(names[1], color=colours[1], fontsize=9.4, labelpad=2)
        self.text(172, 14, "what is carried", 13, weight="bold")
        self.axes = axes
        one_row = {"facecolor": "#d9dee3", "edgecolor": "#8b95a0", "linewidth": 1.6}
        self.reach = axes.add_patch(Polygon([(0, 0)], closed=True, zorder=3, **one_row))
        hollow = {"markerfacecolor": "none", "markeredgecolor": INK}
        self.points = self._marks("o", 6, FAINT, markerfacecolor=PAPER)
        self.labels = [
            self.text(0, 0, word, 12, colour=FAINT, axes=axes, va="top", zorder=4) for word in words
        ]
        self.diamond = self._marks("D", 11, FAINT, markeredgewidth=1.3, **hollow)
        self.square = self._marks("s", 9, INK)
        self.star = self._marks("*", 14, STAR, markeredgecolor=INK)
        self.ghost_square = self._marks("s", 12, INK, markeredgewidth=0.9, **hollow)
        self.ghost_star = self._marks("*", 18, INK, markeredgewidth=0.9, **hollow)
        marks = [self.diamond, self.square, self.star, self.ghost_square, self.ghost_star]
        artists = [self.reach, self.points, *self.labels, *marks]
        self.plane = self.slot(38, 16, 306, 196, artists)
        self._legend()
        self.update(**arrays)

    def _marks(self, marker, size, colour, **style):
        style |= {"linestyle": "none", "zorder": 3.5 if marker == "o" else 5}
        return self.axes.plot([], [], marker=marker, markersize=size, color=colour, **style)[0]

    def _legend(self):
        entries = ((16, "*", "multi-head"), (112, "s", "merged"), (188, "D", "average of weights"))
        for x, marker, name in entries:
            star = {"color": STAR, "markeredgecolor": INK}
            face = star if marker == "*" else {"color": INK}
            if marker == "D":
                face |= {"markerfacecolor": "none"}
            self.page.plot([x], [269], marker=marker, markersize=9 if marker == "*" else 6, **face)
            self.text(x + 10, 269, name, 12, colour=INK, ha="left")

    def update(self, words_at, star, square, diamond, ghost=None):
        """Move the marks; their meaning stands at the class."""
        words_at = np.asarray(words_at, float)
        self.reach.set_xy(_hull(words_at))
        self.points.set_data(words_at[:, 0], words_at[:, 1])
        for label, (x, y) in zip(self.labels, words_at, strict=True):
            left = x > 0.85 * self.TOP
            label.set(x=x - 0.2 if left else x + 0.2, y=y - 0.15, ha="right" if left else "left")
        places = {"star": star, "square": square, "diamond": diamond}
        if ghost is not None:
            places |= {"ghost_star": ghost[0], "ghost_square": ghost[1]}
        for name in ("star", "square", "diamond", "ghost_star", "ghost_square"):
            mark, place = getattr(self, name), places.get(name)
            seen = place is not None and not np.isnan(place).any()
            mark.set_data(*(([place[0]], [place[1]]) if seen else ([], [])))
        self.plane.renew(tuple(np.concatenate([words_at.ravel(), *map(np.ravel, places.values())])))


def _hull(points):
    """The corners of the convex hull of (n, 2) points, in order (Andrew's monotone chain)."""
    points = sorted(set(map(tuple, points)))

    def half(points):
        chain = []
        for p in points:
            while len(chain) > 1 and (
                (chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1])
                <= (chain[-1][1] - chain[-2][1]) * (p[0] - chain[-2][0])
            ):
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return half(points) + half(points[::-1]) or points[:1]


class Heatmap(Picture):
    """A table of weights, queries down and keys across, with numbers in the cells.

    `signed` shows differences: the colour is their size, the number keeps their sign.

    Parameters of `update`: table (n_queries, n_keys), between 0 and 1 (-1 and 1 if signed).
    """

    tiles = {}  # cells of all heat maps, by size and number

    def __init__(self, title, queries, keys, table, *, colour=INK, signed=False):
        self.signed, self.words = signed, (queries, keys)
        left, top = 66, 62
        cell = max(26, min(48, 240 // len(keys)))
        across, down = cell * len(keys), cell * len(queries)
        super().__init__(left + across + 10, top + down + 10)
        style = {"colour": colour, "weight": "bold", "ha": "left"}
        self.title = self.text(left - 4, 13, title, 13, **style)
        self.heading = self.slot(left - 6, 2, self.width - left + 6, 22, [self.title])
        self.text(left + across / 2, 32, "key: looked at", 11, colour=FAINT)
        self.text(9, top + down / 2, "query: looks", 11, colour=FAINT, rotation=90)
        middles = [(k + 0.5) * cell for k in range(max(len(queries), len(keys)))]
        self.query_labels = [
            self.text(left - 5, top + y, word, 12, ha="right")
            for y, word in zip(middles, queries, strict=False)
        ]
        self.key_labels = [
            self.text(left + x, top - 10, word, 12) for x, word in zip(middles, keys, strict=False)
        ]
        tiles = self.tiles.setdefault(cell, {})
        self.cells = []
        for y in middles[: len(queries)]:
            for x in middles[: len(keys)]:
                corner = (left + x - cell / 2, top + y - cell / 2, cell, cell)
                number = self.text(left + x, top + y, "", min(12, 0.34 * cell))
                artists = [self.box(*corner, linewidth=0), number]
                self.cells.append(self.slot(*corner, artists, tiles))
        self.update(table)

    def update(self, table, title=None):
        """Show this table, and another title if one is given."""
        if title is not None:
            self.title.set_text(title)
        self.heading.renew(self.title.get_text())
        self.alt = f"{self.title.get_text()}: {most_looked_at(*self.words, table)}"
        values = np.round(np.asarray(table, float), 2)  # the colour says what the number says
        for slot, value in zip(self.cells, values.flat, strict=True):
            if slot.renew(self._cell(value)):
                square, number = slot.artists
                colour, text_colour = cell_style(abs(value))
                square.set_facecolor(colour)
                number.set_text(slot.key)
                number.set_color(text_colour)

    def _cell(self, value):
        if not self.signed:
            return share(value)
        return (("+" if value > 0 else "−") + share(abs(value))) if value else share(0)


class Field(Picture):
    """A quantity over two logits, as colours with a scale and marked places.

    `values[i, j]` belongs to y = ys[i] and x = xs[j]; `marks` maps a name to its (x, y).
    """

    def __init__(self, title, xs, ys, values, labels, limits, marks):
        super().__init__(400, 344)
        self.text(12, 14, title, 13, weight="bold", ha="left")
        axes = self.figure.add_axes((0.14, 0.15, 0.66, 0.75))
        self.image = axes.imshow(
            values,
            origin="lower",
            extent=(xs[0], xs[-1], ys[0], ys[-1]),
            cmap=CELL_COLOURS,
            vmin=limits[0],
            vmax=limits[1],
            aspect="auto",
            interpolation="nearest",
        )
        axes.tick_params(labelsize=9, colors=FAINT)
        axes.set_xlabel(labels[0], fontsize=9.4, color=HEAD_COLOURS[0])
        axes.set_ylabel(labels[1], fontsize=9.4, color=HEAD_COLOURS[1], labelpad=0)
        for name, (x, y) in marks.items():
            axes.plot([x], [y], "o", color=PAPER, markeredgecolor=INK)
            box = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.5, "alpha": 0.85}
            self.text(x, y - 0.06 * (ys[-1] - ys[0]), name, 11, axes=axes, va="top", bbox=box)
        scale = self.figure.colorbar(
            self.image, cax=self.figure.add_axes((0.83, 0.15, 0.035, 0.75))
        )
        scale.ax.tick_params(labelsize=9, colors=FAINT)
        spread = f"from {np.min(values):.2f} to {np.max(values):.2f}"
        self.alt = f"{title}, {spread}, over {labels[0]} (across) and {labels[1]} (up)."
