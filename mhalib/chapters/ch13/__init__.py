"""Chapter 13, *Myths and summary*: what its notebook alone needs."""

from mhalib.chapters.ch13.checks_matrices import (
    check_fewer_heads,
    check_meaning,
    check_own_keys,
    check_same_parameters,
    check_split_first,
    check_w_o,
)
from mhalib.chapters.ch13.checks_rows import (
    check_at_inference,
    check_jury,
    check_linear_heads,
    check_not_the_average,
    check_two_blocks,
)
from mhalib.chapters.ch13.confidence import Review
from mhalib.chapters.ch13.confidence_picture import ConfidencePicture
from mhalib.chapters.ch13.verdicts import Verdicts

__all__ = [
    "check_at_inference",
    "check_fewer_heads",
    "check_jury",
    "check_linear_heads",
    "check_meaning",
    "check_not_the_average",
    "check_own_keys",
    "check_same_parameters",
    "check_split_first",
    "check_two_blocks",
    "check_w_o",
    "ConfidencePicture",
    "Review",
    "Verdicts",
]
