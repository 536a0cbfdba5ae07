"""Chapter 06, writes: the arrows, the table and the goals, against loops."""

import itertools
import math

import numpy as np
import pytest
from drive import number_of

from mhalib.chapters.ch06 import Writes
from mhalib.chapters.ch06.writes import ASKS, W_O
from mhalib.running_sentence import WORDS, features, head

OFFERS = {"The": (4, 1), "cat": (1, 2), "sat": (3, 4), "on": (2, 7), "the": (6, 5), "mat": (5, 8)}


@pytest.fixture
def writes():
    return Writes()


def by_hand(word, factors, matrix):
    """Each head's write to a word, in loops: look, weigh, average, multiply."""
    x, made = features(WORDS), []
    for r, asks in enumerate(ASKS):
        w_q, w_k = head(asks)
        logits = [sum((x[word] @ w_q) * (x[j] @ w_k)) / math.sqrt(3) for j in range(6)]
        total = sum(math.exp(logit) for logit in logits)
        found = [
            sum(math.exp(logits[j]) / total * OFFERS[WORDS[j]][c] for j in range(6)) for c in (0, 1)
        ]
        block = matrix[2 * r : 2 * r + 2]
        made.append(
            [factors[r] * (found[0] * block[0][c] + found[1] * block[1][c]) for c in (0, 1)]
        )
    return np.array(made)


def set_factors(writes, *factors):
    with writes.one_redraw():
        for control, factor in zip(writes.factors, factors, strict=True):
            control.value = factor


@pytest.mark.parametrize("name", W_O)
@pytest.mark.parametrize("word", range(6))
def test_writes_their_sum_and_the_stream_are_those_of_the_loops(writes, word, name):
    writes.word.value, writes.w_o.value = word, name
    set_factors(writes, 1.2, 0.4, 0.7)
    right = by_hand(word, (1.2, 0.4, 0.7), W_O[name].tolist())
    state, start = writes.state, np.array(OFFERS[WORDS[word]])
    assert state.writes == pytest.approx(right)
    assert state.end == pytest.approx(start + right.sum(axis=0))
    assert np.ravel(writes.pictures[0].star.get_data()) == pytest.approx(state.end)
    rows = writes.pictures[1].rows
    numbers = [[number_of(text) for text in slot.artists[2:6:3]] for slot in rows]
    assert np.array(numbers) == pytest.approx(np.vstack([right, right.sum(axis=0)]), abs=0.0051)
    cosines = [
        right[a] @ right[b] / math.dist(right[a], (0, 0)) / math.dist(right[b], (0, 0))
        for a, b in itertools.combinations(range(3), 2)
    ]
    told = [number_of(slot.artists[-1]) for slot in writes.pictures[1].alike]
    assert told == pytest.approx(cosines, abs=0.0051)


def test_arrows_stand_head_to_tail_in_their_heads_colours(writes):
    stream, place = writes.pictures[0], np.array(writes.state.start, float)
    for arrow, write in zip(stream.arrows, writes.state.writes, strict=True):
        tail, point = arrow._posA_posB
        assert tail == pytest.approx(place)
        place = place + write
        assert point == pytest.approx(place)
    assert place == pytest.approx(writes.state.end)


def test_no_setting_moves_the_stream_out_of_the_picture(writes):
    low, high = writes.pictures[0].LOW, writes.pictures[0].HIGH
    for matrix in W_O.values():
        for word, factors in itertools.product(range(6), itertools.product((0, 1.5), repeat=3)):
            stops = np.cumsum(
                [OFFERS[WORDS[word]], *by_hand(word, factors, matrix.tolist())], axis=0
            )
            assert (stops > low).all() and (stops < high).all()


def test_a_muted_head_writes_nothing_and_is_like_no_other(writes):
    set_factors(writes, 1, 0, 1)
    table = writes.pictures[1]
    assert [slot.artists[-1].get_text() for slot in table.alike] == ["–", "−.61", "–"]
    assert not writes.pictures[0].arrows[1].get_visible()
    assert table.rows[1].artists[-1].get_text() == "0.00"
    set_factors(writes, 0, 0, 0)
    assert "nobody writes" in writes.sentence
    assert writes.state.end == pytest.approx((3, 4))


def test_goal_1_is_reached_by_muting_head_c(writes):
    assert writes.verdicts[0].status == "not yet"
    writes.factors[2].value = 0
    assert writes.verdicts[0].status == "reached"
    writes.word.value = 1
    assert writes.verdicts[0].status == "not yet"


def test_goal_2_is_reached_with_all_three_heads_writing(writes):
    set_factors(writes, 0, 0, 0)
    assert writes.verdicts[1].status == "not yet"  # silence is no balance
    set_factors(writes, 1.28, 0.22, 0.4)
    assert writes.verdicts[1].status == "reached"
    assert min(writes.state.sizes) > 1 and math.dist(writes.state.end, (3, 4)) < 0.2


def test_goal_3_needs_a_ghost_and_other_factors_with_the_same_end(writes):
    set_factors(writes, 0.5, 0.91, 0.84)
    assert writes.verdicts[2].status == "not yet" and "ghost" in writes.verdicts[2].why
    set_factors(writes, 1, 1, 1)
    writes.ghost_button.click()
    assert writes.verdicts[2].status == "not yet"
    assert np.ravel(writes.pictures[0].ghost.get_data()) == pytest.approx(writes.state.end)
    set_factors(writes, 0.5, 0.91, 0.84)
    assert writes.verdicts[2].status == "reached"
    set_factors(writes, 0.5, 1, 1)
    assert writes.verdicts[2].status == "not yet"


def test_the_sentence_names_what_is_looked_at_and_what_becomes_of_the_stream(writes):
    assert "head A puts 97% on “cat”, head B puts 99% on “mat”" in writes.sentence
    assert "The stream goes from (3, 4) to (0.59, 7.44)." in writes.sentence
    assert "the largest write is that of head B (7.94)" in writes.sentence


def test_goals_are_not_reached_just_before():
    writes = Writes()
    set_factors(writes, 1, 1, 0.04)  # the sum is .25 away
    assert writes.verdicts[0].status == "not yet"
    set_factors(writes, 1.28, 0.19, 0.4)
    assert writes.verdicts[1].status == "not yet" and "0.19" in writes.verdicts[1].why
    set_factors(writes, 1, 1, 1)
    writes.ghost_button.click()
    set_factors(writes, 0.9, 1, 1)  # ★ moves by .11, but the factor by .10 only
    assert writes.verdicts[2].status == "not yet"
