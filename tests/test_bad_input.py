"""Bad input meets one sentence: what was given, what was needed and the likely slip."""

import re

import numpy as np
import pytest
from examples import (
    ARRAYS,
    CALLS,
    D_HEAD,
    D_IN,
    D_MODEL,
    HEADS,
    KEYS,
    PUBLIC,
    QUERIES,
    name_of,
)
from refusals import ones, refusal

from mhalib import (
    average_of_weights,
    causal_mask,
    concat_heads,
    entropy,
    gradients,
    js_divergence,
    merge_logits,
    multi_head_attention,
    partner,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)
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
    arrays = CALLS[scaled_dot_product_attention][0]
    refused = arrays | {name: np.full_like(arrays[name], -INF)}
    assert "must be finite." in refusal(ValueError, scaled_dot_product_attention, **refused)


def bad(function, *given, raises=ValueError, says, **named):
    """A call to refuse; `says` is what its sentence must hold, in this order, between dots."""
    return pytest.param(function, given, named, raises, says, id=f"{name_of(function)}: {says}")


LOGITS = ones(QUERIES, KEYS)
SQUARE = np.eye(D_IN)
HUGE = np.full((2, 3), 1e200)
HALF = np.full((HEADS, KEYS), 60000, "float16")
EVEN = np.full((QUERIES, KEYS), 1 / KEYS)
ALIKE = np.full((2, 2, 2), 0.5)  # weights of 2 heads and 2 tokens
REFUSED = [
    # softmax and its mask
    bad(softmax, 3.0, says="logits has shape () … at least 1 axis, (..., n_keys) … index"),
    bad(softmax, LOGITS, "abc", raises=TypeError, says="mask must be boolean … holds <U3"),
    bad(softmax, LOGITS, LOGITS, raises=TypeError, says="0/1 … holds float64 … `mask == 0`"),
    bad(softmax, LOGITS, 2 * LOGITS.astype(int), raises=TypeError, says="holds other integers"),
    bad(softmax, LOGITS, LOGITS * 1j, raises=TypeError, says="boolean … holds complex128"),
    bad(softmax, LOGITS, object(), raises=TypeError, says="boolean … holds object"),
    bad(softmax, LOGITS, [[1, 0], [1]], says="mask must be a rectangular … different lengths"),
    bad(softmax, LOGITS, [], says="mask has shape (0,): an axis of length 0"),
    bad(softmax, LOGITS, np.ma.masked_equal([1, 0], 0), raises=TypeError, says="mask is a masked"),
    bad(softmax, LOGITS, ones(KEYS, QUERIES) > 0, says="(7, 5) … (5, 7) … never broadcast"),
    bad(softmax, LOGITS, ones(KEYS) > 0, says="mask has shape (7,) … must be (5, 7)"),
    bad(softmax, LOGITS, ones(QUERIES, 1) > 0, says="mask has shape (5, 1) … never broadcast"),
    bad(softmax, LOGITS, True, says="mask has shape () … never broadcast"),
    bad(softmax, ones(2, 3, 5, 7), ones(2, 5, 7) > 0, says="(2, 5, 7) … or the full shape"),
    # causal_mask
    bad(causal_mask, 1.5, raises=TypeError, says="n_queries … whole number … 1.5; / gives floats"),
    bad(causal_mask, "3", raises=TypeError, says="n_queries must be a whole number, but is '3'"),
    bad(causal_mask, None, raises=TypeError, says="n_queries must be a whole number, but is None"),
    bad(causal_mask, True, raises=TypeError, says="n_queries must be a whole … True"),
    bad(causal_mask, ones(9, 9), raises=TypeError, says="n_queries must be a whole … array"),
    bad(causal_mask, 2, 2.0, raises=TypeError, says="n_keys must be a whole number, but is 2.0"),
    bad(causal_mask, 0, says="1 <= n_queries … n_queries = 0"),
    bad(causal_mask, 5, 2, says="n_queries = 5 and n_keys = 2; the queries are the last"),
    # split_heads and concat_heads
    bad(split_heads, ones(7), 7, says="x has shape (7,) … at least 2 axes, (..., T, d_model)"),
    bad(split_heads, ones(5, 8), 3, says="d_model = 8 … n_heads = 3 … divides the width"),
    bad(split_heads, ones(5, 8), 16, says="d_model = 8 … n_heads = 16"),
    bad(split_heads, ones(5, 8), 0, says="n_heads = 0"),
    bad(split_heads, ones(5, 8), -2, says="n_heads = -2"),
    bad(split_heads, ones(5, 8), 8 / 2, raises=TypeError, says="is 4.0; / gives floats, // whole"),
    bad(split_heads, ones(5, 8), "2", raises=TypeError, says="n_heads must be … is '2'"),
    bad(split_heads, ones(5, 8), None, raises=TypeError, says="n_heads must be … is None"),
    bad(split_heads, ones(5, 8), True, raises=TypeError, says="n_heads must be … is True"),
    bad(
        concat_heads, ones(5, 7), says="heads has shape (5, 7) … 3 axes, (..., n_heads, T, d_head)"
    ),
    # scaled_dot_product_attention
    *(
        bad(scaled_dot_product_attention, *given, says=f"{name} has shape (5,) … at least 2 axes")
        for name, given in {
            "q": (ones(5), ones(7, 5), ones(7, 5)),
            "k": (ones(7, 5), ones(5), ones(7, 5)),
            "v": (ones(7, 5), ones(7, 5), ones(5)),
        }.items()
    ),
    bad(
        scaled_dot_product_attention,
        *(ones(5, 11), ones(7, 13), ones(7, 13)),
        says="q has 11 channels and k has 13 … same d_head … (5, 11) and (7, 13)",
    ),
    bad(
        scaled_dot_product_attention,
        *(ones(5, 11), ones(7, 11), ones(5, 11)),
        says="k has 7 tokens and v has 5: each key carries one value",
    ),
    bad(
        scaled_dot_product_attention,
        *(ones(3, 5, 11), ones(7, 11), ones(7, 11)),
        says="leading axes (3,), () and () … nothing is broadcast",
    ),
    bad(
        scaled_dot_product_attention,
        *(ones(3, 5, 11), ones(1, 7, 11), ones(3, 7, 11)),
        says="leading axes (3,), (1,) and (3,) … nothing is broadcast",
    ),
    bad(
        scaled_dot_product_attention,
        *(ones(3, 5, 11), ones(3, 7, 11), ones(2, 7, 11)),
        says="leading axes (3,), (3,) and (2,) … nothing is broadcast",
    ),
    bad(
        scaled_dot_product_attention,
        *(ones(5, 11), ones(7, 11), ones(7, 11), ones(7, 5) > 0),
        says="mask has shape (7, 5), but the logits have shape (5, 7)",
    ),
    *(
        bad(scaled_dot_product_attention, *[ones(5, 5)] * 3, None, scale, raises=raises, says=says)
        for scale, raises, says in [
            ("a", TypeError, "scale must be one finite number, but is 'a'"),
            (True, TypeError, "scale must be one finite number, but is True"),
            (1j, TypeError, "scale must be one finite number, but is 1j"),
            ([1, 2], TypeError, "scale must be one finite number, but is [1, 2]"),
            (ones(5), TypeError, "scale must be one finite number, but is array"),
            (NAN, ValueError, "scale must be one finite number, but is nan"),
            (INF, ValueError, "scale must be one finite number, but is inf"),
            (10**400, ValueError, "scale must be one finite number, but is 1000"),
        ]
    ),
    bad(
        scaled_dot_product_attention, HUGE, HUGE, HUGE, says="q @ k.T * scale … 1.8e+308 … float64"
    ),
    bad(scaled_dot_product_attention, HUGE, -HUGE, HUGE, says="q @ k.T * scale … must be smaller"),
    bad(
        scaled_dot_product_attention,
        *[np.full((2, 3), 1e30, "float32")] * 3,
        says="q @ k.T * scale … 3.4e+38, the largest float32",
    ),
    # multi_head_attention
    bad(multi_head_attention, ones(D_IN), *[SQUARE] * 4, 1, says="x has shape (17,) … 2 axes"),
    *(
        bad(
            multi_head_attention,
            ones(QUERIES, D_IN),
            *(ones(D_HEAD, D_IN) if turned == name else SQUARE for turned in order),
            1,
            says=f"{name} has shape (11, 17) … 17 rows … transposed",
        )
        for order in [("w_q", "w_k", "w_v", "w_o")]
        for name in order
    ),
    bad(
        multi_head_attention,
        *(ones(QUERIES, D_IN), ones(2, D_IN, D_IN), SQUARE, SQUARE, SQUARE, 1),
        says="w_q has shape (2, 17, 17) … a matrix with 17 rows",
    ),
    bad(
        multi_head_attention,
        *(ones(QUERIES, D_IN), ones(D_IN, D_MODEL), ones(D_IN, 6), SQUARE, SQUARE, HEADS),
        says="d_model = 17 … n_heads = 3 … divides the width",
    ),
    bad(
        multi_head_attention,
        *(ones(QUERIES, D_IN), ones(D_IN, 33), ones(D_IN, 6), ones(D_IN, 6), ones(6, 6), HEADS),
        says="q has 11 channels and k has 2",
    ),
    bad(multi_head_attention, ones(QUERIES, D_IN), *[SQUARE] * 4, 2, says="n_heads = 2"),
    bad(
        multi_head_attention,
        *(ones(QUERIES, D_IN), *[SQUARE] * 4, 17.0),
        raises=TypeError,
        says="n_heads must be a whole number",
    ),
    bad(
        multi_head_attention,
        *(ones(2, QUERIES, D_IN), *[SQUARE] * 4, 17, ones(2, QUERIES, QUERIES) > 0),
        says="mask has shape (2, 5, 5), but the logits have shape (2, 17, 5, 5)",
    ),
    bad(
        multi_head_attention,
        *(1e200 * ones(QUERIES, D_IN), 1e200 * SQUARE, SQUARE, SQUARE, SQUARE, 1),
        says="the product with w_q … 1.8e+308, the largest float64",
    ),
    bad(
        multi_head_attention,
        *(np.array(array, "float16") for array in (200 * ones(2, 2), *[200 * np.eye(2)] * 4)),
        1,
        says="output … 6.55e+04, the largest float16 … must be smaller",
    ),
    *(
        bad(
            multi_head_attention,
            *(ones(2, 5, 6), *[np.eye(6)] * 4, 3, mask, context),
            says=says,
        )
        for mask, context, says in [
            (None, ones(6), "context has shape (6,) … at least 2 axes, (..., S, d_context)"),
            (None, ones(7, 6), "x has shape (2, 5, 6) and context has (7, 6) … nothing is broad"),
            (None, ones(1, 7, 6), "x has shape (2, 5, 6) and context has (1, 7, 6) … leading axes"),
            (None, ones(2, 7, 4), "w_k has shape (6, 6), but must be a matrix with 4 rows"),
            (ones(5, 5) > 0, ones(2, 7, 6), "mask has shape (5, 5), but the … (2, 3, 5, 7)"),
        ]
    ),
    # merge_logits and average_of_weights
    *(
        bad(merge_logits, LOGITS, how, says=f"how must be one of 'add', 'big_head' … {shown}")
        for how, shown in [("sum", "'sum'"), (None, "None"), (["add"], "['add']"), (1, "is 1")]
    ),
    bad(merge_logits, ones(7), says="logits has shape (7,) … 2 axes … heads and one for the keys"),
    bad(average_of_weights, ones(7), says="logits has shape (7,) … at least 2 axes"),
    *(
        bad(function, LOGITS, axis=axis, says=f"axis = {axis} … (5, 7): the last axis holds")
        for function in (merge_logits, average_of_weights)
        for axis in (-1, 1, 2, -3)
    ),
    *(
        bad(function, LOGITS, axis=axis, raises=TypeError, says=f"axis must be … is {shown}")
        for function in (merge_logits, average_of_weights)
        for axis, shown in [(None, "None"), ("heads", "'heads'"), (0.0, "0.0"), ((0,), "(0,)")]
    ),
    bad(merge_logits, HALF, says="the sum of logits … 6.55e+04, the largest float16"),
    bad(merge_logits, -HALF, says="the sum of logits … smaller"),
    bad(merge_logits, [[1e308, 0], [1e308, 0]], says="the sum of logits … 1.8e+308"),
    bad(merge_logits, [[1e308, 0], [1e308, 0], [-INF, 0]], says="the sum of logits … 1.8e+308"),
    # Weights
    *(
        bad(function, *[given] * n, says=f"must be weights … adding up to 1 … {says} … softmax")
        for function, n in [(partner, 1), (entropy, 1), (js_divergence, 2)]
        for given, says in [
            ([2, 1, 0], "a row that adds up to 3"),
            ([1.5, -0.5], "holds -0.5"),
            ([0.0, 0.0], "a row that adds up to 0"),
            ([1e308, 1e308], "a row that adds up to inf"),
        ]
    ),
    bad(entropy, [[0.5, 0.5], [0.5, 0.6]], says="a row that adds up to 1.1"),
    bad(entropy, 1.0, says="weights has shape () … at least 1 axis"),
    bad(js_divergence, [1, 0], [0.5, 0.6], says="q must be weights"),
    bad(js_divergence, [1, 0], [[0, 1]], says="p has shape (2,) and q has (1, 2) … broadcast"),
    bad(partner, [1], says="at least 2 weights … shape (1,)"),
    bad(partner, [[0.5, 0.5]], says="one row … shape (1, 2)"),
    bad(partner, [1, 0], says="all above 0 … shape (2,) with a smallest weight of 0"),
    bad(partner, [1, 1e-310], says="all above 0 … a smallest weight of 1e-310"),
    # Derivatives
    *(
        bad(function, *given, says=f"weights must be weights … {says} … softmax turns")
        for function, after in [(gradients.softmax, [LOGITS]), (gradients.softmax_jacobian, [])]
        for given, says in [
            ((LOGITS, *after), "a row that adds up to 7"),
            ((-EVEN, *after), "holds -0.142857"),
        ]
    ),
    bad(gradients.softmax_jacobian, 1.0, says="weights has shape () … at least 1 axis"),
    bad(gradients.softmax, EVEN, LOGITS.T, says="upstream has shape (7, 5) … (5, 7) … derivative"),
    bad(
        gradients.softmax, EVEN, ones(KEYS), says="upstream has shape (7,) … belongs to has (5, 7)"
    ),
    bad(
        gradients.softmax,
        [0.75, 0.25],
        [1.7e308, -1.7e308],
        says="the gradient … 1.8e+308 … smaller",
    ),
    bad(
        gradients.split_heads, ones(5, 8), says="upstream has shape (5, 8) … 3 axes, (..., n_heads"
    ),
    bad(gradients.concat_heads, ones(8), 2, says="upstream has shape (8,) … at least 2 axes"),
    bad(gradients.concat_heads, ones(5, 8), 3, says="d_model = 8 … n_heads = 3"),
    bad(
        gradients.scaled_dot_product_attention,
        *(ones(5, 11), ones(7, 13), ones(7, 3), EVEN, ones(5, 3)),
        says="q has 11 channels and k has 13",
    ),
    bad(
        gradients.scaled_dot_product_attention,
        *(ones(7, 11), ones(5, 11), ones(5, 3), EVEN, ones(7, 3)),
        says="weights has shape (5, 7), but these inputs give (7, 5) … forward call",
    ),
    bad(
        gradients.scaled_dot_product_attention,
        *(ones(5, 11), ones(7, 11), ones(7, 3), EVEN, EVEN),
        says="upstream has shape (5, 7), but the result it belongs to has (5, 3)",
    ),
    bad(
        gradients.scaled_dot_product_attention,
        *(ones(5, 11), ones(7, 11), ones(7, 3), EVEN, ones(5, 3), NAN),
        says="scale must be one finite number, but is nan",
    ),
    bad(
        gradients.scaled_dot_product_attention,
        *(HUGE, HUGE, HUGE, ALIKE[0], HUGE),
        says="the gradient … 1.8e+308 … must be smaller",
    ),
    *(
        bad(
            gradients.multi_head_attention,
            *(ones(2, 6), *(ones(*shapes.get(n, (6, 6))) for n in ("w_q", "w_k", "w_v", "w_o"))),
            *(shapes.get("weights", ALIKE), ones(*shapes.get("upstream", (2, 6)))),
            says=says,
        )
        for shapes, says in [
            ({"w_q": (5, 6)}, "w_q has shape (5, 6) … 6 rows … transposed"),
            ({"w_o": (5, 6)}, "w_o has shape (5, 6) … 6 rows … transposed"),
            ({"w_k": (6, 4)}, "q has 3 channels and k has 2"),
            ({"upstream": (2, 5)}, "upstream has shape (2, 5) … belongs to has (2, 6)"),
            ({"weights": ALIKE[0]}, "weights has shape (2, 2) … at least 3 axes"),
            ({"weights": EVEN[None]}, "weights has shape (1, 5, 7), but … give (1, 2, 2)"),
            ({"weights": np.full((4, 2, 2), 0.5)}, "d_model = 6 … n_heads = 4"),
        ]
    ),
    bad(
        gradients.multi_head_attention,
        *(ones(6), *[ones(6, 6)] * 4, ALIKE, ones(6)),
        says="x has shape (6,) … at least 2 axes",
    ),
    *(
        bad(
            gradients.multi_head_attention,
            *(ones(2, 6), *[ones(6, 6)] * 4, ALIKE, ones(2, 6), context),
            says=says,
        )
        for context, says in [
            (ones(3, 6), "weights has shape (2, 2, 2), but these inputs give (2, 2, 3)"),
            (ones(2, 4), "w_k has shape (6, 6), but must be a matrix with 4 rows"),
            (ones(1, 2, 6), "x has shape (2, 6) and context has (1, 2, 6)"),
        ]
    ),
    # The running sentence
    bad(features, "The cat", raises=TypeError, says="a list … is 'The cat'; `.split()`"),
    bad(features, None, raises=TypeError, says="words must be a list of one word … is None"),
    bad(features, [], raises=TypeError, says="words must be a list of one word or more … []"),
    bad(features, ["cat", 1], raises=TypeError, says="words must be a list … ['cat', 1]"),
    bad(features, ["The", "dog"], says="no features for 'dog'; known words: the, cat"),
    bad(features, ["dog" * 500], says="no features for 'dogdog … known words"),
    bad(features, ["black", "cat"], says="no features for 'black'; known words: the, cat"),
    bad(features, ["cat"], ("noun",), says="FEATURES or MORE_FEATURES, but is ('noun',)"),
    bad(head, None, raises=TypeError, says="asks must be a dictionary … is None"),
    bad(head, {"adverb": (1, 2, 3)}, says="'adverb' is no kind of word; kinds are determiner"),
    bad(head, {"position": (1, 2, 3)}, says="'position' is no kind of word"),
    bad(head, {"noun": (1, 2)}, says="asks['noun'] has shape (2,) … 3 numbers: determiner, noun"),
    bad(head, {"noun": 3}, says="asks['noun'] has shape () … 3 numbers"),
    bad(head, {"noun": "abc"}, raises=TypeError, says="asks['noun'] must hold real numbers"),
    bad(head, {"noun": (1, 2, NAN)}, says="asks['noun'] holds NaN"),
]


@pytest.mark.parametrize("function, given, named, raises, says", REFUSED)
def test_a_bad_call_is_refused_in_one_sentence(function, given, named, raises, says):
    sentence = refusal(raises, function, *given, **named)
    assert re.search(".*".join(map(re.escape, says.split(" … "))), sentence), sentence


def test_every_public_function_refuses_something():
    refusing = {function for function, *_ in (case.values for case in REFUSED)}
    assert refusing == {*PUBLIC, features, head}
