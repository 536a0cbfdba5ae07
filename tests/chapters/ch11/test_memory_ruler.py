"""Amounts of memory on an axis of doublings."""

import pytest
from pictured import assert_moves, words

from mhalib.chapters.ch11.memory_ruler import MemoryRuler, memory
from mhalib.pictures import HEAD_COLOURS


def ruler(amounts, ghost=None):
    sizes = {"24": 24e9, "80": 80e9, "141": 141e9}
    made = MemoryRuler("memory", ("p", "q", "r"), sizes, HEAD_COLOURS[:3])
    made.update(amounts, ghost)
    return made


def test_a_moved_ruler_is_one_drawn_anew():
    every = (2**37, 2**36, 2**35), (None,) * 3, (2**20, 2**45, 2**33)
    ghosts = None, None, (2**30, 2**31, None)
    states = [{"amounts": a, "ghost": g} for a, g in zip(every, ghosts, strict=True)]
    assert_moves(ruler, states)


def test_a_ruler_puts_four_times_as_much_one_line_further_and_names_what_it_shows():
    picture = ruler((2**30, 2**32, 2**34))
    lines, dots, _, values = zip(*(slot.artists for _, slot in picture.rows), strict=True)
    x = [dot.get_xdata()[0] for dot in dots]
    assert x[1] - x[0] == pytest.approx(x[2] - x[1]) and x[1] > x[0]
    assert words(values) == ["1 GiB", "4 GiB", "16 GiB"]
    assert all(line.get_xdata()[1] == at for line, at in zip(lines, x, strict=True))
    picture.update((2**20, 2**50, None))
    assert [dot.get_marker() for dot in dots[:2]] == ["<", ">"]
    assert words(values) == ["1 MiB", "1024 TiB", ""]


def test_the_names_of_sizes_on_a_ruler_touch_no_line_and_no_other_name():
    picture = ruler((None,) * 3)
    renderer = picture.canvas.get_renderer()
    names = [t for t in picture.page.texts if t.get_text() in ("24", "80", "141")]
    lines = [line for line in picture.page.lines if line.get_linestyle() == "--"]
    assert len(names) == len(lines) == 3
    boxes = [name.get_window_extent(renderer) for name in names]
    for box in boxes:
        assert not any(box.overlaps(line.get_window_extent(renderer)) for line in lines)
        assert sum(map(box.overlaps, boxes)) == 1


@pytest.mark.parametrize(
    "gibibytes, text",
    [
        (1, "1 GiB"),
        (1.5, "1.5 GiB"),
        (22.5, "22.5 GiB"),
        (160.4, "160 GiB"),
        (2**10, "1 TiB"),
        (2**-11, "0.5 MiB"),
        (100 / 2**10, "100 MiB"),
    ],
)
def test_memory_is_written_with_three_digits(gibibytes, text):
    assert memory(gibibytes * 2**30) == text
