"""Chapter 01, *One head, one budget*: what its notebook alone needs."""

from mhalib.chapters.ch01.checks import check_attention, check_softmax
from mhalib.chapters.ch01.one_row import OneRow, first_softmax, one_budget

__all__ = [
    "check_attention",
    "check_softmax",
    "first_softmax",
    "one_budget",
    "OneRow",
]
