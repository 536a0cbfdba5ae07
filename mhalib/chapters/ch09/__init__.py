"""Chapter 09, *Masks and positions*: what its notebook alone needs."""

from mhalib.chapters.ch09.checks_masks import check_causal_mask, check_masked_softmax
from mhalib.chapters.ch09.checks_rope import check_rope, check_rope_head
from mhalib.chapters.ch09.clock import Clock
from mhalib.chapters.ch09.conventions import permutation
from mhalib.chapters.ch09.differences import Differences
from mhalib.chapters.ch09.mask import Mask
from mhalib.chapters.ch09.rope_clock import RopeClock
from mhalib.chapters.ch09.who_sees_whom import WhoSeesWhom

__all__ = [
    "check_causal_mask",
    "check_masked_softmax",
    "check_rope",
    "check_rope_head",
    "Clock",
    "Differences",
    "Mask",
    "permutation",
    "RopeClock",
    "WhoSeesWhom",
]
