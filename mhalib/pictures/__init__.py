"""Finished arrays in, picture out; `raster` says how a picture is repainted."""

from mhalib.pictures.curves import Curves
from mhalib.pictures.heatmap import Heatmap
from mhalib.pictures.lanes import Lanes
from mhalib.pictures.listing import Listing
from mhalib.pictures.numbers import decimals, percent, plain, share, short, three_digits
from mhalib.pictures.output_plane import OutputPlane
from mhalib.pictures.panels import Panels
from mhalib.pictures.raster import Picture, Sheet
from mhalib.pictures.style import HEAD_COLOURS, INK

__all__ = [
    "Curves",
    "decimals",
    "HEAD_COLOURS",
    "Heatmap",
    "INK",
    "Lanes",
    "Listing",
    "OutputPlane",
    "Panels",
    "percent",
    "Picture",
    "plain",
    "share",
    "Sheet",
    "short",
    "three_digits",
]
