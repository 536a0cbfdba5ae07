"""Checks that answer like a tutor: the first thing that is wrong, and the slip it looks like.

The order is: attempted, type, shape (never through broadcasting), property, value. A check
returns `Feedback`; printing it gives the sentence.
"""

from mhalib.exercises.feedback import NOT_ATTEMPTED, Feedback
from mhalib.exercises.merged_heads import check_compromise, check_merge, check_partner
from mhalib.exercises.mixing import check_folded, check_swap, check_writes
from mhalib.exercises.notation import check_from_pytorch, check_may_attend
from mhalib.exercises.one_head import check_attention, check_softmax

__all__ = [
    "NOT_ATTEMPTED",
    "Feedback",
    "check_attention",
    "check_compromise",
    "check_from_pytorch",
    "check_may_attend",
    "check_folded",
    "check_merge",
    "check_partner",
    "check_softmax",
    "check_swap",
    "check_writes",
]
