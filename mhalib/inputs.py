"""What the public functions accept, and the one sentence they answer otherwise."""

import reprlib
import sys
from collections.abc import Iterable, Mapping
from numbers import Real

import numpy as np

NO_NUMBERS = {
    "U": "text; words need features first",
    "O": "Python objects; one of them may be None",
    "c": "complex numbers; `.real` may be missing",
}


def floats(value, name, shape="", *, minus_infinity=False):
    """Return `value` as floats to compute with, and the dtype to give back.

    Integers, booleans and lists become float64, float16 is computed in float32. `shape`, such as
    "(..., T, d_model)", says which axes are needed at least. The input is never modified.
    """
    array = _array(value, name)
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        what = NO_NUMBERS.get(array.dtype.kind, array.dtype)
        raise TypeError(
            f"{name} must hold real numbers (float16, float32, float64 or integers), but holds "
            f"{what}."
        )
    if array.dtype.kind != "f":
        array = array.astype(np.float64)
    if not np.isfinite(array).all():
        if np.isnan(array).any():
            raise ValueError(f"{name} holds NaN: look for a 0/0 or inf - inf where it was made.")
        if not minus_infinity or np.isposinf(array).any():
            allowed = "finite" + minus_infinity * " numbers (or -inf for 'never look here')"
            raise ValueError(f"{name} holds an infinite value; it must be {allowed}.")
    needs_axes(array, name, shape.count(","), shape)
    return array.astype(np.promote_types(array.dtype, np.float32), copy=False), array.dtype


@np.errstate(over="ignore")  # a sum that overflows is not 1 either
def weights(value, name, shape="(..., n_keys)", *, nothing_to_see=False):
    """Return `value` as floats, checked to be distributions over the last axis.

    With `nothing_to_see` a row may also be all zeros, as softmax gives it where all is masked.
    """
    array, dtype = floats(value, name, shape)
    sums = array.sum(axis=-1, keepdims=True)
    off = abs(sums - 1) > (1e-2 if dtype == np.float16 else 1e-4)
    if nothing_to_see and off.any():
        off &= (array != 0).any(axis=-1, keepdims=True)
    negative = array.min() < 0
    if negative or off.any():
        given = f"{array.min():.6g}" if negative else f"a row that adds up to {sums[off][0]:.6g}"
        raise ValueError(
            f"{name} must be weights, none negative and every row (last axis) adding up to 1, but "
            f"holds {given}; softmax turns logits into weights."
        )
    return array, dtype


def together(shape, **arrays):
    """Return arrays that meet in one formula, as floats, and the dtype to give back."""
    checked = [floats(array, name, shape) for name, array in arrays.items()]
    return *(array for array, _ in checked), np.result_type(*(dtype for _, dtype in checked))


def queries_keys_values(q, k, v):
    """Return queries, keys and values that fit together, as floats, and the dtype to give back."""
    q, k, v, dtype = together("(..., tokens, channels)", q=q, k=k, v=v)
    meet(q.shape, k.shape, v.shape)
    return q, k, v, dtype


def grouped(q, k, v):
    """As `queries_keys_values`, with n_heads heads in q and n_kv blocks in k and v."""
    q, k, v, dtype = together("(..., heads, tokens, channels)", q=q, k=k, v=v)
    groups(q.shape[-3], k.shape[-3])
    meet((*q.shape[:-3], k.shape[-3], *q.shape[-2:]), k.shape, v.shape)
    return q, k, v, dtype


def meet(q, k, v):
    """Refuse shapes of queries, keys and values that do not fit together."""
    if q[-1] != k[-1]:
        raise ValueError(
            f"q has {q[-1]} channels and k has {k[-1]}: a dot product needs the same d_head "
            f"(shapes {q} and {k})."
        )
    if k[-2] != v[-2]:
        raise ValueError(
            f"k has {k[-2]} tokens and v has {v[-2]}: each key carries one value "
            f"(shapes {k} and {v})."
        )
    if not q[:-2] == k[:-2] == v[:-2]:
        raise ValueError(
            f"q, k and v have leading axes {q[:-2]}, {k[:-2]} and {v[:-2]}; they must be the same: "
            "nothing is broadcast."
        )


def attention_layer(x, context, w_q, w_k, w_v, w_o, n_heads):
    """Return tokens, what they look at (themselves for None), four matrices, and the dtype."""
    x, dtype = floats(x, "x", "(..., T, d_model)")
    c, c_dtype = x, dtype
    if context is not None:
        c, c_dtype = floats(context, "context", "(..., S, d_context)")
    if x.shape[:-2] != c.shape[:-2]:
        raise ValueError(
            f"x has shape {x.shape} and context has {c.shape}; their leading axes must be the "
            "same, one context for each text: nothing is broadcast."
        )
    matrices, dtypes, blocks = [], [dtype, c_dtype], []
    for w, name, rows in ((w_q, "w_q", x), (w_k, "w_k", c), (w_v, "w_v", c)):
        w, dtype = matrix(w, name, rows.shape[-1])
        head_count(n_heads, w.shape[1])
        matrices.append(w)
        dtypes.append(dtype)
        blocks.append((*rows.shape[:-2], n_heads, rows.shape[-2], w.shape[1] // n_heads))
    meet(*blocks)
    w_o, dtype = matrix(w_o, "w_o", w.shape[1])
    return x, c, *matrices, w_o, np.result_type(*dtypes, dtype)


def groups(n_heads, n_kv):
    """Refuse blocks of keys and values that cannot serve the heads in equal groups."""
    whole_number(n_heads, "n_heads")
    whole_number(n_kv, "n_kv")
    if n_kv < 1 or n_heads < 1 or n_heads % n_kv:
        raise ValueError(
            f"n_kv = {n_kv} blocks of keys and values cannot serve n_heads = {n_heads} in equal "
            "groups; take a number that divides the heads: all of them is MHA, 1 is MQA."
        )


def matrix(value, name, n_rows):
    """Return `value` as a matrix of floats with so many rows, and the dtype to give back."""
    array, dtype = floats(value, name)
    if array.ndim != 2 or array.shape[0] != n_rows:
        raise ValueError(
            f"{name} has shape {array.shape}, but must be a matrix with {n_rows} rows, one for "
            "each channel it multiplies; it may be transposed."
        )
    return array, dtype


def upstream(value, shape):
    """Return the gradient of a loss with respect to a result of this shape, and its dtype."""
    array, dtype = floats(value, "upstream")
    if array.shape != shape:
        raise ValueError(
            f"upstream has shape {array.shape}, but the result it belongs to has {shape}; it is "
            "the loss's derivative by each number of that result."
        )
    return array, dtype


def of_forward_call(weights, shape):
    """Refuse weights of another shape than these inputs give."""
    if weights.shape != shape:
        raise ValueError(
            f"weights has shape {weights.shape}, but these inputs give {shape}; take the weights "
            "that the forward call returned for them."
        )


def fits(result, dtype, name, *, minus_infinity=False):
    """Return `result` as `dtype`, or refuse what overflows; -inf only where it is expected."""
    result = result.astype(dtype, copy=False)
    finite = np.isfinite(result)
    if not (finite.all() or (finite | (np.isneginf(result) & minus_infinity)).all()):
        raise ValueError(
            f"{name} grows beyond {np.finfo(dtype).max:.3g}, the largest {np.dtype(dtype)}; the "
            "inputs must be smaller."
        )
    return result


def needs_axes(array, name, n_axes, shape):
    """Refuse an array with fewer than `n_axes` axes; `shape` says what was expected."""
    if array.ndim < n_axes:
        raise ValueError(
            f"{name} has shape {array.shape}; it needs at least {n_axes} "
            f"{'axis' if n_axes == 1 else 'axes'}, {shape}; an index such as [0] drops one."
        )


def whole_number(value, name):
    """Refuse anything but an integer."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        slip = "; / gives floats, // whole numbers" if isinstance(value, float) else ""
        raise TypeError(f"{name} must be a whole number, but is {shown(value)}{slip}.")


def counts(**given):
    """Refuse what is no whole number from 1 on, by name."""
    for name, count in given.items():
        whole_number(count, name)
        if count < 1:
            raise ValueError(f"{name} must be at least 1, but is {count}.")


def number(value, name, *, or_none=False):
    """Return one finite real number as a float, or refuse it; None only where it stands for one."""
    if value is None and or_none:
        return None
    real = isinstance(value, Real) and not isinstance(value, bool)
    if not real or not abs(value) <= sys.float_info.max:
        raise (ValueError if real else TypeError)(
            f"{name} must be one finite number, but is {shown(value)}."
        )
    return float(value)


def head_count(n_heads, d_model):
    """Refuse a number of heads that does not cut `d_model` channels into equal blocks."""
    whole_number(n_heads, "n_heads")
    if n_heads < 1 or d_model % n_heads:
        raise ValueError(
            f"d_model = {d_model} cannot be cut into n_heads = {n_heads} equal blocks; "
            "take a number of heads that divides the width."
        )


def task(k, n_tokens, **others):
    """Refuse counts that are no whole numbers from 1 on, and more questions than tokens."""
    counts(k=k, n_tokens=n_tokens, **others)
    if k > n_tokens:
        raise ValueError(
            f"k = {k} distinct keys cannot be asked of n_tokens = {n_tokens} tokens; each question "
            "needs a key of its own."
        )


def named_shapes(given, shapes):
    """Refuse parameters that have not these shapes, by name."""
    given = {name: w.shape for name, w in given.items()}
    if given != shapes:
        name = next(n for n in given | shapes if given.get(n) != shapes.get(n))
        raise ValueError(
            f"The parameters belong to other settings: {name} has shape {given.get(name)}, but "
            f"must have {shapes.get(name)}."
        )


def mask_for(mask, logits_shape):
    """Return `mask` as booleans (True = may attend) that fit logits of `logits_shape`."""
    array = _array(mask, "mask")
    if array.dtype.kind not in "biu" or not np.isin(array, (0, 1)).all():
        what = "other integers" if array.dtype.kind in "iu" else array.dtype
        raise TypeError(
            f"mask must be boolean (True = may attend) or 0/1 integers, but holds {what}; "
            "a mask of 0 and -inf that is added to logits becomes `mask == 0`."
        )
    if array.shape not in (logits_shape[-2:], logits_shape):
        raise ValueError(
            f"mask has shape {array.shape}, but the logits have shape {logits_shape}; it must "
            f"be {logits_shape[-2:]} (queries, keys) or the full shape: it is never broadcast."
        )
    return array.astype(bool)


def mask_or_none(mask, logits_shape):
    """As `mask_for`, for a mask that may be left out."""
    return None if mask is None else mask_for(mask, logits_shape)


def words(value):
    """Return `value` as a list of words."""
    listed = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else []
    if not listed or not all(isinstance(word, str) for word in listed):
        raise TypeError(
            f"words must be a list of one word or more, but is {shown(value)}; "
            "`.split()` makes one of a text."
        )
    return [str(word) for word in listed]


def wishes(asks, kinds, asked_for):
    """Refuse what is not a number for each of `asked_for`, by kind of word."""
    if not isinstance(asks, Mapping):
        raise TypeError(
            f"asks must be a dictionary from kinds of words to wishes, but is {shown(asks)}."
        )
    for kind, wish in asks.items():
        if kind not in kinds:
            raise ValueError(f"{shown(kind)} is no kind of word; kinds are {', '.join(kinds)}.")
        array, _ = floats(wish, f"asks[{kind!r}]")
        if array.shape != (len(asked_for),):
            raise ValueError(
                f"asks[{kind!r}] has shape {array.shape}, but must be {len(asked_for)} numbers: "
                f"{', '.join(asked_for)}."
            )


def shown(value):
    """`value` as it is written, cut to fit into a sentence."""
    return " ".join(reprlib.repr(value).split())


def _array(value, name):
    """`value` as an array, without any loss, and with something in it."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            f"{name} is a masked array, and what it hides would be used; give its `.data`, and "
            "`mask=` (True = may attend) where a function takes one."
        )
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(
            f"{name} must be a rectangular array of numbers, but its rows have different lengths."
        ) from None
    if array.size == 0:
        raise ValueError(f"{name} has shape {array.shape}: an axis of length 0 holds nothing.")
    return array
