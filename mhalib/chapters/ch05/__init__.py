"""Chapter 05, *Routes and criteria*: what its notebook alone needs."""

from mhalib.chapters.ch05.checks import check_criterion, check_deal, check_effective_number
from mhalib.chapters.ch05.criteria import CRITERIA, criterion
from mhalib.chapters.ch05.graph import Graph
from mhalib.chapters.ch05.unmask import Unmask

__all__ = [
    "check_criterion",
    "check_deal",
    "check_effective_number",
    "CRITERIA",
    "criterion",
    "Graph",
    "Unmask",
]
