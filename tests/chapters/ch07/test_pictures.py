"""Ropes that pull at rows of two weights, and tables of derivatives."""

from functools import partial

import numpy as np
import pytest
from pictured import A_AND_B, assert_moves, drawn_in_full, faces, words

from mhalib.chapters.ch07 import Jacobian, Ropes
from mhalib.pictures import HEAD_COLOURS, Heatmap
from mhalib.pictures.style import SIGNED_COLOURS, contrast

two_rows = partial(Ropes, ["cat", "mat"], ["A", "B"], HEAD_COLOURS[:2], [[0], [1]])
one_row = partial(Ropes, ["cat", "mat"], ["A"], HEAD_COLOURS[:1], [[0, 1]])
table = partial(Jacobian, "t", ["p", "q"], ["a", "b", "c"])


def shares(*firsts):
    return [[p, 1 - p] for p in firsts]


def pulled(*firsts):
    return {"weights": shares(*firsts), "pulls": (1 - firsts[0], firsts[-1])}


def test_moved_ropes_and_tables_are_those_drawn_anew():
    assert_moves(two_rows, [pulled(*p) for p in ((0.7, 0.2), (0, 1), (1, 0), (0.35, 0.99))])
    assert_moves(one_row, [pulled(0.7), pulled(0.1)])
    tables = ([[0.2, -0.1, 0]] * 2, [[0.25, -0.25, 0], [0.1, -0.1, 4.5e-5]])
    assert_moves(table, [{"table": shown} for shown in tables])


def test_a_row_is_cut_where_the_first_words_share_ends_and_says_both_shares():
    picture = two_rows(weights=shares(0.7, 0.2), pulls=(0.3, 0.2))
    for (_, _, fill, cut, *_), p in zip(picture.lanes, (0.7, 0.2), strict=True):
        end = picture.LEFT + p * picture.WIDE
        assert fill.get_x() + fill.get_width() == pytest.approx(end, abs=1.5)
        assert cut.get_x() <= end <= cut.get_x() + cut.get_width()
    said = [words(texts) for _, _, _, _, _, texts, _ in picture.lanes]
    assert said == [["cat .70", "mat .30"], ["cat .20", "mat .80"]]
    pulls = [words(texts) for *_, texts in picture.lanes]
    assert pulls == [["loss A pulls .30 →"], ["← loss B pulls .20"]], "only its own losses"


def test_loss_a_pulls_the_cut_to_the_right_and_loss_b_to_the_left_as_hard_as_they_say():
    picture = one_row(weights=shares(0.7), pulls=(0.3, 0.7))
    [(_, _, _, _, arrows, _, texts)] = picture.lanes
    cut = picture.LEFT + 0.7 * picture.WIDE
    right, left = (arrow.get_xy()[:, 0] for arrow in arrows)
    assert (right.min(), right.max()) == pytest.approx((cut, cut + 0.15 * picture.WIDE))
    assert (left.min(), left.max()) == pytest.approx((cut - 0.35 * picture.WIDE, cut))
    assert words(texts) == ["loss A pulls .30 →", "← loss B pulls .70"]
    assert [arrow.get_facecolor() for arrow in arrows] == A_AND_B
    assert tuple(text.get_color() for text in texts) == HEAD_COLOURS[:2]


@pytest.mark.parametrize("p", [0, 1e-5, 0.5, 1])
def test_no_arrow_leaves_its_bar(p):
    picture = one_row(weights=shares(p), pulls=(1 - p, p))
    [(_, bar, _, _, arrows, *_)] = picture.lanes
    for arrow in arrows:
        (left, top), (right, bottom) = arrow.get_xy().min(axis=0), arrow.get_xy().max(axis=0)
        assert picture.LEFT <= left <= right <= picture.LEFT + picture.WIDE
        assert bar <= top <= bottom <= bar + picture.TALL


def test_a_jacobian_is_green_or_purple_by_sign_and_writes_0_only_where_there_is_nothing_at_all():
    picture = table([[0.25, -0.125, 0.1], [4.5e-5, -4.5e-5, -0.0]])
    numbers = words(slot.artists[1] for slot in picture.cells)
    assert numbers == ["+.25", "−.12", "+.10", "+.00", "−.00", "0"]
    places = [1.0, 0.26, 0.7, 0.5, 0.5, 0.5]
    assert faces(picture.cells) == [SIGNED_COLOURS(place) for place in places]
    green, purple = (SIGNED_COLOURS(place) for place in (0.9, 0.1))
    assert green[1] > max(green[0], green[2]) and purple[1] < min(purple[0], purple[2])
    assert picture.alt == "t: entries from −.12 to +.25."
    down = [text for text in picture.page.texts if text.get_rotation() == 90]
    assert words(down) == ["weight that answers"]


def test_blocks_stand_apart_and_their_labels_with_them():
    shown = np.random.default_rng(0).uniform(-0.25, 0.25, size=(2, 4))
    whole, parted = (Jacobian("t", "pq", "abcd", shown, block=n) for n in (None, 2))
    apart = [0, 0, parted.GAP, parted.GAP]
    cells, names = (
        np.array([[slot.artists[0].get_x() for slot in p.cells] for p in (whole, parted)]),
        np.array([[name.get_position()[0] for name in p.key_labels] for p in (whole, parted)]),
    )
    assert np.diff(cells, axis=0).ravel() == pytest.approx(apart * 2)
    assert np.diff(names, axis=0).ravel() == pytest.approx(apart)
    assert (parted.width, parted.height) == (whole.width + parted.GAP, whole.height)
    assert np.array_equal(parted.pixels(), drawn_in_full(parted)[..., :3])


def test_the_cells_of_a_jacobian_are_not_taken_for_those_of_a_heat_map():
    arrays = ("t", ["p"], ["a"], [[0.2]])
    before, signed = Heatmap(*arrays, signed=True).pixels(), Jacobian(*arrays)
    assert not np.array_equal(signed.pixels(), before)
    assert np.array_equal(Heatmap(*arrays, signed=True).pixels(), before)


@pytest.mark.parametrize("value", np.linspace(-0.25, 0.25, 21))
def test_the_number_of_a_jacobians_cell_can_be_read_on_its_colour(value):
    square, number = Jacobian("t", ["p"], ["a"], [[value]]).cells[0].artists
    assert contrast(square.get_facecolor()[:3], number.get_color()) >= 4.5
