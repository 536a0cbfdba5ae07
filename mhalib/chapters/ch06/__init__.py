"""Chapter 06, *Mixing and W_O*: what its notebook alone needs."""

from mhalib.chapters.ch06.checks import check_folded, check_swap, check_writes
from mhalib.chapters.ch06.paint import Paint
from mhalib.chapters.ch06.painted_plane import PaintedPlane
from mhalib.chapters.ch06.stream import Stream, WriteTable
from mhalib.chapters.ch06.writes import Writes

__all__ = [
    "check_folded",
    "check_swap",
    "check_writes",
    "Paint",
    "PaintedPlane",
    "Stream",
    "Writes",
    "WriteTable",
]
