"""Lines of text in two columns, in a room of fixed height."""

from mhalib.pictures.raster import Picture
from mhalib.pictures.style import CELL, FAINT, PAPER


class Listing(Picture):
    """A title and up to `n_lines` lines: a name at the left, what belongs to it at the right.

    `update` takes (left, right, marked) for each line; a marked line stands on a grey strip.
    """

    LINE, RIGHT = 21, 214

    def __init__(self, title, n_lines, lines, width=344):
        super().__init__(width, 32 + n_lines * self.LINE)
        self.headline(title, 10, 14)
        self.lines = []
        for n in range(n_lines):
            top = 28 + n * self.LINE
            strip = self.box(0, top, width, self.LINE, facecolor=CELL, linewidth=0)
            left = self.text(10, top + self.LINE / 2, "", 13, ha="left")
            right = self.text(self.RIGHT, top + self.LINE / 2, "", 13, colour=FAINT, ha="left")
            self.lines.append(self.slot(0, top, width, self.LINE, [strip, left, right]))
        self.update(lines)

    def update(self, lines):
        """Show these lines, and nothing below them."""
        empty = [("", "", False)] * (len(self.lines) - len(lines))
        for slot, line in zip(self.lines, [*lines, *empty], strict=True):
            if slot.renew(line):
                strip, left, right = slot.artists
                words, numbers, marked = line
                strip.set_facecolor(CELL if marked else PAPER)
                left.set_text(words)
                right.set_text(numbers)
