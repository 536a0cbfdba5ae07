"""Convolution, and the heads that make it: look at a place, share a budget, add with signs.

A kernel is 3 x 3 numbers, one for each step to a neighbour; it is not turned round (what deep
learning calls a convolution). Outside the picture stands its nearest pixel ("edge") or 0 ("zero").
"""

import numpy as np

from mhalib import inputs
from mhalib.attention import softmax
from mhalib.chapters.ch10.cat_picture import grey

STEPS = np.array([(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1)])  # down, across: line by line
KERNELS = {  # well-known ones: nine numbers, line by line, and what they are divided by
    "identity": ((0, 0, 0, 0, 1, 0, 0, 0, 0), 1),
    "shift": ((0, 0, 0, 1, 0, 0, 0, 0, 0), 1),
    "blur": ((1, 1, 1, 1, 1, 1, 1, 1, 1), 9),
    "Gaussian blur": ((1, 2, 1, 2, 4, 2, 1, 2, 1), 16),
    "negative": ((0, 0, 0, 0, -1, 0, 0, 0, 0), 1),
    "sharpen": ((0, -1, 0, -1, 5, -1, 0, -1, 0), 1),
    "Sobel": ((-1, 0, 1, -2, 0, 2, -1, 0, 1), 1),
    "Laplacian": ((0, 1, 0, 1, -4, 1, 0, 1, 0), 1),
}
PADDINGS = {"edge": "edge", "zero": "constant"}


def convolve(picture, kernel, padding="edge"):
    """Every pixel becomes a sum of its neighbours: ``Y[p] = Σ_δ K[δ] X[p + δ]``.

    `picture` (H, W), `kernel` (3, 3), result (H, W). Raises ValueError for other shapes or another
    padding.
    """
    picture, dtype = grey(picture)
    kernel = _checked_kernel(kernel)
    if padding not in PADDINGS:
        raise ValueError(f"padding must be 'edge' or 'zero', but is {inputs.shown(padding)}.")
    height, width = picture.shape
    padded = np.pad(picture, 1, PADDINGS[padding])
    result = sum(
        kernel[y + 1, x + 1] * padded[1 + y : 1 + y + height, 1 + x : 1 + x + width]
        for y, x in STEPS
    )
    return result.astype(dtype)


def sharing_heads(kernel):
    """The heads that make a kernel if each may share its budget among the nine places: 0 to 2.

    ``K = Σ_r size_r share_r``, with the positive and the negative part of K as shares.

    Returns
    -------
    shares : array (n_heads, 3, 3)
        Weights: none negative, each head's add up to 1.
    sizes : array (n_heads,)
        What W_O multiplies each head by. The head that does most comes first.
    """
    kernel = _checked_kernel(kernel)
    return _weighed([np.maximum(kernel, 0), np.minimum(kernel, 0)])


def one_place_heads(kernel):
    """The heads that make a kernel if each looks at one place only: 0 to 9, as `sharing_heads`."""
    kernel = _checked_kernel(kernel)
    return _weighed(list(np.eye(9).reshape(9, 3, 3) * kernel))


def _weighed(parts):
    """Parts of a kernel as shares and sizes, the largest part first; empty ones left out."""
    parts = sorted((p for p in parts if p.any()), key=lambda part: -np.linalg.norm(part))
    sizes = np.array([part.sum() for part in parts])
    shares = [abs(part / size) for part, size in zip(parts, sizes, strict=True)]  # never −0
    return np.array(shares).reshape(-1, 3, 3), sizes


def place_head(alpha, step):
    """W_Q and W_K, each (4, 3), of a head by which every token looks `step` away from itself.

    For tokens i, j at places p_i, p_j with rows 1, y, x, y² + x² (`cat_picture.places`):

    ``q_i · k_j / √3 = 2 α (p_i + step) · p_j − α ‖p_j‖² = −α ‖p_j − (p_i + step)‖² + c_i``

    and softmax ignores c_i, which is the same for the whole row. The larger `alpha`, the nearer
    the row is to one-hot. Raises TypeError or ValueError unless `step` is two numbers.
    Source: Cordonnier, Loukas and Jaggi (2020), section 3, who make any k x k kernel of k² heads.
    """
    inputs.number(alpha, "alpha")
    step, _ = inputs.floats(step, "step")
    if step.shape != (2,):
        raise ValueError(f"step has shape {step.shape}, but must be two numbers: down, across.")
    w_q, w_k = np.zeros((2, 4, 3))
    w_q[0] = 2 * step[0], 2 * step[1], -1
    w_q[1, 0] = w_q[2, 1] = 2
    w_k[1, 0] = w_k[2, 1] = w_k[3, 2] = 1
    return alpha * np.sqrt(3) * w_q, w_k


def line_weights(length, alpha):
    """On a line: row i of table d is ``softmax_j(−α (j − i − d)²)``, d = −1, 0, 1: (3, n, n).

    In a picture the logits of `place_head` are one such term down and one across. Softmax makes
    a sum of logits a product of weights: ``A[(y, x), (y', x')] = down[y, y'] across[x, x']``.
    """
    here = np.arange(length)
    away = here - here[:, None] - np.arange(-1, 2)[:, None, None]
    return softmax(-alpha * away**2.0)


def one_place_outputs(picture, alpha):
    """What nine one-place heads bring home, one for each step, line by line: (9, H, W).

    ``softmax(−α ‖p_j − (p_i + δ)‖²) @ X``, as two small products in place of one of size T × T.
    """
    picture, _ = grey(picture)
    down, across = (line_weights(length, alpha) for length in picture.shape)
    return (down[:, None] @ picture @ across.swapaxes(1, 2)).reshape(9, *picture.shape)


def one_place_weights(shape, place, alpha):
    """One pixel's rows of weights in the nine one-place heads: (9, H, W)."""
    (down, across), (y, x) = (line_weights(length, alpha) for length in shape), place
    return (down[:, None, y, :, None] * across[None, :, x, None, :]).reshape(9, *shape)


def _checked_kernel(kernel):
    kernel, _ = inputs.floats(kernel, "kernel")
    if kernel.shape != (3, 3):
        raise ValueError(
            f"kernel has shape {kernel.shape}, but must be (3, 3): one number for each neighbour "
            "and one for the pixel itself."
        )
    return kernel
