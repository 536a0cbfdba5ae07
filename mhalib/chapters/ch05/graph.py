"""A table of weights as arrows between words."""

import numpy as np
from matplotlib.patches import PathPatch, Polygon
from matplotlib.path import Path

from mhalib.pictures import INK, Picture, share
from mhalib.pictures.style import BACKED, FAINT

BEZIER = [Path.MOVETO] + 3 * [Path.CURVE4]
HEAD = 6.5  # how long the head of an arrow is, in CSS pixels
LIFT = 10  # how far from the top of its arc a number stands, so that its box leaves the arc whole


class Graph(Picture):
    """A table of weights as a directed graph: an arrow from the word that looks to the word seen.

    Words stand in a row. Who looks left draws an arrow above them, who looks right one below, who
    looks at itself a loop. The further the words, the higher the arrow, and no two arrows leave or
    reach a word at the same point, so that each can be followed. The more weight, the thicker.

    Parameters of `update`
    ----------------------
    weights : (n_words, n_words), who looks down, who is looked at across; a word whose row is
        NaN is not in the sentence, and its place stays empty
    threshold : float, the smallest weight that is drawn; what rounds to .00 never is
    title, colour : optional, others than before
    """

    STEP, MARGIN = 13, 5

    def __init__(self, title, words, weights, threshold=0.1, *, colour=INK):
        self.words, n = words, len(words)
        reach = self.STEP * (n - 1)
        self.top, self.bottom = 44 + reach, 70 + reach  # where arrows above and below end
        super().__init__(392, self.bottom + 54 + reach)
        pitch = (self.width - 2 * self.MARGIN) / n
        self.places = [self.MARGIN + pitch * (j + 0.5) for j in range(n)]
        self.title = self.headline(title, 8, 13)
        self.heading = self.slot(4, 2, 270, 22, [self.title])
        self.text(self.width - 8, 13, "above: looks left", 11, colour=FAINT, ha="right")
        below = "below: looks right, or at itself"
        self.text(self.width - 8, self.height - 10, below, 11, colour=FAINT, ha="right")
        self.edges = {(i, j): self._edge(i, j) for i in range(n) for j in range(n)}
        y = (self.top + self.bottom) / 2
        self.labels = [self.text(*at, 12) for at in zip(self.places, [y] * n, words, strict=True)]
        lines, heads, numbers = zip(*self.edges.values(), strict=True)
        artists = [*lines, *heads, *self.labels, *numbers]
        self.drawing = self.slot(0, 24, self.width, self.height - 44, artists)
        self.colour = colour
        self.update(weights, threshold)

    def _edge(self, i, j):
        """The line, head and number of the arrow from word i to word j, not yet seen."""
        points, tip, mark = self._loop(i) if i == j else self._arc(i, j)
        line = self.page.add_patch(PathPatch(Path(points, BEZIER), fill=False, zorder=2))
        back = HEAD if tip[1] == self.bottom else -HEAD
        corners = [tip, (tip[0] - 3.4, tip[1] + back), (tip[0] + 3.4, tip[1] + back)]
        head = self.page.add_patch(Polygon(corners, linewidth=0, zorder=2.5))
        return line, head, self.text(*mark, "", 10, bbox=BACKED | {"pad": 0.2}, zorder=4)

    def _arc(self, i, j):
        """Four points of the curve, its tip, and where its number stands."""
        above = j < i
        base, sign = (self.top, -1) if above else (self.bottom, 1)
        up = sign * (self.STEP * abs(i - j) + (2 if above else 16))
        start, end = self.port(i, j, above), self.port(j, i, above)
        turns = [(start, base + up * 4 / 3), (end, base + up * 4 / 3)]
        mark = (start + end) / 2, base + up + sign * LIFT
        return [(start, base), *turns, (end, base + sign * HEAD)], (end, base), mark

    def port(self, word, other, above=True):
        """Where the arrows between two words, either way, touch the first of them.

        From left to right: the words before it, nearest first, then those after it, nearest last,
        so that a shorter arrow lies inside a longer one. Below the loop stands between the two.
        """
        n, left = len(self.words), other < word
        rank = word - 1 - other if left else n - 1 - other + word
        if above:
            return self.places[word] + (rank - (n - 2) / 2) * min(5.4, 36 / n)
        inwards = (word - 1 - rank) if left else rank - word  # how many stand nearer to the loop
        spread = min(4, 6 / max(1, (word if left else n - 1 - word) - 1))
        return self.places[word] + (10 + spread * inwards) * (-1 if left else 1)

    def _loop(self, i):
        x, y = self.places[i], self.bottom
        points = [(x - 5, y), (x - 15, y + 21), (x + 15, y + 21), (x + 5, y + HEAD)]
        return points, (x + 5, y), (x, y + 24)

    def update(self, weights, threshold, title=None, colour=None):
        """Show these weights, down to the threshold."""
        self.colour, title = colour or self.colour, title or self.title.get_text()
        self.heading.write(title, color=self.colour)
        weights = np.round(np.asarray(weights, float), 2)  # drawn as the numbers say
        there = ~np.isnan(weights).all(axis=1)
        weights = np.where(weights >= threshold, weights, 0)
        self.alt = f"{title}: {self._said(weights, threshold)}."
        if not self.drawing.renew((weights.tobytes(), there.tobytes(), self.colour)):
            return
        for label, word, seen in zip(self.labels, self.words, there, strict=True):
            label.set(text=word if seen else "·", color=INK if seen else FAINT)
        for pair, (line, head, number) in self.edges.items():
            weight = weights[pair]
            for artist in (line, head, number):
                artist.set_visible(weight > 0)
            if weight > 0:
                alpha = 0.45 + 0.55 * weight
                line.set(edgecolor=self.colour, alpha=alpha, linewidth=0.6 + 1.6 * weight)
                head.set(facecolor=self.colour, alpha=alpha)
                number.set_text(share(weight))

    def _said(self, weights, threshold):
        drawn = [pair for pair in self.edges if weights[pair]]
        arrows = (f"“{self.words[i]}” to “{self.words[j]}” {weights[i, j]:.2f}" for i, j in drawn)
        return ", ".join(arrows) or f"no weight reaches {threshold:.2f}"
