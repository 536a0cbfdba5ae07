"""All heads of a layer at a glance, and the merged head beside them."""

import numpy as np

from mhalib.chapters.ch12.token_map import enlarged
from mhalib.pictures import INK, Picture, share
from mhalib.pictures.style import FAINT, STAR


class HeadMaps(Picture):
    """A small map of weights for each head of a layer (up to 12), and last the merged head.

    Parameters of `update`
    ----------------------
    title : str
    tables : (n_heads + 1, T, T), the merged head last
    scores : (n_heads + 1,), written under the maps; NaN where there is none
    chosen : which map is framed
    muted : heads whose map is crossed out
    """

    SIDE, ACROSS, GAP, TOP = 72, 5, 8, 26

    def __init__(self, title, tables, scores, chosen=0, muted=()):
        n = len(tables)
        lines = -(-n // self.ACROSS)
        super().__init__(400, self.TOP + lines * (self.SIDE + 24))
        self.title = self.text(4, 12, "", 13, weight="bold", ha="left")
        self.heading = self.slot(0, 2, self.width, 21, [self.title])
        self.maps, self.images, self.crosses, self.frames, self.labels, self.names = (
            [] for _ in range(6)
        )
        for number in range(n):
            self._draw_map(number)
        self.update(title, tables, scores, chosen, muted)

    def _draw_map(self, number):
        x = 4 + number % self.ACROSS * (self.SIDE + self.GAP)
        y = self.TOP + number // self.ACROSS * (self.SIDE + 24)
        side = self.SIDE
        place = (x / 400, 1 - (y + side) / self.height, side / 400, side / self.height)
        axes = self.figure.add_axes(place, xlim=(0, side), ylim=(side, 0))
        axes.set_axis_off()
        edges = {"extent": (0, side, side, 0), "interpolation": "nearest", "aspect": "auto"}
        self.images.append(axes.imshow(np.zeros((1, 1, 3), np.uint8), **edges))
        cross = axes.plot([0, side, side / 2, 0, side], [0, side, side / 2, side, 0])[0]
        cross.set(color=STAR, linewidth=3)
        self.crosses.append(cross)
        self.maps.append(self.slot(x, y, side, side, [self.images[-1], cross]))
        label = self.text(x + side / 2, y + side + 10, "", 10.5)
        self.labels.append(label)
        frame = self.box(x + 1, y + side + 1.5, side - 2, 17, fill=False, edgecolor=INK)
        self.frames.append(frame)
        self.names.append(self.slot(x - 1, y + side + 0.5, side + 2, 20, [frame, label]))

    def update(self, title, tables, scores, chosen=0, muted=()):
        """Show these heads; the meaning of the arrays stands at the class."""
        self.title.set_text(title)
        self.heading.renew(title)
        self.colours = getattr(self, "colours", [None] * len(self.maps))
        for number, (table, score) in enumerate(zip(tables, scores, strict=True)):
            off = number in muted
            if self.maps[number].renew((np.asarray(table).tobytes(), np.shape(table), off)):
                self.colours[number] = enlarged(table, self.SIDE)
                self.images[number].set_data(self.colours[number])
                self.crosses[number].set_visible(off)
            name = "merged" if number == len(self.maps) - 1 else f"{number}:"
            said = name.strip(":") if np.isnan(score) else f"{name} {share(score)}"
            if self.names[number].renew((said, number == chosen)):
                self.labels[number].set_text(said)
                self.labels[number].set_weight("bold" if number == chosen else "normal")
                self.labels[number].set_color(INK if number == chosen else FAINT)
                self.frames[number].set_visible(number == chosen)
        self.alt = f"{title}: a small map of weights for each head, and for the merged head."

    def _paint(self, slot):
        number = self.maps.index(slot) if slot in self.maps else None
        if number is not None and not self.crosses[number].get_visible():
            self._stamp(slot, self.colours[number])
        else:
            super()._paint(slot)
