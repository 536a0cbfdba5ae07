"""The flagship: driven through its controls, corners and goals, and held against plain Python."""

import itertools
import re

import ipywidgets as widgets
import numpy as np
import pytest
from drive import check_state, controls, number_of, row_by_hand, shown, undrawn

from mhalib.attention import softmax
from mhalib.chapters.ch04 import TwoLanes
from mhalib.merging import merge_logits


@pytest.fixture
def flagship():
    return TwoLanes()


@pytest.fixture(scope="module")
def one():
    """The same flagship, for tests that set the logits and the merge rule."""
    return TwoLanes()


def set_logits(flagship, *heads):
    with flagship.one_redraw():
        flagship.n_heads.value, flagship.n_words.value = len(heads), len(heads[0])
        for r, head in enumerate(heads):
            for j, logit in enumerate(head):
                flagship.slider("logit", r, j).value = logit


def test_the_flagship_opens_with_four_sliders_the_examples_and_the_merge_rule(flagship):
    names = sorted(control.description for control in controls(flagship))
    assert names == ["Example", "Merged by", "cat", "cat", "mat", "mat"]


def test_a_slider_moves_the_picture_the_sentence_and_nothing_else(flagship):
    pictures = [image.value for image in flagship.frames]
    sentence, logits = flagship.sentence, flagship.state.logits.copy()
    flagship.slider("logit", 0, 0).value = 3
    assert [image.value != old for image, old in zip(flagship.frames, pictures, strict=True)] == [
        True,
        True,
    ]
    assert flagship.sentence != sentence
    logits[0, 0] = 3
    assert np.array_equal(flagship.state.logits, logits)


# Corners


def set_corner(flagship, heads, words, x, y, rule):
    flagship.n_heads.value, flagship.n_words.value = heads, words
    flagship.x_head.value, flagship.y_head.value = min(x, heads - 1), min(y, heads - 1)
    flagship.rule.value = rule


RANGES = [(2, 3, 4), (2, 3, 4, 5, 6), (0, 1, 2, 3), (0, 1, 2, 3), ("add", "big_head", "average")]


def test_every_pair_of_choices_behind_the_fold_holds_and_a_sample_is_drawn(flagship):
    rng, number = np.random.default_rng(0), 0
    for one, other in itertools.combinations(range(5), 2):
        for pair in itertools.product(RANGES[one], RANGES[other]):
            corner = [values[rng.integers(len(values))] for values in RANGES]
            corner[one], corner[other] = pair
            with undrawn(flagship):
                set_corner(flagship, *corner)
            sentence, number = check_state(flagship), number + 1
            if number % 20 == 0:
                flagship.refresh()
                assert flagship.sentence == sentence


def test_two_hundred_seeded_corners_of_all_sliders_hold_and_a_sample_is_drawn(flagship):
    rng = np.random.default_rng(1)
    for number in range(200):
        with undrawn(flagship):
            set_corner(flagship, *(values[rng.integers(len(values))] for values in RANGES))
            for kind, low, high in (("logit", -20, 20), ("value", 0, 10)):
                for r in range(flagship.n_heads.value):
                    for j in range(flagship.n_words.value):
                        flagship.slider(kind, r, j).value = rng.choice([low, high])
        sentence = check_state(flagship)
        if number % 20 == 0:
            flagship.refresh()
            assert flagship.sentence == sentence
            assert len(flagship.pictures[0].cells) == flagship.state.rows.size


# Examples, back, ghost


def test_every_example_shows_its_logits_and_back_returns_to_it(flagship):
    for name, logits in flagship.examples.items():
        flagship.example.value = name
        assert np.allclose(flagship.state.logits, logits)
        sentence = flagship.sentence
        flagship.slider("logit", 0, 0).value = -7
        flagship.slider("value", 1, 1).value = 0
        flagship.rule.value = "average"
        flagship.back_button.click()
        assert flagship.sentence == sentence


def test_next_walks_through_all_examples_and_starts_again(flagship):
    seen = [flagship.example.value]
    for _ in flagship.examples:
        flagship.next_button.click()
        seen.append(flagship.example.value)
    assert seen == [*flagship.examples, seen[0]]


def test_above_four_sliders_one_head_is_shown_at_a_time_and_all_are_kept(flagship):
    flagship.example.value = "4  The compromise"
    for head in (0, 1):
        flagship.shown_head.value = head
        sliders = [w for w in shown(flagship.logit_panel) if isinstance(w, widgets.FloatSlider)]
        assert [s.value for s in sliders] == [[10, 0, 8], [0, 10, 8]][head]


def test_the_ghost_keeps_what_was_and_can_be_dropped(flagship):
    flagship.ghost_button.click()
    flagship.slider("logit", 0, 0).value = -10
    outlines = [slot.artists[1] for slot in flagship.pictures[0].cells]
    assert all(outline.get_visible() for outline in outlines)
    assert outlines[0].get_height() == pytest.approx(-46, abs=0.1)  # head A gave "cat" all
    assert flagship.pictures[1].ghost_star.get_xdata()[0] == pytest.approx(1, abs=1e-3)
    flagship.ghost_button.click()
    assert not any(outline.get_visible() for outline in outlines)
    assert len(flagship.pictures[1].ghost_star.get_xdata()) == 0


def test_a_ghost_of_another_number_of_words_is_not_drawn(flagship):
    flagship.ghost_button.click()
    flagship.n_words.value = 3
    assert not any(slot.artists[1].get_visible() for slot in flagship.pictures[0].cells)


# Goals


def test_g0_is_won_by_two_heads_and_not_by_one_that_has_both(flagship):
    assert flagship.verdicts[0].status == "reached"
    set_logits(flagship, (0.5, 0), (0, 0.5))
    assert flagship.verdicts[0].status == "reached"
    set_logits(flagship, (0, 0), (0, 10))
    assert flagship.verdicts[0].status == "not yet"


def test_g1_silences_head_b_without_touching_it(flagship):
    assert flagship.verdicts[1].status == "not yet"
    flagship.slider("logit", 0, 0).value = 20
    assert flagship.verdicts[1].status == "reached"
    flagship.slider("logit", 1, 1).value = 9
    assert flagship.verdicts[1].status == "not yet"


def test_g2_needs_a_third_word_and_is_then_reached(flagship):
    assert "third word" in flagship.verdicts[2].why
    set_logits(flagship, (10, 0, 8), (0, 10, 8))
    assert flagship.verdicts[2].status == "reached"
    set_logits(flagship, (10, 0, 9.9), (0, 10, 9.9))  # now a head gives it too much
    assert flagship.verdicts[2].status == "not yet"


def test_g2_is_impossible_with_two_words_over_the_whole_grid():
    gaps = np.linspace(-40, 40, 801)
    rows = softmax(np.stack([gaps, 0 * gaps], axis=-1))
    for how in ("add", "big_head", "average"):
        a, b = np.meshgrid(gaps, gaps)
        pairs = np.stack([np.stack([a, 0 * a], -1), np.stack([b, 0 * b], -1)])
        merged = softmax(merge_logits(pairs, how))[..., 0]
        most = np.maximum(rows[:, 0][None, :], rows[:, 0][:, None])
        assert merged[most <= 0.2].max() < 0.9


def test_g3_collects_three_different_reasons(flagship):
    assert flagship.found[3] == {"partners"}  # example 1 is a pair of mirror images
    set_logits(flagship, (0, 0), (0, 0))
    assert flagship.verdicts[3].status == "not yet"
    set_logits(flagship, (20, 0), (20, 0))
    assert flagship.verdicts[3].status == "reached"
    assert flagship.found[3] == {"flat", "agreeing and sure", "partners"}


def test_g3_finds_the_partners_of_example_6(flagship):
    flagship.found.clear()
    flagship.example.value = "6  Partners"
    assert flagship.found[3] == {"partners"}
    set_logits(flagship, (3, 0), (3, 0))  # agreeing, but not sure: adding sharpens
    assert flagship.found[3] == {"partners"}


def test_g4_is_impossible_over_the_whole_grid(flagship):
    steps = np.linspace(-20, 20, 31)
    logits = np.stack(np.meshgrid(*[steps] * 4, indexing="ij"), axis=-1).reshape(-1, 2, 2)
    values = np.array([[1, 5], [2, 8]])
    weights = softmax(logits)
    asked = (weights[:, 0, 0] >= 0.9) & (weights[:, 1, 1] >= 0.9)
    star = (weights[asked] * values).sum(axis=-1)
    for how in ("add", "big_head", "average"):
        square = softmax(merge_logits(logits[asked], how, axis=1)) @ values.T
        assert np.linalg.norm(star - square, axis=-1).min() > 2
    assert flagship.verdicts[4].status == "impossible"
    set_logits(flagship, (0, 0), (0, 0))
    assert flagship.verdicts[4].status == "not yet"


def test_g4_says_so_when_the_words_offer_the_same(flagship):
    for r in (0, 1):
        for j in (0, 1):
            flagship.slider("value", r, j).value = 3
    assert flagship.verdicts[4].status == "reached"


def test_an_explorer_opens_at_a_goal_and_an_example(flagship):
    assert flagship.at(goal=3, example="4  The compromise") is flagship
    assert "Goal 3 of 5" in flagship.goal_line.value and flagship.verdict.status == "reached"
    assert flagship.state.logits.tolist() == [[10, 0, 8], [0, 10, 8]]
    assert flagship.at(goal=1).state.logits.shape == (2, 3)  # the example stays
    for goal in (0, 6):
        with pytest.raises(ValueError, match="goal must be 1 to 5"):
            flagship.at(goal)


def test_goals_go_round_and_an_impossible_one_is_folded(flagship):
    seen = []
    for _ in range(6):
        seen.append(flagship.goal)
        flagship.goal_buttons[1].click()
    assert seen == [0, 1, 2, 3, 4, 0]
    flagship.show_goal(4)
    assert "<details><summary>" in flagship.goal_line.value
    assert "Goal 5 of 5" in flagship.goal_line.value


@pytest.mark.parametrize(
    "number, heads",
    [
        (0, ((0.5, 0), (0, 0.3))),  # “mat” .57
        (1, ((14, 0), (0, 10))),  # merged “mat” .018
        (2, ((5, 0, 3.6), (0, 5, 3.6))),  # merged .82, a head gives .197
        (2, ((10, 0, 8.8), (0, 10, 8.8))),  # merged .9995, a head gives .23
        (4, ((10, 0), (0, 2))),  # head B gives “mat” .88
    ],
)
def test_the_flagships_goals_are_not_reached_just_before(one, number, heads):
    one.rule.value = "add"
    set_logits(one, *heads)
    assert one.verdicts[number].status == "not yet"


def test_partners_agree_to_a_thousandth():
    flagship = TwoLanes()
    flagship.found.clear()
    set_logits(flagship, (3, 0), (-2.98, 0))
    gap = abs(flagship.state.merged - flagship.state.average).max()
    assert 1e-3 < gap < 1e-2 and not flagship.found[3]


# What the pictures and sentences say


def by_hand(logits, values, divide_by):
    """Rows and outputs of heads, merged and average, in plain Python."""

    def carried(row, block):
        return sum(weight * value for weight, value in zip(row, block, strict=True))

    rows = [row_by_hand(head) for head in logits]
    sums = [sum(column) / divide_by for column in zip(*logits, strict=True)]
    merged = row_by_hand(sums)
    average = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    return {
        "rows": [*rows, merged],
        "sums": sums,
        "star": [carried(row, block) for row, block in zip(rows, values, strict=True)],
        "square": [carried(merged, block) for block in values],
        "diamond": [carried(average, block) for block in values],
    }


@pytest.mark.parametrize("rule, power", [("add", 0), ("big_head", 0.5), ("average", 1)])
@pytest.mark.parametrize("n_heads, n_words", [(2, 2), (2, 3), (3, 5)])
def test_the_flagships_pictures_show_what_the_logits_give_by_hand(
    one, rule, power, n_heads, n_words
):
    logits = np.random.default_rng(n_words).uniform(-6, 6, size=(n_heads, n_words)).round(1)
    set_logits(one, *logits)
    one.rule.value = rule
    values = [row[:n_words] for row in one.values[:n_heads]]
    right = by_hand(logits.tolist(), values, n_heads**power)
    lanes, plane = one.pictures
    cells = [float(slot.artists[-1].get_text()) for slot in lanes.cells]
    assert cells == pytest.approx(np.ravel(right["rows"]), abs=0.0051)
    shown = np.vstack([logits, right["sums"]]).ravel()
    assert [number_of(slot.artists[-1]) for slot in lanes.columns] == pytest.approx(
        shown, abs=0.5 if n_words > 4 else 0.051
    )
    carried = [[float(text.get_text()) for text in slot.artists] for slot in lanes.carried]
    assert np.ravel(carried[:-1]) == pytest.approx(right["star"], abs=0.0051)
    assert carried[-1] == pytest.approx(right["square"], abs=0.0051)
    for name in ("star", "square", "diamond"):
        place = np.ravel(getattr(plane, name).get_data())
        assert place == pytest.approx(right[name][:2]), name


@pytest.mark.parametrize("seed", range(30))
def test_the_flagships_sentence_agrees_with_its_arrays(one, seed):
    logits = np.random.default_rng(seed).uniform(-20, 20, size=(2, 2)).round(1)
    one.rule.value = "add"
    set_logits(one, *logits)
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    rows = e / e.sum(axis=1, keepdims=True)
    total = logits.sum(axis=0)
    merged = np.exp(total - total.max()) / np.exp(total - total.max()).sum()
    first, second = one.sentence.split(". ")[:2]
    clauses = [first] * 2 if first.startswith("Each head") else first.split(", ")
    for clause, row in zip(clauses, rows, strict=True):
        if abs(row[0] - row[1]) > 0.01:
            assert f"“{'cat' if row[0] > row[1] else 'mat'}”" in clause
            number = float(re.search(r"([\d.]+)%", clause).group(1)) / 100
            assert number == pytest.approx(row.max(), abs=0.006)
    if abs(merged[0] - merged[1]) > 0.01:
        assert second.split("“")[1].startswith("cat" if merged[0] > merged[1] else "mat")
    carried = [float(number) for number in re.findall(r"-?\d+\.\d\d", one.sentence)][-4:]
    values = np.array([[1, 5], [2, 8]])
    assert carried[:2] == pytest.approx((rows * values).sum(axis=1), abs=0.006)
    assert carried[2:] == pytest.approx(values @ merged, abs=0.006)
