"""Numbers as people read them: one writer for each kind of number.

All round, write a real minus sign, and never '−0'.
"""

from functools import partial


def _rounded(number, decimals):
    return f"{round(float(number), decimals) + 0.0:.{decimals}f}".replace("-", "−")


def short(number, decimals=1):
    """A logit as its label, with few decimals: '8', '−3.5'; with 2 decimals '8.00'."""
    return _rounded(number, decimals).removesuffix(".0")


def share(weight, decimals=2):
    """A weight as its label, with no 0 before the point: '.67', '−.25', '1.00'."""
    text = _rounded(weight, decimals)
    return text.replace("0.", ".", 1) if abs(weight) < 1 else text


def decimals(count):
    """The writer of shares with so many decimals: ``decimals(3)(2 / 3)`` is '.667'."""
    return partial(share, decimals=count)


def plain(number, decimals=2):
    """A number without needless zeros: '5', '−4', '.11'."""
    return share(number, decimals).rstrip("0").rstrip(".") or "0"


def three_digits(amount):
    """What is measured, with three digits: '0.25', '1.50', '22.5', '160'."""
    return f"{amount:.{0 if amount >= 99.95 else 1 if amount >= 9.995 else 2}f}"


def percent(weight):
    """A weight in words: whole percents, one decimal near 0 and 1, never a false 0% or 100%."""
    if weight < 0.0005:
        return "under 0.1%" if weight > 0 else "0%"
    if weight > 0.9995:
        return "over 99.9%" if weight < 1 else "100%"
    return f"{100 * weight:.{0 if 0.0095 < weight < 0.9905 else 1}f}%"
