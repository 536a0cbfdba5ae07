"""The derivative of each function of `attention`: the same names, in the same order.

A loss is one number. Given its derivative by every number of a result (`upstream`, of that
result's shape), each function returns its derivative by every number of the inputs: the
vector-Jacobian product, in which no Jacobian is ever formed. What the forward call returned is
taken from there, the `weights`: they hold 0 where a mask hid a key, so no mask is needed again.

`causal_mask` has no derivative: it holds no numbers that could change by a little. Dtypes are
those of `attention`. Source: Rumelhart, Hinton and Williams (1986), the chain rule from the end.
"""

import numpy as np

from mhalib import attention, inputs


def softmax(weights, upstream):
    r"""From the weights back to the logits; every row on its own.

    ``dS[k] = A[k] (G[k] - sum_j G[j] A[j])``

    Parameters
    ----------
    weights : array (..., n_keys)
        What `attention.softmax` returned.
    upstream : array (..., n_keys)
        G, the derivative of the loss by the weights.

    Returns
    -------
    array (..., n_keys)
        The derivative by the logits: each row adds up to 0, and is 0 where the weight is 0.

    Raises ValueError or TypeError for rows that are no weights, another shape, or overflow.
    """
    a, dtype = inputs.weights(weights, "weights", nothing_to_see=True)
    g, g_dtype = inputs.upstream(upstream, a.shape)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused
        d_logits = _rows(a, g)
    return inputs.fits(d_logits, np.result_type(dtype, g_dtype), "the gradient")


def softmax_jacobian(weights):
    r"""How each weight of a row answers to each logit of the same row.

    ``J[j, k] = dA[j] / dS[k] = A[j] (1[j = k] - A[k])``, or ``diag(A) - A A^T``

    Shape (..., n_keys) to (..., n_keys, n_keys): weights down, logits across. Symmetric; rows
    and columns add up to 0. `softmax` multiplies by it without forming it. Raises as there.
    """
    a, dtype = inputs.weights(weights, "weights", nothing_to_see=True)
    jacobian = a[..., :, None] * (np.eye(a.shape[-1], dtype=a.dtype) - a[..., None, :])
    return jacobian.astype(dtype, copy=False)


def split_heads(upstream):
    """Cutting only moves numbers: set the blocks' derivatives side by side again.

    ``dX = concat_heads(G)``, shape (..., n_heads, T, d_head) to (..., T, d_model).
    """
    g, dtype = inputs.floats(upstream, "upstream")
    inputs.needs_axes(g, "upstream", 3, "(..., n_heads, T, d_head)")
    return attention.concat_heads(g).astype(dtype, copy=False)


def concat_heads(upstream, n_heads):
    """Setting side by side only moves numbers: cut the derivative into blocks again.

    ``dO = split_heads(G, n_heads)``, shape (..., T, d_model) to (..., n_heads, T, d_head).
    """
    g, dtype = inputs.floats(upstream, "upstream")
    inputs.needs_axes(g, "upstream", 2, "(..., T, d_model)")
    return attention.split_heads(g, n_heads).astype(dtype, copy=False)


@np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
def scaled_dot_product_attention(q, k, v, weights, upstream, scale=None):
    """From a head's output back to its queries, keys and values.

    ``dV = A.T @ G``, ``dA = G @ V.T``, ``dS = softmax(A, dA)``,
    ``dQ = dS @ K * scale``, ``dK = dS.T @ Q * scale``

    Parameters
    ----------
    q, k, v, scale
        As given to `attention.scaled_dot_product_attention`.
    weights : array (..., n_queries, n_keys)
        What it returned beside the output; 0 where a mask hid a key.
    upstream : array (..., n_queries, d_value)
        G, the derivative of the loss by the output. (For a loss on the weights: `softmax`.)

    Returns
    -------
    d_q, d_k, d_v : arrays of the shapes of q, k, v

    Raises ValueError or TypeError, in one sentence, for shapes that do not fit or overflow.
    """
    q, k, v, dtype = inputs.queries_keys_values(q, k, v)
    a, a_dtype = inputs.weights(weights, "weights", nothing_to_see=True)
    _needs_shape(a, (*q.shape[:-1], k.shape[-2]))
    g, g_dtype = inputs.upstream(upstream, (*q.shape[:-1], v.shape[-1]))
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    inputs.number(scale, "scale")
    gradients = _head(q, k, v, a, g, float(scale))
    dtype = np.result_type(dtype, a_dtype, g_dtype)
    return tuple(inputs.fits(gradient, dtype, "the gradient") for gradient in gradients)


@np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
def multi_head_attention(x, w_q, w_k, w_v, w_o, weights, upstream, context=None):
    """From the output of the whole layer back to its input and its four matrices.

    ``dW_O = concat(heads).T @ G``, ``dheads = split(G @ W_O.T)``, each head on its own, then
    ``dW_Q = X.T @ dQ`` (so for K, V) and ``dX = dQ @ W_Q.T + dK @ W_K.T + dV @ W_V.T``;
    given a context C: ``dX = dQ @ W_Q.T``, ``dC = dK @ W_K.T + dV @ W_V.T``, ``dW_K = C.T @ dK``

    Parameters
    ----------
    x, w_q, w_k, w_v, w_o, context
        As given to `attention.multi_head_attention`.
    weights : array (..., n_heads, T, S)
        What it returned beside the output; it says how many heads there are and what was masked.
    upstream : array (..., T, d_out)
        G, the derivative of the loss by the output.

    Returns
    -------
    d_x, d_w_q, d_w_k, d_w_v, d_w_o : arrays of the shapes of x and the matrices
        For a matrix all tokens of all batches are summed. Given a context, d_context comes last.

    Raises ValueError or TypeError, in one sentence, for shapes that do not fit or overflow.
    """
    x, c, dtype = inputs.tokens_and_context(x, context)
    a, a_dtype = inputs.weights(weights, "weights", nothing_to_see=True)
    inputs.needs_axes(a, "weights", 3, "(..., n_heads, T, S)")
    (*batch, n_tokens, d_in), n_heads = x.shape, a.shape[-3]
    _needs_shape(a, (*batch, n_heads, n_tokens, c.shape[-2]))
    (w_q, q_dtype), (w_k, k_dtype), (w_v, v_dtype) = (
        inputs.matrix(w, name, rows)
        for w, name, rows in (
            (w_q, "w_q", d_in),
            (w_k, "w_k", c.shape[-1]),
            (w_v, "w_v", c.shape[-1]),
        )
    )
    w_o, o_dtype = inputs.matrix(w_o, "w_o", w_v.shape[1])
    g, g_dtype = inputs.upstream(upstream, (*batch, n_tokens, w_o.shape[1]))

    blocks = (
        attention.split_heads(rows @ w, n_heads) for rows, w in ((x, w_q), (c, w_k), (c, w_v))
    )
    q, k, v, _ = inputs.queries_keys_values(*blocks)
    together = attention.concat_heads(a @ v)
    d_heads = attention.split_heads(g @ w_o.T, n_heads)
    by_head = _head(q, k, v, a, d_heads, q.shape[-1] ** -0.5)
    d_q, d_k, d_v = map(attention.concat_heads, by_head)
    d_x, d_c = d_q @ w_q.T, d_k @ w_k.T + d_v @ w_v.T
    gradients = (
        d_x + d_c if context is None else d_x,
        *(_over_tokens(rows, d) for rows, d in ((x, d_q), (c, d_k), (c, d_v))),
        _over_tokens(together, g),
        *(() if context is None else (d_c,)),
    )
    dtype = np.result_type(dtype, q_dtype, k_dtype, v_dtype, o_dtype, a_dtype, g_dtype)
    return tuple(inputs.fits(gradient, dtype, "the gradient") for gradient in gradients)


def _rows(a, g):
    """Each row of weights back to its logits: the Jacobian times g, without the Jacobian."""
    return a * (g - (g * a).sum(axis=-1, keepdims=True))


def _head(q, k, v, a, g, scale):
    """A head back to its queries, keys and values."""
    d_logits = _rows(a, g @ _turned(v)) * scale
    return d_logits @ k, _turned(d_logits) @ q, _turned(a) @ g


def _turned(x):
    """The last two axes exchanged: the transpose of each matrix."""
    return np.swapaxes(x, -2, -1)


def _over_tokens(x, d):
    """``x.T @ d``, summed over all batches: the derivative by the matrix w of ``x @ w``."""
    return x.reshape(-1, x.shape[-1]).T @ d.reshape(-1, d.shape[-1])


def _needs_shape(weights, shape):
    if weights.shape != shape:
        raise ValueError(
            f"weights has shape {weights.shape}, but these inputs give {shape}; take the weights "
            "that the forward call returned for them."
        )


def central_differences(loss, logits, step=1e-5):
    """How `loss(logits)`, a number or an array, answers to each logit; the logits' axes last."""
    moves = step * np.eye(logits.size).reshape(-1, *logits.shape)
    columns = [(loss(logits + move) - loss(logits - move)) / (2 * step) for move in moves]
    return np.moveaxis(np.array(columns), 0, -1).reshape(*np.shape(columns[0]), *logits.shape)
