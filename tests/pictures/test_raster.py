"""What all pictures do: nothing is painted or encoded in vain, and the file holds the pixels."""

import numpy as np
import pytest
from drive import decoded
from matplotlib.colors import to_rgba

from mhalib.attention import softmax
from mhalib.pictures import HEAD_COLOURS, INK, Heatmap, Picture, Sheet
from mhalib.pictures.raster import DENSITY
from mhalib.pictures.style import CELL, CELL_COLOURS, FAINT, PAPER, contrast, luminance


def table(seed=0):
    return softmax(np.random.default_rng(seed).normal(size=(2, 5)) * 3)


def heatmap(seed=0):
    return Heatmap("a title", list("pq"), list("abcde"), table(seed))


def test_the_file_holds_exactly_the_pixels_of_the_last_state_whoever_looked_first():
    picture, other = heatmap(), heatmap()
    sheet = Sheet([[picture], [other]])
    for look in (picture.pixels, picture.png, sheet.pixels, sheet.png):
        for seed in (1, 0):
            picture.update(table(seed))
            look()
            fresh, both = heatmap(seed), Sheet([[heatmap(seed)], [heatmap()]])
            assert np.array_equal(decoded(picture.png()), fresh.pixels())
            assert np.array_equal(decoded(sheet.png()), both.pixels())


def test_nothing_is_encoded_again_while_nothing_changes():
    picture = heatmap()
    png = picture.png()
    picture.update(table())
    assert picture.png() is png
    picture.update(table(1))
    assert picture.png() != png


def test_only_what_changes_is_painted(monkeypatch):
    picture, painted = heatmap(), []
    picture.png()
    paint = picture._paint
    monkeypatch.setattr(picture, "_paint", lambda slot: painted.append(slot) or paint(slot))
    changed = table()
    changed[1, [2, 3]] = changed[1, [3, 2]]
    picture.update(changed)
    picture.png()
    assert painted == [picture.cells[7], picture.cells[8]]


def test_the_first_drag_of_a_heat_map_paints_no_number_that_is_not_there_already(monkeypatch):
    class First(Heatmap):
        tiles = {}  # whatever other tests have painted before

    drawn, painted = First("five words", "abcde", "abcde", np.eye(5)), []
    drawn.pixels()
    monkeypatch.setattr(drawn.figure, "draw_artist", painted.append)
    for weight in np.linspace(0, 1, 101):
        drawn.update(np.full((5, 5), weight))
        drawn.pixels()
    assert painted == []


@pytest.mark.parametrize("height", [57, 58, 69, 82, 115, 116, 139, 229, 410])
def test_a_picture_is_exactly_as_large_as_it_says(height):
    """57 / 100 · 100 is a little below 57 for a computer, and Matplotlib cuts the rest off."""
    assert Picture(height, height).pixels().shape == (*[DENSITY * height] * 2, 3)


@pytest.mark.parametrize("colour", [*HEAD_COLOURS, INK, FAINT])
def test_every_colour_of_text_can_be_read_on_paper_and_on_grey_and_every_light_is_seen(colour):
    assert contrast(colour, PAPER) >= 4.5
    assert contrast(colour, CELL) >= (4.5 if colour == FAINT else 3)


def test_head_a_is_blue_and_head_b_orange():
    blue, (red, green, less) = (to_rgba(colour)[:3] for colour in HEAD_COLOURS[:2])
    assert blue[2] == max(blue) and red > green > less


def test_the_colours_grow_lighter_from_0_to_1():
    lightness = [luminance(CELL_COLOURS(value)[:3]) for value in np.linspace(0, 1, 101)]
    assert (np.diff(lightness) > 0).all()
