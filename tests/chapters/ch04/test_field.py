"""A quantity over two logits."""

import numpy as np
from pictured import drawn_in_full

from mhalib.chapters.ch04 import Field
from mhalib.pictures import HEAD_COLOURS


def test_a_field_lays_x_across_and_y_up_with_fixed_limits_and_the_heads_colours():
    xs, ys = np.linspace(-2, 2, 5), np.linspace(0, 3, 4)
    values = ys[:, None] * 0.1 + 0 * xs
    picture = Field("t", xs, ys, values, ["x", "y"], (0, 0.35), {"here": (1, 2)})
    assert picture.image.get_clim() == (0, 0.35)
    assert picture.image.origin == "lower" and np.array_equal(picture.image.get_array(), values)
    assert "from 0.00 to 0.30" in picture.alt
    axes = picture.image.axes
    labels = axes.xaxis.label, axes.yaxis.label
    assert tuple(label.get_color() for label in labels) == HEAD_COLOURS[:2]
    assert (drawn_in_full(picture)[..., 3] == 255).all()
