"""Chapter 07, *Competition*: what its notebook alone needs."""

from mhalib.chapters.ch07.checks import check_effect, check_jacobian, check_pull_back
from mhalib.chapters.ch07.jacobian import Jacobian
from mhalib.chapters.ch07.ropes import Ropes
from mhalib.chapters.ch07.row_answers import RowAnswers
from mhalib.chapters.ch07.tug_of_war import TugOfWar

__all__ = [
    "check_effect",
    "check_jacobian",
    "check_pull_back",
    "Jacobian",
    "Ropes",
    "RowAnswers",
    "TugOfWar",
]
