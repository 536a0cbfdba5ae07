"""Chapter 03, *Take the softmax away*: what its notebook alone needs."""

from mhalib.chapters.ch03.checks import check_cross_terms, check_fold, check_linear_head
from mhalib.chapters.ch03.folding import heads_together, one_head, relative_difference
from mhalib.chapters.ch03.four_corners import FourCorners
from mhalib.chapters.ch03.pairs import Pairs

__all__ = [
    "check_cross_terms",
    "check_fold",
    "check_linear_head",
    "FourCorners",
    "heads_together",
    "one_head",
    "Pairs",
    "relative_difference",
]
