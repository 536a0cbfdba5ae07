"""What a learner moves, predicts and is told: explorers, controls, predictions, feedback."""

from mhalib.live.controls import WIDGET_VIEW
from mhalib.live.explorer import Explorer, Goal, Verdict
from mhalib.live.feedback import NOT_ATTEMPTED, Feedback
from mhalib.live.predictions import Prediction

__all__ = [
    "Explorer",
    "Feedback",
    "Goal",
    "NOT_ATTEMPTED",
    "Prediction",
    "Verdict",
    "WIDGET_VIEW",
]
