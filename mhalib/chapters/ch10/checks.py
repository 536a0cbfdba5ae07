"""Chapter 10: the fewest heads for a kernel, a head that looks at a place, channels."""

import numpy as np

from mhalib.attention import softmax
from mhalib.chapters.ch10.cat_picture import places
from mhalib.chapters.ch10.convolution import place_head, sharing_heads
from mhalib.live import NOT_ATTEMPTED, Feedback
from mhalib.live.feedback import array_of, compare, run
from mhalib.pictures.wording import HEADS

KERNELS = (
    ("a blur", [1, 2, 1, 2, 4, 2, 1, 2, 1]),
    ("a kernel of both signs", [0, -1, 0.5, -2, 7, -1, 0, 0.25, 0]),
    ("a kernel that is never above 0", [0, -3, 0, 0, -1, 0, 0, 0, 0]),
    ("a single 5", [0, 0, 5, 0, 0, 0, 0, 0, 0]),
)


def check_fewest_heads(function):
    """Chapter 10: ``fewest_heads(kernel)``: nine numbers to shares (n_heads, 9) and sizes."""
    for name, kernel in KERNELS:
        kernel = np.array(kernel, float)
        pair = _two(function, "fewest_heads", kernel.copy())
        if isinstance(pair, Feedback):
            return pair
        wrong = _shares_and_sizes(*pair, kernel, name)
        if wrong:
            return wrong
    return Feedback(True, "Right: one head for each sign that occurs, and W_O has size and sign.")


def _shares_and_sizes(shares, sizes, kernel, name):
    n = np.size(sizes)
    sizes = array_of(sizes, "sizes", (n,))
    if isinstance(sizes, Feedback):
        return sizes
    hints = {(9,): "shares is one row; give it an axis of heads in front: (1, 9)."}
    hints |= {(9, n): "shares has places first; heads come first: (n_heads, 9)."}
    shares = array_of(shares, "shares", (n, 9), hints)
    if isinstance(shares, Feedback):
        return shares
    if not (np.isfinite(shares).all() and np.isfinite(sizes).all()):
        return _no(f"{name}: a NaN came out; a part with nothing in it cannot be divided by its 0.")
    if (shares < 0).any():
        return _no(f"{name}: a share is below 0, which no weight can be; signs belong to W_O.")
    sums = shares.sum(axis=1)
    if not np.allclose(sums, 1):
        r = int(abs(sums - 1).argmax())
        return _no(f"{name}: head {HEADS[r % 9]}'s shares add up to {sums[r]:.2f}; a row has 1.")
    made, fewest = sizes @ shares, len(sharing_heads(kernel.reshape(3, 3))[1])
    if not np.allclose(made, kernel):
        return _no(f"{name}: {_slip(made, kernel)}")
    if n > fewest:
        each = n == np.count_nonzero(kernel)
        how = "a head for each place; heads may share" if each else "one of them does nothing"
        return _no(f"{name}: made, but with {n} heads where {fewest} will do: {how}.")
    return None


def _slip(made, kernel):
    if np.allclose(made, abs(kernel)):
        return "the signs are lost; the negative part's size is below 0."
    if np.allclose(made, np.maximum(kernel, 0)) or np.allclose(made, np.minimum(kernel, 0)):
        return "only one of its two parts is made."
    parts = [p / abs(p.sum()) for p in (np.maximum(kernel, 0), np.minimum(kernel, 0)) if p.any()]
    if np.allclose(made, sum(parts)):
        return "the sizes are lost: shares add up to 1, so W_O must give back each part's sum."
    place = int(abs(made - kernel).argmax())
    return f"place {place} becomes {made[place]:.2f}, but should be {kernel[place]:.2f}."


def check_place_head(function):
    """Chapter 10: ``place_head(alpha, step)``: W_Q and W_K for rows 1, y, x, y² + x²."""
    name, alpha, step = "place_head", 3.0, (1, -2)
    pair = _two(function, name, alpha, step)
    if isinstance(pair, Feedback):
        return pair
    shape = np.shape(pair[0])
    d = (shape[1] if shape[0] == 4 else shape[0]) if len(shape) == 2 else 3
    matrices = []
    for matrix, which in zip(pair, ("W_Q", "W_K"), strict=True):
        hints = {(d, 4): f"{which} is transposed: it has a row for each of the 4 features."}
        matrix = array_of(matrix, which, (4, d), hints)
        if isinstance(matrix, Feedback):
            return matrix
        matrices.append(matrix)
    grid = places(5, 7)
    right = _weights(grid, *place_head(alpha, step))
    result = _weights(grid, *matrices)
    (q, k), (y, x) = place_head(alpha, step), step
    flat = q.copy()
    flat[:, 2] = 0
    half = np.column_stack([q[:, :2] / 2, q[:, 2]])
    slips = [
        (_weights(grid, *place_head(alpha, (-y, -x))), "it looks the opposite way: p_i + step."),
        (_weights(grid, *place_head(alpha, (x, y))), "down and across are swapped in step."),
        (_weights(grid, q / np.sqrt(d), k), "the head divides by √d_head: put that factor in W_Q."),
        (_weights(grid, q * np.sqrt(d), k), "W_Q has √d_head once too often."),
        (_weights(grid, flat, k), "−α ‖p_j‖² is missing, so rows look at the furthest corner."),
        (_weights(grid, half, k), "the 2 is missing in 2 α (p_i + step) · p_j."),
        (
            _weights(grid, *place_head(alpha, (0, 0))),
            "step is not used: every token looks at home.",
        ),
        (_weights(grid, *place_head(1, step)), "alpha is not used."),
        (_weights(grid, -q, k), "the sign is wrong: rows look as far away as they can."),
    ]
    if wrong := compare(result, right, slips, "softmax(Q @ K.T / √d_head)"):
        return wrong
    return Feedback(True, "Right: and rows whose place is outside look at the nearest token.")


def check_mixed_of(function):
    """Chapter 10: ``mixed_of(matrices)``: of how many matrices are (9, C_in, C_out) mixtures?

    Not how many heads they take: that is this number or one more, since no share is below 0.
    """
    rng = np.random.default_rng(10)
    free = rng.normal(size=(9, 5, 7))
    few = np.tensordot(rng.normal(size=(9, 3)), rng.normal(size=(3, 5, 7)), 1)
    sparse = free * (np.arange(9) % 4 == 0)[:, None, None]
    grey = np.reshape([0, -1, 0, -1, 5, -1, 0, -1, 0.0], (9, 1, 1))
    for matrices, right in ((few, 3), (free, 9), (sparse, 3), (grey, 1)):
        result = run(function, "mixed_of", (), matrices)
        if isinstance(result, Feedback):
            return result
        slips = [
            (right + 1, "so many heads are always enough, but they are mixtures of one fewer."),
            (
                sum(np.linalg.matrix_rank(m) for m in matrices),
                "that adds up the nine ranks; ask how many of the nine are independent.",
            ),
            (
                np.linalg.matrix_rank(matrices.reshape(-1, matrices.shape[-1])),
                "the matrices are stacked below each other; make each one a row of numbers.",
            ),
            (
                np.linalg.matrix_rank(matrices[0]),
                "that is the rank of one matrix, not of the nine.",
            ),
            (
                matrices.any(axis=(1, 2)).sum(),
                "so many matrices are not 0, but all nine are mixtures of fewer.",
            ),
        ]
        if result != right:
            said = next((text for wrong, text in slips if result == wrong), None)
            return _no(said or f"mixed_of gives {float(result):g} where {right} is right.")
    return Feedback(
        True, "Right: h heads make sums of h matrices, so it takes as many or one more."
    )


def _two(function, name, *arguments):
    """The learner's two results, or the Feedback for what went wrong."""
    with np.errstate(all="ignore"):
        try:
            result = function(*arguments)
        except Exception as error:
            return _no(f"{name} stopped with {type(error).__name__}: {error}.")
    if result is None or result is Ellipsis:
        return NOT_ATTEMPTED
    if not isinstance(result, tuple | list) or len(result) != 2:
        return _no(f"{name} must return two arrays, as in: return a, b.")
    return result


def _weights(grid, w_q, w_k):
    return softmax((grid @ w_q) @ (grid @ w_k).T / np.sqrt(w_q.shape[1]))


def _no(message):
    return Feedback(False, message)
