"""Chapter 11: which head sees which block, a cache that is off by one, what a cache takes."""

import numpy as np

from mhalib.attention import softmax
from mhalib.live import Feedback
from mhalib.live.feedback import array_of, compare, run


def check_for_heads(function):
    """Chapter 11: ``for_heads(kv, n_heads)``: 2 blocks of 5 tokens with 3 channels, 6 heads."""
    name, kv = "for_heads", np.random.default_rng(11).normal(size=(2, 5, 3))
    hints = {
        (2, 15, 3): "the tokens are repeated; repeat the blocks, axis 0, and keep the 5 tokens.",
        (2, 5, 9): "the channels are repeated; repeat the blocks, axis 0.",
        (12, 5, 3): "each block is there n_heads times; a group has n_heads / n_kv heads.",
        (2, 5, 3): "these are still the 2 blocks; each of 6 heads is to have one.",
        (60,): "without an axis np.repeat makes one long row; give axis=0.",
        (90,): "without an axis np.repeat makes one long row; give axis=0.",
        (2, 3, 5, 3): "that is one array for each group; make one of 6 heads, (6, 5, 3).",
    }
    result = run(function, name, (6, 5, 3), kv, 6, hints=hints)
    if isinstance(result, Feedback):
        return result
    right = np.array([kv[r // 3] for r in range(6)])
    slips = [
        (
            np.tile(kv, (3, 1, 1)),
            "the blocks are dealt in turn, 0 1 0 1 0 1; groups are neighbours.",
        ),
        (right[::-1], "the order of the blocks is turned round; the first heads have block 0."),
        (
            np.repeat(kv[:1], 6, axis=0),
            "all heads have block 0: that is MQA; there are two blocks.",
        ),
        (np.repeat(kv[1:], 6, axis=0), "all heads have block 1; the first three have block 0."),
        (np.repeat(kv.mean(0)[None], 6, axis=0), "every head has the average; it has one block."),
        (right / 3, "the blocks are divided among the heads; each head sees its block as it is."),
    ]
    if wrong := compare(result, right, slips, name):
        return wrong
    return Feedback(True, "Right: 0 0 0 1 1 1, and with n_kv = n_heads nothing is repeated.")


def check_step(function):
    """Chapter 11: ``step(q, k, v, K, V, n)``: 7 tokens with 5 channels and values of 3."""
    rng = np.random.default_rng(12)
    queries, keys, values = (
        rng.normal(size=(7, 5)),
        rng.normal(size=(7, 5)),
        rng.normal(size=(7, 3)),
    )
    outputs = []
    cached_k, cached_v = rng.normal(size=(9, 5)), rng.normal(size=(9, 3))  # what memory held before
    left_over = cached_k.copy(), cached_v.copy()
    for n in range(7):
        tokens = queries[n].copy(), keys[n].copy(), values[n].copy()
        with np.errstate(all="ignore"):
            try:
                result = function(*tokens, cached_k, cached_v, n)
            except Exception as error:
                return _stopped(n, error)
        result = array_of(result, "the result of step", (3,), STEP_HINTS)
        if isinstance(result, Feedback):
            return result
        outputs.append(result)
    right, slips = _steps(queries, keys, values, *left_over)
    if wrong := compare(np.array(outputs), right, slips, "step, one token a row,"):
        return wrong
    if not (np.array_equal(cached_k[:7], keys) and np.array_equal(cached_v[:7], values)):
        return Feedback(
            False, "the outputs are right, but rows 0 to n of K and V are not the tokens'."
        )
    if not all(
        np.array_equal(a[7:], b[7:]) for a, b in zip((cached_k, cached_v), left_over, strict=True)
    ):
        return Feedback(False, "the outputs are right, but rows after n of K or V have changed.")
    return Feedback(True, "Right: every token sees itself and what came before, and nothing else.")


STEP_HINTS = {
    (5,): "the result has 5 numbers, as a key has; average the values, not the keys.",
    (1, 3): "the result has an axis too many; one token's output is a row of 3 numbers.",
    (3, 1): "the result has an axis too many; one token's output is a row of 3 numbers.",
    (): "the result is one number; one token's output is a row of 3 numbers.",
}


def _stopped(n, error):
    if n == 0 and isinstance(error, ValueError):
        return Feedback(
            False,
            f"step stopped at the first token: {error} A token sees itself: row n belongs to it.",
        )
    return Feedback(False, f"step stopped at token {n} with {type(error).__name__}: {error}.")


def _steps(queries, keys, values, old_k, old_v):
    """The whole run's outputs, and what known slips give."""

    def attend(q, k, v, scale=5**-0.5):
        return softmax(k @ q * scale) @ v

    n_tokens = range(7)
    held = [
        (
            np.concatenate([keys[: n + 1], old_k[n + 1 :]]),
            np.concatenate([values[: n + 1], old_v[n + 1 :]]),
        )
        for n in n_tokens
    ]
    right = [attend(queries[n], keys[: n + 1], values[: n + 1]) for n in n_tokens]
    one_more = [attend(queries[n], held[n][0][: n + 2], held[n][1][: n + 2]) for n in n_tokens]
    all_room = [attend(queries[n], *held[n]) for n in n_tokens]
    unscaled = [attend(queries[n], keys[: n + 1], values[: n + 1], 1) for n in n_tokens]
    too_small = [attend(queries[n], keys[: n + 1], values[: n + 1], 1 / 5) for n in n_tokens]
    nothing = np.zeros(3)
    before = [attend(queries[n], keys[:n], values[:n]) if n else nothing for n in n_tokens]
    kept_first = [values[0] if n == 0 else before[n] for n in n_tokens]
    unwritten = [attend(queries[n], old_k[: n + 1], old_v[: n + 1]) for n in n_tokens]
    not_yet = "the token does not see itself: [:n] ends before row n."
    slips = [
        (before, not_yet),
        (kept_first, not_yet),
        (one_more, "the token sees one row too many: row n + 1 is not filled yet."),
        (all_room, "the token sees all of the room, with rows that no token has filled."),
        (unwritten, "k and v of the token are not written: row n holds what memory held before."),
        (unscaled, "the logits are not scaled; divide them by the root of the number of channels."),
        (too_small, "the logits are divided by the number of channels; divide by its root."),
        (values, "the output is the token's own value; it looks at the rows before as well."),
    ]
    return np.array(right), [(np.array(wrong), message) for wrong, message in slips]


def check_cache_size(function):
    """Chapter 11: ``cache_size(layers, n_kv, d_head, T, texts, bits, windowed, window)``."""
    name, arguments = "cache_size", (13, 7, 11, 709, 3, 16, 5, 101)
    result = run(function, name, (), *arguments)
    if isinstance(result, Feedback):
        return result
    short = run(function, name, (), 13, 7, 11, 71, 3, 16, 5, 101)  # shorter than the window
    if isinstance(short, Feedback):
        return short
    layers, n_kv, d_head, n_tokens, texts, bits, windowed, window = arguments
    rows = (layers - windowed) * n_tokens + windowed * window
    right = np.array(texts * rows * 2 * n_kv * d_head * bits / 8)
    whole = right / rows * layers
    slips = [
        (right / 2, "keys and values are both kept: there is a factor 2."),
        (right * 8, "these are bits; a byte has 8."),
        (right / 3, "that is one text; there are several."),
        (whole * n_tokens, "every layer keeps all tokens here; some have a window."),
        (whole * window, "every layer has a window here; only some have."),
        (
            right / rows * (windowed * n_tokens + (layers - windowed) * window),
            "the layers with a window keep all, and those without keep few: it is the other way.",
        ),
        (
            right / rows * (layers * n_tokens + windowed * window),
            "a layer with a window is counted twice.",
        ),
        (right / n_kv, "n_kv is missing: every block has keys and values of its own."),
        (right / d_head, "d_head is missing: a key has so many numbers."),
    ]
    if wrong := compare(result, right, slips, name):
        return wrong
    if not np.isclose(short, 3 * 13 * 71 * 2 * 7 * 11 * 2):
        return Feedback(
            False, "a text of 71 tokens has fewer than the window of 101: min(T, window) are kept."
        )
    return Feedback(True, "Right: and every factor is one that can be changed to make it fit.")
