"""Chapter 10's explorer: what heads make of a kernel, against loops over whole rows of weights."""

import functools
import itertools
import math

import numpy as np
import oracles
import pytest
from drive import counted_redraws, undrawn

from mhalib.chapters.ch10 import KERNELS, FewestHeads, cat
from mhalib.chapters.ch10.fewest_heads import LIMIT, MY_OWN, PIXELS


def kernel_of(name):
    numbers, divisor = KERNELS[name]
    return np.reshape(numbers, (3, 3)) / divisor


@pytest.fixture
def fewest():
    return FewestHeads()


def choose(fewest, kernel, kind="share", heads=1, alpha=20.0, pixel="pupil"):
    with fewest.one_redraw():
        fewest.kernel.value, fewest.kind.value = kernel, kind
        fewest.heads.value, fewest.alpha.value, fewest.pixel.value = heads, alpha, pixel


@functools.cache
def one_row(place, step, alpha):
    """The whole row of weights of one pixel in one head that looks a step away."""
    y, x = place[0] + step[0], place[1] + step[1]
    away = [(i - y) ** 2 + (j - x) ** 2 for i in range(48) for j in range(64)]
    powers = [math.exp(alpha * (min(away) - distance)) for distance in away]
    return np.array(powers) / math.fsum(powers)


def by_hand(kernel, place, alpha):
    """One pixel of the result: nine rows of weights, the kernel's numbers before them."""
    steps = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1)]
    rows = [one_row(place, step, alpha) for step in steps]
    brought = [math.fsum(row * cat().ravel()) for row in rows]
    return math.fsum(k * b for k, b in zip(np.ravel(kernel), brought, strict=True))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("kind", ["share", "place"])
def test_with_enough_heads_each_pixel_is_that_of_whole_rows_of_weights(fewest, kernel, kind):
    with undrawn(fewest):
        choose(fewest, kernel, kind, 9, 1.3)
    state = fewest.read()
    for place in ((0, 0), (20, 63), (47, 30)):
        right = by_hand(kernel_of(kernel), place, 1.3)
        assert state.result[place] == pytest.approx(right)


def test_the_convolution_and_the_difference_are_those_of_the_loops(fewest):
    choose(fewest, "Sobel", "place", 3, 0.8)
    wanted = oracles.convolution(cat(), kernel_of("Sobel"), "edge")
    assert fewest.state.wanted == pytest.approx(wanted)
    assert fewest.state.error == pytest.approx(abs(fewest.state.result - wanted).max())


def test_maps_are_the_rows_of_the_chosen_pixel(fewest):
    choose(fewest, "sharpen", "share", 2, 0.9, "left edge")
    place = PIXELS["left edge"]
    a = one_row(place, (0, 0), 0.9)
    b = sum(one_row(place, step, 0.9) for step in ((-1, 0), (0, -1), (0, 1), (1, 0))) / 4
    assert fewest.state.rows.reshape(2, -1) == pytest.approx(np.array([a, b]))
    assert fewest.state.sizes.tolist() == [5, -4]


def test_heads_too_few_do_the_larger_parts_and_heads_too_many_are_idle(fewest):
    choose(fewest, "sharpen", "share", 1)
    assert fewest.state.sizes.tolist() == [5]
    assert "Sharpen by 1 head: head A looks at the pixel itself, times 5." in fewest.sentence
    choose(fewest, "sharpen", "share", 4)
    assert "4 heads (2 of them idle)" in fewest.sentence
    assert "head B shares among 4 places, times −4" in fewest.sentence
    names = [slot.artists[-1].get_text() for slot in fewest.pictures[1].names]
    assert names[:5] == ["A × 5", "B × −4", "C idle", "D idle", ""]


# The sentence


def test_the_sentence_is_made_of_the_arrays(fewest):
    choose(fewest, "shift", "share", 1, 2.0)
    assert "Shift by 1 head: head A looks left, times 1." in fewest.sentence
    assert "puts 62% on the pixel it means" in fewest.sentence
    choose(fewest, "blur", "place", 9, 20)
    assert "9 of the kernel's 9 places are looked at, one a head" in fewest.sentence
    assert "convolution is under .001" in fewest.sentence
    choose(fewest, "Sobel", "share", 1, 20)
    assert f"is {fewest.state.error:.3f} (white is 1)" in fewest.sentence


# The kernel's nine numbers


def test_choosing_a_kernel_fills_the_boxes_and_typing_makes_it_the_readers_own(fewest):
    choose(fewest, "Gaussian blur")
    assert [box.value for box in fewest.numbers] == [1, 2, 1, 2, 4, 2, 1, 2, 1]
    assert fewest.divisor.value == 16
    fewest.numbers[0].value = -3
    assert fewest.kernel.value == MY_OWN and fewest.state.kernel[0, 0] == -3 / 16
    assert fewest.sentence.startswith("A kernel of your own by 1 head")
    assert fewest.state.needed == 2
    fewest.numbers[0].value = 1
    assert fewest.kernel.value == "Gaussian blur"
    fewest.divisor.value = 1
    assert fewest.kernel.value == MY_OWN and fewest.state.kernel[1, 1] == 4


def test_one_typed_number_redraws_once(fewest, monkeypatch):
    calls = counted_redraws(fewest, monkeypatch)
    fewest.numbers[3].value = 7
    fewest.kernel.value = "blur"
    assert len(calls) == 2


def test_a_kernel_of_zeros_asks_for_no_head(fewest):
    choose(fewest, "identity")
    fewest.numbers[4].value = 0
    assert "no head has anything to do" in fewest.sentence
    assert fewest.state.error == 0 and "0 up to rounding" in fewest.sentence


def test_any_numbers_in_the_boxes_can_be_drawn(fewest):
    rng = np.random.default_rng(3)
    for number in range(12):
        with fewest.one_redraw():
            for box in fewest.numbers:
                box.value = float(rng.choice([-9, -1.5, 0, 0, 2, 9]))
            fewest.divisor.value = int(rng.choice([1, 3, 16]))
            fewest.heads.value, fewest.kind.value = 1 + number % 9, ("share", "place")[number % 2]
        kernel = np.reshape([box.value for box in fewest.numbers], (3, 3)) / fewest.divisor.value
        assert fewest.state.kernel == pytest.approx(kernel)
        assert fewest.sentence.endswith("(white is 1).")


# Goals


def test_goal_1_is_reached_kernel_by_kernel_with_the_fewest_heads(fewest):
    fewest.show_goal(0)
    heads = {"sharpen": 2, "Sobel": 2, "Laplacian": 2}
    for number, kernel in enumerate(KERNELS, 1):
        assert fewest.verdict.status == "not yet"
        choose(fewest, kernel, "share", heads.get(kernel, 1), 10)
        takes = f"{kernel.capitalize()} takes {heads.get(kernel, 1)}. Done: {number} of 8"
        assert takes in fewest.verdict.why or number == 8
        assert len(fewest.found[0]) == number
    assert fewest.verdict.status == "reached"


def test_goal_1_does_not_count_spare_heads_soft_rows_or_heads_of_one_place(fewest):
    choose(fewest, "blur", "share", 2, 10)
    assert "more heads than it takes" in fewest.verdict.why
    choose(fewest, "blur", "share", 1, 3)
    assert not fewest.found[0] and LIMIT < fewest.state.error < 0.02
    choose(fewest, "blur", "place", 9, 10)
    assert not fewest.found[0] and "Let a head share" in fewest.verdict.why
    choose(fewest, "blur", "share", 1, 10)
    assert fewest.found[0] == {"blur"}


def test_one_head_never_makes_a_kernel_of_both_signs_whatever_alpha(fewest):
    """In words: a row of weights times a number has one sign; on the grid: no α comes near."""
    choose(fewest, "Sobel", "share", 1)
    for kind, alpha in itertools.product(("share", "place"), np.arange(0.1, 20.05, 0.1)):
        with undrawn(fewest):
            fewest.kind.value, fewest.alpha.value = kind, alpha
        assert fewest.read().error > 30 * LIMIT


def test_goal_2_is_impossible_and_says_why(fewest):
    fewest.show_goal(1)
    choose(fewest, "sharpen", "share", 1)
    assert fewest.verdict.status == "not yet"
    for kind in ("share", "place"):
        choose(fewest, "Sobel", kind, 1)
        assert fewest.verdict.status == "impossible" and "one sign" in fewest.verdict.why
    choose(fewest, "Sobel", "share", 2)
    assert fewest.verdict.status == "not yet"


def test_goal_3_takes_five_heads_and_no_alpha_makes_it_with_fewer(fewest):
    fewest.show_goal(2)
    choose(fewest, "Laplacian", "place", 5, 10)
    assert fewest.verdict.status == "reached"
    choose(fewest, "Laplacian", "place", 6, 10)
    assert fewest.verdict.status == "not yet" and "more heads" in fewest.verdict.why
    choose(fewest, "Laplacian", "share", 2, 10)
    assert fewest.verdict.status == "not yet"
    choose(fewest, "Laplacian", "place", 4)
    for heads, alpha in itertools.product((1, 2, 3, 4), np.arange(0.1, 20.05, 0.1)):
        with undrawn(fewest):
            fewest.heads.value, fewest.alpha.value = heads, alpha
        assert fewest.read().error > 30 * LIMIT


def test_goal_4_is_reached_by_a_soft_row_only(fewest):
    fewest.show_goal(3)
    choose(fewest, "Gaussian blur", "share", 1, 0.9)
    assert fewest.verdict.status == "not yet"
    blurred = oracles.convolution(cat(), kernel_of("Gaussian blur"), "edge")
    for alpha, status in ((0.7, "not yet"), (0.8, "reached"), (1, "reached"), (1.1, "not yet")):
        choose(fewest, "identity", "share", 1, alpha)
        assert fewest.verdict.status == status
        gap = abs(fewest.state.result - blurred).max()
        assert f"{gap:.3f}".removeprefix("0") in fewest.verdict.why


def test_back_returns_to_the_start(fewest):
    sentence = fewest.sentence
    choose(fewest, "blur", "place", 7, 3, "nose")
    fewest.numbers[0].value = 5
    fewest.back_button.click()
    assert fewest.sentence == sentence and fewest.kernel.value == "sharpen"
