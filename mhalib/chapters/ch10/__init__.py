"""Chapter 10, *Heads on pictures*: what its notebook alone needs."""

from mhalib.chapters.ch10.cat_picture import cat, patches, places
from mhalib.chapters.ch10.checks import check_fewest_heads, check_mixed_of, check_place_head
from mhalib.chapters.ch10.convolution import (
    KERNELS,
    STEPS,
    convolve,
    line_weights,
    one_place_outputs,
    place_head,
    sharing_heads,
)
from mhalib.chapters.ch10.fewest_heads import FewestHeads
from mhalib.chapters.ch10.photo import Photo
from mhalib.chapters.ch10.route_maps import RouteMaps

__all__ = [
    "cat",
    "check_fewest_heads",
    "check_mixed_of",
    "check_place_head",
    "convolve",
    "FewestHeads",
    "KERNELS",
    "line_weights",
    "one_place_outputs",
    "patches",
    "Photo",
    "place_head",
    "places",
    "RouteMaps",
    "sharing_heads",
    "STEPS",
]
