"""All heads of a layer at a glance, and the merged head beside them."""

import numpy as np

from mhalib.pictures import INK, Picture, share
from mhalib.pictures.style import FAINT, STAR, colours_of


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
        self.heading = self.slot(0, 2, self.width, 21, [self.headline("", 4, 12)])
        self.maps, self.names = zip(*map(self._draw_map, range(n)), strict=True)
        self.update(title, tables, scores, chosen, muted)

    def _draw_map(self, number):
        """The slots of a map, which a cross may cover, and of its name, which may be framed."""
        x = 4 + number % self.ACROSS * (self.SIDE + self.GAP)
        y = self.TOP + number // self.ACROSS * (self.SIDE + 24)
        side = self.SIDE
        axes, image = self.bitmap(x, y, side, side, side, side)
        cross = axes.plot([0, side, side / 2, 0, side], [0, side, side / 2, side, 0])[0]
        cross.set(color=STAR, linewidth=3)
        frame = self.box(x + 1, y + side + 1.5, side - 2, 17, fill=False, edgecolor=INK)
        label = self.text(x + side / 2, y + side + 10, "", 10.5)
        name = self.slot(x - 1, y + side + 0.5, side + 2, 20, [frame, label])
        return self.slot(x, y, side, side, [image, cross]), name

    def update(self, title, tables, scores, chosen=0, muted=()):
        """Show these heads; the meaning of the arrays stands at the class."""
        self.heading.write(title)
        for number, (table, score) in enumerate(zip(tables, scores, strict=True)):
            map_, off = self.maps[number], number in muted
            if map_.renew((np.asarray(table).tobytes(), np.shape(table), off)):
                map_.fill(colours_of(table), alone=not off)
                map_.artists[1].set_visible(off)
            name = "merged" if number == len(self.maps) - 1 else f"{number}:"
            said = name.strip(":") if np.isnan(score) else f"{name} {share(score)}"
            frame, _ = self.names[number].artists
            frame.set_visible(number == chosen)
            weight, colour = ("bold", INK) if number == chosen else ("normal", FAINT)
            self.names[number].write(said, weight=weight, color=colour)
