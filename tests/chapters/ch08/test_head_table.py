"""Which head looks at which asked token, and which question is answered."""

from functools import partial

import numpy as np
import pytest
from pictured import assert_moves, words

from mhalib.chapters.ch08.head_table import HeadTable
from mhalib.pictures.style import contrast

make = partial(HeadTable, "a title")


def trained(seed=0, n_heads=8, k=4, muted=()):
    rng = np.random.default_rng(seed)
    asked = rng.dirichlet(np.full(k + 1, 0.4), n_heads)[:, :k]
    return {"asked": asked, "right": rng.random(k), "muted": set(muted)}


def test_a_moved_table_is_one_drawn_anew():
    sizes = ((8, 4, (1, 2)), (1, 1, ()), (4, 3, (0,)), (2, 2, ()), (8, 4, (0, 7)))
    assert_moves(make, [trained(seed, *size) for seed, size in enumerate(sizes)])


def test_a_head_table_shows_looks_right_answers_and_who_is_muted():
    asked = [[0.5, 0.2], [0.1, 0.86], [0.03, 0.0]]
    picture = make(asked, [1.0, 0.337], (1,))
    names = words(row[0].artists[0] for row in picture.rows)
    cells = [words(cell.artists[1] for cell in row[1:]) for row in picture.rows]
    assert names == ["head A", "head B ✕", "head C", "", "", "", "", ""]
    assert cells[0] == [".50", ".20", ".30", "", ""]
    assert cells[1] == [".10", ".86", ".04", "", ""]
    assert cells[2] == [".03", ".00", ".97", "", ""]
    assert cells[3:] == [[""] * 5] * 5
    tokens = words(slot.artists[0] for slot in picture.tokens)
    assert tokens == ["1st token", "2nd token", "others", "", ""]
    bars = [slot.artists[2].get_height() / -picture.BAR for slot in picture.columns[:2]]
    assert bars == pytest.approx([1.0, 0.34]), "a bar is as long as its number says"
    assert words(slot.artists[4] for slot in picture.columns[:2]) == ["1.00", ".34"]
    seen = [slot.artists[0].get_visible() for slot in picture.columns]
    assert seen == [True, True, False, False]


def test_a_head_tables_line_of_chance_stands_at_an_eighth_of_its_bars():
    for slot in make(**trained()).columns:
        ground, line = slot.artists[1], slot.artists[3]
        middle = line.get_y() + line.get_height() / 2
        share = (ground.get_y() + ground.get_height() - middle) / ground.get_height()
        assert share == pytest.approx(1 / 8)


@pytest.mark.parametrize("muted", [(), range(8)])
def test_numbers_of_a_head_table_are_readable_muted_or_not(muted):
    for row in make(**trained(3, muted=muted)).rows:
        for square, label in (cell.artists for cell in row[1:]):
            assert contrast(label.get_color(), square.get_facecolor()[:3]) >= 4.5
