"""Masks, clocks, and a logit over the difference of two positions."""

from functools import partial

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from pictured import assert_moves, at, faces

from mhalib.chapters.ch09 import Clock, Differences, Mask
from mhalib.pictures import Heatmap
from mhalib.pictures.style import CELL_COLOURS

HANDS = [  # one to four clocks, with and without a ghost
    ([0.3], [2.0], None),
    ([5.0, 0.05], [3.0, 0.03], [[1.0, 0.2], [4.0, 2.2]]),
    ([44.0, 4.4, 0.44, 0.044], [0.5, 0.5, 0.5, 0.5], None),
]
mask = partial(Mask, "a title", list("pq"), list("abc"))
differences = partial(Differences, "a title", 20)


def waves(speed, now=2, ghost=None):
    def logit_at(difference):
        return np.cos(speed * np.asarray(difference))

    return {"logit_at": logit_at, "key": (speed,), "now": now, "ghost": ghost}


@pytest.mark.parametrize("queries, keys, ghost", HANDS)
def test_moved_clocks_are_those_drawn_anew(queries, keys, ghost):
    shown = {"queries": queries, "keys": keys, "names": [f"clock {k}" for k in keys]}
    turned = shown | {"queries": keys, "keys": queries}
    assert_moves(partial(Clock, "a title"), [turned, shown | {"ghost": ghost}])


def test_moved_masks_and_differences_are_those_drawn_anew():
    tables = ([[1, 1, 1], [1, 0, 1]], [[0, 0, 0], [1, 1, 0]], [[np.nan] * 3, [0, 1, 1]])
    assert_moves(mask, [{"table": table} for table in tables])
    moves = [(0.3, 2), (1.0, 2), (1.0, -20), (0.1, 20, (3, 0.5)), (0.3, 20, (3, 0.5))]
    assert_moves(differences, [waves(*move) for move in moves])


def test_a_masks_cells_say_1_and_0_in_the_brightest_and_the_darkest_colour():
    picture = mask([[1, 0, 1], [0, 0, 0]])
    assert [slot.key for slot in picture.cells] == list("101000")
    shown = [to_rgb(face) for face in faces(picture.cells)]
    assert shown[:2] == [to_rgb(CELL_COLOURS(1.0)), to_rgb(CELL_COLOURS(0.0))]
    assert Heatmap("t", "pq", "abc", [[1, 0, 1], [0, 0, 1]]).cells[0].key == "1.00"


@pytest.mark.parametrize("apart", [0.0, 0.03, -0.03, 0.14, -0.14, 1.0, np.pi])
def test_the_letters_of_a_clock_are_not_written_on_each_other(apart):
    picture = Clock("a title", [2.0 + apart], [2.0], ["one"])
    q, k = (complex(*letter.get_position()) for letter in picture.dials[0].artists[8:10])
    assert abs(q - k) > 14
    middle = complex(*picture.places[0][:2])
    turned = np.angle((q - middle) / (k - middle))  # the page counts down
    assert apart in (0, np.pi) or np.sign(turned) == -np.sign(apart)


@pytest.mark.parametrize(
    "q, k", [(0.3, 2.0), (2.0, 0.3), (6.0, 0.2), (0.2, 6.0), (-3.0, 3.0), (44.0, 0.5)]
)
def test_a_clocks_arc_lies_between_its_hands_on_the_shorter_side(q, k):
    arc = Clock("a title", [q], [k], ["one"]).dials[0].artists[1]
    assert 0 <= arc.theta2 - arc.theta1 <= 180
    ends = np.exp(-1j * np.radians([arc.theta1, arc.theta2]))  # the page counts downwards
    assert np.sort_complex(ends.round(9)) == pytest.approx(
        np.sort_complex(np.exp(1j * np.array([q, k])).round(9))
    )


def test_a_picture_of_differences_marks_where_it_is_and_has_room_for_a_sum_of_logits():
    picture = differences(**waves(1.0, 3), top=4)
    assert at(picture.now) == [pytest.approx([3, np.cos(3)])]
    assert picture.level.get_ydata() == pytest.approx([np.cos(3)] * 2)
    assert list(picture.axes.get_yticks()) == [-4, 0, 4]
    low, high = picture.axes.get_ylim()
    assert low < -4 and 4 < high
