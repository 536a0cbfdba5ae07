"""Finished arrays in, picture out.

A picture draws on a figure of its own, in a coordinate system of CSS pixels. What never changes
is drawn once; `update` only sets the live artists to new arrays, and `png` repaints those alone.
Drawing such a picture anew with the same arrays gives the same pixels.
"""

import io

import numpy as np
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Polygon, Rectangle
from PIL import Image

HEADS = "ABCD"
HEAD_COLOURS = ("#0072b2", "#b84e00", "#00785a", "#a04a7d")
INK, FAINT, PAPER, CELL = "#1b1f24", "#5b6570", "#ffffff", "#eef1f4"
CELL_COLOURS = colormaps["cividis"]
DENSITY = 2  # image pixels per CSS pixel, so that pictures stay sharp on fine screens


class Picture:
    """A figure of `width` x `height` CSS pixels; `alt` is its text for screen readers."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.figure = Figure((width / 100, height / 100), dpi=100 * DENSITY, facecolor=PAPER)
        self.canvas = FigureCanvasAgg(self.figure)
        self.page = self.figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
        self.page.set_axis_off()
        self.live = []
        self.alt = ""
        self._background = None

    def text(self, x, y, string, size=13, *, colour=INK, axes=None, live=False, **style):
        """Write `string` (never read as mathematics) at CSS pixel (x, y), `size` pixels high."""
        style = {"ha": "center", "va": "center"} | style
        label = (axes or self.page).text(
            x, y, string, fontsize=size * 0.72, color=colour, parse_math=False, **style
        )
        return self.alive(label) if live else label

    def box(self, x, y, width, height, *, live=False, **style):
        """Draw a rectangle whose corner (x, y) is its top left one."""
        rectangle = self.page.add_patch(Rectangle((x, y), width, height, **style))
        return self.alive(rectangle) if live else rectangle

    def arrow(self, start, end, y, colour):
        """Draw an arrow to the right."""
        style = {"arrowstyle": "-|>", "mutation_scale": 11, "linewidth": 1.4}
        ends = {"shrinkA": 0, "shrinkB": 0}
        self.page.add_patch(FancyArrowPatch((start, y), (end, y), color=colour, **style, **ends))

    def alive(self, artist):
        """Mark an artist as one that `update` moves."""
        artist.set_animated(True)
        self.live.append(artist)
        return artist

    def pixels(self):
        """The picture as an array (height, width, 3) of bytes."""
        if self._background is None:
            self.canvas.draw()
            self._background = self.canvas.copy_from_bbox(self.figure.bbox)
        self.canvas.restore_region(self._background)
        for artist in self.live:
            self.figure.draw_artist(artist)
        return np.asarray(self.canvas.buffer_rgba())[..., :3]

    def png(self):
        """The picture as the bytes of a PNG file."""
        return encode(self.pixels())

    def _repr_mimebundle_(self, include=None, exclude=None):
        size = {"width": self.width, "alt": self.alt}
        return {"image/png": self.png(), "text/plain": self.alt}, {"image/png": size}


def encode(pixels):
    """Encode bytes (height, width, 3) as a PNG file, for speed rather than size."""
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(file, "png", compress_level=1)
    return file.getvalue()


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
    """Ink or paper, whichever stands out more on `colour`."""
    return max((INK, PAPER), key=lambda text: contrast(text, colour))


def short(number):
    """A logit as its label: at most one decimal, no '-0'."""
    text = f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


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

    HEADER, LANE, BARS, LABEL = 26, 96, 52, 17
    LEFT, ARROW, CELLS, RIGHT = 8, 150, 204, 336

    def __init__(self, words, logits, weights, parts=None, names=None, **arrays):
        n_heads, has_merged = len(logits), parts is not None
        self.n_heads, self.n_parts, self.words = n_heads, len(parts) if has_merged else 0, words
        carries, n_lanes = arrays.get("carried") is not None, n_heads + has_merged
        super().__init__(400 if carries else 344, self.HEADER + n_lanes * self.LANE)
        names = names or [f"head {letter}" for letter in HEADS[:n_heads]]
        self.names = [*names, "merged"][:n_lanes]
        self.colours = [*HEAD_COLOURS[:n_heads], INK][:n_lanes]

        headings = [(0.5 * (self.LEFT + self.ARROW), "logits"), (270, "weights, sum 1")]
        for x, heading in headings + [(368, "carries")] * carries:
            self.text(x, 12, heading, 13, weight="bold")
        self.bars, self.bar_labels, self.base_lines = [], [], []
        self.fills, self.numbers, self.ghosts, self.carried = [], [], [], []
        for lane in range(n_lanes):
            self._draw_lane(lane, carries)
        for number in self.numbers:  # above their fills
            self.live.append(self.live.pop(self.live.index(number)))
        self.update(logits, weights, parts, **arrays)

    def _draw_lane(self, lane, carries):
        top, colour = self.HEADER + lane * self.LANE, self.colours[lane]
        bottom, is_merged = top + 20 + self.BARS, lane == self.n_heads
        if is_merged and lane:
            self.box(0, top - 1, self.width, 1, facecolor="#c5cbd1")
        self.text(self.LEFT, top + 11, self.names[lane], 14, colour=colour, weight="bold", ha="left")
        self.text(0.5 * (self.ARROW + self.CELLS), bottom - 35, "softmax", 11, colour=FAINT)
        self.arrow(self.ARROW + 8, self.CELLS - 6, bottom - 22, colour)

        slot = (self.ARROW - self.LEFT) / len(self.words)
        cell = (self.RIGHT - self.CELLS) / len(self.words)
        size = 12 if len(self.words) < 5 else 9.5
        stack = range(self.n_parts) if is_merged else [lane]
        line = {"edgecolor": colour, "linewidth": 1.4}
        bars, labels, fills, numbers, ghosts = [], [], [], [], []
        for j, word in enumerate(self.words):
            x, c = self.LEFT + j * slot, self.CELLS + j * cell
            self.text(x + slot / 2, bottom + 10, word, size, colour=FAINT)
            self.text(c + cell / 2, bottom + 10, word, size, colour=FAINT)
            wide = (x + 0.14 * slot, bottom, 0.72 * slot, 0)
            bars.append([self.box(*wide, facecolor=HEAD_COLOURS[r], live=True) for r in stack])
            labels.append(self.text(x + slot / 2, bottom, "", size, live=True))
            self.box(c, bottom - 48, cell, 48, facecolor=CELL)
            fills.append(self.box(c, bottom, cell, 0, facecolor=colour, live=True))
            ghosts.append(self.box(c + 2, bottom, cell - 4, 0, live=True, **ghost_style()))
            self.alive(self.box(c, bottom - 48, cell, 48, fill=False, **line))
            style = {"weight": "bold", "live": True}
            numbers.append(self.text(c + cell / 2, bottom - 24, "", min(15, 0.42 * cell), **style))
        base = self.box(self.LEFT, bottom, self.ARROW - self.LEFT, 1.2, facecolor=INK, live=True)
        self.bars.append(bars)
        self.bar_labels.append(labels)
        self.base_lines.append(base)
        self.fills.append(fills)
        self.ghosts.append(ghosts)
        self.numbers += numbers
        if carries:
            self._draw_carried(bottom - 24, stack)

    def _draw_carried(self, middle, stack):
        self.arrow(self.RIGHT + 4, self.RIGHT + 19, middle, FAINT)
        step = min(22, 54 / len(stack))
        self.carried.append(
            [
                self.text(
                    378,
                    middle + (i - (len(stack) - 1) / 2) * step,
                    "",
                    min(16, step),
                    colour=HEAD_COLOURS[r],
                    weight="bold",
                    live=True,
                )
                for i, r in enumerate(stack)
            ]
        )

    def update(self, logits, weights, parts=None, merged=None, carried=None, ghost=None):
        """Show these arrays; their meaning stands at the class."""
        stacks = [row[None] for row in np.asarray(logits, float)]
        rows = list(np.asarray(weights, float))
        if parts is not None:
            stacks.append(np.asarray(parts, float))
            rows.append(np.full(len(self.words), np.nan) if merged is None else merged)
        up = max(np.maximum(s, 0).sum(0).max() for s in stacks)
        down = max(np.maximum(-s, 0).sum(0).max() for s in stacks)
        below = 14 if down else 0  # room for the labels of negative logits
        scale = (self.BARS - 14 - below) / max(10, up + down)
        floor = below + scale * down
        ghost = np.full((len(rows), len(self.words)), np.nan) if ghost is None else ghost
        for lane, (stack, row) in enumerate(zip(stacks, rows, strict=True)):
            bottom = self.HEADER + lane * self.LANE + 20 + self.BARS
            self._update_bars(lane, stack, scale, bottom - floor)
            self._update_cells(lane, row, ghost[lane], bottom)
        for lane, labels in enumerate(self.carried):
            for block, label in enumerate(labels):
                value = carried[lane][lane if lane < self.n_heads else block]
                label.set_text("?" if np.isnan(value) else f"{value:.2f}")

    def _update_bars(self, lane, stack, scale, base):
        self.base_lines[lane].set_y(base)
        for j, bars in enumerate(self.bars[lane]):
            top = below = 0.0
            for bar, value in zip(bars, stack[:, j], strict=True):
                bar.set(y=base - scale * (top if value > 0 else below), height=-scale * value)
                top, below = top + max(value, 0), below + min(value, 0)
            total = stack[:, j].sum()
            if total < 0 or (total == 0 and below < 0 and top == 0):
                y = base - scale * below + 8
            else:
                y = base - scale * top - 7
            self.bar_labels[lane][j].set(text=short(total), y=y)

    def _update_cells(self, lane, row, ghost, bottom):
        n = len(self.words)
        for j, weight in enumerate(row):
            number = self.numbers[lane * n + j]
            if np.isnan(weight):
                number.set_text("?")
                self.fills[lane][j].set_height(0)
            else:
                text = f"{weight:.2f}"
                number.set_text(text if n < 5 else text.removeprefix("0"))
                self.fills[lane][j].set(height=-48 * weight, alpha=0.25 + 0.35 * weight)
            outline = self.ghosts[lane][j]
            outline.set_visible(not np.isnan(ghost[j]))
            outline.set_height(0 if np.isnan(ghost[j]) else -48 * ghost[j])


class OutputPlane(Picture):
    """What reaches the next layer: x is what one head's block carries, y what another's does.

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
        axes.set_xlabel(f"carried by {names[0]}", color=colours[0], fontsize=9.4, labelpad=2)
        axes.set_ylabel(f"carried by {names[1]}", color=colours[1], fontsize=9.4, labelpad=2)
        self.text(172, 14, "what reaches the next layer", 13, weight="bold")
        self.axes = axes
        one_row = {"facecolor": "#d9dee3", "edgecolor": "#8b95a0", "linewidth": 1.6}
        self.reach = self.alive(axes.add_patch(Polygon([(0, 0)], closed=True, **one_row)))
        mark = {"linestyle": "none", "clip_on": False}
        hollow = {"markerfacecolor": "none", "markeredgecolor": INK}
        self.points = self._marks("o", 6, FAINT, markerfacecolor=PAPER, **mark)
        self.diamond = self._marks("D", 11, FAINT, markeredgewidth=1.3, **mark | hollow)
        self.square = self._marks("s", 9, INK, **mark)
        self.star = self._marks("*", 14, HEAD_COLOURS[0], markeredgecolor=INK, **mark)
        ghostly = mark | hollow | {"markeredgewidth": 0.9}
        self.ghost_square = self._marks("s", 12, INK, **ghostly)
        self.ghost_star = self._marks("*", 18, INK, **ghostly)
        style = {"axes": axes, "live": True, "ha": "left", "va": "top"}
        self.labels = [self.text(0, 0, word, 12, colour=FAINT, **style) for word in words]
        self._legend()
        self.update(**arrays)

    def _marks(self, marker, size, colour, **style):
        (line,) = self.axes.plot([], [], marker=marker, markersize=size, color=colour, **style)
        return self.alive(line)

    def _legend(self):
        entries = ((16, "*", "multi-head"), (112, "s", "merged"), (188, "D", "average of weights"))
        for x, marker, name in entries:
            star = {"color": HEAD_COLOURS[0], "markeredgecolor": INK}
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


def _hull(points):
    """The corners of the convex hull of (n, 2) points, in order (Andrew's monotone chain)."""
    points = sorted(map(tuple, points))

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

    def __init__(self, title, queries, keys, table, *, colour=INK, signed=False):
        self.signed = signed
        self.left, self.top = 66, 62
        self.cell = max(26, min(48, 240 // len(keys)))
        across, down = self.cell * len(keys), self.cell * len(queries)
        super().__init__(self.left + across + 10, self.top + down + 10)
        style = {"colour": colour, "weight": "bold", "ha": "left", "live": True}
        self.title = self.text(self.left - 4, 13, title, 13, **style)
        self.text(self.left + across / 2, 32, "key: looked at", 11, colour=FAINT)
        self.text(9, self.top + down / 2, "query: looks", 11, colour=FAINT, rotation=90)
        self.query_labels = [
            self.text(self.left - 5, self.top + (i + 0.5) * self.cell, word, 12, ha="right")
            for i, word in enumerate(queries)
        ]
        self.key_labels = [
            self.text(self.left + (j + 0.5) * self.cell, self.top - 10, word, 12)
            for j, word in enumerate(keys)
        ]
        extent = (self.left, self.left + across, self.top + down, self.top)
        self.image = self.alive(
            self.page.imshow(
                np.zeros((len(queries), len(keys))),
                cmap=CELL_COLOURS,
                vmin=0,
                vmax=1,
                extent=extent,
                interpolation="nearest",
                aspect="auto",
                zorder=1,
            )
        )
        self.page.set(xlim=(0, self.width), ylim=(self.height, 0))
        self.numbers = [
            self.text(
                self.left + (j + 0.5) * self.cell,
                self.top + (i + 0.5) * self.cell,
                "",
                min(12, 0.34 * self.cell),
                live=True,
            )
            for i in range(len(queries))
            for j in range(len(keys))
        ]
        self.update(table)

    def update(self, table):
        """Show this table."""
        table = np.asarray(table, float)
        self.image.set_data(abs(table))
        for number, value in zip(self.numbers, table.flat, strict=True):
            number.set_text(self._cell(value))
            number.set_color(readable_on(CELL_COLOURS(abs(value))))

    def _cell(self, value):
        if self.signed and abs(value) < 0.005:
            return "0"
        text = f"{value:+.2f}" if self.signed else f"{value:.2f}"
        return text.replace("0.", ".", 1) if abs(value) < 0.995 else text


class Field(Picture):
    """A quantity over two logits, as colours with a scale and marked places.

    `values[i, j]` belongs to y = ys[i] and x = xs[j]; `marks` maps a name to its (x, y).
    """

    def __init__(self, title, xs, ys, values, labels, limits, marks):
        super().__init__(400, 344)
        self.text(14, 14, title, 13, weight="bold", ha="left")
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
        scale = self.figure.colorbar(self.image, cax=self.figure.add_axes((0.83, 0.15, 0.035, 0.75)))
        scale.ax.tick_params(labelsize=9, colors=FAINT)
        self.alt = title

