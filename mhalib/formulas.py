"""The formulas of attention, bare: of arrays that a public function has checked.

`attention`, `gradients`, `merging`, `sharing` and `training` are made of them. Nothing is looked
after here but what no check of an input can see, a product beyond the largest float.
"""

import numpy as np

from mhalib import inputs


def transpose(x):
    """The last two axes exchanged: each matrix ``x.T``."""
    return np.swapaxes(x, -2, -1)


def softmax(logits, mask=None):
    """``A[j] = exp(S[j]) / sum_k exp(S[k])``; all zeros where there is nothing to attend to."""
    if mask is not None:
        logits = np.where(mask, logits, -np.inf)
    largest = logits.max(axis=-1, keepdims=True)
    with np.errstate(over="ignore"):  # two logits further apart than any float: weight 0
        exponentials = np.exp(logits - np.where(np.isneginf(largest), 0, largest))
    total = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / np.where(total == 0, 1, total)


def softmax_back(a, g):
    """``dS[k] = A[k] (G[k] - sum_j G[j] A[j])``: the Jacobian times G, without the Jacobian."""
    return a * (g - (g * a).sum(axis=-1, keepdims=True))


def split(x, n_heads):
    """Cut the channels into blocks: (..., T, d_model) -> (..., n_heads, T, d_head), a view."""
    return np.swapaxes(x.reshape(*x.shape[:-1], n_heads, -1), -3, -2)


def concat(blocks):
    """Set the blocks side by side: (..., n_heads, T, d_head) -> (..., T, d_model)."""
    side_by_side = np.swapaxes(blocks, -3, -2)
    return side_by_side.reshape(*side_by_side.shape[:-2], -1)


def repeat(blocks, n_heads):
    """``out[r] = blocks[r // (n_heads / n_kv)]``: (..., n_kv, T, d) -> (..., n_heads, T, d)."""
    return blocks.repeat(n_heads // blocks.shape[-3], axis=-3)


def project(x, w, name):
    """``x @ w``; `name` says which matrix that is."""
    product = x @ w
    return inputs.fits(product, product.dtype, f"the product with {name}")


def attend(q, k, v, mask=None, scale=None):
    """``A = softmax(q @ k.T * scale)``; returns ``A @ v`` and A."""
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    logits = q @ transpose(k) * scale
    weights = softmax(inputs.fits(logits, logits.dtype, "q @ k.T * scale"), mask)
    return weights @ v, weights


def attend_back(q, k, v, a, g, scale=None):
    """From a head's output back to q, k and v: ``dS @ k``, ``dS.T @ q``, ``A.T @ G``."""
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    d_logits = softmax_back(a, g @ transpose(v)) * scale
    return d_logits @ k, transpose(d_logits) @ q, transpose(a) @ g


def project_back(x, g):
    """``x.T @ G``, summed over all tokens of all batches: back to the matrix w of ``x @ w``."""
    return x.reshape(-1, x.shape[-1]).T @ g.reshape(-1, g.shape[-1])


def entropy(p):
    """``-sum_j p_j log p_j`` of each row; `0 -`, or certainty would print as -0.0."""
    return 0 - (p * np.log(np.where(p > 0, p, 1))).sum(axis=-1)
