"""Finished arrays in, picture out; `raster` says how a picture is repainted."""

from mhalib.plots.curves import Curves
from mhalib.plots.field import Field
from mhalib.plots.heatmap import Heatmap
from mhalib.plots.lanes import Lanes
from mhalib.plots.output_plane import OutputPlane
from mhalib.plots.pairs import Pairs
from mhalib.plots.raster import Picture, Sheet
from mhalib.plots.style import HEAD_COLOURS, INK, share, short

__all__ = [
    "HEAD_COLOURS",
    "INK",
    "Curves",
    "Field",
    "Heatmap",
    "Lanes",
    "OutputPlane",
    "Pairs",
    "Picture",
    "Sheet",
    "share",
    "short",
]
