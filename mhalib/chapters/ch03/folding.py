"""Do several heads fold into one? What they carry together, beside what one head carries.

The one head's logits are the average of the heads' logits, so that heads that agree are never
changed. With rows "linear" the logits are the weights, as they are; with "softmax" each row of
them is turned into weights first.
"""

import numpy as np

from mhalib import inputs
from mhalib.attention import concat_heads, softmax, split_heads
from mhalib.merging import merge_logits

ROWS = {"linear": lambda logits: logits, "softmax": softmax}


def heads_together(logits, values, rows="softmax", own=True):
    """What the heads carry, put together.

    A path each: ``concat(f(S_0) @ V_0, ..., f(S_{h-1}) @ V_{h-1})``; one path:
    ``sum_r f(S_r) @ V / h``

    Parameters
    ----------
    logits : array (..., n_heads, n_queries, n_keys)
    values : array (..., n_keys, d)
        With `own` paths, head r reads its block of columns, V_r, and writes into its own block;
        without, every head reads all of V and the outputs are averaged.
    rows : "softmax" or "linear"
    own : bool

    Returns
    -------
    array (..., n_queries, d)

    Raises ValueError or TypeError for shapes that do not fit, or other rows.
    """
    logits, values, dtype = _checked(logits, values, rows)
    tables = ROWS[rows](logits)
    if own:
        together = concat_heads(tables @ split_heads(values, logits.shape[-3]))
    else:
        together = (tables @ values[..., None, :, :]).mean(axis=-3)
    return inputs.fits(together, dtype, "what the heads carry")


def one_head(logits, values, rows="softmax"):
    """What one head carries whose logits are the average of the heads': ``f(sum_r S_r / h) @ V``.

    Shapes, rows and errors as in `heads_together`.
    """
    logits, values, dtype = _checked(logits, values, rows)
    carried = ROWS[rows](merge_logits(logits, "average", axis=-3)) @ values
    return inputs.fits(carried, dtype, "what one head carries")


def relative_difference(reference, other):
    """How far `other` is from `reference`: ``||other - reference|| / ||reference||``.

    The norm is the root of the sum of squares over the last two axes: (..., n, d) to (...).
    Raises ValueError for two shapes or a reference that is all zero.
    """
    (reference, dtype), (other, other_dtype) = (
        inputs.floats(a, name) for a, name in ((reference, "reference"), (other, "other"))
    )
    inputs.needs_axes(reference, "reference", 2, "(..., n, d)")
    if reference.shape != other.shape:
        raise ValueError(
            f"reference has shape {reference.shape} and other has {other.shape}, but they must be "
            "the same: nothing is broadcast."
        )
    size = np.linalg.norm(reference, axis=(-2, -1))
    if not size.all():
        raise ValueError("reference is all zero, so that no difference is relative to it.")
    distance = np.linalg.norm(other - reference, axis=(-2, -1))
    return (distance / size).astype(np.result_type(dtype, other_dtype))


def _checked(logits, values, rows):
    if not isinstance(rows, str) or rows not in ROWS:
        named = " or ".join(map(repr, ROWS))
        raise ValueError(f"rows must be {named}, but is {inputs.shown(rows)}.")
    (logits, dtype), (values, values_dtype) = (
        inputs.floats(a, name) for a, name in ((logits, "logits"), (values, "values"))
    )
    inputs.needs_axes(logits, "logits", 3, "(..., n_heads, n_queries, n_keys)")
    inputs.needs_axes(values, "values", 2, "(..., n_keys, d)")
    if logits.shape[-1] != values.shape[-2] or logits.shape[:-3] != values.shape[:-2]:
        raise ValueError(
            f"logits {logits.shape} and values {values.shape} do not fit: needed are "
            "(..., n_heads, n_queries, n_keys) and (..., n_keys, d), with the same leading axes; "
            "values stand in one table, not cut into heads."
        )
    return logits, values, np.result_type(dtype, values_dtype)
