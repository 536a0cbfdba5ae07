"""Chapter 08, *How many heads?*: what its notebook alone needs."""

from mhalib.chapters.ch08.checks import (
    check_adam_step,
    check_always_right,
    check_name_any,
)
from mhalib.chapters.ch08.head_table import HeadTable
from mhalib.chapters.ch08.inside import Inside
from mhalib.chapters.ch08.train_it import TrainIt

__all__ = [
    "check_adam_step",
    "check_always_right",
    "check_name_any",
    "HeadTable",
    "Inside",
    "TrainIt",
]
