"""What a learner moves, predicts and is told: explorers, controls, predictions, feedback."""

from mhalib.live.controls import (
    COLUMN,
    WIDGET_VIEW,
    button,
    chooser,
    column,
    fold,
    frame,
    heading,
    paragraph,
    put,
    room_for,
    row,
    slider,
)
from mhalib.live.explorer import Explorer, Goal, Verdict, goal, not_yet, reached_if, still
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
    "goal",
    "heading",
    "NOT_ATTEMPTED",
    "not_yet",
    "paragraph",
    "Prediction",
    "put",
    "reached_if",
    "room_for",
    "row",
    "slider",
    "still",
    "Verdict",
    "WIDGET_VIEW",
]
