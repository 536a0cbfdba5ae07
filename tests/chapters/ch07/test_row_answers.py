"""Chapter 07's row of four words, against softmax in plain Python."""

import math
import re

import numpy as np
import pytest
from drive import number_of, undrawn

from mhalib.chapters.ch07 import RowAnswers


@pytest.fixture
def made():
    return RowAnswers()


def set_row(made, logits, raised=0, by=0.5):
    with made.one_redraw():
        made.apply((logits, raised, by))


def weights_of(logits):
    powers = [math.exp(logit) for logit in logits]
    return [power / sum(powers) for power in powers]


@pytest.mark.parametrize("seed", range(8))
def test_the_pictures_and_the_sentence_show_what_softmax_gives_by_hand(made, seed):
    rng = np.random.default_rng(seed)
    logits, k = rng.uniform(-3, 3, size=4).round(1).tolist(), int(rng.integers(4))
    by = round(rng.uniform(0.1, 1), 1) * (1 if seed % 2 else -1)
    set_row(made, logits, k, by)
    p = weights_of(logits)
    raised = [logit + by * (j == k) for j, logit in enumerate(logits)]
    exact = weights_of(raised)
    table = [[p[j] * ((j == m) - p[m]) for m in range(4)] for j in range(4)]
    predicted = [p[j] + by * table[j][k] for j in range(4)]
    lanes, heatmap = made.pictures
    shown = [number_of(slot.artists[1]) for slot in heatmap.cells]
    assert shown == pytest.approx(np.ravel(table), abs=0.0051)
    cells = [float(slot.artists[-1].get_text()) for slot in lanes.cells]
    assert cells == pytest.approx(exact, abs=0.0051)
    outlines = [-slot.artists[1].get_height() / (lanes.CELL_HEIGHT - 2) for slot in lanes.cells]
    assert outlines == pytest.approx(predicted, abs=1e-9)
    numbers = [float(number) for number in re.findall(r"\d\.\d+(?=\D)", made.sentence)]
    assert numbers[:5] == pytest.approx(
        [abs(by), p[k], exact[k], table[k][k], predicted[k]], abs=6e-3
    )
    assert ("lowered" in made.sentence) == (by < 0)


def test_the_word_that_pays_most_pays_its_share_of_what_the_others_have(made):
    set_row(made, (2, 1, 0, -1), raised=1)
    assert "“cat” pays most, 84% of it" in made.sentence
    before, after = weights_of((2, 1, 0, -1)), weights_of((2, 1.5, 0, -1))
    part = (before[0] - after[0]) / (after[1] - before[1])
    assert part == pytest.approx(0.84, abs=0.005)  # exactly as the table says, at any distance


def test_no_prediction_leaves_the_range_of_a_weight(made):
    rng = np.random.default_rng(0)
    for _ in range(300):
        logits = rng.uniform(-10, 10, size=4)
        for by in (-1, 1):
            with undrawn(made):
                made.apply((logits, int(rng.integers(4)), by))
            predicted = made.read().predicted
            assert predicted.min() >= 0 and predicted.max() <= 1


def test_a_row_falls_asleep_when_one_logit_leads_far(made):
    assert made.verdicts[0].status == "not yet"
    made.logits[0].value = 10
    assert made.verdicts[0].status == "reached"
    assert abs(made.state.jacobian).max() < 0.01


def test_an_entry_of_a_quarter_is_found_and_no_row_has_more(made):
    assert made.verdicts[1].status == "not yet"
    set_row(made, (2, 2, -10, -10))
    assert made.verdicts[1].status == "reached"
    steps = np.linspace(-10, 10, 31)
    grid = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    powers = np.exp(np.hstack([grid, 0 * grid[:, :1]]))
    p = powers / powers.sum(axis=1, keepdims=True)
    assert (p * (1 - p)).max() <= 0.25
    assert (p[:, :, None] * p[:, None]).max(where=~np.eye(4, dtype=bool), initial=0) <= 0.25


def test_the_word_that_is_raised_never_pays_for_itself():
    made = RowAnswers()
    set_row(made, (2, 1, 0, -1), raised=0)
    assert "“mat” pays most, 67% of it" in made.sentence


def test_a_row_that_nearly_sleeps_or_answers_nearly_the_most_does_not_do():
    made = RowAnswers()
    set_row(made, (3, 0, -10, -10))  # entries of .045
    assert made.verdicts[0].status == "not yet"
    set_row(made, (0.5, 0, -10, -10))  # .235
    assert made.verdicts[1].status == "not yet"
