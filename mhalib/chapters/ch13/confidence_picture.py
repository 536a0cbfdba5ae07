"""How often one was right, for each degree of confidence."""

from mhalib.pictures import HEAD_COLOURS, Picture
from mhalib.pictures.style import CELL, FAINT


class ConfidencePicture(Picture):
    """A bar for each degree of confidence: how many of the answers given with it were right.

    Parameters
    ----------
    names : the degrees, from the least to the most sure
    right, given : (n,), how many answers were right, and how many there are
    """

    def __init__(self, names, right, given):
        super().__init__(400, 60 + 44 * len(names))
        left, wide, bottom = 112, 200, self.height - 30
        self.headline("how sure, and how often right")
        self.bars, degrees = [], list(zip(names, right, given, strict=True))
        for n, (name, hits, total) in enumerate(degrees):
            y = 34 + 44 * n
            self.text(left - 10, y + 15, name, 13, ha="right")
            self.box(left, y, wide, 30, facecolor=CELL)
            length = wide * hits / total if total else 0
            self.bars.append(self.box(left, y, length, 30, facecolor=HEAD_COLOURS[0]))
            words = f"{hits} of {total}" if total else "no answer"
            self.text(left + wide + 12, y + 15, words, 13, ha="left")
        for x, label in ((left, "none"), (left + wide / 2, "half"), (left + wide, "all right")):
            self.page.plot([x, x], [bottom - 4, bottom + 2], color=FAINT, linewidth=1)
            self.text(x, bottom + 12, label, 11, colour=FAINT)
        said = [f"{name}: {hits} of {total} right" for name, hits, total in degrees]
        self.alt = "; ".join(said).capitalize() + "."
