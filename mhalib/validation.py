"""What the public functions accept, and the one sentence they answer otherwise."""

import numpy as np


def floats(value, name, *, minus_infinity=False):
    """Return `value` as floats to compute with, and the dtype to give back.

    Integers, booleans and lists become float64; float32 and float64 stay; float16 is
    computed in float32 and given back as float16. The input is never modified.
    """
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(
            f"{name} must be a rectangular array of numbers; its rows have different lengths."
        ) from None
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise TypeError(
            f"{name} must hold real numbers (float16, float32, float64 or integers), "
            f"but holds {array.dtype}."
        )
    if array.size == 0:
        raise ValueError(f"{name} has shape {array.shape}: an axis of length 0 holds nothing.")
    if array.dtype.kind != "f":
        array = array.astype(np.float64)
    if np.isnan(array).any():
        raise ValueError(f"{name} holds NaN: look for a 0/0 or inf - inf where it was made.")
    infinite = np.isposinf(array) if minus_infinity else np.isinf(array)
    if infinite.any():
        allowed = "finite numbers (or -inf for 'never look here')" if minus_infinity else "finite"
        raise ValueError(f"{name} holds an infinite value; it must be {allowed}.")
    return array.astype(np.promote_types(array.dtype, np.float32), copy=False), array.dtype


def weights(value, name):
    """Return `value` as floats, checked to be distributions over the last axis."""
    array, dtype = floats(value, name)
    needs_axes(array, name, 1, "(..., n_keys)")
    tolerance = 1e-2 if dtype == np.float16 else 1e-4
    if (array < 0).any() or (abs(array.sum(axis=-1) - 1) > tolerance).any():
        raise ValueError(
            f"{name} must be weights: no negative number, and every row (last axis) adding up "
            "to 1; were logits given that softmax has not turned into weights?"
        )
    return array, dtype


def needs_axes(array, name, n_axes, shape):
    """Refuse an array with fewer than `n_axes` axes; `shape` says what was expected."""
    if array.ndim < n_axes:
        raise ValueError(
            f"{name} has shape {array.shape}; it needs at least {n_axes} "
            f"{'axis' if n_axes == 1 else 'axes'}, {shape}."
        )


def whole_number(value, name):
    """Refuse anything but an integer."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be a whole number, but is {value!r}.")


def head_count(n_heads, d_model):
    """Refuse a number of heads that does not cut `d_model` channels into equal blocks."""
    whole_number(n_heads, "n_heads")
    if n_heads < 1 or d_model % n_heads:
        raise ValueError(
            f"d_model = {d_model} cannot be cut into n_heads = {n_heads} equal blocks; "
            "take a number of heads that divides the width."
        )


def mask_for(mask, logits_shape):
    """Return `mask` as booleans (True = may attend) that fit logits of `logits_shape`."""
    array = np.asarray(mask)
    if array.dtype.kind == "f":
        raise TypeError(
            "mask must be boolean (True = may attend) or 0/1 integers, but holds floats; "
            "a mask of 0 and -inf that is added to logits becomes `mask == 0`."
        )
    if array.dtype.kind not in "biu" or not np.isin(array, (0, 1)).all():
        raise TypeError("mask must be boolean (True = may attend) or 0/1 integers.")
    if array.shape not in (logits_shape[-2:], logits_shape):
        raise ValueError(
            f"mask has shape {array.shape}, but the logits have shape {logits_shape}; it must "
            f"be {logits_shape[-2:]} (queries, keys) or the full shape: it is never broadcast."
        )
    return array.astype(bool)
