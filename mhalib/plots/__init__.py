"""Finished arrays in, picture out; `raster` says how a picture is repainted."""

from mhalib.plots.blocks import Blocks
from mhalib.plots.calibration import Calibration
from mhalib.plots.clock import Clock
from mhalib.plots.curves import Curves
from mhalib.plots.differences import Differences
from mhalib.plots.field import Field
from mhalib.plots.graph import Graph
from mhalib.plots.head_maps import HeadMaps
from mhalib.plots.head_table import HeadTable
from mhalib.plots.heatmap import Heatmap
from mhalib.plots.jacobian import Jacobian
from mhalib.plots.lanes import Lanes
from mhalib.plots.listing import Listing
from mhalib.plots.mask import Mask
from mhalib.plots.memory import MemoryRuler
from mhalib.plots.output_plane import OutputPlane
from mhalib.plots.painted_plane import PaintedPlane
from mhalib.plots.pairs import Pairs
from mhalib.plots.panels import Panels
from mhalib.plots.photo import Photo
from mhalib.plots.raster import Picture, Sheet
from mhalib.plots.ropes import Ropes
from mhalib.plots.route_maps import RouteMaps
from mhalib.plots.stream import Stream, WriteTable
from mhalib.plots.style import HEAD_COLOURS, INK, share, short
from mhalib.plots.token_map import TokenMap

__all__ = [
    "Blocks",
    "Calibration",
    "Clock",
    "Curves",
    "Differences",
    "Field",
    "Graph",
    "HEAD_COLOURS",
    "HeadMaps",
    "HeadTable",
    "Heatmap",
    "INK",
    "Jacobian",
    "Lanes",
    "Listing",
    "Mask",
    "MemoryRuler",
    "OutputPlane",
    "PaintedPlane",
    "Pairs",
    "Panels",
    "Photo",
    "Picture",
    "Ropes",
    "RouteMaps",
    "share",
    "Sheet",
    "short",
    "Stream",
    "TokenMap",
    "WriteTable",
]
