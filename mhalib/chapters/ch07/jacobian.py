"""How weights answer to logits, as a heat map."""

import numpy as np

from mhalib.pictures import Heatmap, share


class Jacobian(Heatmap):
    """A table of derivatives: weights that answer run down, logits that are raised run across.

    Green rises and purple falls, fullest at .25, the most that softmax can give. "−.00" is small,
    and only what is exactly 0 is written "0".
    """

    DOWN, ACROSS = "weight that answers", "logit that is raised"
    FULL = 0.25

    def __init__(self, title, weights, logits, table, **style):
        super().__init__(title, weights, logits, table, signed=True, **style)

    def update(self, table, title=None, hidden=None):
        """Show this table, and another title if one is given."""
        super().update(table, title, hidden)
        low, high = (self._number(np.round(end, 2), end) for end in (np.min(table), np.max(table)))
        self.alt = f"{self.title.get_text()}: entries from {low} to {high}."

    def _number(self, value, exact):
        return ("+" if exact > 0 else "−") + share(abs(value)) if exact else "0"
