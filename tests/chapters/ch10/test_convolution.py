"""Convolution, and the heads that make it, against plain loops."""

import math

import numpy as np
import oracles
import pytest

from mhalib.attention import multi_head_attention, softmax
from mhalib.chapters.ch10 import (
    KERNELS,
    STEPS,
    cat,
    convolve,
    line_weights,
    one_place_outputs,
    place_head,
    places,
    sharing_heads,
)
from mhalib.chapters.ch10.convolution import one_place_heads, one_place_weights

RNG = np.random.default_rng(10)
PICTURE = RNG.random((5, 7))
MIXED = RNG.normal(size=(3, 3))


def kernel_of(name):
    numbers, divisor = KERNELS[name]
    return np.reshape(numbers, (3, 3)) / divisor


def row_by_loops(shape, place, step, alpha):
    """softmax over the whole picture of −α ‖p_j − (p_i + δ)‖², pixel by pixel."""
    target = (place[0] + step[0], place[1] + step[1])
    logits = [
        -alpha * math.dist((y, x), target) ** 2 for y in range(shape[0]) for x in range(shape[1])
    ]
    return np.reshape(oracles.softmax(logits), shape)


# The convolution


@pytest.mark.parametrize("padding", ["edge", "zero"])
@pytest.mark.parametrize("kernel", [MIXED, *map(kernel_of, KERNELS)], ids=["any", *KERNELS])
def test_a_convolution_is_that_of_the_loops(kernel, padding):
    assert convolve(PICTURE, kernel, padding) == pytest.approx(
        oracles.convolution(PICTURE, kernel, padding)
    )


def test_the_kernel_is_not_turned_round():
    """A 1 on the left brings each pixel its left neighbour."""
    assert convolve(PICTURE, kernel_of("shift"))[:, 1:] == pytest.approx(PICTURE[:, :-1])


def test_a_convolution_keeps_float32():
    assert convolve(PICTURE.astype("float32"), MIXED).dtype == np.float32


# How many heads


@pytest.mark.parametrize("make", [sharing_heads, one_place_heads])
def test_heads_are_rows_of_weights_that_make_the_kernel_with_their_sizes(make):
    for kernel in (MIXED, *map(kernel_of, KERNELS)):
        shares, sizes = make(kernel)
        assert (shares >= 0).all() and not np.signbit(shares).any()
        assert shares.sum(axis=(1, 2)) == pytest.approx(1)
        assert np.tensordot(sizes, shares, 1) == pytest.approx(kernel, abs=1e-15)
        heights = np.linalg.norm(shares, axis=(1, 2)) * abs(sizes)
        assert (np.diff(heights) <= 1e-12).all()  # what does most comes first


@pytest.mark.parametrize(
    "name, sharing, places_",
    [
        ("identity", 1, 1),
        ("shift", 1, 1),
        ("blur", 1, 9),
        ("Gaussian blur", 1, 9),
        ("negative", 1, 1),
        ("sharpen", 2, 5),
        ("Sobel", 2, 6),
        ("Laplacian", 2, 5),
    ],
)
def test_each_kernel_takes_the_heads_that_its_signs_and_its_places_ask_for(name, sharing, places_):
    assert len(sharing_heads(kernel_of(name))[1]) == sharing
    assert len(one_place_heads(kernel_of(name))[1]) == places_


def test_a_kernel_of_zeros_takes_no_head():
    for make in (sharing_heads, one_place_heads):
        shares, sizes = make(np.zeros((3, 3)))
        assert shares.shape == (0, 3, 3) and sizes.shape == (0,)


def test_two_heads_make_any_kernel_exactly_on_the_whole_picture():
    """Rows of one-hot heads at α = 40, mixed by the shares; W_O has the sizes."""
    picture = cat()
    nine = one_place_outputs(picture, 40)
    for kernel in (MIXED, 5 * RNG.normal(size=(3, 3)), *map(kernel_of, KERNELS)):
        shares, sizes = sharing_heads(kernel)
        made = np.tensordot(sizes @ shares.reshape(-1, 9), nine, 1)
        assert abs(made - convolve(picture, kernel)).max() < 4e-15 * max(1, abs(kernel).sum() / 8)


def test_one_head_of_one_sign_is_never_nearer_to_a_mixed_kernel_than_its_larger_part():
    """By least squares over many rows of weights and the best size for each."""
    kernel = kernel_of("Sobel").ravel()
    rows = RNG.dirichlet(np.full(9, 0.3), size=20000)
    sizes = (rows @ kernel) / (rows**2).sum(axis=1)
    misses = np.linalg.norm(sizes[:, None] * rows - kernel, axis=1)
    shares, size = sharing_heads(kernel.reshape(3, 3))
    part = np.linalg.norm(size[0] * shares[0].ravel() - kernel)
    assert misses.min() >= part - 1e-9


# Rows of weights


@pytest.mark.parametrize("alpha", [0.3, 2.0, 10.0])
@pytest.mark.parametrize("number", range(9))
def test_a_place_head_is_a_head_with_the_rows_of_the_loops(number, alpha):
    grid, step = places(5, 7), STEPS[number]
    w_q, w_k = place_head(alpha, step)
    w_v, w_o = np.zeros((4, 1)), np.ones((1, 1))
    _, weights = multi_head_attention(grid, w_q, w_k, w_v, w_o, 1)
    for place in ((0, 0), (2, 3), (4, 6), (3, 0)):
        right = row_by_loops((5, 7), place, step, alpha)
        assert weights[0, 7 * place[0] + place[1]].reshape(5, 7) == pytest.approx(right)
        assert one_place_weights((5, 7), place, alpha)[number] == pytest.approx(right)


def test_outputs_are_what_nine_heads_bring_home():
    for alpha in (0.5, 3.0):
        brought = one_place_outputs(PICTURE, alpha)
        for number, step in enumerate(STEPS):
            w_q, w_k = place_head(alpha, step)
            grid = places(5, 7)
            rows = softmax((grid @ w_q) @ (grid @ w_k).T / np.sqrt(3))
            assert brought[number].ravel() == pytest.approx(rows @ PICTURE.ravel())


@pytest.mark.parametrize("alpha, elsewhere", [(2, 0.381307), (10, 1.81575e-4)])
def test_rows_far_from_the_border_are_as_soft_as_published(alpha, elsewhere):
    row = one_place_weights((48, 64), (20, 30), alpha)[3]
    assert 1 - row[20, 29] == pytest.approx(elsewhere, rel=1e-5)
    alone = sum(math.exp(-alpha * k * k) for k in range(-40, 41))
    assert row[20, 29] == pytest.approx(alone**-2)


def test_at_the_border_one_hot_heads_give_edge_padding():
    steps = np.eye(9).reshape(9, 3, 3)
    off = one_place_outputs(cat(), 40) - [convolve(cat(), step) for step in steps]
    assert abs(off).max() < 5e-15


@pytest.mark.parametrize("alpha", [0.1, 1.0, 40.0])
def test_no_head_gives_zero_padding_since_a_constant_picture_stays_constant(alpha):
    for brought in one_place_outputs(np.full((5, 7), 0.5), alpha):
        assert brought == pytest.approx(np.full((5, 7), 0.5))
    zero = convolve(np.full((5, 7), 0.5), kernel_of("blur"), "zero")
    assert zero[0, 0] == pytest.approx(0.5 * 4 / 9) and zero[2, 3] == pytest.approx(0.5)


def test_heads_with_a_mask_give_zero_padding_without_a_ring_of_zeros():
    """A row with nothing to see is empty and does not add up to 1: nine heads make any kernel."""
    grid, pixels = places(5, 7), PICTURE.reshape(-1, 1)
    y, x = grid[:, 1], grid[:, 2]
    masks = [(y == y[:, None] + dy) & (x == x[:, None] + dx) for dy, dx in STEPS]
    nothing, ones = np.zeros((1, 9)), np.ones((1, 9))
    made, weights = multi_head_attention(
        pixels, nothing, nothing, ones, MIXED.reshape(9, 1), 9, np.array(masks)
    )
    assert set(weights.sum(axis=-1).ravel()) == {0, 1}
    assert made.reshape(5, 7) == pytest.approx(oracles.convolution(PICTURE, MIXED, "zero"))


def test_zero_padding_changes_the_border_of_a_grey_picture_for_all_kernels_but_the_pixel_itself():
    """Nothing is missing at the border only if edge rows and columns and corners add up to 0."""
    for name in KERNELS:
        made = convolve(np.full((5, 7), 0.5), kernel_of(name), "zero")
        assert (np.ptp(made) < 1e-12) == (name in ("identity", "negative"))
    outside = [[s for s in range(9) if STEPS[s] @ side > 0] for side in ((-1, 0), (0, -1), (1, 0))]
    outside += [[s for s in range(9) if STEPS[s][1] > 0]]
    either = [sorted({*outside[i], *outside[j]}) for i in (0, 2) for j in (1, 3)]
    missing = np.array([np.isin(np.arange(9), some) for some in (*outside, *either)], float)
    assert np.linalg.matrix_rank(missing) == 8 and not missing[:, 4].any()


# Heads for a matrix at each step


def heads_for(numbers, matrices):
    """At most r + 1 heads for K_δ = Σ_i numbers[δ, i] matrices[i]: shares and their matrices."""
    lifted = numbers - numbers.min(axis=0) + 0.1
    sums = lifted.sum(axis=0)
    last = -9 * np.tensordot(lifted[0] - numbers[0], matrices, 1)
    shares = np.column_stack([lifted / sums, np.full(9, 1 / 9)])
    return shares.T, np.concatenate([matrices * sums[:, None, None], last[None]])


@pytest.mark.parametrize("r", range(1, 9))
def test_r_plus_one_heads_make_any_mixtures_of_r_matrices(r):
    numbers, matrices = RNG.normal(size=(9, r)), RNG.normal(size=(r, 5, 7))
    wanted = np.einsum("dr,rij->dij", numbers, matrices)
    shares, carried = heads_for(numbers, matrices)
    assert len(shares) == r + 1 and shares.min() >= 0
    assert shares.sum(axis=1) == pytest.approx(np.ones(r + 1))
    assert np.einsum("rd,rij->dij", shares, carried) == pytest.approx(wanted)


@pytest.mark.parametrize("r", [1, 2, 3, 8])
def test_r_heads_can_be_too_few_for_mixtures_of_r_matrices(r):
    """Mixing numbers that add up to 0 over the steps: so do all numbers in their span.

    r heads that make r independent matrices have shares in this span; but shares are not
    negative, and what is not negative and adds up to 0 is 0.
    """
    numbers = RNG.normal(size=(9, r))
    numbers -= numbers.mean(axis=0)
    assert np.linalg.matrix_rank(numbers) == r
    in_span = numbers @ RNG.normal(size=(r, 1000))
    assert in_span.sum(axis=0) == pytest.approx(np.zeros(1000), abs=1e-12)
    assert (in_span.min(axis=0) < 0).all()


def test_as_nine_matrices_sharpen_is_a_mixture_of_one_but_takes_two_heads():
    sharpen = kernel_of("sharpen")
    assert np.linalg.matrix_rank(sharpen.reshape(9, 1)) == 1
    assert len(sharing_heads(sharpen)[1]) == 2


def test_one_head_with_rows_made_for_one_picture_sharpens_it():
    """So that one head is too few holds for rows that are the same in every picture."""
    wanted = convolve(PICTURE, kernel_of("sharpen")).ravel()
    values = PICTURE.ravel() - 0.5
    size = abs(wanted).max() / min(-values.min(), values.max())
    low, high = values.argmin(), values.argmax()
    rows = np.zeros((35, 35))
    rows[:, high] = (wanted / size - values[low]) / (values[high] - values[low])
    rows[:, low] = 1 - rows[:, high]
    assert rows.min() >= 0 and size * (rows @ values) == pytest.approx(wanted)


def test_every_row_on_a_line_is_a_budget():
    table = line_weights(11, 0.7)
    assert table.shape == (3, 11, 11)
    assert table.sum(axis=-1) == pytest.approx(np.ones((3, 11)))
    assert (table[2].argmax(axis=1) == np.minimum(np.arange(11) + 1, 10)).all()


# Bad input


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: convolve(PICTURE, np.ones((3, 5))), "kernel has shape (3, 5), but must be (3, 3)"),
        (lambda: convolve(PICTURE, np.ones(9)), "kernel has shape (9,)"),
        (lambda: convolve(np.ones((5, 7, 3)), MIXED), "(5, 7, 3), but must be grey"),
        (
            lambda: convolve(PICTURE, MIXED, "same"),
            "padding must be 'edge' or 'zero', but is 'same'",
        ),
        (lambda: sharing_heads([[1, 2], [3, 4]]), "kernel has shape (2, 2)"),
        (lambda: sharing_heads("blur"), "kernel must hold real numbers"),
        (lambda: one_place_heads(np.full((3, 3), np.nan)), "kernel holds NaN"),
        (lambda: place_head(1, (0, 1, 2)), "step has shape (3,), but must be two numbers"),
        (lambda: place_head("2", (0, 1)), "alpha must be one finite number, but is '2'"),
        (lambda: place_head(1, 3), "step has shape ()"),
        (lambda: one_place_outputs(np.ones(7), 1), "picture has shape (7,)"),
    ],
)
def test_bad_input_meets_one_sentence(call, says):
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert says in str(caught.value)
