"""Chapter 08: naming one of several values, Adam, which questions are always right."""

import numpy as np

from mhalib.attention import softmax
from mhalib.live.feedback import Wrong, check, expect, run


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
def check_always_right(function):
    """Chapter 08: ``always_right(alpha, delta)``: 5 questions and 7 heads that make this table."""
    table = np.array(
        [[5, 2, -1, 1, 1], [1, 3, -1, 0, 1], [1, 2, 2, 0, 1], [1, 0, -1, -9, 0], [1, 0, 0, 1, 4]]
    )
    alpha = softmax(np.random.default_rng(10).normal(size=(5, 7)))
    delta = np.linalg.pinv(alpha) @ table
    size, diagonal = abs(table), np.diag(table)
    rest, others = size.sum(axis=0) - abs(diagonal), size * (1 - np.eye(5))
    slips = {
        "that compares along rows; a question is a column: axis=0.": diagonal > others.sum(axis=1),
        "all others can hinder together: compare with their sum.": diagonal > others.max(axis=0),
        "take the sizes: a negative entry hinders too, with the other value.": (
            diagonal > table.sum(axis=0) - diagonal
        ),
        "a negative diagonal entry is wrong, however large: no size there.": abs(diagonal) > rest,
        "the diagonal itself is none of the others; take it off.": diagonal > size.sum(axis=0),
    }
    hints = {
        (): "one answer for each question: 5 of them.",
        (5, 5): "that is a whole table; needed is one answer for each column.",
    }
    expect(diagonal > rest, function, "always_right", alpha, delta, slips=slips, hints=hints)
    return "Right: the first and the last are always right here, the other three are not."
