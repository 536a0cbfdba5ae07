"""The explorers that the chapters show."""

from mhalib.explorers.fewest_heads import FewestHeads
from mhalib.explorers.four_corners import FourCorners
from mhalib.explorers.head_hunt import HeadHunt
from mhalib.explorers.inside import Inside
from mhalib.explorers.make_it_fit import MakeItFit
from mhalib.explorers.one_row import OneRow, first_softmax, one_budget
from mhalib.explorers.paint import Paint
from mhalib.explorers.real_layers import RealLayers
from mhalib.explorers.rope_clock import RopeClock
from mhalib.explorers.row_answers import RowAnswers
from mhalib.explorers.train_it import TrainIt
from mhalib.explorers.tug_of_war import TugOfWar
from mhalib.explorers.two_lanes import TwoLanes
from mhalib.explorers.two_splits import TwoSplits
from mhalib.explorers.unmask import Unmask
from mhalib.explorers.who_sees_whom import WhoSeesWhom
from mhalib.explorers.whole_maps import WholeMaps
from mhalib.explorers.writes import Writes

__all__ = [
    "FewestHeads",
    "first_softmax",
    "FourCorners",
    "HeadHunt",
    "Inside",
    "MakeItFit",
    "one_budget",
    "OneRow",
    "Paint",
    "RealLayers",
    "RopeClock",
    "RowAnswers",
    "TrainIt",
    "TugOfWar",
    "TwoLanes",
    "TwoSplits",
    "Unmask",
    "WholeMaps",
    "WhoSeesWhom",
    "Writes",
]
