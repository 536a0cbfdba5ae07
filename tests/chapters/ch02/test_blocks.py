"""The split, cell by cell: what changed is lit, in its head's colour, where it stands."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from pictured import assert_moves, faces

from mhalib.chapters.ch02 import Blocks
from mhalib.pictures import HEAD_COLOURS
from mhalib.pictures.raster import DENSITY


def lights(seed, n_heads=2, n_words=3):
    rng = np.random.default_rng(seed)
    shapes = {"before": (n_words, 8), "after": (n_heads, n_words, 8 // n_heads)}
    return {name: rng.random(shape) < 0.5 for name, shape in shapes.items()}


def blocks(before, after):
    return Blocks("a code", list("pqrs")[: len(before)], before, after)


@pytest.mark.parametrize("size", [(2, 3), (4, 4)])
def test_moved_blocks_are_those_drawn_anew(size):
    assert_moves(blocks, [lights(seed, *size) for seed in range(3)])


@pytest.mark.parametrize("size", [(1, 3), (2, 3), (4, 4), (4, 1)])
def test_a_cell_is_lit_in_its_heads_colour_exactly_where_something_changed(size):
    shown = lights(3, *size)
    picture = blocks(**shown)
    tables = [(picture.before, shown["before"]), *zip(picture.after, shown["after"], strict=True)]
    for slots, lit in tables:
        assert [slot.artists[0].get_visible() for slot in slots] == lit.ravel().tolist()
    for slots, colour in zip(picture.after, HEAD_COLOURS, strict=False):
        assert {*faces(slots)} == {to_rgba(colour)}


@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_words_run_down_channels_across_and_heads_stand_side_by_side(n_heads):
    picture, edge = blocks(**lights(3, n_heads, 4)), 0
    for number, slots in enumerate([picture.before, *picture.after]):
        ends = [(s.columns.start, s.columns.stop, s.rows.start) for s in slots]
        left, right, top = np.reshape(ends, (4, -1, 3)).transpose(2, 0, 1)
        assert (np.diff(top, axis=0) > 0).all() and (top == top[:, :1]).all()
        assert (np.diff(left, axis=1) > 0).all()
        if number:
            assert left[0, 0] >= edge + 8 * DENSITY
            edge = right[0, -1]
    assert edge < DENSITY * picture.width
