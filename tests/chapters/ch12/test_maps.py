"""Weights of real heads: labels that fit, wanted cells, and all heads at a glance."""

import numpy as np
import pytest
from pictured import assert_moves, words

from mhalib.attention import softmax
from mhalib.chapters.ch12 import HeadMaps, TokenMap
from mhalib.pictures.raster import DENSITY
from mhalib.pictures.style import CELL_COLOURS

STRANGE = ["cat", "[CLS]", "\n", "猫😀", "$x_$", "incomprehensibility", " "]


def tokens(seed):
    """A few tokens or many, strange ones among them, now and then with cells that are wanted."""
    rng, (n, m) = np.random.default_rng(seed), [(3, 5), (24, 24), (7, 32)][seed % 3]
    table = softmax(3 * rng.normal(size=(n, m)))
    return {
        "title": f"head {seed}",
        "queries": [STRANGE[i % 7] for i in range(n)],
        "keys": [STRANGE[j * seed % 7] for j in range(m)],
        "table": table,
        "wanted": None if seed % 2 else table > 0.2,
    }


def heads(seed):
    """Five heads and the merged one, for more or fewer tokens, some heads muted."""
    rng, n = np.random.default_rng(seed), [2, 24, 11][seed % 3]
    return {
        "title": f"layer {seed}",
        "tables": softmax(4 * rng.normal(size=(6, n, n))),
        "scores": np.where(rng.random(6) < 0.3, np.nan, rng.random(6)),
        "chosen": [0, 5, None][seed % 3],
        "muted": {r for r in range(5) if rng.random() < 0.3},
    }


@pytest.mark.parametrize("make, state", [(TokenMap, tokens), (HeadMaps, heads)])
def test_moved_maps_are_those_drawn_anew(make, state):
    assert_moves(make, [state(seed) for seed in (1, 0, 8, 2, 4)])


def test_a_map_of_tokens_shows_every_weight_in_its_cell():
    shown = tokens(1)
    pixels, cell = TokenMap(**shown).pixels(), TokenMap.SIDE / 24
    for i, j in [(0, 0), (5, 11), (23, 23)]:
        y, x = (DENSITY * (start + (k + 0.5) * cell) for start, k in ((92, i), (78, j)))
        expected = np.round(np.array(CELL_COLOURS(shown["table"][i, j])[:3]) * 255)
        assert np.array_equal(pixels[int(y), int(x)], expected)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "word, label",
    [
        (" cat", "cat"),
        ("\n", "⏎"),
        ("", "␣"),
        ("   ", "␣"),
        ("猫🧬", "▯▯"),
        ("$x_$", "$x_$"),
        ("a" * 50, "aaaaaa…"),
        ("\x00\u202e", "␣"),
        ("naïve", "naïve"),
    ],
)
def test_any_token_becomes_a_label_that_fits_and_can_be_drawn(word, label):
    picture = TokenMap("a title", [word], [word, "b"], [[0.5, 0.5]])
    texts = [labels[0] for labels in picture.labels]
    down, across = words(texts)
    assert down == label and across in (label, label[:-2] + "…")
    picture.canvas.draw()
    down, across = (text.get_window_extent() for text in texts)
    assert down.width <= DENSITY * 62 and across.height <= DENSITY * 54


def test_labels_of_many_tokens_do_not_touch():
    picture = TokenMap(**tokens(1))
    picture.canvas.draw()
    for labels, side in zip(picture.labels, ("height", "width"), strict=True):
        sizes = [getattr(text.get_window_extent(), side) for text in labels[:24]]
        assert max(sizes) <= DENSITY * TokenMap.SIDE / 24 * 1.15


def test_the_wanted_cells_are_marked_and_no_others():
    shown = tokens(0)
    places = np.transpose(TokenMap(**shown).marks[0].get_data())
    across, down = (places // (TokenMap.SIDE / 5, TokenMap.SIDE / 3)).T
    assert {*zip(down, across, strict=True)} == {*map(tuple, np.argwhere(shown["wanted"]))}


def test_head_maps_say_scores_frame_the_chosen_and_cross_the_muted():
    picture = HeadMaps("a title", np.full((4, 3, 3), 1 / 3), [0.5, np.nan, 1, 0.004], 2, [1])
    frames, labels = zip(*(slot.artists for slot in picture.names), strict=True)
    assert words(labels) == ["0: .50", "1", "2: 1.00", "merged .00"]
    assert [frame.get_visible() for frame in frames] == [False, False, True, False]
    crosses = [slot.artists[1].get_visible() for slot in picture.maps]
    assert crosses == [False, True, False, False]
