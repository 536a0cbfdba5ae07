"""Chapter 09's clock, against complex numbers."""

import cmath
import itertools
import math
import re

import numpy as np
import pytest
from drive import judged, start_again, undrawn

from mhalib.chapters.ch09 import RopeClock


@pytest.fixture(scope="module")
def only_one():
    return RopeClock()


@pytest.fixture
def made(only_one):
    """At its start, with no ghost."""
    return start_again(only_one)


def seen_undrawn(made, *state):
    """The state and the verdicts there, with nothing drawn."""
    with undrawn(made):
        set_to(made, *state)
    return judged(made)


def set_to(made, query_at, key_at, own=0, n_pairs=1):
    with made.one_redraw():  # unless it is muted: then nothing is drawn
        made.positions[0].value, made.positions[1].value = query_at, key_at
        made.own.value, made.pairs.value = own, n_pairs


def speed(i, n_pairs):
    return 10_000 ** (-i / n_pairs)


def logit(query_at, key_at, own=0, n_pairs=1):
    """The sum over the pairs of the product of two hands: one as it is, one conjugate."""
    products = []
    for i in range(n_pairs):
        q = cmath.exp(1j * query_at * speed(i, n_pairs))
        k = cmath.exp(1j * (math.radians(own) + key_at * speed(i, n_pairs)))
        products.append((q * k.conjugate()).real)
    return math.fsum(products)


def angle(radians):
    """A hand's angle from another, in degrees from 0 to 180."""
    return abs(math.degrees(cmath.phase(cmath.exp(1j * radians))))


STATES = [
    *itertools.product((0, 5, 60), (3, 44), (-180, -45, 0, 60), (1, 2, 4)),
]


@pytest.mark.parametrize("state", STATES, ids=str)
def test_logit_hands_and_sentence_are_those_of_complex_numbers(made, state):
    shown, _ = seen_undrawn(made, *state)
    query_at, key_at, own, n_pairs = state
    assert shown.logit == pytest.approx(logit(*state), abs=1e-12)
    hands = [
        [query_at * speed(i, n_pairs) for i in range(n_pairs)],
        [math.radians(own) + key_at * speed(i, n_pairs) for i in range(n_pairs)],
    ]
    assert np.allclose(shown.hands, hands)
    sentence = made.describe(shown).replace("−", "-")
    numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", sentence)]
    assert numbers[:3] == [query_at, key_at, query_at - key_at]
    assert numbers[3] == pytest.approx(angle(hands[0][0] - hands[1][0]), abs=0.051)
    assert numbers[4] == pytest.approx(logit(*state), abs=0.00051)


def test_the_pictures_show_the_hands_and_a_dot_for_each_difference(made):
    set_to(made, 7, 3, 45, 4)
    clock, plane = made.pictures
    for i, (dial, (x, y, radius)) in enumerate(zip(clock.dials, clock.places, strict=True)):
        face, _, _, _, q_hand, k_hand, *_, name = dial.artists
        assert face.get_visible()
        ends = (7 * speed(i, 4), math.radians(45) + 3 * speed(i, 4))
        for hand, at in zip((q_hand, k_hand), ends, strict=True):
            tip = [float(data[1]) for data in hand.get_data()]
            assert tip == pytest.approx([x + radius * math.cos(at), y - radius * math.sin(at)])
        assert float(name.get_text().split("°")[0]) == pytest.approx(
            math.degrees(speed(i, 4)), abs=0.0051
        )
    xs, ys = plane.dots.get_data()
    assert list(xs) == list(range(-60, 61))
    assert ys == pytest.approx([logit(d, 0, 45, 4) for d in xs])
    assert plane.now.get_data() == ([4.0], [pytest.approx(logit(7, 3, 45, 4))])


def test_one_pair_has_one_clock(made):
    for n_pairs in (1, 4, 2, 1):
        made.pairs.value = n_pairs
        assert len(made.pictures[0].dials) == n_pairs
        assert list(made.pictures[1].axes.get_yticks()) == [-n_pairs, 0, n_pairs]


def test_a_ghost_stays_where_it_was_kept(made):
    made.ghost_button.click()
    set_to(made, 20, 3)
    ghosts = made.pictures[0].dials[0].artists[2:4]
    x, y, radius = made.pictures[0].places[0]
    for ghost, at in zip(ghosts, (5, 3), strict=True):
        tip = [float(data[1]) for data in ghost.get_data()]
        assert tip == pytest.approx([x + radius * math.cos(at), y - radius * math.sin(at)])
    assert made.pictures[1].kept.get_data() == ([2.0], [pytest.approx(math.cos(2))])
    made.ghost_button.click()
    assert [len(ghost.get_data()[0]) for ghost in ghosts] == [0, 0]


@pytest.mark.parametrize("now", [(20, 3, 0, 4), (20, 3, 45, 1)])
def test_a_ghost_of_another_curve_is_not_marked_on_this_one(made, now):
    made.ghost_button.click()
    set_to(made, *now)
    assert len(made.pictures[1].kept.get_data()[0]) == 0


# Goals


def after_a_ghost(made, ghost, now, n_pairs=1, own=0):
    set_to(made, *ghost, own, n_pairs)
    made.ghost_button.click()
    set_to(made, *now, own, n_pairs)
    return [verdict.status for verdict in made.verdicts]


def test_both_goals_of_sameness_ask_for_a_ghost_first(made):
    for verdict in made.verdicts[:2]:
        assert verdict == ("not yet", "Press “Keep a ghost” first.")


def test_goal_1_is_reached_by_moving_both_by_the_same(made):
    assert after_a_ghost(made, (5, 3), (9, 7))[0] == "reached"
    assert "2 both times" in made.verdicts[0].why


@pytest.mark.parametrize("now", [(5, 3), (5, 7), (9, 3), (9, 6), (47, 1)])
def test_goal_1_is_not_reached_by_moving_one_or_to_another_logit(made, now):
    assert after_a_ghost(made, (5, 3), now)[0] == "not yet"


def test_goal_1_takes_a_mirror_image_for_what_it_is(made):
    assert after_a_ghost(made, (5, 3), (7, 9))[0] == "reached"
    assert "once on this side" in made.verdicts[0].why
    made.ghost_button.click()
    assert after_a_ghost(made, (5, 3), (7, 9), own=45)[0] == "not yet"


def test_goal_2_is_reached_44_positions_away(made):
    assert after_a_ghost(made, (5, 3), (48, 2))[1] == "reached"
    assert "2 and 46 apart" in made.verdicts[1].why
    assert "114.6° and 115.6° on the clock, on the same side" in made.verdicts[1].why


def test_goal_2_knows_a_mirror_image_from_a_lap(made):
    assert after_a_ghost(made, (5, 3), (45, 3))[1] == "reached"
    assert "2 and 42 apart" in made.verdicts[1].why and "opposite sides" in made.verdicts[1].why


def test_laps_are_half_of_what_recurs_on_one_clock_and_none_of_it_on_four(made):
    """From the start, over all own angles: what recurs to .02, and where the hands are back to 2°.

    So goal 2 takes one clock: what recurs on four is chance.
    """
    counts = {}
    for n_pairs in (1, 2, 4):
        recurs = [
            d
            for own, d in itertools.product(range(-180, 181, 15), range(-60, 61))
            if abs(d) != 2 and abs(logit(d, 0, own, n_pairs) - logit(2, 0, own, n_pairs)) <= 0.02
        ]
        counts[n_pairs] = (len(recurs), sum(angle(d - 2) <= 2 for d in recurs))
    assert counts == {1: (96, 50), 2: (36, 2), 4: (50, 0)}


def test_goal_2_does_not_take_the_mirror_image_at_the_same_distance(made):
    assert after_a_ghost(made, (5, 3), (7, 9))[1] == "not yet"
    assert "as far apart as before" in made.verdicts[1].why


@pytest.mark.parametrize("n_pairs", [1, 2, 4])
def test_goal_2_is_reached_exactly_where_a_logit_comes_back(made, n_pairs):
    set_to(made, 5, 3, 0, n_pairs)
    made.ghost_button.click()
    away = []
    for query_at in range(61):
        _, verdicts = seen_undrawn(made, query_at, 0, 0, n_pairs)
        away.append(abs(logit(query_at, 0, 0, n_pairs) - logit(2, 0, 0, n_pairs)))
        near = away[-1] <= 0.02 and query_at != 2
        assert (verdicts[1].status == "reached") == (near and n_pairs == 1), query_at
    if n_pairs == 4:
        assert away[8] <= 0.02  # there it recurs as well, by chance, and does not count
    assert abs(math.cos(42) - math.cos(2)) < 0.02 < abs(math.cos(4) - math.cos(2))


def test_a_ghost_of_other_clocks_or_contents_is_not_compared(made):
    made.ghost_button.click()
    set_to(made, 9, 7, n_pairs=4)
    assert "other clocks" in made.verdicts[0].why
    set_to(made, 9, 7, own=15)
    assert "another own angle" in made.verdicts[1].why


def test_goal_3_needs_slow_hands_and_seven_laps(made):
    for n_pairs, query_at in itertools.product((1, 2, 4), range(61)):
        _, verdicts = seen_undrawn(made, query_at, 0, 0, n_pairs)
        back = angle(query_at) <= 2 and query_at > 0
        told = abs(logit(query_at, 0, 0, n_pairs) - n_pairs) >= 0.5
        assert (verdicts[2].status == "reached") == (back and told), (n_pairs, query_at)
    set_to(made, 44, 0, n_pairs=4)
    assert made.verdicts[2].status == "reached"
    set_to(made, 44, 0, n_pairs=2)
    assert "differ by 0.095 only" in made.verdicts[2].why


def test_goal_3_is_impossible_with_two_clocks_whatever_the_keys_own_angle(made):
    # The fastest is back at 44 only; the second turns .44: the logit moves by 2 sin .22 at most
    for own, difference in itertools.product(range(-180, 181, 15), (-44, 44)):
        at = (max(difference, 0), max(-difference, 0))
        _, verdicts = seen_undrawn(made, *at, own, 2)
        assert verdicts[2].status == "not yet"
    assert 2 * math.sin(0.22) + math.radians(2) < 0.5
