"""Chapter 11's checks, asked like a learner: the slips they know, each with its own message."""

import numpy as np
from slips import Checks

from mhalib.attention import softmax
from mhalib.chapters import ch11


def for_heads(kv, n_heads):
    group = n_heads // len(kv)
    return np.array([kv[r // group] for r in range(n_heads)])


SLIPS = {}
SLIPS[ch11.check_for_heads] = {
    "dealt in turn": lambda kv, h: np.array([kv[r % len(kv)] for r in range(h)]),
    "turned round": lambda kv, h: for_heads(kv, h)[::-1],
    "all heads have block 0": lambda kv, h: np.array([kv[0]] * h),
    "all heads have block 1": lambda kv, h: np.array([kv[1]] * h),
    "every head has the average": lambda kv, h: np.array([kv.mean(axis=0)] * h),
    "divided among the heads": lambda kv, h: for_heads(kv, h) / 3,
    "the tokens are repeated": lambda kv, h: np.repeat(kv, h // len(kv), axis=1),
    "the channels are repeated": lambda kv, h: np.repeat(kv, h // len(kv), axis=2),
    "there n_heads times": lambda kv, h: np.repeat(kv, h, axis=0),
    "still the 2 blocks": lambda kv, h: kv,
    "give axis=0": lambda kv, h: np.repeat(kv, h // len(kv)),
    "one array for each group": lambda kv, h: np.stack([kv] * 3, axis=1),
    "stopped with": lambda kv, h: kv.reshape(h, 5, 3),
    "is right there": lambda kv, h: for_heads(kv, h) + 1,
}


def attend(q, keys, values):
    return softmax(keys @ q / np.sqrt(len(q))) @ values


def step(q, k, v, K, V, n):
    K[n], V[n] = k, v
    return attend(q, K[: n + 1], V[: n + 1])


def written(rule):
    """A step that writes its row, and then does what the rule says."""

    def wrong(q, k, v, K, V, n):
        K[n], V[n] = k, v
        return rule(q, v, K, V, n)

    return wrong


def as_given(q, k, v, K, V, n):
    """The step with the bug, as the chapter shows it."""
    K[n], V[n] = k, v
    weights = softmax(K[:n] @ q / np.sqrt(len(q)))
    return weights @ V[:n]


def one_row_late(q, k, v, K, V, n):
    K[n + 1], V[n + 1] = k, v
    return attend(q, np.vstack([K[1 : n + 1], k]), np.vstack([V[1 : n + 1], v]))


def forgetting(q, k, v, K, V, n):
    K[n], V[n] = k, v
    out = attend(q, K[: n + 1], V[: n + 1])
    K[n] = 0 if n == 6 else k
    return out


def spoiling(q, k, v, K, V, n):
    K[n:], V[n:] = k, v
    return attend(q, K[: n + 1], V[: n + 1])


SLIPS[ch11.check_step] = {
    "stopped at the first token": as_given,
    "does not see itself": written(
        lambda q, v, K, V, n: attend(q, K[:n], V[:n]) if n else np.zeros(3)
    ),
    "ends before row n": written(lambda q, v, K, V, n: attend(q, K[:n], V[:n]) if n else v),
    "one row too many": written(lambda q, v, K, V, n: attend(q, K[: n + 2], V[: n + 2])),
    "all of the room": written(lambda q, v, K, V, n: attend(q, K, V)),
    "are not written": lambda q, k, v, K, V, n: attend(q, K[: n + 1], V[: n + 1]),
    "are not scaled": written(lambda q, v, K, V, n: softmax(K[: n + 1] @ q) @ V[: n + 1]),
    "divided by the number of channels": written(
        lambda q, v, K, V, n: softmax(K[: n + 1] @ q / len(q)) @ V[: n + 1],
    ),
    "token's own value": written(lambda q, v, K, V, n: v),
    "average the values, not the keys": written(
        lambda q, v, K, V, n: attend(q, K[: n + 1], K[: n + 1])
    ),
    "an axis too many": written(lambda q, v, K, V, n: step(q, K[n], v, K, V, n)[None]),
    "one number": written(lambda q, v, K, V, n: step(q, K[n], v, K, V, n).sum()),
    "are not the tokens'": forgetting,
    "of K and V are not the tokens'": one_row_late,
    "rows after n": spoiling,
    "stopped at token 0 with TypeError": lambda q, k, v, K, V, n: None + n,
    "stopped at token 3 with IndexError": lambda q, k, v, K, V, n: (
        [][n] if n == 3 else step(q, k, v, K, V, n)
    ),
    "is right there": lambda *a: step(*a) + 1,
}


def cache_size(layers, n_kv, d_head, T, texts, bits, windowed, window):
    numbers = 0
    for layer in range(layers):
        numbers += 2 * n_kv * d_head * (min(T, window) if layer < windowed else T)
    return texts * numbers * bits / 8


def size_with(**changes):
    def wrong(*given):
        names = ("layers", "n_kv", "d_head", "T", "texts", "bits", "windowed", "window")
        return cache_size(**(dict(zip(names, given, strict=True)) | changes))

    return wrong


SLIPS[ch11.check_cache_size] = {
    "there is a factor 2": lambda *a: cache_size(*a) / 2,
    "these are bits": lambda *a: cache_size(*a) * 8,
    "that is one text": size_with(texts=1),
    "every layer keeps all": size_with(windowed=0),
    "every layer has a window": size_with(windowed=13),
    "it is the other way": size_with(windowed=8),
    "counted twice": lambda *a: cache_size(*a) * (13 * 709 + 505) / (8 * 709 + 505),
    "n_kv is missing": size_with(n_kv=1),
    "d_head is missing": size_with(d_head=1),
    "min(T, window)": lambda la, k, d, t, n, b, i, w: (
        n * ((la - i) * t + i * w) * 2 * k * d * b / 8
    ),
    "stopped with ZeroDivisionError": lambda *a: 1 / 0,
    "has shape (1,); needed is ()": lambda *a: [cache_size(*a)],
    "is right": lambda *a: cache_size(*a) * 1.1,
}
RIGHT = {
    ch11.check_for_heads: [
        for_heads,
        lambda kv, h: np.repeat(kv, h // len(kv), axis=0),
        lambda kv, h: np.stack([kv] * 3, axis=1).reshape(h, 5, 3),
    ],
    ch11.check_step: [step, lambda q, k, v, K, V, n: step(q, k, v, K, V, n).tolist()],
    ch11.check_cache_size: [cache_size, lambda *a: int(cache_size(*a))],
}


class TestChecks(Checks):
    chapter, slips, right = ch11, SLIPS, RIGHT
