"""Every public function takes numbers in any form, changes none of them and keeps none."""

import numpy as np
import pytest
from examples import ARRAYS, CALLS, PUBLIC, any_dtype, assert_close, name_of

import mhalib

WHOLE = [
    (function, name)
    for function, name in ARRAYS
    if (CALLS[function][0][name] == CALLS[function][0][name].round()).all()
]
FORMS = {
    "list": np.ndarray.tolist,
    "transposed view": lambda array: np.ascontiguousarray(array.T).T,
    "every other element": lambda array: np.repeat(array, 2, axis=-1)[..., ::2],
    "backwards view": lambda array: array[..., ::-1].copy()[..., ::-1],
    "read-only": lambda array: np.broadcast_to(array, array.shape),
    "the other byte order": lambda array: array.astype(array.dtype.newbyteorder()),
}

any_function = pytest.mark.parametrize("function", CALLS, ids=name_of)


def each(arrays):
    ids = [f"{name_of(function)}-{name}" for function, name in arrays]
    return pytest.mark.parametrize("function, name", arrays, ids=ids)


def call(function, dtype="float64", **replaced):
    """The results of a function's good call, with all arrays in `dtype` and some replaced."""
    arrays, others = CALLS[function]
    arrays = {name: array.astype(dtype) for name, array in arrays.items()}
    result = function(**arrays | replaced, **others)
    return result if isinstance(result, tuple) else (result,)


def test_every_public_function_has_a_good_call():
    assert {*CALLS, mhalib.causal_mask} == PUBLIC


@each(ARRAYS)
@pytest.mark.parametrize("form", FORMS)
def test_any_form_of_the_same_numbers_gives_the_same(function, name, form):
    given = FORMS[form](CALLS[function][0][name])
    for ours, plain in zip(call(function, **{name: given}), call(function), strict=True):
        assert_close(ours, plain)


@each(WHOLE)
@pytest.mark.parametrize("kind", [int, np.int8, list])
def test_whole_numbers_are_computed_in_float64(function, name, kind):
    whole = CALLS[function][0][name].astype(int if kind is list else kind)
    given = whole.tolist() if kind is list else whole
    for ours, plain in zip(call(function, **{name: given}), call(function), strict=True):
        assert ours.dtype == np.float64
        assert_close(ours, plain)


@any_function
@any_dtype
def test_a_dtype_comes_back_as_it_went_in(function, dtype):
    for ours, exact in zip(call(function, dtype), call(function), strict=True):
        assert ours.dtype == dtype
        assert_close(ours, exact)


@each([(function, name) for function, name in ARRAYS if len(CALLS[function][0]) > 1])
@pytest.mark.parametrize("wide, narrow", [("float64", "float32"), ("float32", "float16")])
def test_of_two_dtypes_the_wider_one_comes_back(function, name, wide, narrow):
    array = CALLS[function][0][name]
    for result in call(function, narrow, **{name: array.astype(wide)}):
        assert result.dtype == wide
    for result in call(function, wide, **{name: array.astype(narrow)}):
        assert result.dtype == wide


@any_function
@any_dtype
def test_inputs_are_neither_changed_nor_kept(function, dtype):
    arrays = {name: array.astype(dtype) for name, array in CALLS[function][0].items()}
    before = {name: array.copy() for name, array in arrays.items()}
    for result in call(function, dtype, **arrays):
        for name, array in arrays.items():
            assert (array == before[name]).all(), f"{name} was changed"
            assert not np.shares_memory(result, array), f"the result is a view of {name}"


@pytest.mark.parametrize(
    "call_with_one_head",
    [
        lambda x: mhalib.split_heads(x, 1),
        lambda x: mhalib.concat_heads(x[None]),
        lambda x: mhalib.merge_logits(x[None]),
        lambda x: mhalib.average_of_weights(x[None]),
    ],
    ids=["split_heads", "concat_heads", "merge_logits", "average_of_weights"],
)
def test_one_head_is_a_copy_and_no_view(call_with_one_head):
    x = np.ones((5, 7))
    assert not np.shares_memory(call_with_one_head(x), x)
