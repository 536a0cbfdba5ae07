"""Chapter 03's explorer: four corners and a dial, against loops over single draws."""

import re
import threading
import time

import numpy as np
import pytest
from drive import painted

from mhalib.chapters.ch03 import FourCorners

CORNERS = [(own, rows) for own in (False, True) for rows in ("linear", "softmax")]


@pytest.fixture
def corners():
    return FourCorners()


def move(corners, own, rows, loudness):
    with corners.one_redraw():
        corners.own.value, corners.rows.value = own, rows
        corners.loudness.value = loudness


def table(logits, rows):
    if rows == "linear":
        return logits
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def draws():
    """The draws of the notebook, one at a time: two heads' logits, values."""
    q, k, v = np.random.default_rng(0).normal(size=(3, 200, 6, 8))
    for n in range(200):
        values = v[n] - sum(v[n]) / 6  # centred over the tokens
        yield [q[n, :, b] @ k[n, :, b].T / 2 for b in (slice(0, 4), slice(4, 8))], values


def sides(logits, values, own, rows):
    """What the heads carry together, and what one head carries, for one draw."""
    a, b = (table(head, rows) for head in logits)
    if own:
        together = np.hstack([a @ values[:, :4], b @ values[:, 4:]])
    else:
        together = (a @ values + b @ values) / 2
    return together, table((logits[0] + logits[1]) / 2, rows) @ values


def difference(own, rows, loudness):
    found = []
    for logits, values in draws():
        together, one = sides([loudness * head for head in logits], values, own, rows)
        found.append(np.sqrt(((together - one) ** 2).sum() / (together**2).sum()))
    return np.array(found)


@pytest.mark.parametrize("loudness", [0.1, 1, 3.7, 8])
@pytest.mark.parametrize("own, rows", CORNERS)
def test_every_corner_shows_the_mean_over_all_draws(own, rows, loudness, corners):
    move(corners, own, rows, loudness)
    right = difference(own, rows, loudness)
    assert corners.state.mean == pytest.approx(right.mean(), abs=1e-12)
    assert corners.state.here == pytest.approx(right[115], abs=1e-12)
    curve = corners.pictures[0]
    number = CORNERS.index((own, rows))
    assert curve.marks[number].get_xydata() == pytest.approx(np.array([[loudness, right.mean()]]))
    assert curve.legend[number].artists[0].get_text() == f"{right.mean():.3f}".removeprefix("0")
    assert curve.lines[number].get_linewidth() > 2


def test_the_curves_hold_the_corners_over_the_whole_dial(corners):
    for line, corner in zip(corners.pictures[0].lines, CORNERS, strict=True):
        xs, ys = line.get_data()
        assert (xs[0], xs[-1]) == (0.1, 8) and len(xs) > 50
        for place in (0, 20, -1):
            assert ys[place] == pytest.approx(difference(*corner, xs[place]).mean(), abs=1e-12)


@pytest.mark.parametrize("own, rows", CORNERS)
def test_the_dots_are_the_two_outputs_of_the_draw_on_show(own, rows, corners):
    move(corners, own, rows, 2.0)
    corners.another_draw()
    logits, values = list(draws())[116]
    together, one = sides([2 * head for head in logits], values, own, rows)
    largest = max(abs(together).max(), abs(one).max())
    for dots, block in zip(corners.pictures[1].dots, (slice(0, 4), slice(4, 8)), strict=True):
        x, y = dots.get_data()
        assert x == pytest.approx(together[:, block].ravel() / largest)
        assert y == pytest.approx(one[:, block].ravel() / largest)


def test_the_numbers_that_the_chapter_prints(corners):
    """The curriculum's, from 200 draws of its own: .04 .33 .69 .96; .71; .71 .74 .84 .98."""
    one = {0.1: 0.04, 1: 0.33, 3: 0.69, 8: 0.96}
    each = {0.1: 0.71, 1: 0.74, 3: 0.84, 8: 0.98}
    for loudness in one:
        move(corners, True, "softmax", loudness)
        right = [0, one[loudness], 0.71, each[loudness]]
        assert corners.state.means == pytest.approx(right, abs=0.04)


def test_the_linear_corners_stand_still_and_the_others_rise_from_them(corners):
    means = []
    for loudness in (0.1, 0.3, 1, 3, 8):
        move(corners, True, "softmax", loudness)
        means.append(corners.state.means)
    one_linear, one, each_linear, each = np.transpose(means)
    assert np.ptp(one_linear) < 1e-12 and np.ptp(each_linear) < 1e-12
    assert (np.diff(one) > 0).all() and (np.diff(each) > 0).all()
    assert one[0] < 0.05 and each[0] == pytest.approx(each_linear[0], abs=0.001)


def test_goal_1_is_reached_by_whispering_with_softmax_on(corners):
    assert corners.verdicts[0].status == "not yet"
    for own, rows in ((True, "softmax"), (False, "linear"), (True, "linear")):
        move(corners, own, rows, 0.1)
        assert corners.verdicts[0].status == "not yet"
    move(corners, False, "softmax", 0.3)
    assert corners.verdicts[0].status == "not yet"
    corners.loudness.value = 0.2
    assert corners.verdicts[0].status == "reached"
    assert corners.verdicts[0].why.endswith(f"{difference(False, 'softmax', 0.2).mean():.3f}."[1:])


def test_goal_2_is_impossible_over_the_whole_dial(corners):
    """Both outputs are linear in the logits: a common factor cancels in their ratio."""
    assert corners.verdicts[1].status == "not yet"
    for loudness in np.linspace(0.1, 8, 24):
        move(corners, True, "linear", loudness)
        assert corners.verdicts[1].status == "impossible" and "twice" in corners.verdicts[1].why
        assert corners.state.mean > 0.5
    move(corners, False, "linear", 1.0)
    assert corners.verdicts[1].status == "not yet"


def test_goal_3_is_reached_by_loud_heads_on_one_path_with_softmax_on(corners):
    move(corners, False, "softmax", 3.4)
    assert corners.verdicts[2].status == "not yet"
    corners.loudness.value = 3.5
    assert corners.verdicts[2].status == "reached"
    corners.own.value = True
    assert corners.verdicts[2].status == "not yet"


@pytest.mark.parametrize("loudness", [0.1, 0.45, 1, 8])
@pytest.mark.parametrize("own, rows", CORNERS)
def test_the_sentence_names_the_corner_and_its_numbers(own, rows, loudness, corners):
    move(corners, own, rows, loudness)
    said, right = corners.sentence, difference(own, rows, loudness)
    assert ("a path each" in said) == own
    assert ("one path for all" in said) == (not own)
    assert ("without softmax" in said) == (rows == "linear")
    assert ("whisper" in said) == (rows == "softmax" and loudness < 0.5)
    assert ("the softmax of their average" in said) == (rows == "softmax" and loudness > 0.5)
    if (own, rows) == (False, "linear"):
        assert "fold into one" in said and "the same" not in said
    else:
        numbers = [float(number) for number in re.findall(r"\d?\.\d{3}", said)]
        assert numbers == pytest.approx([right.mean(), right[115]], abs=5.1e-4)


def test_another_draw_changes_the_dots_but_not_the_mean(corners):
    mean, dots = corners.state.mean, painted(corners)[1]
    assert "in draw 115, the one shown" in corners.sentence
    corners.another_draw()
    assert "in draw 116, the one shown" in corners.sentence
    assert corners.state.mean == mean and painted(corners)[1] != dots
    assert corners.pictures[0].legend[3].artists[0].get_text() == f"{mean:.3f}".removeprefix("0")
    for _ in range(199):
        corners.another_draw()
    assert painted(corners)[1] == dots, "after 200 it comes round"


def test_back_returns_to_the_first_draw_and_the_start(corners):
    sentence, shown = corners.sentence, painted(corners)
    move(corners, False, "linear", 4.0)
    corners.another_draw()
    corners.back_button.click()
    assert corners.sentence == sentence
    assert painted(corners) == shown


def test_blocks_have_the_heads_colours_and_one_path_none(corners):
    assert [label.get_text() for label in corners.pictures[1].legend] == ["● block A", "● block B"]
    corners.own.value = False
    assert [label.get_text() for label in corners.pictures[1].legend] == ["● every channel", ""]
    assert len({dots.get_color() for dots in corners.pictures[1].dots}) == 1


def test_a_click_and_a_drag_on_two_threads_never_draw_at_once(corners, monkeypatch):
    """In JupyterLab every widget's messages come on a thread of their own."""
    draw, inside, met = corners.draw, [], []

    def watched(state):
        met.extend(inside)
        inside.append(state)
        time.sleep(0.05)  # others get their turn
        inside.remove(state)
        return draw(state)

    monkeypatch.setattr(corners, "draw", watched)
    movers = [lambda: setattr(corners.loudness, "value", 3.0), corners.back, corners.another_draw]
    threads = [threading.Thread(target=move) for move in movers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert met == []
