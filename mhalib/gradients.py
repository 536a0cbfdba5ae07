"""The derivative of each function of `attention`: the same names, in the same order.

A loss is one number. Given its derivative by every number of a result (`upstream`, of that
result's shape), each function returns its derivative by every number of the inputs: the
vector-Jacobian product, in which no Jacobian is ever formed. What the forward call returned is
taken from there, the `weights`: they hold 0 where a mask hid a key, so no mask is needed again.

`causal_mask` has no derivative: it holds no numbers that could change by a little. Dtypes are
those of `attention`; all raise ValueError or TypeError, in one sentence, for shapes that do not
fit, rows that are no weights, and overflow. Source: Rumelhart, Hinton and Williams (1986).
"""

import numpy as np

from mhalib import formulas, inputs


@np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
def softmax(weights, upstream):
    r"""From the weights back to the logits; every row on its own.

    ``dS[k] = A[k] (G[k] - sum_j G[j] A[j])``

    `weights`: (..., n_keys), what `attention.softmax` returned; `upstream`: G, the derivative of
    the loss by them. Returns (..., n_keys): each row adds up to 0, and is 0 where the weight is 0.
    """
    a, dtype = inputs.weights(weights, "weights", nothing_to_see=True)
    g, g_dtype = inputs.upstream(upstream, a.shape)
    dtype = np.result_type(dtype, g_dtype)
    return inputs.fits(formulas.softmax_back(a, g), dtype, "the gradient")


def softmax_jacobian(weights):
    r"""How each weight of a row answers to each logit of the same row.

    ``J[j, k] = dA[j] / dS[k] = A[j] (1[j = k] - A[k])``, or ``diag(A) - A A^T``

    Shape (..., n_keys) to (..., n_keys, n_keys): weights down, logits across. Symmetric; rows
    and columns add up to 0. `softmax` multiplies by it without forming it.
    """
    a, dtype = inputs.weights(weights, "weights", nothing_to_see=True)
    jacobian = a[..., :, None] * (np.eye(a.shape[-1], dtype=a.dtype) - a[..., None, :])
    return jacobian.astype(dtype, copy=False)


def split_heads(upstream):
    """Cutting only moves numbers: set the blocks' derivatives side by side again.

    ``dX = concat_heads(G)``, shape (..., n_heads, T, d_head) to (..., T, d_model).
    """
    g, dtype = inputs.floats(upstream, "upstream", "(..., n_heads, T, d_head)")
    return formulas.concat(g).astype(dtype)


def concat_heads(upstream, n_heads):
    """Setting side by side only moves numbers: cut the derivative into blocks again.

    ``dO = split_heads(G, n_heads)``, shape (..., T, d_model) to (..., n_heads, T, d_head).
    """
    g, dtype = inputs.floats(upstream, "upstream", "(..., T, d_model)")
    inputs.head_count(n_heads, g.shape[-1])
    return formulas.split(g, n_heads).astype(dtype)


@np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
def scaled_dot_product_attention(q, k, v, weights, upstream, scale=None):
    """From a head's output back to its queries, keys and values.

    ``dV = A.T @ G``, ``dA = G @ V.T``, ``dS = softmax(A, dA)``,
    ``dQ = dS @ K * scale``, ``dK = dS.T @ Q * scale``

    `q`, `k`, `v`, `scale`: as given to `attention.scaled_dot_product_attention`; `weights`:
    (..., n_queries, n_keys), what it returned beside the output; `upstream`: (..., n_queries,
    d_value), G, the derivative of the loss by the output. (For a loss on the weights: `softmax`.)
    Returns d_q, d_k, d_v, of the shapes of q, k, v.
    """
    q, k, v, dtype = inputs.queries_keys_values(q, k, v)
    a, a_dtype = inputs.weights(weights, "weights", nothing_to_see=True)
    inputs.of_forward_call(a, (*q.shape[:-1], k.shape[-2]))
    g, g_dtype = inputs.upstream(upstream, (*q.shape[:-1], v.shape[-1]))
    dtype = np.result_type(dtype, a_dtype, g_dtype)
    by_each = formulas.attend_back(q, k, v, a, g, inputs.number(scale, "scale", or_none=True))
    return tuple(inputs.fits(gradient, dtype, "the gradient") for gradient in by_each)


@np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
def multi_head_attention(x, w_q, w_k, w_v, w_o, weights, upstream, context=None):
    """From the output of the whole layer back to its input and its four matrices.

    ``dW_O = concat(heads).T @ G``, ``dheads = split(G @ W_O.T)``, each head on its own, then
    ``dW_Q = X.T @ dQ`` (so for K, V) and ``dX = dQ @ W_Q.T + dK @ W_K.T + dV @ W_V.T``;
    given a context C: ``dX = dQ @ W_Q.T``, ``dC = dK @ W_K.T + dV @ W_V.T``, ``dW_K = C.T @ dK``

    `x`, `context` and matrices as given to `attention.multi_head_attention`; `weights`: (...,
    n_heads, T, S), what it returned beside the output, which says how many heads there are and
    what was masked; `upstream`: (..., T, d_out), G, the derivative of the loss by the output.
    Returns d_x, d_w_q, d_w_k, d_w_v, d_w_o, for a matrix summed over all tokens of all batches;
    given a context, d_context comes last.
    """
    own = context is None
    a, a_dtype = inputs.weights(weights, "weights", "(..., n_heads, T, S)", nothing_to_see=True)
    x, c, *matrices, dtype = inputs.attention_layer(x, context, w_q, w_k, w_v, w_o, a.shape[-3])
    inputs.of_forward_call(a, (*x.shape[:-2], a.shape[-3], x.shape[-2], c.shape[-2]))
    g, g_dtype = inputs.upstream(upstream, (*x.shape[:-1], matrices[3].shape[1]))
    d_x, d_c, *d_matrices = _layer_back(x, c, *matrices, a, g)
    by_each = (d_x + d_c, *d_matrices) if own else (d_x, *d_matrices, d_c)
    dtype = np.result_type(dtype, a_dtype, g_dtype)
    return tuple(inputs.fits(gradient, dtype, "the gradient") for gradient in by_each)


def _layer_back(x, c, w_q, w_k, w_v, w_o, a, g):
    """Back to the tokens that look, to those looked at, and to the matrices."""
    q, k, v, d_heads = (
        formulas.split(product, a.shape[-3]) for product in (x @ w_q, c @ w_k, c @ w_v, g @ w_o.T)
    )
    d_q, d_k, d_v = map(formulas.concat, formulas.attend_back(q, k, v, a, d_heads))
    factors = ((x, d_q), (c, d_k), (c, d_v), (formulas.concat(a @ v), g))
    d_matrices = (formulas.project_back(*pair) for pair in factors)
    return d_q @ w_q.T, d_k @ w_k.T + d_v @ w_v.T, *d_matrices
