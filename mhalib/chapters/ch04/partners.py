"""How far apart two rows of weights are, and the head with which adding logits does no harm."""

import numpy as np

from mhalib import formulas, inputs


def partner(weights):
    """Return the one head with which adding logits equals averaging weights.

    ``q_j = 1 / (c - 1 / p_j)``, with c such that the row adds up to 1: merged by adding,
    softmax(log p + log q) equals (p + q) / 2 exactly if 1/p_j + 1/q_j = c for every key.

    `weights`: array (n_keys,), n_keys >= 2, every weight above 0. Returns array (n_keys,).
    Raises ValueError for any other shape or a weight of 0.
    """
    p, dtype = inputs.weights(weights, "weights")
    if p.ndim != 1 or p.size < 2 or p.min() < np.finfo(p.dtype).tiny:
        raise ValueError(
            "partner needs one row of at least 2 weights, all above 0, but got shape "
            f"{p.shape} with a smallest weight of {p.min():.3g}."
        )
    inverse = 1 / p.astype(np.float64)
    below = inverse.max() - inverse
    low, high = 1, p.size  # c - max(1 / p): the sum falls from >= 1 to <= 1 here
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if (1 / (middle + below)).sum() > 1 else (low, middle)
    return (1 / (high + below)).astype(dtype)


def js_divergence(p, q):
    """How different two rows of weights are, in nats: 0 if equal, log 2 if disjoint.

    ``JS = H((p + q) / 2) - (H(p) + H(q)) / 2``

    `p`, `q`: arrays (..., n_keys) of the same shape, else ValueError. Source: Lin (1991).
    """
    p, p_dtype = inputs.weights(p, "p")
    q, q_dtype = inputs.weights(q, "q")
    if p.shape != q.shape:
        raise ValueError(
            f"p has shape {p.shape} and q has {q.shape}, but they must be the same: nothing is "
            "broadcast."
        )
    divergence = formulas.entropy((p + q) / 2) - (formulas.entropy(p) + formulas.entropy(q)) / 2
    return np.maximum(divergence, 0).astype(np.result_type(p_dtype, q_dtype))
