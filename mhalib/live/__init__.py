"""What a learner moves, predicts and is told: explorers, controls, predictions, feedback."""

from mhalib.live.controls import (
    COLUMN,
    NO_SCROLLBARS,
    button,
    chooser,
    column,
    fold,
    frame,
    heading,
    paragraph,
    room_for,
    row,
    slider,
)
from mhalib.live.explorer import WIDGET_VIEW, Explorer, Goal, Verdict, still
from mhalib.live.feedback import NOT_ATTEMPTED, Feedback
from mhalib.live.predictions import Prediction

__all__ = [
    "button",
    "chooser",
    "column",
    "COLUMN",
    "Explorer",
    "Feedback",
    "fold",
    "frame",
    "Goal",
    "heading",
    "NO_SCROLLBARS",
    "NOT_ATTEMPTED",
    "paragraph",
    "Prediction",
    "room_for",
    "row",
    "slider",
    "still",
    "Verdict",
    "WIDGET_VIEW",
]
