"""Chapter 02, *Cutting into heads*: what its notebook alone needs."""

from mhalib.chapters.ch02.blocks import Blocks
from mhalib.chapters.ch02.checks import check_concat_heads, check_multi_head, check_split_heads
from mhalib.chapters.ch02.published_layers import RealLayers
from mhalib.chapters.ch02.two_splits import TwoSplits, lit_rows

__all__ = [
    "Blocks",
    "check_concat_heads",
    "check_multi_head",
    "check_split_heads",
    "lit_rows",
    "RealLayers",
    "TwoSplits",
]
