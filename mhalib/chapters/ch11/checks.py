"""Chapter 11: which head sees which block, a cache that is off by one, what a cache takes."""

import numpy as np

from mhalib.attention import scaled_dot_product_attention
from mhalib.live.feedback import Wrong, array_of, call, check, compare, expect, run
from mhalib.sharing import repeat_heads


@check
def check_for_heads(function):
    """Chapter 11: ``for_heads(kv, n_heads)``: 2 blocks of 5 tokens with 3 channels, 6 heads."""
    kv = np.random.default_rng(11).normal(size=(2, 5, 3))
    right = repeat_heads(kv, 6)
    hints = {
        (2, 15, 3): "the tokens are repeated; repeat the blocks, axis 0, and keep the 5 tokens.",
        (2, 5, 9): "the channels are repeated; repeat the blocks, axis 0.",
        (12, 5, 3): "each block is there n_heads times; a group has n_heads / n_kv heads.",
        (2, 5, 3): "these are still the 2 blocks; each of 6 heads is to have one.",
        (60,): "without an axis np.repeat makes one long row; give axis=0.",
        (90,): "without an axis np.repeat makes one long row; give axis=0.",
        (2, 3, 5, 3): "that is one array for each group; make one of 6 heads, (6, 5, 3).",
    }
    slips = {
        "the blocks are dealt in turn, 0 1 0 1 0 1; groups are neighbours.": kv[[0, 1] * 3],
        "the order of the blocks is turned round; the first heads have block 0.": right[::-1],
        "all heads have block 0: that is MQA; there are two blocks.": kv[[0] * 6],
        "all heads have block 1; the first three have block 0.": kv[[1] * 6],
        "every head has the average; it has one block.": repeat_heads(kv.mean(0)[None], 6),
        "the blocks are divided among the heads; each head sees its block as it is.": right / 3,
    }
    expect(right, function, "for_heads", kv, 6, slips=slips, hints=hints)
    return "Right: 0 0 0 1 1 1, and with n_kv = n_heads nothing is repeated."


@check
def check_step(function):
    """Chapter 11: ``step(q, k, v, K, V, n)``: 7 tokens with 5 channels and values of 3."""
    rng = np.random.default_rng(12)
    q, k, v = (rng.normal(size=(7, width)) for width in (5, 5, 3))
    old_k, old_v = rng.normal(size=(9, 5)), rng.normal(size=(9, 3))  # what memory held before
    K, V = old_k.copy(), old_v.copy()
    outputs = [
        _one_step(function, q[n].copy(), k[n].copy(), v[n].copy(), K, V, n) for n in range(7)
    ]
    right, slips = _whole_run(q, k, v, old_k, old_v)
    compare(np.array(outputs), right, slips, "step, one token a row,")
    if not (np.array_equal(K[:7], k) and np.array_equal(V[:7], v)):
        raise Wrong("the outputs are right, but rows 0 to n of K and V are not the tokens'.")
    if not (np.array_equal(K[7:], old_k[7:]) and np.array_equal(V[7:], old_v[7:])):
        raise Wrong("the outputs are right, but rows after n of K or V have changed.")
    return "Right: every token sees itself and what came before, and nothing else."


STEP_HINTS = {
    (5,): "the result has 5 numbers, as a key has; average the values, not the keys.",
    (1, 3): "the result has an axis too many; one token's output is a row of 3 numbers.",
    (3, 1): "the result has an axis too many; one token's output is a row of 3 numbers.",
    (): "the result is one number; one token's output is a row of 3 numbers.",
}


def _one_step(function, q, k, v, K, V, n):
    """What the learner's step gives for token n; K and V are theirs to fill."""
    try:
        result = call(function, "step", q, k, v, K, V, n, where=f" at token {n}")
    except Wrong as wrong:
        if n == 0 and isinstance(wrong.__cause__, ValueError):
            raise Wrong(
                f"step stopped at the first token: {wrong.__cause__} A token sees itself: row n "
                "belongs to it."
            ) from None
        raise
    return array_of(result, "the result of step", (3,), STEP_HINTS)


def _whole_run(q, k, v, old_k, old_v):
    """All outputs, and what known slips give."""

    def outputs(more=1, scale=None, written=True):
        """Token n sees n rows and so many more of what memory holds at its step."""
        made = np.zeros((7, 3))
        for n in range(7):
            filled, seen = (n + 1) * written, n + more
            K = np.vstack([k[:filled], old_k[filled:]])[:seen]
            V = np.vstack([v[:filled], old_v[filled:]])[:seen]
            if seen:
                made[n] = scaled_dot_product_attention(q[n, None], K, V, scale=scale)[0][0]
        return made

    before = outputs(more=0)
    own_first = np.vstack([v[:1], before[1:]])
    return outputs(), {
        "the token does not see itself: [:n] ends before row n.": (before, own_first),
        "the token sees one row too many: row n + 1 is not filled yet.": outputs(more=2),
        "the token sees all of the room, with rows that no token has filled.": outputs(more=9),
        "k and v of the token are not written: row n holds what memory held before.": (
            outputs(written=False)
        ),
        "the logits are not scaled; divide them by the root of the number of channels.": outputs(
            scale=1
        ),
        "the logits are divided by the number of channels; divide by its root.": outputs(
            scale=1 / 5
        ),
        "the output is the token's own value; it looks at the rows before as well.": v,
    }


@check
def check_cache_size(function):
    """Chapter 11: ``cache_size(layers, n_kv, d_head, T, texts, bits, windowed, window)``."""
    layers, n_kv, d_head, n_tokens, texts, bits, windowed, window = 13, 7, 11, 709, 3, 16, 5, 101

    def size(rows):
        return texts * rows * 2 * n_kv * d_head * bits / 8

    right = size((layers - windowed) * n_tokens + windowed * window)
    slips = {
        "keys and values are both kept: there is a factor 2.": right / 2,
        "these are bits; a byte has 8.": right * 8,
        "that is one text; there are several.": right / texts,
        "every layer keeps all tokens here; some have a window.": size(layers * n_tokens),
        "every layer has a window here; only some have.": size(layers * window),
        "the layers with a window keep all, and those without keep few: it is the other way.": (
            size(windowed * n_tokens + (layers - windowed) * window)
        ),
        "a layer with a window is counted twice.": size(layers * n_tokens + windowed * window),
        "n_kv is missing: every block has keys and values of its own.": right / n_kv,
        "d_head is missing: a key has so many numbers.": right / d_head,
    }
    given = [layers, n_kv, d_head, n_tokens, texts, bits, windowed, window]
    result = run(function, "cache_size", (), *given)
    given[3] = 71  # shorter than the window
    short = run(function, "cache_size", (), *given)
    compare(result, right, slips, "cache_size")
    if not np.isclose(short, size(layers * 71)):
        raise Wrong(
            "a text of 71 tokens has fewer than the window of 101: min(T, window) are kept."
        )
    return "Right: and every factor is one that can be changed to make it fit."
