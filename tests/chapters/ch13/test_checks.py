"""Chapter 13's checks: many different counter-examples pass, near misses hear their reason."""

import itertools

import numpy as np
import pytest
from slips import Checks

from mhalib.attention import multi_head_attention, softmax
from mhalib.chapters import ch13
from mhalib.chapters.ch04 import partner
from mhalib.chapters.ch13.checks_rows import letter

EYE, FLIP = np.eye(2), np.eye(2)[::-1]
P = np.array([0.7, 0.2, 0.1])
NEXT = 20 * np.roll(np.eye(4), 1, axis=0)  # row i asks for kind i - 1
ORDER, BACK, SHUFFLED = np.eye(4), np.eye(4)[::-1], np.eye(4)[[2, 0, 3, 1]]
RANDOM = np.random.default_rng(7)
X = RANDOM.normal(size=(5, 6))
W = RANDOM.normal(size=(4, 6, 6))
WIDE = RANDOM.normal(size=(3, 2, 2)), RANDOM.normal(size=(3, 7, 2))


def same_but(**changes):
    given = {"X": X, "W_Q": W[0], "W_K": W[1], "W_V": W[2], "W_O": W[3]} | changes
    return tuple(given.values())


NOISE = np.random.default_rng(3).normal(1, 9, size=(10, 2))

ACCEPTED = {
    "two_blocks": [
        ([[10, 0], [0, 10]], [[1, 5], [2, 8]]),
        ([[0, 9, 0], [0, 0, 9]], [[1, 9, 1], [2, 2, 8]]),  # off a triangle
        ([[1, 0], [0, 1]], [[0, 1], [0, 1]]),  # whispering heads will do
        ([[0, 0], [3, 0]], [[-5, 5], [0.1, -7]]),  # a flat one as well
        ([[8, 0, 0, 0], [0, 0, 0, 8]], [[1e-3, 0, 0, 0], [0, 0, 0, 1e-3]]),  # and tiny values
        ([[10, 0], [0, 10]], [[1, 2], [0, 1000]]),  # or blocks on different scales
    ],
    "same_parameters": [
        same_but(),
        ([[3, 0], [0, 3]], EYE, EYE, EYE, EYE),
        (X[:, :2], 2 * W[0, :2, :2], W[1, :2, :2], FLIP, EYE),
    ],
    "fewer_heads": [
        ([1, 1], [[8, 8], [11, 0], [0, 11]]),
        ([-1, 2], [[-14, 7], [-20, 0], [0, 10]]),
        ([2, 2, 2, 2], [[4, 4, 4, 4], [11, 0, 0, 0], [0, 0, 5, 6]]),
    ],
    "meaning": [
        (NEXT, ORDER, ORDER, BACK),
        (NEXT, ORDER, ORDER, SHUFFLED),
        (20 * np.roll(np.eye(3), 1, axis=0), np.eye(3), np.eye(3), np.eye(3)[::-1]),
    ],
    "jury": [
        ([[5], [3]], [[1, 0], [0, 1]], [5, 3]),
        ([[1, 0], [0, 1]], [[1, 0], [0, 0], [0, 0], [0, 2]], [1, 2]),
        ([[2], [5], [4]], [[1, 0, 0], [0, 1, 0], [0, 1, 1]], [2, 9, 4]),  # two share an output
    ],
    "at_inference": [
        ([[10, 0], [0, 4]],),
        ([[0, 0, 20], [0, 5, 0]],),
        ([[9, 0, 0], [9, 0, 0], [0, 5, 0]],),  # outvoted, not only shouted down
        ([[12, 0, 8, 8, 8], [0, 12, 8, 8, 8]],),  # ruled out by compromises
        ([[3 * np.log(9), 0], [0, np.log(9)]],),  # .90 and .10 to the last digit
    ],
    "own_keys": [
        ([[[1]]] * 3, [[[9], [0], [0]], [[0], [9], [0]], [[0], [0], [9]]]),
        ([[[1]], [[1]]], [[[9], [0], [0]], [[0], [9], [0]]]),
        ([[[1]], [[1e-4]]], [[[9], [0], [0]], [[0], [9], [0]]]),  # a quiet head counts
        WIDE,
        ([[[2]], [[-1]], [[1]]], np.random.default_rng(3).normal(size=(3, 5, 1))),
    ],
    "split_first": [
        ([0, 0], [0, 1], [[1, 0], [1, 1]]),
        ([1, 2, 3, 4], [1, 2, 9, 9], np.ones((4, 4))),
        ([5, 0], [5, -3], [[0, 7], [-0.5, 0]]),
    ],
    "w_o": [
        (EYE, [[1, 1], [0, 1]]),
        (EYE, FLIP),
        (W[0], W[1]),
        ([[1, 0], [0, 0]], [[1, 1], [0, 1]]),  # only head A crosses
        ([[0, 0], [0, 1]], [[1, 0], [-2, 1]]),  # only head B
    ],
    "not_the_average": [
        ([[10, 0], [0, 4]],),
        ([[3, 0, 0], [0, 3, 3]],),
        ([[9, 0, 7], [0, 9, 7]],),
        ([[8, 0, 0], [8, 0, 0], [0, 8, 0]],),
    ],
    "linear_heads": [
        ([[[1, 0]], [[0, 1]]], [[[1], [5]], [[2], [8]]]),
        ([[[1]], [[3]]], [[[10]], [[10]]]),  # one word, rows that differ by a factor
        ([[[1, 2]], [[-1, -2]]], [[[1], [1]], [[1], [1]]]),  # the sum is 0
        (RANDOM.normal(size=(3, 5, 4)), RANDOM.normal(size=(3, 4, 2))),
        ([[[1, 0]], [[0, 1]]], [[[1], [5]], [[200], [800]]]),  # blocks on different scales
    ],
}

REFUSED = {
    "two_blocks": {
        "offers the same number for every word": ([[9, 0], [0, 9]], [[1, 1], [2, 8]]),
        "all words offer the same": ([[9, 0], [0, 9]], [[1, 1], [2, 2]]),
        "nearly the same row": ([[9, 0], [10, 1]], [[1, 5], [2, 8]]),
        "lies among the words": ([[9, 0, 0, 0], [0, 0, 0, 9]], [[2, 0, 9, 0], [0, 9, 0, 2]]),
        "two heads are wanted": (np.eye(3) * 9, np.eye(3)),
        "values has 3 words, but logits has 2": ([[9, 0], [0, 9]], [[1, 2, 3], [1, 2, 3]]),
        "needed is heads × words": ([9, 0], [[1, 5], [2, 8]]),
        "numbers, with rows of one length": ([[9, 0], [0]], [[1, 5], [2, 8]]),
        "words; 2 to 64": ([[9], [0]], [[1], [2]]),
        "must hold finite numbers": ([[np.inf, 0], [0, 9]], [[1, 5], [2, 8]]),
    },
    "same_parameters": {
        "with one token every softmax": same_but(X=X[:1]),
        "all rows of X are the same": same_but(X=X[[0, 0, 0]]),
        "both outputs are 0": same_but(W_O=np.zeros((6, 6))),
        "all logits are 0": same_but(W_Q=np.zeros((6, 6))),
        "the weights differ, but": ([[3, 0], [0, 3]], EYE, EYE, np.ones((2, 2)), EYE),
        "the same rows of weights": ([[0, 0], [40, 40]], EYE, EYE, EYE, EYE),
        "cut into two equal blocks": (np.eye(3), *[np.eye(3)] * 4),
        "W_K has 3 channels": same_but(W_K=np.eye(3)),
    },
    "fewer_heads": {
        "head A of two finds it as well": ([1, 1], [[9, 9], [0, 0]]),
        ".90 is wanted": ([1, 1], [[0.8, 0.8], [1.1, 0], [0, 1.1]]),
        "equally well": ([1, 1], [[5, 5], [10, 0], [0, 10]]),
        "cut into two equal blocks": ([1, 1, 1], np.eye(3)),
        "K has 3 channels, but q has 2": ([1, 1], np.eye(3)),
    },
    "meaning": {
        "both texts are the same": (NEXT, ORDER, ORDER, ORDER),
        "in X row 1 gives the row before it 0.00": (NEXT, ORDER, BACK, ORDER),
        "in other_X row 1 still": (NEXT, ORDER, ORDER, ORDER[[3, 0, 1, 2]]),
        "in X row 1 gives the row before it 0.38": (NEXT / 17, ORDER, ORDER, BACK),
        "in other_X row 1 still gives the row before it 1.00": (
            *(NEXT, ORDER, ORDER),
            ORDER[[3, 0, 2, 1]],  # rows 2 and 3 do not
        ),
        "that is evenness": (NEXT, ORDER, ORDER, np.repeat(ORDER[3:], 12, axis=0)),
        "in X row 3 gives the row before it 0.25": (NEXT, ORDER, ORDER[[0, 1, 2, 0]], BACK),
        "X has 2 words": (NEXT, ORDER, ORDER[:2], BACK),
    },
    "jury": {
        "those are votes": ([[1, 2], [1, 2]], np.vstack([np.eye(2)] * 2), [1, 2]),
        "not to the target": ([[5], [-2]], np.eye(2), [5, 2]),
        "without head A every output changes": ([[5], [-4]], [[1, 1], [1, 1]], [1, 1]),
        "without head B every output is still nearly right": (
            *([[5], [1], [4]], [[1, 0], [0, 0.2], [0, 1]]),
            [5, 4.2],
        ),
        "so it goes with voters": (  # ten noisy voters, whose errors cancel
            *(NOISE, np.vstack([np.eye(2) / 10] * 10)),
            NOISE.mean(axis=0),
        ),
        "the target is 0 in some output": ([[5], [-5]], [[1, 0], [1, 1]], [0, -5]),
        "W_O has 3 rows": ([[5], [-4]], np.ones((3, 2)), [1, 1]),
        "target has 3 outputs, but W_O has 2": ([[5], [-4]], np.eye(2), [1, 1, 1]),
        "reports has 1 heads": ([[1]], [[1, 1]], [1, 1]),
    },
    "at_inference": {
        "no head is sure": ([[1, 0], [0, 1]],),
        "all heads agree": ([[9, 0], [9, 0]],),
        "“average of logits” word 1 still has 0.38": ([[5, 0], [0, 4]],),
        "head B gives it 0.73 only": ([[10, 0], [0, 1]],),
        "still has 0.50": ([[9, 0], [0, 9]],),
    },
    "own_keys": {
        "these are shared keys": (WIDE[0], WIDE[1][[0, 0, 0]]),
        "Take 4 words or more": (WIDE[0], WIDE[1][:, :3]),
        "a head's queries are 0": ([[[1]], [[0]]], [[[9], [0], [0]], [[0], [9], [0]]]),
        "so few fit into 2 channels": (WIDE[0][:2, :1], WIDE[1][:2]),
        "have rank 1, and 1": ([[[1]], [[1]]], [[[9], [0], [3]], [[-3], [0], [-1]]]),
        "and 1 channels can give that": (  # a row of equal logits is rounding, not a direction
            [[[0.1]], [[1]]],
            [[[0.3], [0.3], [0.3]], [[0], [9], [0]]],
        ),
        "k has 3 channels": (WIDE[0], np.ones((3, 7, 3))),
    },
    "split_first": {
        "equal in their first half": ([0, 0], [1, 1], np.ones((2, 2))),
        "are the same; let": ([1, 2], [1, 2], np.ones((2, 2))),
        "W[half:, :half] is 0": ([0, 0], [0, 1], EYE),
        "leads from the first half to head B": ([0, 0], [0, 1], [[1, 1], [0, 1]]),
        "meets zeros (or cancels)": ([0, 0, 0, 0], [0, 0, 0, 1], np.eye(4)[[0, 1, 0, 3]]),
        "cut into two equal blocks": ([0, 0, 0], [0, 0, 1], np.eye(3)),
    },
    "w_o": {
        "hands every channel on as it is": (W[0], np.eye(6)),
        "mixes inside each block only": (np.eye(4), np.kron(EYE, [[1, 2], [3, 4]])),
        "nothing is written at all": (W[0], np.zeros((6, 6))),
        "W_V fills no channel": ([[1, 0], [0, 0]], [[1, 0], [1, 1]]),
    },
    "not_the_average": {
        "all heads are flat": ([[1, 1, 1], [0, 0, 0]],),
        "the heads agree": ([[2, 0], [2, 0]],),
        "opposites with equal gaps": ([[10, 0], [0, 10]],),
        "or partners": (np.log([P, partner(P)]),),
        "rule “average of logits” they differ by 0.00": ([[1, 0], [1.5, 0]],),
    },
    "linear_heads": {
        "all heads have the same rows": (np.ones((2, 3, 4)), RANDOM.normal(size=(2, 4, 2))),
        "nothing but zeros": (np.zeros((2, 1, 2)), np.ones((2, 2, 1))),
        "a block of values is 0": ([[[1, 0]], [[0, 1]]], [[[1], [0]], [[0], [0]]]),
        "one head comes within 0.05": ([[[1, 0]], [[1.1, 0]]], [[[1], [0]], [[1], [0]]]),
    },
}


def check(name):
    return getattr(ch13, f"check_{name}")


class TestChecks(Checks):
    chapter = ch13
    slips = {check(name): misses for name, misses in REFUSED.items()}
    right = {check(name): examples for name, examples in ACCEPTED.items()}


def test_lists_and_arrays_are_the_same_and_nothing_given_is_changed():
    for name, examples in ACCEPTED.items():
        for given in examples:
            arrays = [np.array(value) for value in given]
            before = [array.copy() for array in arrays]
            assert check(name)(*arrays) == check(name)(*(a.tolist() for a in arrays))
            assert all(np.array_equal(a, b) for a, b in zip(arrays, before, strict=True))


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_the_unit_in_which_a_block_is_measured_never_matters(scale):
    for name in ("two_blocks", "linear_heads"):
        given = ACCEPTED[name] + [REFUSED[name][why] for why in REFUSED[name]]
        for rows, values in given:
            try:
                other = np.array(values, dtype=float)
            except ValueError:
                continue  # ragged: refused whatever its unit
            other[-1] *= scale
            before, after = check(name)(rows, values), check(name)(rows, other)
            assert before.solved == after.solved, (name, before, after)


def test_a_w_o_that_only_swaps_blocks_passes_and_hears_that_it_renames():
    swap = np.kron(FLIP, [[1, 2], [3, 4]])
    assert "heads renamed" in ch13.check_w_o(np.eye(4), swap).message
    assert "heads renamed" not in ch13.check_w_o(EYE, [[1, 1], [0, 1]]).message


def test_shared_keys_that_nearly_give_two_nominated_words_do_not_give_three():
    """A grid over one channel of shared keys: the solution cannot be approximated."""
    grid = np.linspace(-1, 1, 21)
    keys = np.array(list(itertools.product(grid, repeat=3)))
    logits = keys[:, None] * np.array([-40, -9, -1, 0, 1, 9, 40])[:, None]
    best = softmax(logits).max(axis=1)  # the most each word can get, by any query
    assert best.min(axis=1).max() <= 0.5
    assert np.sort(best, axis=1)[:, 1].max() > 0.99  # two of three are no trouble


def test_each_of_eleven_statements_has_three_examples_or_more():
    assert len(ACCEPTED) == 11 and min(map(len, ACCEPTED.values())) >= 3


# What the checks measure, against something else


def test_shared_keys_fitted_to_an_accepted_example_never_give_its_weights():
    """Alternating least squares over queries and shared keys: an oracle that knows no rank."""
    q, k = WIDE
    wanted = q @ k.swapaxes(1, 2)
    wanted = (wanted - wanted.mean(axis=-1, keepdims=True)).reshape(6, 7)
    shared = np.random.default_rng(0).normal(size=(7, 2))
    for _ in range(200):
        queries = np.linalg.lstsq(shared, wanted.T, rcond=None)[0].T
        shared = np.linalg.lstsq(queries, wanted, rcond=None)[0].T
    assert abs(softmax(queries @ shared.T) - softmax(wanted)).max() > 0.01


def test_without_w_o_muting_head_a_leaves_block_b_whatever_w_v_is():
    rng = np.random.default_rng(2)
    for _ in range(5):
        w_q, w_k, w_v = rng.normal(size=(3, 4, 4))
        x, mute = rng.normal(size=(3, 4)), np.diag([0, 0, 1, 1])
        whole, _ = multi_head_attention(x, w_q, w_k, w_v, np.eye(4), 2)
        muted, _ = multi_head_attention(x, w_q, w_k, w_v, mute, 2)
        assert np.array_equal(whole[:, 2:], muted[:, 2:])


def test_heads_have_letters_and_then_numbers():
    assert (letter(0), letter(8), letter(9)) == ("A", "I", 9)
