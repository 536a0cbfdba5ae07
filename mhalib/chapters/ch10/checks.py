"""Chapter 10: the fewest heads for a kernel, a head that looks at a place, channels."""

import numpy as np

from mhalib.attention import scaled_dot_product_attention
from mhalib.chapters.ch10.cat_picture import places
from mhalib.chapters.ch10.convolution import place_head, sharing_heads
from mhalib.live.feedback import Wrong, array_of, attempted, call, check, compare, refuse, run
from mhalib.pictures.wording import HEADS

TO_MAKE = {
    "a blur": [1, 2, 1, 2, 4, 2, 1, 2, 1],
    "a kernel of both signs": [0, -1, 0.5, -2, 7, -1, 0, 0.25, 0],
    "a kernel that is never above 0": [0, -3, 0, 0, -1, 0, 0, 0, 0],
    "a single 5": [0, 0, 5, 0, 0, 0, 0, 0, 0],
}


@check
def check_fewest_heads(function):
    """Chapter 10: ``fewest_heads(kernel)``: nine numbers to shares (n_heads, 9) and sizes."""
    for name, kernel in TO_MAKE.items():
        kernel = np.array(kernel, dtype=float)
        shares, sizes = _shares_and_sizes(*_two(function, "fewest_heads", kernel.copy()), name)
        made, fewest = sizes @ shares, len(sharing_heads(kernel.reshape(3, 3))[1])
        if not np.allclose(made, kernel):
            _refuse_made(made, kernel, name)
        if len(sizes) > fewest:
            each = len(sizes) == np.count_nonzero(kernel)
            how = "a head for each place; heads may share" if each else "one of them does nothing"
            raise Wrong(f"{name}: made, but with {len(sizes)} heads where {fewest} will do: {how}.")
    return "Right: one head for each sign that occurs, and W_O has size and sign."


def _shares_and_sizes(shares, sizes, name):
    """The learner's two arrays: a budget and a size for each head."""
    n = np.size(sizes)
    sizes = array_of(sizes, "sizes", (n,))
    hints = {(9,): "shares is one row; give it an axis of heads in front: (1, 9)."}
    hints |= {(9, n): "shares has places first; heads come first: (n_heads, 9)."}
    shares = array_of(shares, "shares", (n, 9), hints)
    if not (np.isfinite(shares).all() and np.isfinite(sizes).all()):
        raise Wrong(
            f"{name}: a NaN came out; a part with nothing in it cannot be divided by its 0."
        )
    if (shares < 0).any():
        raise Wrong(f"{name}: a share is below 0, which no weight can be; signs belong to W_O.")
    sums = shares.sum(axis=1)
    if not np.allclose(sums, 1):
        r = int(abs(sums - 1).argmax())
        raise Wrong(f"{name}: head {HEADS[r % 9]}'s shares add up to {sums[r]:.2f}; a row has 1.")
    return shares, sizes


def _refuse_made(made, kernel, name):
    """Say what is wrong with a kernel that is not the one asked for."""
    parts = [np.maximum(kernel, 0), np.minimum(kernel, 0)]
    shares = sum(part / abs(part.sum()) for part in parts if part.any())
    unsized = np.allclose(made, shares)
    place = int(abs(made - kernel).argmax())
    reasons = {
        "the signs are lost; the negative part's size is below 0.": np.allclose(made, abs(kernel)),
        "only one of its two parts is made.": any(np.allclose(made, part) for part in parts),
        "the sizes are lost: shares add up to 1, so W_O must give back each part's sum.": unsized,
        f"place {place} becomes {made[place]:.2f}, but should be {kernel[place]:.2f}.": True,
    }
    refuse(reasons, lead=f"{name}: ")


@check
def check_place_head(function):
    """Chapter 10: ``place_head(alpha, step)``: W_Q and W_K for rows 1, y, x, y² + x²."""
    alpha, (y, x) = 3.0, (1, -2)
    w_q, w_k = _projections(*_two(function, "place_head", alpha, (y, x)))
    q, k = place_head(alpha, (y, x))
    root = np.sqrt(w_q.shape[1])
    slips = {
        "it looks the opposite way: p_i + step.": _on_grid(*place_head(alpha, (-y, -x))),
        "down and across are swapped in step.": _on_grid(*place_head(alpha, (x, y))),
        "the head divides by √d_head: put that factor in W_Q.": _on_grid(q / root, k),
        "W_Q has √d_head once too often.": _on_grid(q * root, k),
        "−α ‖p_j‖² is missing, so rows look at the furthest corner.": _on_grid(q * [1, 1, 0], k),
        "the 2 is missing in 2 α (p_i + step) · p_j.": _on_grid(q / [2, 2, 1], k),
        "step is not used: every token looks at home.": _on_grid(*place_head(alpha, (0, 0))),
        "alpha is not used.": _on_grid(*place_head(1, (y, x))),
        "the sign is wrong: rows look as far away as they can.": _on_grid(-q, k),
    }
    compare(_on_grid(w_q, w_k), _on_grid(q, k), slips, "softmax(Q @ K.T / √d_head)")
    return "Right: and rows whose place is outside look at the nearest token."


def _projections(w_q, w_k):
    """The learner's W_Q and W_K: a row for each of 4 features, d_head columns."""
    shape = np.shape(w_q)
    d = (shape[1] if shape[0] == 4 else shape[0]) if len(shape) == 2 else 3
    turned = "{} is transposed: it has a row for each of the 4 features."
    return [
        array_of(w, name, (4, d), {(d, 4): turned.format(name)})
        for name, w in (("W_Q", w_q), ("W_K", w_k))
    ]


def _on_grid(w_q, w_k):
    """Where each place of a grid of 5 x 7 looks, in a head with these matrices."""
    grid = places(5, 7)
    return scaled_dot_product_attention(grid @ w_q, grid @ w_k, grid)[1]


@check
def check_mixed_of(function):
    """Chapter 10: ``mixed_of(matrices)``: of how many matrices are (9, C_in, C_out) mixtures?

    Not how many heads they take: that is this number or one more, since no share is below 0.
    """
    rng, rank = np.random.default_rng(10), np.linalg.matrix_rank
    free = rng.normal(size=(9, 5, 7))
    few = np.tensordot(rng.normal(size=(9, 3)), rng.normal(size=(3, 5, 7)), 1)
    sparse = free * (np.arange(9) % 4 == 0)[:, None, None]
    grey = np.reshape([0, -1, 0, -1, 5, -1, 0, -1, 0.0], (9, 1, 1))
    for matrices, right in ((few, 3), (free, 9), (sparse, 3), (grey, 1)):
        result = run(function, "mixed_of", (), matrices)
        ranks, there = rank(matrices), matrices.any(axis=(1, 2)).sum()
        slips = {
            "so many heads are always enough, but they are mixtures of one fewer.": right + 1,
            "that adds up the nine ranks; ask how many of the nine are independent.": sum(ranks),
            "the matrices are stacked below each other; make each one a row of numbers.": (
                rank(matrices.reshape(-1, matrices.shape[-1]))
            ),
            "that is the rank of one matrix, not of the nine.": ranks[0],
            "so many matrices are not 0, but all nine are mixtures of fewer.": there,
        }
        if result != right:
            plain = f"mixed_of gives {float(result):g} where {right} is right."
            raise Wrong(next((said for said, wrong in slips.items() if result == wrong), plain))
    return "Right: h heads make sums of h matrices, so it takes as many or one more."


def _two(function, name, *arguments):
    """The learner's two results."""
    result = call(function, name, *arguments)
    attempted(result)
    if not isinstance(result, tuple | list) or len(result) != 2:
        raise Wrong(f"{name} must return two arrays, as in: return a, b.")
    return result
