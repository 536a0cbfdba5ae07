"""*Twenty minutes*: what its notebook alone needs."""

from mhalib.chapters.twenty_minutes.induction_head import HEAD, on_target, stored

__all__ = [
    "HEAD",
    "on_target",
    "stored",
]
