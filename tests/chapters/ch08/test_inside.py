"""Chapter 08 looks inside a trained model: its switches, its one row for all, its goals."""

import itertools
import re
from dataclasses import replace

import ipywidgets as widgets
import numpy as np
import pytest
from drive import controls, shown

from mhalib import training
from mhalib.chapters.ch08 import Inside


@pytest.fixture(scope="module")
def trained():
    settings = training.Settings(k=4, n_heads=8)
    return training.train(settings, np.random.default_rng(1), n_steps=1000)


@pytest.fixture
def made(trained):
    return Inside(trained)


def mute(made, heads):
    for r, switch in enumerate(made.switches):
        switch.value = r in heads


def test_every_choice_of_muted_heads_counts_what_the_model_answers(made, trained):
    rng = np.random.default_rng(0)
    for rows in ("own", "merged", "averaged"):
        settings = replace(trained.settings, rows=rows)
        for number in rng.choice(256, 12, replace=False):
            muted = set(np.flatnonzero(made.choices[number]).tolist())
            right = training.accuracy(trained.parameters, settings, made.held_out, muted)
            np.testing.assert_allclose(made.rights[rows][number], right, atol=0.0021)


def test_all_choices_are_there_once(made):
    assert len({tuple(choice) for choice in made.choices.tolist()}) == 2**8 == len(made.choices)


def test_a_switch_mutes_its_head_in_picture_sentence_and_name(made, trained):
    mute(made, {1, 5})
    right = training.accuracy(trained.parameters, trained.settings, made.held_out, {1, 5})
    assert made.state.muted == (1, 5)
    assert made.state.right == pytest.approx(right, abs=0.0021)
    assert [s.description for s in made.switches][:2] == ["A speaks", "B muted"]
    names = [row[0].artists[0].get_text() for row in made.pictures[0].rows]
    assert names[:2] == ["head A", "head B ✕"] and names[5] == "head F ✕"
    assert made.sentence.startswith("Heads B and F are muted, and each head reads with its own row")
    said = [float(number) / 100 for number in re.findall(r"([\d.]+)%", made.sentence)][:4]
    assert said == pytest.approx(made.state.right, abs=0.0051)
    made.back_button.click()
    assert made.state.muted == () and made.sentence.startswith("No head is muted")


def test_one_row_for_all_is_shown_as_one_row(made):
    for rows in ("merged", "averaged"):
        made.rows.value = rows
        assert np.allclose(made.state.asked, made.state.asked[0])
        assert "all heads read with one row" in made.sentence
        assert made.state.right.min() < 0.6


def test_the_looks_are_the_weights_on_the_asked_tokens_by_loops(made, trained):
    batch = made.held_out
    _, weights = training.forward(trained.parameters, trained.settings, batch)
    for r, j in itertools.product(range(8), range(4)):
        total = 0.0
        for i in range(len(batch.keys)):
            place = list(batch.keys[i]).index(batch.asked[i, j])
            total += float(weights[i, r, place])
        assert made.state.asked[r, j] == pytest.approx(total / len(batch.keys), abs=1e-4)


# Goals


def test_the_most_heads_can_be_muted_and_one_more_or_less_is_not_it(made):
    worst, counts = made.rights["own"].min(axis=1), made.choices.sum(axis=1)
    most = max(n for n, right in zip(counts, worst, strict=True) if right >= 0.95)
    assert 1 <= most <= 4, "four questions, always right, take four heads"
    best = next(
        choice
        for choice, n, right in zip(made.choices, counts, worst, strict=True)
        if n == most and right >= 0.95
    )
    heads = set(np.flatnonzero(best).tolist())
    mute(made, heads)
    assert made.verdicts[0].status == "reached"
    mute(made, set(list(heads)[1:]))
    assert made.verdicts[0].status == "not yet"
    mute(made, heads | {next(r for r in range(8) if r not in heads)})
    assert made.verdicts[0].status == "not yet"
    mute(made, heads)
    made.rows.value = "averaged"
    assert made.verdicts[0].status == "not yet"


def test_one_question_falls_alone_with_the_fewest_muted_heads(made):
    first, second = np.sort(made.rights["own"], axis=1)[:, :2].T
    does = (first < 0.5) & (second >= 0.95)
    counts = made.choices.sum(axis=1)
    assert does.any()
    for number in np.flatnonzero(does):
        mute(made, set(np.flatnonzero(made.choices[number]).tolist()))
        fewest = counts[number] == counts[does].min()
        assert made.verdicts[1].status == ("reached" if fewest else "not yet")


def test_one_row_for_all_is_impossible_over_all_choices(made):
    for rows in ("merged", "averaged"):
        assert made.rights[rows].min(axis=1).max() < 0.95
    assert made.verdicts[2].status == "impossible" and "512 ways" in made.verdicts[2].why


def test_with_one_question_or_an_untrained_model_the_verdicts_say_what_is_so():
    settings = training.Settings(k=1, n_heads=1)
    single = Inside(training.train(settings, np.random.default_rng(0), n_steps=300))
    assert single.state.right.min() >= 0.95
    assert single.verdicts[0].status == "reached", "none can be muted, and none is"
    assert "two questions or more" in single.verdicts[1].why
    single.rows.value = "averaged"
    assert single.verdicts[2].status == "reached", "one head's row is its average"
    raw = Inside(training.train(training.Settings(), np.random.default_rng(0), n_steps=0))
    assert raw.verdicts[0].status == "impossible"
    assert raw.verdicts[1].status == "impossible"


def test_it_opens_with_one_chooser_and_a_switch_for_each_head(made):
    assert [c.description for c in controls(made)] == ["Rows"]
    switches = [w for w in shown(made.view) if isinstance(w, widgets.ToggleButton)]
    assert [s.description for s in switches] == [f"{letter} speaks" for letter in "ABCDEFGH"]


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"n_heads": 16}, "16 heads and 2 questions do not fit"),
        ({"k": 5}, "2 heads and 5 questions do not fit"),
        ({"n_layers": 2}, "one layer with a linear read-out"),
        ({"readout": "mlp"}, "one layer with a linear read-out"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(changes, said):
    settings = training.Settings(**changes)
    model = training.train(settings, np.random.default_rng(0), n_steps=0)
    with pytest.raises(ValueError, match=said):
        Inside(model)
