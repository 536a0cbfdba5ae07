"""Appendix A, *Notation and shapes*: what its notebook alone needs."""

from mhalib.chapters.appendix_a.checks import check_from_pytorch, check_may_attend

__all__ = [
    "check_from_pytorch",
    "check_may_attend",
]
