"""The explorers that the chapters show."""

from mhalib.explorers.one_row import OneRow, first_softmax, one_budget
from mhalib.explorers.real_layers import RealLayers
from mhalib.explorers.two_lanes import TwoLanes
from mhalib.explorers.two_splits import TwoSplits
from mhalib.explorers.whole_maps import WholeMaps

__all__ = [
    "OneRow",
    "RealLayers",
    "TwoLanes",
    "TwoSplits",
    "WholeMaps",
    "first_softmax",
    "one_budget",
]
