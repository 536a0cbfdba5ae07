"""The explorers that the chapters show."""

from mhalib.explorers.four_corners import FourCorners
from mhalib.explorers.one_row import OneRow, first_softmax, one_budget
from mhalib.explorers.two_lanes import TwoLanes
from mhalib.explorers.whole_maps import WholeMaps

__all__ = ["FourCorners", "OneRow", "TwoLanes", "WholeMaps", "first_softmax", "one_budget"]
