"""Heads and the merged head as lanes: logits, softmax, weights, what is carried."""

import numpy as np

from mhalib.pictures.numbers import share, short
from mhalib.pictures.raster import Picture
from mhalib.pictures.style import CELL, FAINT, GHOST, HEAD_COLOURS, INK
from mhalib.pictures.wording import HEADS


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
        self.headline(self.names[lane], self.LEFT, bottom - self.BARS - 9, 14, colour=colour)
        self.text((self.ARROW + self.CELLS) / 2, bottom - 35, "softmax", 11, colour=FAINT)
        self.arrow((self.ARROW + 8, bottom - 22), (self.CELLS - 6, bottom - 22), colour)
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
        ghost = self.box(x + 2, bottom - 1, wide - 4, 0, **GHOST)
        size = min(15, 0.4 * wide)
        label = self.text(x + wide / 2, bottom - tall / 2, "", size, weight="bold")
        self.cells.append(self.slot(x + 1, top + 1, wide - 2, tall - 2, [fill, ghost, label]))

    def _draw_carried(self, lane):
        middle, stack = self._bottom(lane) - 24, self._stack(lane)
        self.arrow((self.RIGHT + 4, middle), (self.RIGHT + 18, middle), FAINT)
        step = min(22, 54 / len(stack))
        first = middle - (len(stack) - 1) / 2 * step
        style = {"size": min(16, step), "weight": "bold"}
        numbers = [
            self.text(379, first + i * step, "", colour=HEAD_COLOURS[r], **style)
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
        known, kept = not np.isnan(weight), not np.isnan(ghost)
        weight = np.round(weight, 2) if known else 0  # the fill says what the number says
        ghost = ghost if kept else 0
        if slot.renew((known, weight, kept, ghost)):
            fill, outline, label = slot.artists
            tall = self.CELL_HEIGHT - 2
            label.set_text(share(weight) if known else "?")
            fill.set(y=self._bottom(lane) - 1, height=-tall * weight, alpha=0.2 + 0.3 * weight)
            outline.set_visible(kept)
            outline.set_height(-tall * ghost)
