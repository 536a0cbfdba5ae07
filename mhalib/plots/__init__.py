"""Finished arrays in, picture out; `raster` says how a picture is repainted."""

from mhalib.plots.blocks import Blocks
from mhalib.plots.curves import Curves
from mhalib.plots.field import Field
from mhalib.plots.graph import Graph
from mhalib.plots.heatmap import Heatmap
from mhalib.plots.jacobian import Jacobian
from mhalib.plots.lanes import Lanes
from mhalib.plots.listing import Listing
from mhalib.plots.memory import MemoryRuler
from mhalib.plots.output_plane import OutputPlane
from mhalib.plots.painted_plane import PaintedPlane
from mhalib.plots.pairs import Pairs
from mhalib.plots.raster import Picture, Sheet
from mhalib.plots.ropes import Ropes
from mhalib.plots.stream import Stream, WriteTable
from mhalib.plots.style import HEAD_COLOURS, INK, share, short

__all__ = [
    "Blocks",
    "Curves",
    "Field",
    "Graph",
    "HEAD_COLOURS",
    "Heatmap",
    "INK",
    "Jacobian",
    "Lanes",
    "Listing",
    "MemoryRuler",
    "OutputPlane",
    "PaintedPlane",
    "Pairs",
    "Picture",
    "Ropes",
    "Sheet",
    "Stream",
    "WriteTable",
    "share",
    "short",
]
