"""Chapter 07's tug of war, against losses and steps in plain Python."""

import math
import re

import ipywidgets as widgets
import numpy as np
import pytest
from drive import controls, counted_redraws, ends, shown

from mhalib.chapters.ch07 import TugOfWar
from mhalib.chapters.ch07.tug_of_war import pushes


@pytest.fixture
def tug():
    return TugOfWar()


def start(tug, rows, lead, rate=0.5):
    with tug.one_redraw():
        tug.n_rows.value, tug.lead.value, tug.rate.value = rows, lead, rate


def by_hand(rows, lead, rate, steps):
    """The trace of weights of “cat”, a list for each row, in plain Python."""
    gaps, trace = [lead] * rows, []
    for _ in range(steps + 1):
        cat = [1 / (1 + math.exp(-gap)) for gap in gaps]
        trace.append(cat)
        a_pulls, b_pulls = 1 - cat[0], cat[-1]
        if rows == 1:  # each pulls one logit up and the other down
            gaps[0] += 2 * rate * (a_pulls - b_pulls)
        else:
            gaps = [gaps[0] + 2 * rate * a_pulls, gaps[1] - 2 * rate * b_pulls]
    return trace


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("lead, rate", [(0.85, 0.5), (-3, 0.1), (10, 1), (0, 0.35)])
def test_steps_and_losses_are_those_by_hand(tug, rows, lead, rate):
    start(tug, rows, lead, rate)
    tug.step_buttons[0].click()
    tug.step_buttons[1].click()
    trace = by_hand(rows, lead, rate, 11)
    assert tug.state.step == 11
    assert tug.state.weights[:, 0] == pytest.approx(trace[-1])
    a = [-math.log(cat[0]) for cat in trace]
    b = [-math.log(1 - cat[-1]) for cat in trace]
    assert tug.state.losses[0] == pytest.approx(a)
    assert tug.state.losses[1] == pytest.approx(b)
    assert tug.state.losses[2] == pytest.approx(np.add(a, b))


@pytest.mark.parametrize("rows", [1, 2])
def test_a_push_is_the_derivative_of_both_losses_by_central_differences(rows):
    def both(logits):
        e = np.exp(logits)
        weights = e / e.sum(axis=1, keepdims=True)
        return -math.log(weights[0, 0]) - math.log(weights[-1, 1])

    logits = np.array([[1.3, -0.4], [0.2, 0.9]])[:rows]
    right = np.empty_like(logits)
    for place in np.ndindex(logits.shape):
        step = np.zeros_like(logits)
        step[place] = 1e-6
        right[place] = -(both(logits + step) - both(logits - step)) / 2e-6
    e = np.exp(logits)
    assert pushes(e / e.sum(axis=1, keepdims=True)) == pytest.approx(right, abs=1e-8)


def test_nudged_and_released_one_row_goes_back_to_the_middle(tug):
    assert tug.state.weights[0] == pytest.approx([0.7, 0.3], abs=0.001)
    tug.step_buttons[1].click()
    assert tug.state.weights[0] == pytest.approx([0.5, 0.5], abs=0.001)
    assert "“cat” 50% and “mat” 50%" in tug.sentence and "nothing moves" in tug.sentence


@pytest.mark.parametrize("rate", [0.1, 0.5, 1])
@pytest.mark.parametrize("lead", [-10, -1, 0.05, 10])
def test_from_anywhere_one_row_moves_towards_the_middle_and_never_below_the_least_sum(
    tug, lead, rate
):
    start(tug, 1, lead, rate)
    for _ in range(5):
        tug.step_buttons[1].click()
    total = tug.state.losses[2]
    assert total.min() >= 2 * math.log(2) - 1e-12
    assert (np.diff(total) <= 1e-12).all()
    assert abs(tug.state.weights[0, 0] - 0.5) <= abs(1 / (1 + math.exp(-lead)) - 0.5)


# Goals


def test_the_goal_is_impossible_in_one_row_over_a_whole_grid(tug):
    p = np.linspace(1e-6, 1 - 1e-6, 1_000_000)
    assert (-np.log(p) - np.log(1 - p)).min() == pytest.approx(2 * math.log(2))
    assert np.maximum(-np.log(p), -np.log(1 - p)).min() > 0.1
    for lead in np.linspace(-10, 10, 9):
        start(tug, 1, lead)
        assert tug.verdicts[0].status == "impossible"
        assert "1.386" in tug.verdicts[0].why


def test_the_goal_is_reached_in_two_rows_by_pressing_twice(tug):
    tug.n_rows.value = 2
    statuses = []
    for _ in range(3):
        statuses.append(tug.verdicts[0].status)
        tug.step_buttons[1].click()
    assert statuses == ["not yet", "not yet", "reached"]
    assert tug.state.now.max() < 0.1


def test_one_row_at_its_best_reaches_the_second_goal(tug):
    assert tug.verdicts[1].status == "not yet"
    tug.step_buttons[1].click()
    assert tug.verdicts[1].status == "reached"
    tug.n_rows.value = 2
    assert tug.verdicts[1].status == "not yet" and "one row" in tug.verdicts[1].why


def test_from_surely_wrong_two_rows_reach_the_third_goal(tug):
    tug.example.value = "4  Two rows, one surely wrong"
    assert tug.state.losses[1, 0] == pytest.approx(10, abs=1e-3)
    assert tug.verdicts[2].status == "not yet"
    for _ in range(5):
        tug.step_buttons[1].click()
    assert tug.verdicts[2].status == "reached"
    start(tug, 2, 0.85)
    assert "not yet above 9" in tug.verdicts[2].why


# What the learner meets


def test_there_are_no_more_steps_than_the_picture_holds(tug):
    for _ in range(6):
        tug.step_buttons[1].click()
    tug.step_buttons[0].click()
    assert tug.state.step == tug.STEPS == 50
    assert tug.pictures[1].axes.get_xlim() == (0, 50)
    assert "the last" in tug.sentence


def test_reset_and_a_new_start_forget_the_steps_and_another_step_size_does_not(tug):
    tug.step_buttons[1].click()
    tug.rate.value = 0.2
    assert tug.state.step == 10
    tug.reset_button.click()
    assert tug.state.step == 0
    tug.step_buttons[1].click()
    tug.lead.value = 3
    assert tug.state.step == 0 and tug.state.logits.tolist() == [[3, 0]]
    tug.step_buttons[1].click()
    tug.n_rows.value = 2
    assert tug.state.step == 0 and tug.state.logits.tolist() == [[3, 0], [3, 0]]


def test_one_press_redraws_once(tug, monkeypatch):
    calls = counted_redraws(tug, monkeypatch)
    for pressed in [*tug.step_buttons, tug.reset_button, tug.back_button]:
        calls.clear()
        pressed.click()
        assert len(calls) == 1, pressed.description


def test_every_example_starts_as_it_is_called(tug):
    for name, (rows, lead, _) in tug.examples.items():
        tug.example.value = name
        assert len(tug.state.weights) == rows and tug.state.step == 0
        assert tug.lead.value == lead
        assert ("One row" in name) == (rows == 1)
        assert ("surely wrong" in name) == (tug.state.losses[1, 0] > 9)


def test_a_start_can_be_set_by_the_slider_without_being_rounded(tug):
    """A browser moves a value that is no whole number of steps from the left end."""
    for _, lead, rate in tug.examples.values():
        for control, value in ((tug.lead, lead), (tug.rate, rate)):
            steps = (value - control.min) / control.step
            assert steps == pytest.approx(round(steps), abs=1e-9)


def test_the_pictures_show_the_state(tug):
    tug.n_rows.value = 2
    tug.step_buttons[1].click()
    ropes, curves = tug.pictures
    shares = [[text.get_text() for text in lane[5]] for lane in ropes.lanes]
    assert shares == [
        [f"cat {p:.2f}"[:4] + f"{p:.2f}"[1:], f"mat {q:.2f}"[:4] + f"{q:.2f}"[1:]]
        for p, q in tug.state.weights
    ]
    a, b = 1 - tug.state.weights[0, 0], 1 - tug.state.weights[1, 1]
    pulls = [lane[6][0].get_text() for lane in ropes.lanes]
    assert pulls == [
        f"loss A pulls {a:.2f} →".replace("0.", "."),
        f"← loss B pulls {b:.2f}".replace("0.", "."),
    ]
    for line, losses in zip(curves.lines, tug.state.losses, strict=True):
        assert np.array_equal(line.get_ydata(), losses)
    assert curves.cursor.get_xdata() == [10, 10]


def test_no_loss_leaves_the_plane_in_any_corner(tug):
    for rows in (1, 2):
        for lead in ends(tug.lead):
            for rate in ends(tug.rate):
                start(tug, rows, lead, rate)
                for _ in range(5):
                    tug.step_buttons[1].click()
                low, high = tug.pictures[1].axes.get_ylim()
                assert low <= tug.state.losses.min() and tug.state.losses.max() <= high
                assert np.isfinite(tug.state.losses).all()


@pytest.mark.parametrize("seed", range(10))
def test_the_sentence_says_what_the_state_holds(tug, seed):
    rng = np.random.default_rng(seed)
    start(tug, int(rng.integers(1, 3)), round(rng.uniform(-3, 3), 1))
    tug.advance(int(rng.integers(2, 9)))
    cat, mat = tug.state.weights[0, 0], tug.state.weights[-1, 1]
    assert tug.sentence.startswith(f"After {tug.state.step} steps")
    shares = [float(share) / 100 for share in re.findall(r"([\d.]+)%", tug.sentence)]
    assert shares == pytest.approx([cat, mat], abs=0.006)
    numbers = [float(number) for number in re.findall(r"\b\d+\.\d\d+\b", tug.sentence)]
    a, b = -math.log(cat), -math.log(mat)
    assert numbers == pytest.approx([a, b, a + b, 1 - cat, 1 - mat], abs=0.006)
    assert numbers[:2] == pytest.approx([a, b], abs=0.00051)
    assert numbers[2] == pytest.approx(numbers[0] + numbers[1], abs=1e-9), "as read, it adds up"


def test_it_opens_with_two_choosers_two_sliders_and_its_buttons(tug):
    assert [control.description for control in controls(tug)] == [
        "Example",
        "Rows",
        "cat leads",
        "step size",
    ]
    names = [w.description for w in shown(tug.view) if isinstance(w, widgets.Button)]
    assert {"Step", "10 steps", "Reset", "Back to example", "Next"} <= set(names)


def test_just_above_the_bound_is_not_below_it():
    tug = TugOfWar()
    tug.lead.value = 0.35  # together 1.417
    assert tug.verdicts[1].status == "not yet"
