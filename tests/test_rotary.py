"""RoPE against complex numbers, what must hold by geometry, and the traps that look right."""

import cmath
import math

import numpy as np
import pytest
from examples import any_dtype, normals
from oracles import central_differences
from refusals import ones, refusal

from mhalib import rotary
from mhalib.attention import split_heads
from mhalib.chapters.ch09 import permutation
from mhalib.rotary import frequencies, rotate

CONVENTIONS = ["halves", "neighbours"]
each_convention = pytest.mark.parametrize("pairs", CONVENTIONS)
T, D = 5, 14  # a prime, and twice a prime
NAMES = vars(rotary) | {"permutation": permutation, "ones": ones, "math": math}


def by_complex_numbers(vector, position, base, pairs):
    """One vector: each pair is one complex number, and a turn is one product."""
    d = len(vector)
    partners = {
        "halves": [(i, i + d // 2) for i in range(d // 2)],
        "neighbours": [(2 * i, 2 * i + 1) for i in range(d // 2)],
    }[pairs]
    turned = [0.0] * d
    for i, (one, other) in enumerate(partners):
        turn = cmath.exp(1j * position / base ** (2 * i / d))
        point = complex(vector[one], vector[other]) * turn
        turned[one], turned[other] = point.real, point.imag
    return turned


def scores(q, k, q_positions, k_positions, **convention):
    """The logits of all queries on all keys, before scaling."""
    return rotate(q, q_positions, **convention) @ rotate(k, k_positions, **convention).T


@each_convention
@pytest.mark.parametrize("base", [10_000, 1, 7.5, 500_000])
@pytest.mark.parametrize("positions", [range(T), range(100, 100 + T), [3, -2, 0.5, 3, 40]])
def test_each_pair_is_a_complex_number_that_is_multiplied(pairs, base, positions):
    x = normals(T, D)
    expected = [
        by_complex_numbers(row, t, base, pairs)
        for row, t in zip(x.tolist(), positions, strict=True)
    ]
    assert np.allclose(rotate(x, list(positions), base, pairs), expected, rtol=0, atol=1e-13)


def test_a_quarter_turn_by_hand():
    quarter = [math.pi / 2, 0]  # positions need not be whole
    x = [[1, 2], [3, 4]]
    for pairs in CONVENTIONS:  # two channels are one pair in both
        assert np.allclose(rotate(x, quarter, pairs=pairs), [[-2, 1], [3, 4]])


def test_the_first_pair_turns_by_one_radian_and_the_others_less():
    assert np.allclose(frequencies(8), [1, 0.1, 0.01, 0.001], rtol=1e-14)
    assert np.allclose(frequencies(6, 8), [1, 1 / 2, 1 / 4], rtol=1e-14)
    assert (frequencies(64)[0], frequencies(64).shape) == (1, (32,))


@each_convention
def test_every_token_keeps_its_length_and_position_0_changes_nothing(pairs):
    x = normals(3, T, D)
    turned = rotate(x, [0, 1, 10, 100, 4095], pairs=pairs)
    lengths = np.linalg.norm(x, axis=-1)
    assert np.allclose(np.linalg.norm(turned, axis=-1), lengths, rtol=1e-14)
    assert (turned[:, 0] == x[:, 0]).all()


@each_convention
def test_logits_depend_on_the_difference_of_positions_only(pairs):
    q, k = normals(2, T, 8)
    early, late = (scores(q, k, at, at, pairs=pairs) for at in (np.arange(T), np.arange(7, 7 + T)))
    assert abs(early - late).max() < 1e-12
    elsewhere = scores(q, k, np.arange(T), np.arange(T) + 1, pairs=pairs)
    assert abs(early - elsewhere).max() > 0.1  # and they do depend on it


@each_convention
def test_the_difference_may_be_counted_from_any_far_start(pairs):
    q, k = normals(2, T, D)
    near, far = (scores(q, k, *[np.arange(T) + t] * 2, pairs=pairs) for t in (0, 100_000))
    assert abs(near - far).max() < 1e-9


def test_the_permutation_of_eight_channels():
    assert permutation(8).tolist() == [0, 4, 1, 5, 2, 6, 3, 7]


@any_dtype
@pytest.mark.parametrize("d_head", [2, 4, 14, 64])
def test_the_conventions_are_one_up_to_the_order_of_channels(d_head, dtype):
    x, t, p = normals(3, T, d_head, dtype=dtype), np.arange(7, 7 + T), permutation(d_head)
    neighbours = rotate(x[..., p], t, pairs="neighbours")
    assert abs(rotate(x, t, pairs="halves")[..., p] - neighbours).max() == 0
    there_and_back = neighbours[..., np.argsort(p)]
    assert abs(rotate(x, t) - there_and_back).max() == 0


def test_permuted_columns_of_the_projections_serve_the_other_convention():
    x, (w_q, w_k) = normals(T, 11), normals(2, 11, D)
    t, p = np.arange(T), permutation(D)
    ours = scores(x @ w_q, x @ w_k, t, t)
    theirs = scores(x @ w_q[:, p], x @ w_k[:, p], t, t, pairs="neighbours")
    assert np.allclose(ours, theirs, rtol=0, atol=1e-12)


def test_on_the_same_channels_the_conventions_differ_where_they_can():
    x = normals(2, D)
    halves, neighbours = (rotate(x, [0, 3], pairs=pairs) for pairs in CONVENTIONS)
    assert (halves[0] == neighbours[0]).all()  # position 0 cannot tell
    assert abs(halves[1] - neighbours[1]).max() > 0.1
    assert (rotate(x[:, :2], [5, 3]) == rotate(x[:, :2], [5, 3], pairs="neighbours")).all()


def test_turning_before_the_split_is_something_else_for_every_head_but_the_same_angles():
    x, t = normals(T, 24), np.arange(T)
    after = rotate(split_heads(x, 3), t, pairs="neighbours")
    before = split_heads(rotate(x, t, pairs="neighbours"), 3)
    assert np.allclose(after[0, :, :2], before[0, :, :2])  # the first pair of all: frequency 1
    assert abs(after[0, :, 2:] - before[0, :, 2:]).max() > 0.1
    assert abs(after[1:] - before[1:]).max() > 0.1


def test_positions_continue_where_a_cache_ends():
    k = normals(3, 7, D)
    whole = rotate(k, np.arange(7))
    for cut in range(1, 7):
        pieces = [rotate(k[:, :cut], np.arange(cut)), rotate(k[:, cut:], np.arange(cut, 7))]
        assert (np.concatenate(pieces, axis=1) == whole).all()


def test_positions_may_be_one_list_for_all_or_one_for_each():
    x, t = normals(2, 3, T, D), np.arange(T)
    everyone = np.broadcast_to(t, (2, 3, T)) + np.arange(6).reshape(2, 3, 1)
    separate = [[rotate(x[b, h], t + 3 * b + h) for h in range(3)] for b in range(2)]
    assert (rotate(x, everyone) == separate).all()
    assert (rotate(x, t)[1, 2] == rotate(x[1, 2], t)).all()


@each_convention
def test_its_derivative_is_the_turn_back(pairs):
    x, upstream, t = normals(2, T, 6), normals(2, T, 6)[::-1], np.arange(3, 3 + T)
    slopes = central_differences(lambda x: (rotate(x, t, pairs=pairs) * upstream).sum(), x)
    assert np.allclose(rotate(upstream, -t, pairs=pairs), slopes, rtol=0, atol=1e-8)


@any_dtype
def test_the_dtype_of_x_comes_back_and_angles_are_exact(dtype):
    x, t = normals(3, T, D, dtype=dtype), np.arange(T) + 100_000
    turned = rotate(x, t.astype("float32"))
    assert turned.dtype == dtype
    close = {"float64": 0, "float32": 1e-6, "float16": 3e-3}[dtype]
    assert abs(turned - rotate(x.astype("float64"), t)).max() <= close


def test_whole_numbers_are_computed_in_float64_and_nothing_is_changed_or_kept():
    x, t = np.arange(2 * 4).reshape(2, 4), np.zeros(2, int)
    turned = rotate(x, t)
    assert turned.dtype == np.float64
    turned[:] = -1
    assert x.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]] and t.tolist() == [0, 0]
    assert rotate(x.tolist(), [0, 0]).tolist() == x.tolist()


WRONG = {  # calls as they are written, and what their sentence says
    "rotate(ones(5, 7), [0, 1, 2, 3, 4])": "d_head is 7, but RoPE turns pairs",
    "rotate(ones(8), [0])": "x has shape (8,); it needs at least 2",
    "rotate(ones(3, 5, 8), [0, 1, 2, 3])": "positions has shape (4,), but x has shape (3, 5, 8); "
    "it must be (5,)",
    "rotate(ones(5, 8), 3)": "positions has shape ()",
    "rotate(ones(3, 5, 8), ones(3, 1))": "or (3, 5): nothing is broadcast",
    "rotate(ones(2, 3, 5, 8), ones(2, 5))": "positions has shape (2, 5)",
    "rotate(ones(1, 2), [math.nan])": "positions holds NaN",
    "rotate(ones(1, 2), ['cat'])": "positions must hold real numbers",
    "rotate([[1, math.nan]], [0])": "x holds NaN",
    "rotate(np.full((1, 2), 60000, 'float16'), [0.7])": "the turned x grows beyond 6.55e+04, the "
    "largest float16",
    "rotate(ones(1, 2), [0], 0)": "base must be at least 1, but is 0",
    "rotate(ones(1, 2), [0], '10000')": "base must be one finite number",
    "rotate(ones(1, 2), [0], math.inf)": "one finite number",
    "rotate(ones(1, 2), [0], 10_000, 'interleaved')": "pairs must be 'halves' (as transformers has "
    "it) or 'neighbours' (the paper), but is 'in",
    "rotate(ones(1, 2), [0], 1e4, None)": "but is None",
    "rotate(ones(1, 2), [0], 1e4, ['halves'])": "['halves']",
    "frequencies(7)": "d_head is 7, but RoPE turns pairs",
    "frequencies(0)": "it must be even and above 0",
    "frequencies(3.5)": "d_head must be a whole number, but is 3.5",
    "permutation(5)": "d_head is 5",
}


@pytest.mark.parametrize("call", WRONG)
def test_a_bad_call_is_refused_in_one_sentence(call):
    wrong_type = any(part in call for part in ("'cat'", "'10000'", "3.5"))
    assert WRONG[call] in refusal(TypeError if wrong_type else ValueError, eval, call, NAMES)
