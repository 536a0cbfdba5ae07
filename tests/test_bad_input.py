"""Bad input meets one sentence: what was given, what was needed and the likely slip."""

import re

import numpy as np
import pytest
from examples import ARRAYS, CALLS, HEADS, KEYS, PUBLIC, QUERIES, name_of
from refusals import ones, refusal

import mhalib
from mhalib import gradients
from mhalib.chapters.ch04 import js_divergence, partner  # noqa: F401 (asked by name)
from mhalib.running_sentence import features, head

NAN, INF = float("nan"), float("inf")


# What no array argument of any function may hold.
NO_NUMBERS = {
    "a text": ("abc", TypeError, "holds text; words need features first"),
    "texts": (["1.5", "2"], TypeError, "must hold real numbers"),
    "None": (None, TypeError, "holds Python objects; one of them may be None"),
    "a None among numbers": ([1, None], TypeError, "one of them may be None"),
    "an object": (object(), TypeError, "holds Python objects"),
    "a dictionary": ({"cat": 1}, TypeError, "holds Python objects"),
    "a huge integer": ([10**30], TypeError, "holds Python objects"),
    "complex numbers": ([1j, 2], TypeError, "holds complex numbers; `.real` may be missing"),
    "dates": (np.array(["2020-01-01"], "M8[D]"), TypeError, "holds datetime64[D]"),
    "a masked array": (np.ma.masked_equal([1, 2], 2), TypeError, "what it hides would be used"),
    "NaN": ([[1, NAN]], ValueError, "holds NaN: look for a 0/0 or inf - inf"),
    "infinity": ([[1, INF]], ValueError, "holds an infinite value; it must be finite"),
    "ragged rows": ([[1, 2], [3]], ValueError, "rectangular array of numbers, but its rows"),
    "nothing": ([], ValueError, "has shape (0,): an axis of length 0 holds nothing"),
    "an empty axis": (ones(2, 0), ValueError, "has shape (2, 0): an axis of length 0"),
}


@pytest.mark.parametrize(
    "function, name, bad",
    [
        pytest.param(function, name, bad, id=f"{bad}-{name_of(function)}-{name}")
        for bad in NO_NUMBERS
        for function, name in ARRAYS
        if (name, bad) != ("context", "None")  # no context: the tokens look at themselves
    ],
)
def test_an_array_of_anything_but_real_numbers_is_refused_by_its_name(function, name, bad):
    value, raises, says = NO_NUMBERS[bad]
    arrays, others = CALLS[function]
    sentence = refusal(raises, function, **arrays | {name: value}, **others)
    assert sentence.startswith(f"{name} ")
    assert says in sentence


@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_minus_infinity_is_for_logits_alone(name):
    arrays = CALLS[mhalib.scaled_dot_product_attention][0]
    refused = arrays | {name: np.full_like(arrays[name], -INF)}
    assert "must be finite." in refusal(ValueError, mhalib.scaled_dot_product_attention, **refused)


LOGITS = ones(QUERIES, KEYS)
EVEN = np.full((QUERIES, KEYS), 1 / KEYS)
ALIKE = np.full((2, 2, 2), 0.5)  # weights of 2 heads and 2 tokens
HUGE = np.full((2, 3), 1e200)
HALF = np.full((HEADS, KEYS), 60000, "float16")
SOON = np.full((2, 3), 1e30, "float32")
attend, layer = mhalib.scaled_dot_product_attention, mhalib.multi_head_attention
attend_back, layer_back = (getattr(gradients, f.__name__) for f in (attend, layer))


def square(**changed):
    """Four matrices (6, 6); w_q=(5, 6) changes the shape of one."""
    return [ones(*changed.get(name, (6, 6))) for name in ("w_q", "w_k", "w_v", "w_o")]


# Calls as they are written, and what their sentence must hold, in this order, between dots.
REFUSED = {
    # softmax and its mask
    "softmax(3.0)": "logits has shape () … at least 1 axis, (..., n_keys) … index",
    "softmax(LOGITS, 'abc')": "TypeError: mask must be boolean … holds <U3",
    "softmax(LOGITS, LOGITS)": "TypeError: 0/1 … holds float64 … `mask == 0`",
    "softmax(LOGITS, 2 * LOGITS.astype(int))": "TypeError: holds other integers",
    "softmax(LOGITS, LOGITS * 1j)": "TypeError: boolean … holds complex128",
    "softmax(LOGITS, object())": "TypeError: boolean … holds object",
    "softmax(LOGITS, [[1, 0], [1]])": "mask must be a rectangular … different lengths",
    "softmax(LOGITS, [])": "mask has shape (0,): an axis of length 0",
    "softmax(LOGITS, np.ma.masked_equal([1, 0], 0))": "TypeError: mask is a masked",
    "softmax(LOGITS, ones(7, 5) > 0)": "(7, 5) … (5, 7) … never broadcast",
    "softmax(LOGITS, ones(7) > 0)": "mask has shape (7,) … must be (5, 7)",
    "softmax(LOGITS, ones(5, 1) > 0)": "mask has shape (5, 1) … never broadcast",
    "softmax(LOGITS, True)": "mask has shape () … never broadcast",
    "softmax(ones(2, 3, 5, 7), ones(2, 5, 7) > 0)": "(2, 5, 7) … or the full shape",
    # causal_mask
    "causal_mask(1.5)": "TypeError: n_queries … whole number … 1.5; / gives floats",
    "causal_mask('3')": "TypeError: n_queries must be a whole number, but is '3'",
    "causal_mask(None)": "TypeError: n_queries must be a whole number, but is None",
    "causal_mask(True)": "TypeError: n_queries must be a whole … True",
    "causal_mask(ones(9, 9))": "TypeError: n_queries must be a whole … array",
    "causal_mask(2, 2.0)": "TypeError: n_keys must be a whole number, but is 2.0",
    "causal_mask(0)": "1 <= n_queries … n_queries = 0",
    "causal_mask(5, 2)": "n_queries = 5 and n_keys = 2; the queries are the last",
    # split_heads and concat_heads
    "split_heads(ones(7), 7)": "x has shape (7,) … at least 2 axes, (..., T, d_model)",
    "split_heads(ones(5, 8), 3)": "d_model = 8 … n_heads = 3 … divides the width",
    "split_heads(ones(5, 8), 16)": "d_model = 8 … n_heads = 16",
    "split_heads(ones(5, 8), 0)": "n_heads = 0",
    "split_heads(ones(5, 8), -2)": "n_heads = -2",
    "split_heads(ones(5, 8), 8 / 2)": "TypeError: is 4.0; / gives floats, // whole",
    "split_heads(ones(5, 8), '2')": "TypeError: n_heads must be … is '2'",
    "split_heads(ones(5, 8), None)": "TypeError: n_heads must be … is None",
    "split_heads(ones(5, 8), True)": "TypeError: n_heads must be … is True",
    "concat_heads(ones(5, 7))": "heads has shape (5, 7) … 3 axes, (..., n_heads, T, d_head)",
    # scaled_dot_product_attention
    "attend(ones(5), ones(7, 5), ones(7, 5))": "q has shape (5,) … at least 2 axes",
    "attend(ones(7, 5), ones(5), ones(7, 5))": "k has shape (5,) … at least 2 axes",
    "attend(ones(7, 5), ones(7, 5), ones(5))": "v has shape (5,) … at least 2 axes",
    "attend(ones(5, 11), ones(7, 13), ones(7, 13))": "q has 11 channels and k has 13 … same "
    "d_head … (5, 11) and (7, 13)",
    "attend(ones(5, 11), ones(7, 11), ones(5, 11))": "k has 7 tokens and v has 5: each key carries",
    "attend(ones(3, 5, 11), ones(7, 11), ones(7, 11))": "leading axes (3,), () and () … broadcast",
    "attend(ones(3, 5, 8), ones(1, 7, 8), ones(3, 7, 8))": "axes (3,), (1,) and (3,) … broadcast",
    "attend(ones(3, 5, 8), ones(3, 7, 8), ones(2, 7, 8))": "axes (3,), (3,) and (2,) … broadcast",
    "attend(ones(5, 8), ones(7, 8), ones(7, 8), ones(7, 5) > 0)": "mask has shape (7, 5), but the "
    "logits have shape (5, 7)",
    "attend(*[ones(5, 5)] * 3, None, 'a')": "TypeError: scale must be one finite number … is 'a'",
    "attend(*[ones(5, 5)] * 3, None, True)": "TypeError: scale must be one finite … is True",
    "attend(*[ones(5, 5)] * 3, None, 1j)": "TypeError: scale must be one finite … is 1j",
    "attend(*[ones(5, 5)] * 3, None, [1, 2])": "TypeError: scale must be one finite … is [1, 2]",
    "attend(*[ones(5, 5)] * 3, None, ones(5))": "TypeError: scale must be one finite … is array",
    "attend(*[ones(5, 5)] * 3, None, NAN)": "scale must be one finite number, but is nan",
    "attend(*[ones(5, 5)] * 3, None, INF)": "scale must be one finite number, but is inf",
    "attend(*[ones(5, 5)] * 3, None, 10**400)": "scale must be one finite number, but is 1000",
    "attend(HUGE, HUGE, HUGE)": "q @ k.T * scale … 1.8e+308 … float64",
    "attend(HUGE, -HUGE, HUGE)": "q @ k.T * scale … must be smaller",
    "attend(SOON, SOON, SOON)": "q @ k.T * scale … 3.4e+38, the largest float32",
    # multi_head_attention
    "layer(ones(6), *square(), 1)": "x has shape (6,) … 2 axes",
    "layer(ones(5, 6), *square(w_q=(5, 6)), 1)": "w_q has shape (5, 6) … 6 rows … transposed",
    "layer(ones(5, 6), *square(w_k=(5, 6)), 1)": "w_k has shape (5, 6) … 6 rows … transposed",
    "layer(ones(5, 6), *square(w_v=(5, 6)), 1)": "w_v has shape (5, 6) … 6 rows … transposed",
    "layer(ones(5, 6), *square(w_o=(5, 6)), 1)": "w_o has shape (5, 6) … 6 rows … transposed",
    "layer(ones(5, 6), *square(w_q=(2, 6, 6)), 1)": "w_q has shape (2, 6, 6) … a matrix with 6",
    "layer(ones(5, 6), *square(w_q=(6, 9), w_k=(6, 9), w_v=(6, 8)), 3)": "d_model = 8 … n_heads = "
    "3 … divides the width",
    "layer(ones(5, 6), *square(w_q=(6, 9)), 3)": "q has 3 channels and k has 2 … (3, 5, 3) and",
    "layer(ones(5, 6), *square(), 4)": "n_heads = 4",
    "layer(ones(5, 6), *square(), 6.0)": "TypeError: n_heads must be a whole number",
    "layer(ones(2, 5, 6), *square(), 3, ones(2, 5, 5) > 0)": "mask has shape (2, 5, 5), but the "
    "logits have shape (2, 3, 5, 5)",
    "layer(*[HUGE[:, :2]] * 5, 1)": "the product with w_q … 1.8e+308, the largest float64",
    "layer(*[np.full((2, 2), 200, 'float16')] * 5, 1)": "output … 6.55e+04, the largest float16 … "
    "must be smaller",
    "layer(ones(2, 5, 6), *square(), 3, None, ones(6))": "context has shape (6,) … at least 2 "
    "axes, (..., S, d_context)",
    "layer(ones(2, 5, 6), *square(), 3, None, ones(7, 6))": "x has shape (2, 5, 6) and context has "
    "(7, 6) … nothing is broad",
    "layer(ones(2, 5, 6), *square(), 3, None, ones(1, 7, 6))": "context has (1, 7, 6) … leading",
    "layer(ones(2, 5, 6), *square(), 3, None, ones(2, 7, 4))": "w_k has shape (6, 6), but must be "
    "a matrix with 4 rows",
    "layer(ones(2, 5, 6), *square(), 3, ones(5, 5) > 0, ones(2, 7, 6))": "mask has shape (5, 5), "
    "but the … (2, 3, 5, 7)",
    # merge_logits and average_of_weights
    "merge_logits(LOGITS, 'sum')": "how must be one of 'add', 'big_head' … 'sum'",
    "merge_logits(LOGITS, None)": "how must be one of 'add', 'big_head' … None",
    "merge_logits(LOGITS, ['add'])": "how must be one of 'add', 'big_head' … ['add']",
    "merge_logits(LOGITS, 1)": "how must be one of 'add', 'big_head' … is 1",
    "merge_logits(ones(7))": "logits has shape (7,) … 2 axes … heads and one for the keys",
    **{
        f"{function}(LOGITS, axis={axis})": says
        for function in ("merge_logits", "average_of_weights")
        for axis, says in {
            **{axis: f"axis = {axis} … (5, 7): the last axis holds" for axis in (-1, 1, 2, -3)},
            **{axis: f"TypeError: axis must be … is {axis}" for axis in ("None", "0.0", "(0,)")},
            "'heads'": "TypeError: axis must be … is 'heads'",
        }.items()
    },
    "average_of_weights(ones(7))": "logits has shape (7,) … at least 2 axes",
    "merge_logits(HALF)": "the sum of logits … 6.55e+04, the largest float16",
    "merge_logits(-HALF)": "the sum of logits … smaller",
    "merge_logits([[1e308, 0], [1e308, 0]])": "the sum of logits … 1.8e+308",
    "merge_logits([[1e308, 0], [1e308, 0], [-INF, 0]])": "the sum of logits … 1.8e+308",
    # Weights
    **{
        call.format(given): f"must be weights … adding up to 1 … {says} … softmax"
        for call in ("partner({})", "entropy({})", "js_divergence({0}, {0})")
        for given, says in {
            "[2, 1, 0]": "a row that adds up to 3",
            "[1.5, -0.5]": "holds -0.5",
            "[0.0, 0.0]": "a row that adds up to 0",
            "[1e308, 1e308]": "a row that adds up to inf",
        }.items()
    },
    "entropy([[0.5, 0.5], [0.5, 0.6]])": "a row that adds up to 1.1",
    "entropy(1.0)": "weights has shape () … at least 1 axis",
    "js_divergence([1, 0], [0.5, 0.6])": "q must be weights",
    "js_divergence([1, 0], [[0, 1]])": "p has shape (2,) and q has (1, 2) … broadcast",
    "partner([1])": "at least 2 weights … shape (1,)",
    "partner([[0.5, 0.5]])": "one row … shape (1, 2)",
    "partner([1, 0])": "all above 0 … shape (2,) with a smallest weight of 0",
    "partner([1, 1e-310])": "all above 0 … a smallest weight of 1e-310",
    # Derivatives
    "gradients.softmax(LOGITS, LOGITS)": "weights must be weights … a row that adds up to 7",
    "gradients.softmax(-EVEN, LOGITS)": "weights must be weights … holds -0.142857 … softmax turns",
    "gradients.softmax_jacobian(LOGITS)": "weights must be weights … a row that adds up to 7",
    "gradients.softmax_jacobian(-EVEN)": "weights must be weights … holds -0.142857",
    "gradients.softmax_jacobian(1.0)": "weights has shape () … at least 1 axis",
    "gradients.softmax(EVEN, LOGITS.T)": "upstream has shape (7, 5) … (5, 7) … derivative",
    "gradients.softmax(EVEN, ones(KEYS))": "upstream has shape (7,) … belongs to has (5, 7)",
    "gradients.softmax([0.75, 0.25], [1.7e308, -1.7e308])": "the gradient … 1.8e+308 … smaller",
    "gradients.split_heads(ones(5, 8))": "upstream has shape (5, 8) … 3 axes, (..., n_heads",
    "gradients.concat_heads(ones(8), 2)": "upstream has shape (8,) … at least 2 axes",
    "gradients.concat_heads(ones(5, 8), 3)": "d_model = 8 … n_heads = 3",
    "attend_back(ones(5, 11), ones(7, 13), ones(7, 3), EVEN, ones(5, 3))": "q has 11 channels and "
    "k has 13",
    "attend_back(ones(7, 11), ones(5, 11), ones(5, 3), EVEN, ones(7, 3))": "weights has shape (5, "
    "7), but these inputs give (7, 5) … forward call",
    "attend_back(ones(5, 11), ones(7, 11), ones(7, 3), EVEN, EVEN)": "upstream has shape (5, 7), "
    "but the result it belongs to has (5, 3)",
    "attend_back(ones(5, 11), ones(7, 11), ones(7, 3), EVEN, ones(5, 3), NAN)": "scale must be one "
    "finite number, but is nan",
    "attend_back(HUGE, HUGE, HUGE, ALIKE[0], HUGE)": "the gradient … 1.8e+308 … must be smaller",
    "layer_back(ones(2, 6), *square(w_q=(5, 6)), ALIKE, ones(2, 6))": "w_q has shape (5, 6) … 6 "
    "rows … transposed",
    "layer_back(ones(2, 6), *square(w_o=(5, 6)), ALIKE, ones(2, 6))": "w_o has shape (5, 6) … 6 "
    "rows … transposed",
    "layer_back(ones(2, 6), *square(w_k=(6, 4)), ALIKE, ones(2, 6))": "q has 3 channels and k has",
    "layer_back(ones(2, 6), *square(), ALIKE, ones(2, 5))": "upstream has shape (2, 5) … (2, 6)",
    "layer_back(ones(2, 6), *square(), ALIKE[0], ones(2, 6))": "weights has shape (2, 2) … 3 axes",
    "layer_back(ones(2, 6), *square(), EVEN[None], ones(2, 6))": "weights has shape (1, 5, 7), but "
    "… give (1, 2, 2)",
    "layer_back(ones(2, 6), *square(), np.full((4, 2, 2), 0.5), ones(2, 6))": "d_model = 6 … "
    "n_heads = 4",
    "layer_back(ones(6), *square(), ALIKE, ones(6))": "x has shape (6,) … at least 2 axes",
    "layer_back(ones(2, 6), *square(), ALIKE, ones(2, 6), ones(3, 6))": "weights has shape (2, 2, "
    "2), but these inputs give (2, 2, 3)",
    "layer_back(ones(2, 6), *square(), ALIKE, ones(2, 6), ones(2, 4))": "w_k has shape (6, 6), but "
    "must be a matrix with 4 rows",
    "layer_back(ones(2, 6), *square(), ALIKE, ones(2, 6), ones(1, 2, 6))": "x has shape (2, 6) and "
    "context has (1, 2, 6)",
    # The running sentence
    "features('The cat')": "TypeError: a list … is 'The cat'; `.split()`",
    "features(None)": "TypeError: words must be a list of one word … is None",
    "features([])": "TypeError: words must be a list of one word or more … []",
    "features(['cat', 1])": "TypeError: words must be a list … ['cat', 1]",
    "features(['The', 'dog'])": "no features for 'dog'; known words: the, cat",
    "features(['dog' * 500])": "no features for 'dogdog … known words",
    "features(['black', 'cat'])": "no features for 'black'; known words: the, cat",
    "features(['cat'], ('noun',))": "FEATURES or MORE_FEATURES, but is ('noun',)",
    "head(None)": "TypeError: asks must be a dictionary … is None",
    "head({'adverb': (1, 2, 3)})": "'adverb' is no kind of word; kinds are determiner",
    "head({'position': (1, 2, 3)})": "'position' is no kind of word",
    "head({'noun': (1, 2)})": "asks['noun'] has shape (2,) … 3 numbers: determiner, noun",
    "head({'noun': 3})": "asks['noun'] has shape () … 3 numbers",
    "head({'noun': 'abc'})": "TypeError: asks['noun'] must hold real numbers",
    "head({'noun': (1, 2, NAN)})": "asks['noun'] holds NaN",
}


NAMES = {**vars(mhalib), **globals()}


@pytest.mark.parametrize("call", REFUSED)
def test_a_bad_call_is_refused_in_one_sentence(call):
    says = REFUSED[call].removeprefix("TypeError: ")
    sentence = refusal(ValueError if says == REFUSED[call] else TypeError, eval, call, NAMES)
    assert re.search(".*".join(map(re.escape, says.split(" … "))), sentence), sentence


def test_every_public_function_refuses_something():
    refusing = {eval(call.split("(")[0], NAMES) for call in REFUSED}
    assert refusing == {*PUBLIC, features, head}
