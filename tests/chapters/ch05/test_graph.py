"""Weights as arrows between words: who looks, who is looked at, and how much."""

import numpy as np
import pytest
from drive import arrows
from pictured import assert_moves, words

from mhalib.attention import softmax
from mhalib.chapters.ch05 import Graph
from mhalib.pictures import HEAD_COLOURS, INK


def routes(seed, left_out=()):
    """Weights of 5 words, every second one small; NaN for words that are left out."""
    weights = softmax(np.random.default_rng(seed).normal(size=(5, 5)) * 2)
    weights[list(left_out)] = weights[:, list(left_out)] = np.nan
    return weights


def graph(weights, threshold, title="a title", colour=INK):
    return Graph(title, list("abcde"), weights, threshold, colour=colour)


def test_a_moved_graph_is_one_drawn_anew():
    blue, orange = HEAD_COLOURS[:2]
    states = [
        {"weights": routes(seed, out), "threshold": least, "title": f"{seed}", "colour": colour}
        for seed, least, out, colour in (
            (0, 0.1, (), INK),
            (1, 0.05, (), blue),
            (1, 0.4, (2,), blue),
            (2, 0, (), orange),
            (2, 0.95, (1, 4), orange),
            (2, 0.2, (), orange),
        )
    ]
    assert_moves(graph, states)


@pytest.mark.parametrize("threshold", [0.05, 0.1, 0.5])
def test_a_graph_draws_each_weight_from_the_threshold_on_thicker_the_larger(threshold):
    picture, weights = graph(routes(3), threshold), routes(3).round(2)
    shown = arrows(picture)
    assert set(shown) == {*zip(*np.nonzero(weights >= threshold), strict=True)}
    for pair, (number, _) in shown.items():
        assert number == pytest.approx(weights[pair])
    widths = [width for _, width in sorted(shown.values())]
    assert widths == sorted(widths)


def test_an_arrow_starts_at_who_looks_and_its_tip_is_at_who_is_looked_at():
    picture = graph(routes(0), 0.1)
    pitch = picture.places[1] - picture.places[0]
    for (i, j), (line, head, _) in picture.edges.items():
        (start, y), *_, (end, _) = line.get_path().vertices
        tip = head.get_xy()[0]
        assert abs(start - picture.places[i]) < pitch / 2
        assert abs(tip[0] - picture.places[j]) < pitch / 2 and tip[0] == end
        assert y == (picture.top if j < i else picture.bottom) == tip[1]


def test_no_two_arrows_touch_a_word_at_the_same_point_and_longer_ones_are_higher():
    picture = Graph("t", list("abcdefgh"), np.eye(8))
    for above in (True, False):
        pairs = [(i, j) for i in range(8) for j in range(8) if i != j]
        ports = [picture.port(i, j, above) for i, j in pairs]
        assert np.diff(sorted(ports)).min() > 0.9
        spans = {abs(i - j): picture._arc(*sorted((i, j), reverse=above))[2][1] for i, j in pairs}
        heights = [abs(spans[span] - (picture.top if above else picture.bottom)) for span in spans]
        assert heights == sorted(heights) and len(set(heights)) == 7
        assert all(24 < y < picture.height - 20 for y in spans.values())


def test_numbers_of_a_full_graph_cover_neither_each_other_nor_their_own_arc():
    picture = Graph("t", list("abcdefgh"), np.ones((8, 8)), 0)
    renderer, boxes = picture.canvas.get_renderer(), []
    for line, _, number in picture.edges.values():
        box = number.get_window_extent(renderer)
        assert not any(box.overlaps(other) for other in boxes)
        boxes.append(box)
        ends = line.get_path().interpolated(1).to_polygons(closed_only=False)[0]
        for x, y in picture.page.transData.transform(ends):
            away = max(box.x0 - x, x - box.x1, box.y0 - y, y - box.y1)
            assert away > renderer.points_to_pixels(1) * line.get_linewidth() / 2


def test_a_word_that_is_left_out_leaves_its_place_empty_and_has_no_arrow():
    picture = graph(routes(0, (2,)), 0)
    assert words(picture.labels) == ["a", "b", "·", "d", "e"]
    assert not any(2 in pair for pair in arrows(picture))
    there = routes(0, (2,)).round(2) > 0
    assert len(arrows(picture)) == there.sum() > 10 and "nan" not in picture.alt


def test_a_graph_names_its_arrows_in_words_and_says_when_there_are_none():
    picture = Graph("t", ["p", "$q_$"], [[0.25, 0.75], [0.96, 0.04]], 0.1)
    assert picture.alt == "t: “p” to “p” 0.25, “p” to “$q_$” 0.75, “$q_$” to “p” 0.96."
    picture.update([[0.5, 0.5], [0.5, 0.5]], 0.6)
    assert picture.alt == "t: no weight reaches 0.60." and arrows(picture) == {}
