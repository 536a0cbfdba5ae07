"""The explorers that the chapters show."""

from mhalib.explorers.four_corners import FourCorners
from mhalib.explorers.make_it_fit import MakeItFit
from mhalib.explorers.one_row import OneRow, first_softmax, one_budget
from mhalib.explorers.paint import Paint
from mhalib.explorers.real_layers import RealLayers
from mhalib.explorers.row_answers import RowAnswers
from mhalib.explorers.tug_of_war import TugOfWar
from mhalib.explorers.two_lanes import TwoLanes
from mhalib.explorers.two_splits import TwoSplits
from mhalib.explorers.unmask import Unmask
from mhalib.explorers.whole_maps import WholeMaps
from mhalib.explorers.writes import Writes

__all__ = [
    "FourCorners",
    "MakeItFit",
    "OneRow",
    "Paint",
    "RealLayers",
    "RowAnswers",
    "TugOfWar",
    "TwoLanes",
    "TwoSplits",
    "Unmask",
    "WholeMaps",
    "Writes",
    "first_softmax",
    "one_budget",
]
