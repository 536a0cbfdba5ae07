"""RoPE against complex numbers, what must hold by geometry, and the traps that look right."""

import cmath
import math

import numpy as np
import pytest
from examples import any_dtype, normals
from refusals import ones, refusal

from mhalib.attention import split_heads
from mhalib.rotary import frequencies, permutation, rotate

CONVENTIONS = ["halves", "neighbours"]
each_convention = pytest.mark.parametrize("pairs", CONVENTIONS)
T, D = 5, 14  # a prime, and twice a prime


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
def test_every_token_keeps_its_length(pairs):
    x = normals(3, T, D)
    turned = rotate(x, [0, 1, 10, 100, 4095], pairs=pairs)
    lengths = np.linalg.norm(x, axis=-1)
    assert np.allclose(np.linalg.norm(turned, axis=-1), lengths, rtol=1e-14)


@each_convention
def test_position_0_changes_nothing(pairs):
    x = normals(T, D)
    assert (rotate(x, np.zeros(T), pairs=pairs) == x).all()


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
    near = scores(q, k, np.arange(T), np.arange(T), pairs=pairs)
    far = scores(q, k, np.arange(T) + 100_000, np.arange(T) + 100_000, pairs=pairs)
    assert abs(near - far).max() < 1e-9


def test_the_permutation_of_eight_channels():
    assert permutation(8).tolist() == [0, 4, 1, 5, 2, 6, 3, 7]
    assert np.argsort(permutation(8)).tolist() == [0, 2, 4, 6, 1, 3, 5, 7]


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


def mixed(x, positions):
    """The known bug: angles in the order of neighbours, on pairs that are halves."""
    d_head = x.shape[-1]
    angles = np.repeat(np.outer(positions, frequencies(d_head)), 2, axis=-1)
    half = d_head // 2
    across = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
    return x * np.cos(angles) + across * np.sin(angles)


def test_a_mix_of_conventions_breaks_lengths_and_differences():
    q, k = normals(2, T, 8)
    t = np.arange(1, 1 + T)
    assert abs(np.linalg.norm(mixed(q, t), axis=1) - np.linalg.norm(q, axis=1)).max() > 0.1
    assert abs(mixed(q, t) @ mixed(k, t).T - mixed(q, t + 7) @ mixed(k, t + 7).T).max() > 0.1


def test_a_mix_of_conventions_hides_at_position_0_and_with_two_channels():
    x, two = normals(T, 8), normals(T, 2)
    assert (mixed(x, np.zeros(T)) == rotate(x, np.zeros(T))).all()
    assert np.allclose(mixed(two, np.arange(T)), rotate(two, np.arange(T)), rtol=0, atol=1e-15)


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
    x, upstream = normals(2, T, 6)
    t, step = np.arange(3, 3 + T), 1e-6

    def loss(x):
        return (rotate(x, t, pairs=pairs) * upstream).sum()

    slopes = np.zeros_like(x)
    for at in np.ndindex(*x.shape):
        nudge = np.zeros_like(x)
        nudge[at] = step
        slopes[at] = (loss(x + nudge) - loss(x - nudge)) / (2 * step)
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


WRONG = {
    "odd d_head": (rotate, (ones(5, 7), range(5)), ValueError, "d_head is 7, but RoPE turns pairs"),
    "no token axis": (rotate, (ones(8), [0]), ValueError, "x has shape (8,); it needs at least 2"),
    "fewer positions": (
        rotate,
        (ones(3, 5, 8), [0, 1, 2, 3]),
        ValueError,
        "positions has shape (4,), but x has shape (3, 5, 8); it must be (5,)",
    ),
    "one position for all": (rotate, (ones(5, 8), 3), ValueError, "positions has shape ()"),
    "positions of heads": (
        rotate,
        (ones(3, 5, 8), ones(3, 1)),
        ValueError,
        "or (3, 5): nothing is broadcast",
    ),
    "positions of batches": (
        rotate,
        (ones(2, 3, 5, 8), ones(2, 5)),
        ValueError,
        "positions has shape (2, 5)",
    ),
    "NaN position": (rotate, (ones(1, 2), [float("nan")]), ValueError, "positions holds NaN"),
    "words": (rotate, (ones(1, 2), ["cat"]), TypeError, "positions must hold real numbers"),
    "NaN": (rotate, ([[1, float("nan")]], [0]), ValueError, "x holds NaN"),
    "too large": (
        rotate,
        (np.full((1, 2), 60000, "float16"), [0.7]),
        ValueError,
        "the turned x grows beyond 6.55e+04, the largest float16",
    ),
    "base 0": (rotate, (ones(1, 2), [0], 0), ValueError, "base must be at least 1, but is 0"),
    "base text": (rotate, (ones(1, 2), [0], "10000"), TypeError, "base must be one finite number"),
    "endless base": (rotate, (ones(1, 2), [0], np.inf), ValueError, "one finite number"),
    "convention": (
        rotate,
        (ones(1, 2), [0], 10_000, "interleaved"),
        ValueError,
        "pairs must be 'halves' (as transformers has it) or 'neighbours' (the paper), but is 'in",
    ),
    "no convention": (rotate, (ones(1, 2), [0], 1e4, None), ValueError, "but is None"),
    "listed convention": (rotate, (ones(1, 2), [0], 1e4, ["halves"]), ValueError, "['halves']"),
    "odd frequencies": (frequencies, (7,), ValueError, "d_head is 7, but RoPE turns pairs"),
    "no frequencies": (frequencies, (0,), ValueError, "it must be even and above 0"),
    "half of 7": (frequencies, (3.5,), TypeError, "d_head must be a whole number, but is 3.5"),
    "odd permutation": (permutation, (5,), ValueError, "d_head is 5"),
}


@pytest.mark.parametrize("function, given, raises, says", WRONG.values(), ids=WRONG)
def test_a_bad_call_is_refused_in_one_sentence(function, given, raises, says):
    given = [list(value) if isinstance(value, range) else value for value in given]
    assert says in refusal(raises, function, *given)
