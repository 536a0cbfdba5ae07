"""Which head looks at which asked token, and which question is answered."""

import numpy as np

from mhalib.pictures import INK, Picture, share
from mhalib.pictures.style import BACKED, CELL, FAINT, PAPER, cell_style
from mhalib.pictures.wording import HEADS


class HeadTable(Picture):
    """A row for each head: how much of its weights goes to the token of each question.

    Above stands how often each question is answered right, as bars with the line of chance. The
    picture has room for 8 heads and 4 questions; what is not there stays empty.

    Parameters of `update`
    ----------------------
    asked : (n_heads, k), weight on the token that each question asks for; a row's rest, up to 1,
        is on the others
    right : (k,), share of right answers
    muted : numbers of the heads that write nothing
    """

    tiles = {}  # cells of all such tables, by number
    HEADS, QUESTIONS, NAMES = 8, 4, ("1st", "2nd", "3rd", "4th")
    CHANCE = 1 / 8
    LEFT, TOP, WIDE, TALL, BAR = 84, 130, 58, 26, 52  # CSS pixels; a bar of 1 has BAR

    def __init__(self, title, asked, right, muted=()):
        super().__init__(388, self.TOP + self.HEADS * self.TALL + 6)
        self.headline(title, 8, 13)
        for y, name in ((38, "question"), (74, "right"), (self.TOP - 12, "weight on")):
            self.text(self.LEFT - 10, y, name, 12, colour=FAINT, ha="right")
        self.columns = [self._column(j, name) for j, name in enumerate(self.NAMES)]
        self.tokens = [self._token(j) for j in range(self.QUESTIONS + 1)]
        self.rows = [self._row(r) for r in range(self.HEADS)]
        self.update(asked, right, muted)

    def _middle(self, column):
        return self.LEFT + (column + 0.5) * self.WIDE

    def _column(self, j, name):
        """The slot of a question: its name and its bar of right answers."""
        x, low = self._middle(j), 50 + self.BAR
        label = self.text(x, 38, name, 13)
        ground = self.box(x - 20, 50, 40, self.BAR, facecolor=CELL, linewidth=0)
        bar = self.box(x - 20, low, 40, 0, facecolor=FAINT, linewidth=0)
        chance = low - self.CHANCE * self.BAR
        line = self.box(x - 26, chance - 0.5, 52, 1, facecolor=INK, linewidth=0)
        number = self.text(x, 74, "", 13, weight="bold", bbox=BACKED | {"pad": 1})
        artists = [label, ground, bar, line, number]
        return self.slot(x - self.WIDE / 2, 26, self.WIDE, self.TOP - 48, artists)

    def _token(self, j):
        """The slot of a column's name: the token of a question, or all others."""
        x, y = self._middle(j), self.TOP - 12
        return self.note((x - self.WIDE / 2, y - 9, self.WIDE, 18), x, y, 11, colour=FAINT)

    def _row(self, r):
        """The slots of a head: its name, and a cell for each question and for the others."""
        y = self.TOP + r * self.TALL
        name = (0, y, self.LEFT - 4, self.TALL)
        slots = [self.note(name, self.LEFT - 10, y + self.TALL / 2, 12, ha="right")]
        for j in range(self.QUESTIONS + 1):
            corner = (self.LEFT + j * self.WIDE, y, self.WIDE, self.TALL)
            slots.append(self.cell(*corner, 12, self.tiles))
        return slots

    def update(self, asked, right, muted=()):
        """Show these arrays; their meaning stands at the class."""
        asked, right = np.asarray(asked, float), np.asarray(right, float)
        n_heads, k = asked.shape
        for j, slot in enumerate(self.columns):
            for artist in slot.artists:
                artist.set_visible(j < k)
            slot.artists[2].set_height(-self.BAR * round(float(right[j]), 2) if j < k else 0)
            slot.write(share(right[j]) if j < k else "")
        table = np.full((self.HEADS, self.QUESTIONS + 1), np.nan)
        table[:n_heads, :k], table[:n_heads, k] = asked, 1 - asked.sum(axis=1)
        for j, slot in enumerate(self.tokens):
            slot.write(f"{self.NAMES[j]} token" if j < k else "others" if j == k else "")
        for r, (name, *cells) in enumerate(self.rows):
            said = f"head {HEADS[r]}" if r < n_heads else ""
            name.write(f"{said} ✕" if r in muted else said, color=FAINT if r in muted else INK)
            for slot, weight in zip(cells, table[r], strict=True):
                number, plain = "" if np.isnan(weight) else share(abs(weight)), (PAPER, FAINT)
                colour, text_colour = cell_style(float(number)) if number else plain
                colour, text_colour = plain if r in muted else (colour, text_colour)
                slot.artists[0].set_facecolor(colour)
                slot.write(number, color=text_colour)
