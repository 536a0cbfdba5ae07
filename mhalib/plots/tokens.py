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
    return FT2Font(FONT)


@functools.cache
def label(word, room=9):
    """A token as a label of at most `room` characters; what the font lacks becomes a box."""
    return "".join(c if _font().get_char_index(ord(c)) else NO_GLYPH for c in token(word, room))
