"""Who may see whom, as a table of ones and zeros."""

import numpy as np

from mhalib.pictures import Heatmap


class Mask(Heatmap):
    """A mask, queries down and keys across: 1 where the query may attend, 0 where it may not.

    Parameters of `update`: table (n_queries, n_keys) of 0 and 1, NaN in the row of a word that
    does not look.
    """

    tiles = {}  # cells of all masks: their numbers are written otherwise than a heat map's

    def _said(self, table, rows, columns):
        queries, _ = self.words
        seen = (
            f"“{query}” {np.nansum(row):.0f}"
            for query, row, looks in zip(queries, table, rows, strict=True)
            if looks
        )
        return f"how many keys each may see, {', '.join(seen)}."

    def _cell(self, value, exact):
        return f"{exact:g}"
