"""The same mathematics once more, slow and plain: lists, loops and `math`, one batch at a time."""

import math

import numpy as np


def softmax(row, mask=None):
    seen = [True] * len(row) if mask is None else mask
    largest = max((score for score, may in zip(row, seen, strict=True) if may), default=-math.inf)
    if largest == -math.inf:
        return [0.0 for _ in row]
    powers = [math.exp(s - largest) if may else 0.0 for s, may in zip(row, seen, strict=True)]
    return [power / math.fsum(powers) for power in powers]


def product(a, b):
    columns = list(zip(*b, strict=True))
    return [
        [math.fsum(x * y for x, y in zip(row, column, strict=True)) for column in columns]
        for row in a
    ]


def attention(q, k, v, mask=None, scale=None):
    weights = []
    for i, query in enumerate(q):
        logits = []
        for key in k:
            dot = math.fsum(a * b for a, b in zip(query, key, strict=True))
            logits.append(dot / math.sqrt(len(query)) if scale is None else dot * scale)
        weights.append(softmax(logits, None if mask is None else mask[i]))
    return product(weights, v), weights


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads, mask=None, context=None):
    together, all_weights = [[] for _ in x], []
    looked_at = x if context is None else context
    for head in range(n_heads):
        q = product(x, columns_of(w_q, head, n_heads))
        k, v = (product(looked_at, columns_of(w, head, n_heads)) for w in (w_k, w_v))
        output, weights = attention(q, k, v, mask)
        together = [row + block for row, block in zip(together, output, strict=True)]
        all_weights.append(weights)
    return product(together, w_o), all_weights


def columns_of(w, head, n_heads):
    width = len(w[0]) // n_heads
    return [row[head * width : head * width + width] for row in w]


def kl_divergence(p, q):
    return math.fsum(a * math.log(a / b) for a, b in zip(p, q, strict=True) if a > 0)


def central_differences(loss, array, step=1e-5):
    """The derivative of a loss by each number of an array, one number moved at a time."""
    derivative = np.empty_like(array)
    for place in np.ndindex(array.shape):
        ends = []
        for move in (step, -step):
            moved = array.copy()
            moved[place] += move
            ends.append(loss(moved))
        derivative[place] = (ends[0] - ends[1]) / (2 * step)
    return derivative


def slopes(loss, array, step=1e-5):
    """Twenty random directions of unit length in an array's space, with the derivative along each.

    A derivative that is wrong for a single number of the array is wrong along nearly all of them.
    """
    for direction in np.random.default_rng(array.size).standard_normal((20, *array.shape)):
        direction /= np.linalg.norm(direction)
        ends = loss(array + step * direction), loss(array - step * direction)
        yield direction, (ends[0] - ends[1]) / (2 * step)


def convolution(picture, kernel, padding):
    """Every pixel a sum over its neighbours, one by one."""
    height, width = np.shape(picture)
    made = np.zeros((height, width))
    for y in range(height):
        for x in range(width):
            terms = []
            for a in range(3):
                for b in range(3):
                    i, j = y + a - 1, x + b - 1
                    if padding == "edge":
                        i, j = min(max(i, 0), height - 1), min(max(j, 0), width - 1)
                    inside = 0 <= i < height and 0 <= j < width
                    terms.append(kernel[a][b] * picture[i][j] if inside else 0.0)
            made[y, x] = math.fsum(terms)
    return made
