"""One row of weights: its goals and its sentence."""

import numpy as np

from mhalib.attention import softmax
from mhalib.chapters import ch01
from mhalib.chapters.ch01 import one_row


def test_chapter_00s_goal_needs_both_times():
    made = ch01.first_softmax()
    cat, mat = made.logits
    cat.value, mat.value = 2.2, 0
    assert made.verdicts[0].status == "not yet" and "Once done" in made.verdicts[0].why
    with made.one_redraw():
        cat.value, mat.value = 9.2, 7
    assert made.verdicts[0].status == "reached"


def test_chapter_00s_goal_is_not_reached_by_one_high_pair_of_another_share():
    made = ch01.first_softmax()
    with made.one_redraw():
        made.logits[0].value, made.logits[1].value = 9, 7
    assert made.verdicts[0].status == "not yet" and "Once done" not in made.verdicts[0].why


def test_chapter_01s_goal_is_impossible_over_the_whole_grid():
    steps = np.linspace(-10, 10, 41)
    grid = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    for temperature in (0.1, 0.5, 1, 2, 5):
        assert softmax(grid / temperature)[:, :2].min(axis=1).max() < 0.6
    assert ch01.one_budget().verdicts[0].status == "impossible"


def test_chapter_00s_goal_wants_both_logits_above_5():
    made = ch01.first_softmax()
    with made.one_redraw():
        made.logits[0].value, made.logits[1].value = 6, 3.8
    assert made.verdicts[0].status == "not yet"


def test_one_row_lists_every_word():
    assert one_row.each_share(("a", "b"), softmax([2.0, 1.0])) == (
        "“a” gets 73%, “b” gets 27%: together 100%."
    )
