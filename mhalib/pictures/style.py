"""What the pictures share: colours, contrast, outlines."""

import functools

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import to_rgb

HEAD_COLOURS = ("#0072b2", "#b84e00", "#00785a", "#a04a7d")
INK, FAINT, PAPER, CELL, STAR = "#1b1f24", "#5b6570", "#ffffff", "#eef1f4", "#f0b400"
CELL_COLOURS = colormaps["cividis"]
SIGNED_COLOURS = colormaps["PRGn"]
DASHED = {"linewidth": 1.1, "linestyle": (0, (3, 2))}
GHOST = {"fill": False, "edgecolor": INK} | DASHED  # an outline, never a second colour
REFERENCE = {"linewidth": 1, "linestyle": (0, (4, 3)), "zorder": 1}  # what a thing is compared with
HOLLOW = {"markerfacecolor": "none", "markeredgecolor": INK}
BACKED = {"facecolor": PAPER, "edgecolor": "none"}  # the box of a text over lines


def luminance(colour):
    """Relative luminance of an RGB colour, from 0 (black) to 1 (white): WCAG 2, 1.4.3."""
    rgb = np.asarray(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return linear @ (0.2126, 0.7152, 0.0722)


def contrast(one, other):
    """Contrast ratio of two colours, from 1 to 21: WCAG 2, 1.4.3."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def readable_on(colour):
    """Black or white, whichever stands out more on `colour`: at least 4.5 on any."""
    return max(("#000000", "#ffffff"), key=lambda text: contrast(text, colour))


def colours_of(weights):
    """Weights between 0 and 1 as colours, in bytes: (...) to (..., 3)."""
    return (CELL_COLOURS(np.clip(weights, 0, 1))[..., :3] * 255).round().astype(np.uint8)


@functools.cache
def cell_style(weight):
    """The colour of a cell for a weight (in hundredths), and that of its number."""
    colour = CELL_COLOURS(weight)
    return colour, readable_on(colour)


@functools.cache
def signed_style(number):
    """The same for a number from -1 to 1: purple below 0, white at 0, green above."""
    colour = SIGNED_COLOURS((1 + number) / 2)
    return colour, readable_on(colour)
