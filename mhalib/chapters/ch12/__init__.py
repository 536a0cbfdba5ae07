"""Chapter 12, *Reading real heads*: what its notebook alone needs."""

from mhalib.chapters.ch12.checks import (
    check_induction_pattern,
    check_muted_output,
    check_spare,
)
from mhalib.chapters.ch12.head_hunt import ORDINARY, HeadHunt
from mhalib.chapters.ch12.head_maps import HeadMaps
from mhalib.chapters.ch12.patterns import PATTERNS, given_twice, score
from mhalib.chapters.ch12.repeats import instead, stored_runs
from mhalib.chapters.ch12.token_map import TokenMap

__all__ = [
    "check_induction_pattern",
    "check_muted_output",
    "check_spare",
    "given_twice",
    "HeadHunt",
    "HeadMaps",
    "instead",
    "ORDINARY",
    "PATTERNS",
    "score",
    "stored_runs",
    "TokenMap",
]
