"""Heat maps: colours on fixed limits, and numbers that say the same."""

from functools import partial

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from pictured import assert_moves, faces, words

from mhalib.attention import softmax
from mhalib.pictures import Heatmap
from mhalib.pictures.style import CELL, CELL_COLOURS, PAPER, contrast

make = partial(Heatmap, "a title", list("pq"), list("abcde"))


def table(seed=0):
    return softmax(np.random.default_rng(seed).normal(size=(2, 5)) * 3)


def without(column):
    emptied = table(1)
    emptied[:, column] = np.nan
    return emptied


def numbers(picture):
    return words(slot.artists[1] for slot in picture.cells)


@pytest.mark.parametrize("signed", [False, True])
def test_a_moved_heat_map_is_one_drawn_anew(signed):
    tables = [table(seed) - 0.4 * signed for seed in (0, 1, 2, 1)] + [without(3), without(1)]
    states = [{"table": table} for table in tables]
    masks = (table(1) < 0.1, None, table(2) < 0.1)
    states += [{"table": table(), "hidden": hidden} for hidden in masks]
    assert_moves(partial(make, signed=signed), states)


def test_queries_run_down_and_keys_across():
    picture = make(table())
    assert words(picture.query_labels) == ["p", "q"]
    assert words(picture.key_labels) == list("abcde")
    y = [label.get_position()[1] for label in picture.query_labels]
    x = [label.get_position()[0] for label in picture.key_labels]
    assert y == sorted(y) and x == sorted(x)
    shown = np.array(numbers(picture), float).reshape(2, 5)
    assert shown == pytest.approx(table(), abs=0.0051)


@pytest.mark.parametrize("captions", [None, ("head", "and head")])
def test_what_runs_down_and_across_is_said_at_the_sides(captions):
    texts = make(table(), captions=captions).page.texts
    down, across = captions or ("query: looks", "key: looked at")
    assert words(text for text in texts if text.get_rotation() == 90) == [down]
    assert across in words(texts)


@pytest.mark.parametrize("value", np.linspace(0, 1, 21))
def test_the_colour_of_a_cell_says_what_its_number_says_whatever_else_is_in_the_table(value):
    square, number = Heatmap("t", ["p"], "ab", [[value, 1 - value]]).cells[0].artists
    assert square.get_facecolor() == CELL_COLOURS(np.round(value, 2))
    assert contrast(square.get_facecolor()[:3], number.get_color()) >= 4.5


def test_a_difference_is_green_above_purple_below_and_white_at_0_on_one_scale():
    picture = Heatmap("t", ["p"], "abcd", [[0.4, -0.4, 0.001, 0.9]], signed=True)
    assert numbers(picture) == ["+.40", "−.40", ".00", "+.90"]
    plus, minus, zero, more = (face[:3] for face in faces(picture.cells))
    assert plus[1] == max(plus) and minus[1] == min(minus) and min(zero) > 0.96
    assert sum(more) < sum(plus) < sum(zero)
    assert Heatmap("t", ["p"], "a", [[0.4]]).pixels().std() != picture.pixels().std()


def test_words_are_never_read_as_mathematics():
    picture = Heatmap("t", ["$x_$"], ["\\frac", "a"], [[0.4, 0.6]])
    assert words(picture.query_labels) == ["$x_$"] and picture.png()


def test_a_heat_map_says_in_words_where_each_row_looks():
    assert "“q” to “c”" in Heatmap("t", "pq", "abc", [[1, 0, 0], [0, 0.2, 0.8]]).alt


def test_what_is_nan_stays_empty_and_its_word_is_not_written():
    part = softmax(np.random.default_rng(0).normal(size=(3, 3)))
    part[1] = part[:, 1] = np.nan
    picture = Heatmap("t", "abc", "abc", part)
    for labels in (picture.query_labels, picture.key_labels):
        assert [label.get_visible() for label in labels] == [True, False, True]
    empty = np.isnan(part).ravel().tolist()
    assert [not number for number in numbers(picture)] == empty
    assert [to_rgb(face) == to_rgb(PAPER) for face in faces(picture.cells)] == empty
    assert "nan" not in picture.alt and "“b”" not in picture.alt


def test_a_hidden_cell_is_pale_without_a_number_and_a_seen_one_of_next_to_nothing_is_not():
    hidden = np.array([[True, False, False], [True, True, True]])
    picture = Heatmap("t", "pq", "abc", [[0, 0.004, 0.996], [0, 0, 0]], hidden=hidden)
    assert numbers(picture) == ["", ".00", "1.00", "", "", ""]
    pale = [to_rgb(face) == to_rgb(CELL) for face in faces(picture.cells)]
    assert pale == list(hidden.ravel())
    assert all(label.get_visible() for label in picture.query_labels)
