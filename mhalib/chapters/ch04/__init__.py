"""Chapter 04, *The softmax decides*: what its notebook alone needs."""

from mhalib.chapters.ch04.checks import check_compromise, check_merge, check_partner
from mhalib.chapters.ch04.field import Field
from mhalib.chapters.ch04.partners import js_divergence, partner
from mhalib.chapters.ch04.two_lanes import TwoLanes
from mhalib.chapters.ch04.whole_maps import WholeMaps

__all__ = [
    "check_compromise",
    "check_merge",
    "check_partner",
    "Field",
    "js_divergence",
    "partner",
    "TwoLanes",
    "WholeMaps",
]
