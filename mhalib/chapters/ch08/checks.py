"""Chapter 08: naming one of several values, the read-out's gradient, Adam, an unseen change."""

import numpy as np

from mhalib.attention import softmax
from mhalib.live.feedback import Wrong, central_differences, check, expect, refuse, run


@check
def check_name_any(function):
    """Chapter 08: ``name_any(k, n)``: one of k values named at random, each drawn from n."""
    k, n = 3, 7
    slips = {
        "1/n is chance, knowing nothing; here the right value is among the k.": 1 / n,
        "1/k forgets that another token may have the same value: right as well.": 1 / k,
        "the right token is counted twice: 1/n only where another was named.": 1 / k + 1 / n,
        "that is both at once: the right token, and a given value.": 1 / k / n,
        "that is the luck alone; add the cases with the right token, 1/k.": (1 - 1 / k) / n,
        "this is how often another token is named; it may still be right.": 1 - 1 / k,
        "it is the k tokens of which one is named at random, not n.": 1 / n + (1 - 1 / n) / n,
    }
    values = np.array(list(np.ndindex(*[n] * k)))  # all values of k tokens; the first is asked for
    expect((values == values[:, :1]).mean(), function, "name_any", k, n, slips=slips)
    return "Right: counted over all values of 3 tokens it is the same."


@check
def check_read_gradient(function):
    """Chapter 08: ``read_gradient(y, W, answers)``: 5 rows of 3 channels, 7 values."""
    rng = np.random.default_rng(8)
    y, w, answers = rng.normal(size=(5, 3)), rng.normal(size=(3, 7)), np.array([2, 6, 0, 2, 4])
    p, one_hot = softmax(y @ w), np.eye(7)[answers]
    right = central_differences(lambda w: -np.log(softmax(y @ w)[one_hot == 1]).mean(), w)
    hints = {
        (7, 3): "the result is transposed; it has the shape of W, (3, 7).",
        (5, 7): "that is the derivative by the logits; go on to W: y.T @ it.",
        (5, 3): "that is the derivative by y; W meets y.T.",
        (5, 3, 7): "one table for each row of the batch; the loss is their mean.",
        (): "that is the loss; needed is its derivative by each number of W.",
    }
    slips = {
        "the sum over the batch; the loss is the mean: divide by 5.": 5 * right,
        "divided by the number of values as well; the mean runs over the batch.": right / 7,
        "the sign is turned: this is the direction of the step.": -right,
        "1 is not taken off at the right value: p − 1[answer].": y.T @ p / 5,
        "p is missing: p − 1[answer].": -y.T @ one_hot / 5,
        "softmax is missing: p, not the logits.": y.T @ (y @ w - one_hot) / 5,
        "softmax ran down the batch; axis=1.": y.T @ (softmax((y @ w).T).T - one_hot) / 5,
    }
    expect(right, function, "read_gradient", y, w, answers, slips=slips, hints=hints)
    return "Right: central differences give the same 21 numbers."


@check
def check_adam_step(function):
    """Chapter 08: ``adam_step(w, g, m, v, t, rate)``: a table of 3 x 5 at step 7."""
    rng = np.random.default_rng(9)
    w, g, m = (rng.normal(size=(3, 5)) for _ in range(3))
    v, t, rate = rng.uniform(0.1, 1, size=(3, 5)), 7, 0.01
    m1, v1 = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
    one_m, one_v = 1 - 0.9**t, 1 - 0.999**t

    def step(m, v):
        return rate * m / (np.sqrt(v) + 1e-8)

    taken = step(m1 / one_m, v1 / one_v)
    hints = {(3, 3, 5): "m and v came along; return the new w alone."}
    slips = {
        "a step goes against the gradient: subtract it.": w + taken,
        "that is the step; subtract it from w.": taken,
        "m and v are not divided by 1 − .9^t, 1 − .999^t.": w - step(m1, v1),
        "the root of v is missing.": w - step(m1 / one_m, (v1 / one_v) ** 2),
        "the rate is missing.": w - taken / rate,
        "the step follows m, the average of gradients, not g alone.": w - step(g, v1 / one_v),
        "nothing is divided by √v'.": w - rate * m1 / one_m,
        "v averages g², not g.": w - step(m1 / one_m, (0.999 * v + 0.001 * g) / one_v),
        "m and v are the old ones; let this step's g in first.": w - step(m / one_m, v / one_v),
        "t counts from 1 here: the powers are t, not t + 1.": (
            w - step(m1 / (1 - 0.9 ** (t + 1)), v1 / (1 - 0.999 ** (t + 1)))
        ),
        "that is a plain step down the gradient; Adam has m and v.": w - rate * g,
    }
    expect(w - taken, function, "adam_step", w, g, m, v, t, rate, slips=slips, hints=hints)
    zero, uneven = np.zeros(2), np.array([5.0, -0.01])
    moved = run(function, "adam_step", (2,), zero, uneven, zero, zero, 1, rate)
    if not np.allclose(moved, [-rate, rate], rtol=1e-4):
        raise Wrong("at t = 1 with m = v = 0 a step should be the rate, against g.")
    return "Right; and the first step is the rate, however large the gradient."


@check
def check_unseen(function):
    """Chapter 08: ``unseen(alpha)``: weights of 5 tokens in 3 heads; c with c @ alpha = 0."""
    alpha = softmax(2 * np.random.default_rng(10).normal(size=(3, 7))).T[:5]
    hints = {
        (3,): "that is a number for each head; needed is one for each of the 5 tokens.",
        (5, 5): "that is all singular vectors; one of them is enough, of 5 numbers.",
        (3, 3): "these are directions in the heads' space; needed are 5 numbers, one a token.",
    }
    result = run(function, "unseen", (5,), alpha, hints=hints)
    size, felt = np.linalg.norm(result), result @ alpha
    if not np.isfinite(size) or size < 1e-9:
        raise Wrong("no change at all is not seen either; it must not be 0.")
    if np.linalg.norm(felt) < 1e-9 * size:
        return "Right: the tokens change, and no head's output does."
    left, head = np.linalg.svd(alpha)[0], int(abs(felt).argmax())
    loudest, row = (
        abs(vector @ result) > (1 - 1e-9) * size * np.linalg.norm(vector)
        for vector in (left[:, 0], left[-1])
    )
    reasons = {
        "that is the direction the heads feel most; take the last vector.": loudest,
        "that is a row of the first factor; its vectors are columns.": row,
        f"head {'ABC'[head]}'s output changes by {felt[head]:.4f}; it must be 0 for all.": True,
    }
    refuse(reasons)
