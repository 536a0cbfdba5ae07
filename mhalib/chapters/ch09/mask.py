"""Who may see whom, as a table of ones and zeros."""

from mhalib.pictures import Heatmap


class Mask(Heatmap):
    """A mask, queries down and keys across: 1 where the query may attend, 0 where it may not.

    Parameters of `update`: table (n_queries, n_keys) of 0 and 1, NaN in the row of a word that
    does not look.
    """

    tiles = {}  # cells of all masks: their numbers are written otherwise than a heat map's

    def _number(self, value, exact):
        return f"{exact:g}"
