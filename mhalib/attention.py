"""Multi-head attention, a line of mathematics a function.

Shapes: rows are tokens, `d_model = n_heads * d_head`, and any leading batch axes may stand
before the ones named. Weights have queries down and keys across. Nothing is broadcast: leading
axes must be the same. Integers and lists are computed in float64, float32 and float64 stay,
float16 is computed in float32 and given back as float16.

These functions check what they are given; the formulas themselves stand in `formulas`.
"""

import numpy as np

from mhalib import formulas, inputs


def softmax(logits, mask=None):
    r"""Turn each row of logits into weights: positive numbers that add up to 1.

    ``A[j] = exp(S[j]) / sum_k exp(S[k])``, over the last axis.

    `logits`: (..., n_keys), without unit; only differences inside a row count, and -inf gives
    weight 0. `mask`: bool or 0/1, True where the query may attend; shape (n_queries, n_keys) or
    that of `logits`. Returns (..., n_keys); a row with nothing to attend to is all zeros, never
    NaN. The largest logit is subtracted first, so that nothing overflows.

    Raises ValueError or TypeError for NaN or +inf, no axis, an empty axis, or a mask of another
    shape or of floats. Source: Bridle (1990); in attention: Vaswani et al. (2017), section 3.2.1.
    """
    logits, dtype = inputs.floats(logits, "logits", "(..., n_keys)", minus_infinity=True)
    weights = formulas.softmax(logits, inputs.mask_or_none(mask, logits.shape))
    return weights.astype(dtype, copy=False)


def causal_mask(n_queries, n_keys=None):
    """Let every token see itself and what came before: True = may attend.

    ``M[i, j] = (j <= i + n_keys - n_queries)``

    Shape (n_queries, n_keys); `n_keys` is `n_queries` unless given. With more keys than queries
    (a cache) the queries are the *last* tokens: 2 queries on 5 keys see 11110 and 11111.

    Raises ValueError if a count is below 1 or there are fewer keys than queries.
    """
    n_keys = n_queries if n_keys is None else n_keys
    inputs.whole_number(n_queries, "n_queries")
    inputs.whole_number(n_keys, "n_keys")
    if n_queries < 1 or n_keys < n_queries:
        raise ValueError(
            f"causal_mask needs 1 <= n_queries <= n_keys, but got n_queries = {n_queries} and "
            f"n_keys = {n_keys}; the queries are the last of the keys' tokens."
        )
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)


def split_heads(x, n_heads):
    """Cut the channels into one block per head: (..., T, d_model) -> (..., n_heads, T, d_head).

    ``split_heads(x, h)[r, t] = x[t, r * d_head : (r + 1) * d_head]``

    Raises ValueError if `n_heads` does not divide d_model. Always a copy.
    """
    x, dtype = inputs.floats(x, "x", "(..., T, d_model)")
    inputs.head_count(n_heads, x.shape[-1])
    return formulas.split(x, n_heads).astype(dtype)


def concat_heads(heads):
    """Set the heads' blocks side by side: (..., n_heads, T, d_head) -> (..., T, d_model).

    ``concat_heads(o)[t] = [o[0, t], o[1, t], ...]``, the inverse of `split_heads`. A copy.
    """
    heads, dtype = inputs.floats(heads, "heads", "(..., n_heads, T, d_head)")
    return formulas.concat(heads).astype(dtype)


@np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
def scaled_dot_product_attention(q, k, v, mask=None, scale=None):
    """One head, or many side by side: look, weigh, average.

    ``weights = softmax(q @ k.T * scale)``, ``output = weights @ v``

    `q`: (..., n_queries, d_head), `k`: (..., n_keys, d_head), `v`: (..., n_keys, d_value);
    `mask`: as in `softmax`; `scale`: a number, ``1 / sqrt(d_head)`` unless given. Returns output
    (..., n_queries, d_value) and weights (..., n_queries, n_keys).

    Raises ValueError or TypeError, in one sentence, for shapes that do not fit or overflow.
    Source: Vaswani et al. (2017), equation 1.
    """
    q, k, v, dtype = inputs.queries_keys_values(q, k, v)
    mask = inputs.mask_or_none(mask, (*q.shape[:-1], k.shape[-2]))
    output, weights = formulas.attend(q, k, v, mask, inputs.number(scale, "scale", or_none=True))
    return inputs.fits(output, dtype, "weights @ v"), weights.astype(dtype, copy=False)


@np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads, mask=None, context=None):
    """Project, cut into heads, let each head attend on its own, set side by side, project.

    ``head_r = softmax(Q_r @ K_r.T / sqrt(d_head)) @ V_r``,
    ``Y = concat(head_0, ..., head_{h-1}) @ W_O``

    `x`: (..., T, d_model); `w_q`, `w_k`, `w_v`: (d_in, n_heads * d_head), applied from the right,
    ``Q = x @ w_q``, usually (d_model, d_model); `w_o`: (n_heads * d_head, d_out); `n_heads` must
    divide the width of each projection. `mask`: True = may attend, (T, S) or (..., n_heads, T, S).
    `context`: (..., S, d_context), what keys and values are made from, ``K = context @ w_k``:
    another text in cross-attention; x itself unless given, and then S = T.
    Returns output (..., T, d_out) and weights (..., n_heads, T, S).

    Raises ValueError or TypeError, in one sentence, for shapes that do not fit or overflow.
    Source: Vaswani et al. (2017), section 3.2.2 (without biases); context: section 3.2.3.
    """
    x, context, w_q, w_k, w_v, w_o, dtype = inputs.attention_layer(
        x, context, w_q, w_k, w_v, w_o, n_heads
    )
    sources = ((x, w_q, "w_q"), (context, w_k, "w_k"), (context, w_v, "w_v"))
    q, k, v = (formulas.split(formulas.project(*source), n_heads) for source in sources)
    mask = inputs.mask_or_none(mask, (*q.shape[:-1], k.shape[-2]))
    heads, weights = formulas.attend(q, k, v, mask)
    output = formulas.project(formulas.concat(heads), w_o, "w_o")
    return inputs.fits(output, dtype, "output"), weights.astype(dtype, copy=False)
