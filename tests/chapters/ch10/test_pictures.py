"""A picture's pixels, and where one of them looks."""

from functools import partial

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from pictured import assert_moves, words

from mhalib.attention import softmax
from mhalib.chapters.ch10 import Photo, RouteMaps
from mhalib.pictures.style import CELL_COLOURS, contrast, luminance


def taken(seed):
    """What a photo shows: now with a mark, now with weights over it."""
    rng = np.random.default_rng(seed)
    return {
        "values": rng.normal(size=(6, 8)),
        "limits": [(0, 1), (-2, 2), (-0.5, 0.5)][seed % 3],
        "mark": [None, (1, 2, 4, 5), (-1, 6, 2, 9)][seed % 3],
        "weights": None if seed % 2 else softmax(rng.normal(size=12)).reshape(3, 4),
    }


def routed(seed):
    """Maps of `seed + 1` heads, one of them idle, at the border of a picture."""
    rng = np.random.default_rng(seed)
    windows = rng.random((seed + 1, 5, 5))
    windows[:, :, : seed % 3] = np.nan
    return {"windows": windows, "sizes": np.append(rng.normal(size=seed) * 3, 0.0)}


@pytest.mark.parametrize(
    "make, state",
    [(Photo, taken), (partial(Photo, size_of="difference"), taken), (RouteMaps, routed)],
)
def test_moved_they_are_those_drawn_anew(make, state):
    assert_moves(partial(make, "a title"), [state(seed) for seed in (0, 1, 2, 4, 8)])


def test_other_sizes_alone_move_the_sum_of_route_maps():
    shown = routed(2)
    assert_moves(partial(RouteMaps, "t"), [shown, shown | {"sizes": -shown["sizes"]}])


def colours(slot, rows, columns):
    """What a map shows: one colour for each of its numbers."""
    image = np.asarray(slot.artists[0].get_array())
    return image[:: image.shape[0] // rows, :: image.shape[1] // columns]


def caption(shown):
    return shown.caption.artists[0].get_text()


def test_a_photo_is_black_at_its_lower_limit_and_white_at_its_upper_and_cut_beyond():
    values = [[-1.0, 0.0], [0.5, 7.0]]
    shown = Photo("t", values, limits=(0, 1))
    assert colours(shown.map, 2, 2)[..., 0].tolist() == [[0, 0], [128, 255]]
    assert caption(shown) == "black 0, white 1" and shown.alt == "t: from −1 to 7."
    shown.update(values, limits=(-1, 7))
    assert colours(shown.map, 2, 2)[..., 1].tolist() == [[0, 32], [48, 255]]
    assert caption(shown) == "black −1, white 7"


def test_a_difference_is_shown_by_its_size():
    shown = Photo("t", [[-0.25, 0.25], [0.0, 0.1]], size_of="difference", limits=(0, 0.25))
    minus, plus, none, small = colours(shown.map, 2, 2).reshape(-1, 3)
    assert (minus == plus).all()
    assert caption(shown) == "largest .25; brightest from .25"
    assert caption(Photo("t", [[1e-4]], size_of="gap")).startswith("largest under .001;")
    brightness = [luminance(colour / 255) for colour in (none, small, plus)]
    assert brightness == sorted(brightness) and len(set(brightness)) == 3


def test_weights_lie_over_their_patches_the_largest_covers_its_own():
    weights = [[0.5, 0.25, 0.25, 0.0], [0.0] * 4, [0.0] * 4]
    shown = Photo("t", np.full((6, 8), 0.5), weights=weights, colour="#0072b2")
    assert caption(shown) == "full colour: a weight of .50"
    assert shown.alt == "t: from .5 to .5. Full colour: patch (0, 0)."
    blue, seen = np.array(to_rgb("#0072b2")) * 255, colours(shown.map, 6, 8)
    assert seen[1, 1] == pytest.approx(blue, abs=1)
    assert seen[0, 2] == pytest.approx((blue + 128) / 2, abs=1)
    assert seen[5, 7].tolist() == [128, 128, 128]


def test_the_mark_of_a_photo_runs_round_its_pixels_and_can_go():
    shown = Photo("t", np.zeros((6, 8)), mark=(1, 2, 4, 5))
    for line in shown.marks:
        assert {*zip(*line.get_data(), strict=True)} == {(2, 1), (5, 1), (5, 4), (2, 4)}
    shown.update(np.zeros((6, 8)))
    assert not any(line.get_visible() for line in shown.marks)


def labels(shown):
    return words(slot.artists[0] for slot in shown.names)


def test_route_maps_show_each_heads_weights_their_size_and_the_signed_sum():
    windows = np.zeros((2, 5, 5))
    windows[0, 2, 2] = windows[1, 1, 2] = 1
    shown = RouteMaps("t", windows, [5, -4])
    assert labels(shown)[:3] == ["A × 5", "B × −4", ""] and labels(shown)[9] == "together"
    first, second, *_, sixth = (colours(slot, 5, 5) for slot in shown.maps[:6])
    brightest, half = (np.array(CELL_COLOURS(value)[:3]) * 255 for value in (1.0, 0.5))
    assert first[2, 2] == pytest.approx(brightest, abs=1)
    assert second[1, 2] == pytest.approx(brightest, abs=1)
    assert (sixth == 255).all()  # no head, no map
    halves = RouteMaps("t", windows / [[[2]], [[4]]], [5, -4])  # brightest: the largest of all
    assert (colours(halves.maps[0], 5, 5) == first).all()
    assert colours(halves.maps[1], 5, 5)[1, 2] == pytest.approx(half, abs=1)
    signs = np.reshape(words(shown.signs), (5, 5))
    assert signs[2, 2] == "+" and signs[1, 2] == "−" and (signs != "").sum() == 2


def test_route_maps_tell_an_idle_head_and_what_is_outside_the_picture():
    windows = np.full((2, 5, 5), 0.04)
    windows[:, :2] = np.nan
    shown = RouteMaps("t", windows, [1, 0])
    assert labels(shown)[1] == "B idle" and (colours(shown.maps[1], 5, 5) == 255).all()
    assert (colours(shown.maps[0], 5, 5)[:2] == [236, 239, 242]).all()
    assert words(shown.signs) == [""] * 10 + ["+"] * 15
    together = colours(shown.maps[9], 5, 5).reshape(-1, 3)
    for sign, colour in zip(shown.signs[10:], together[10:], strict=True):
        assert contrast(sign.get_color(), colour / 255) >= 4.5
