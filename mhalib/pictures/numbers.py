"""Numbers as people read them: one writer for each kind of number."""


def short(number, decimals=1):
    """A logit as its label: few decimals, a real minus sign, never '−0'."""
    number = round(float(number), decimals) + 0.0  # -0.0 + 0.0 is 0.0
    return f"{number:.{decimals}f}".removesuffix(".0").replace("-", "−")


def share(weight):
    """A weight as its label: '.67', and '1.00' for all of it."""
    return f"{weight:.2f}".removeprefix("0")


def percent(weight):
    """A weight in words: whole percents, one decimal near 0 and 1, never a false 0% or 100%."""
    if weight < 0.0005:
        return "under 0.1%" if weight > 0 else "0%"
    if weight > 0.9995:
        return "over 99.9%" if weight < 1 else "100%"
    return f"{100 * weight:.{0 if 0.0095 < weight < 0.9905 else 1}f}%"


def plain(number):
    """A number without needless zeros, with a real minus sign: '5', '−4', '.11'."""
    text = f"{round(float(number), 2) + 0:g}".replace("-", "−")
    return text.removeprefix("0") if text.startswith("0.") else text.replace("−0.", "−.")


def decimals(count):
    """A function that writes a result with so many decimals, as the pictures do: '.67', '−.67'."""

    def written(result):
        return f"{result:.{count}f}".removeprefix("0").replace("-", "−").replace("−0.", "−.")

    return written
