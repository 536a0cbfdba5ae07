"""Tokens of trained models as labels: whatever a learner types has to fit, and to be drawable."""

import functools
from pathlib import Path

import matplotlib
from matplotlib.ft2font import FT2Font

from mhalib.describe import token

FONT = Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf"
NO_GLYPH = "▯"


@functools.cache
def _font():
    font = FT2Font(str(FONT))  # Matplotlib 3.10 takes no Path
    font.set_size(100, 72)
    return font


@functools.cache
def _advance(character):
    """How wide a character is, at a size of one pixel."""
    return _font().load_char(ord(character)).linearHoriAdvance / 65536 / 100


@functools.cache
def label(word, room, size=11.5):
    """A token as a label at most `room` pixels wide; what the font lacks becomes a box."""
    shown = [c if _font().get_char_index(ord(c)) else NO_GLYPH for c in token(word, 24)]
    if size * sum(map(_advance, shown)) > room:
        while len(shown) > 1 and size * sum(map(_advance, [*shown, "…"])) > room:
            shown.pop()
        shown.append("…")
    return "".join(shown)
