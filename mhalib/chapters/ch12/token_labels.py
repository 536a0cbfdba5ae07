"""Tokens of trained models as labels: whatever a learner types has to fit, and to be drawable."""

import functools
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.ft2font import FT2Font

from mhalib.pictures import percent

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
def token_label(word, room, size=11.5):
    """A token as a label at most `room` pixels wide; what the font lacks becomes a box."""
    shown = [c if _font().get_char_index(ord(c)) else NO_GLYPH for c in short_token(word, 24)]
    if size * sum(map(_advance, shown)) > room:
        while len(shown) > 1 and size * sum(map(_advance, [*shown, "…"])) > room:
            shown.pop()
        shown.append("…")
    return "".join(shown)


def short_token(word, room=9):
    """A token of a trained model, cut to `room` characters: '␣' for nothing but blanks."""
    shown = "".join(c if c.isprintable() else "⏎" if c == "\n" else " " for c in word).strip()
    return (shown if len(shown) <= room else f"{shown[: room - 1]}…") or "␣"


def most_weight(queries, keys, table):
    """The largest weight of a table: 'the most is 93%, from “sat” to “cat”.'"""
    i, j = np.unravel_index(np.argmax(table), np.shape(table))
    return (
        f"the most is {percent(np.asarray(table)[i, j])}, from “{short_token(queries[i])}” to "
        f"“{short_token(keys[j])}”."
    )
