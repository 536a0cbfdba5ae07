"""Chapter 08: naming one of several values, the read-out's gradient, Adam, an unseen change."""

import numpy as np

from mhalib.attention import softmax
from mhalib.gradients import central_differences
from mhalib.live import Feedback
from mhalib.live.feedback import compare, run


def check_name_any(function):
    """Chapter 08: ``name_any(k, n)``: one of k values named at random, each drawn from n."""
    k, n = 3, 7
    result = run(function, "name_any", (), k, n)
    if isinstance(result, Feedback):
        return result
    slips = [
        (1 / n, "1/n is chance, knowing nothing; here the right value is among the k."),
        (1 / k, "1/k forgets that another token may have the same value: right as well."),
        (1 / k + 1 / n, "the right token is counted twice: 1/n only where another was named."),
        (1 / k / n, "that is both at once: the right token, and a given value."),
        ((1 - 1 / k) / n, "that is the luck alone; add the cases with the right token, 1/k."),
        (1 - 1 / k, "this is how often another token is named; it may still be right."),
        (1 / n + (1 - 1 / n) / n, "it is the k tokens of which one is named at random, not n."),
    ]
    slips = [(np.array(value), message) for value, message in slips]
    counted = _counted(k, n)
    if wrong := compare(result, np.array(counted), slips, "name_any"):
        return wrong
    return Feedback(True, "Right: counted over all values of 3 tokens it is the same.")


def _counted(k, n):
    """All values of k tokens, each of the k named, the first asked for: the share of matches."""
    values = np.array(list(np.ndindex(*[n] * k)))
    return (values == values[:, :1]).mean()


def check_read_gradient(function):
    """Chapter 08: ``read_gradient(y, W, answers)``: 5 rows of 3 channels, 7 values."""
    name, rng = "read_gradient", np.random.default_rng(8)
    y, w, answers = rng.normal(size=(5, 3)), rng.normal(size=(3, 7)), np.array([2, 6, 0, 2, 4])
    hints = {
        (7, 3): "the result is transposed; it has the shape of W, (3, 7).",
        (5, 7): "that is the derivative by the logits; go on to W: y.T @ it.",
        (5, 3): "that is the derivative by y; W meets y.T.",
        (5, 3, 7): "one table for each row of the batch; the loss is their mean.",
        (): "that is the loss; needed is its derivative by each number of W.",
    }
    result = run(function, name, (3, 7), y, w, answers, hints=hints)
    if isinstance(result, Feedback):
        return result
    p, one_hot = softmax(y @ w), np.eye(7)[answers]
    exact = y.T @ (p - one_hot) / 5
    slips = [
        (5 * exact, "the sum over the batch; the loss is the mean: divide by 5."),
        (exact / 7, "divided by the number of values as well; the mean runs over the batch."),
        (-exact, "the sign is turned: this is the direction of the step."),
        (y.T @ p / 5, "1 is not taken off at the right value: p − 1[answer]."),
        (-y.T @ one_hot / 5, "p is missing: p − 1[answer]."),
        (y.T @ (y @ w - one_hot) / 5, "softmax is missing: p, not the logits."),
        (y.T @ (softmax((y @ w).T).T - one_hot) / 5, "softmax ran down the batch; axis=1."),
    ]

    def loss(matrix):
        return -np.log(softmax(y @ matrix)[np.arange(5), answers]).mean()

    if wrong := compare(result, central_differences(loss, w), slips, name):
        return wrong
    return Feedback(True, "Right: central differences give the same 21 numbers.")


def check_adam_step(function):
    """Chapter 08: ``adam_step(w, g, m, v, t, rate)``: a table of 3 x 5 at step 7."""
    name, rng = "adam_step", np.random.default_rng(9)
    w, g, m = (rng.normal(size=(3, 5)) for _ in range(3))
    v, t, rate = rng.uniform(0.1, 1, size=(3, 5)), 7, 0.01
    hints = {(3, 3, 5): "m and v came along; return the new w alone."}
    result = run(function, name, (3, 5), w, g, m, v, t, rate, hints=hints)
    if isinstance(result, Feedback):
        return result
    m1, v1 = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
    m2, v2 = m1 / (1 - 0.9**t), v1 / (1 - 0.999**t)
    root = np.sqrt(v2) + 1e-8
    slips = [
        (w + rate * m2 / root, "a step goes against the gradient: subtract it."),
        (rate * m2 / root, "that is the step; subtract it from w."),
        (w - rate * m1 / (np.sqrt(v1) + 1e-8), "m and v are not divided by 1 − .9^t, 1 − .999^t."),
        (w - rate * m2 / (v2 + 1e-8), "the root of v is missing."),
        (w - m2 / root, "the rate is missing."),
        (w - rate * g / root, "the step follows m, the average of gradients, not g alone."),
        (w - rate * m2, "nothing is divided by √v'."),
        (
            w - rate * m2 / (np.sqrt((0.999 * v + 0.001 * g) / (1 - 0.999**t)) + 1e-8),
            "v averages g², not g.",
        ),
        (
            w - rate * m / (1 - 0.9**t) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8),
            "m and v are the old ones; let this step's g in first.",
        ),
        (
            w - rate * m1 / (1 - 0.9 ** (t + 1)) / (np.sqrt(v1 / (1 - 0.999 ** (t + 1))) + 1e-8),
            "t counts from 1 here: the powers are t, not t + 1.",
        ),
        (w - rate * g, "that is a plain step down the gradient; Adam has m and v."),
    ]
    if wrong := compare(result, w - rate * m2 / root, slips, name):
        return wrong
    first = function(np.zeros(2), np.array([5.0, -0.01]), np.zeros(2), np.zeros(2), 1, rate)
    if not np.allclose(first, [-rate, rate], rtol=1e-4):
        return Feedback(False, "at t = 1 with m = v = 0 a step should be the rate, against g.")
    return Feedback(True, "Right; and the first step is the rate, however large the gradient.")


def check_unseen(function):
    """Chapter 08: ``unseen(alpha)``: weights of 5 tokens in 3 heads; c with c @ alpha = 0."""
    name, rng = "unseen", np.random.default_rng(10)
    alpha = softmax(2 * rng.normal(size=(3, 7))).T[:5]
    hints = {
        (3,): "that is a number for each head; needed is one for each of the 5 tokens.",
        (5, 5): "that is all singular vectors; one of them is enough, of 5 numbers.",
        (3, 3): "these are directions in the heads' space; needed are 5 numbers, one a token.",
    }
    result = run(function, name, (5,), alpha, hints=hints)
    if isinstance(result, Feedback):
        return result
    size = np.linalg.norm(result)
    if not np.isfinite(size) or size < 1e-9:
        return Feedback(False, "no change at all is not seen either; it must not be 0.")
    felt = result @ alpha
    if np.linalg.norm(felt) < 1e-9 * size:
        return Feedback(True, "Right: the tokens change, and no head's output does.")
    left, _, _ = np.linalg.svd(alpha)
    cosines = abs(left.T @ result) / size
    if cosines[0] > 1 - 1e-9:
        return Feedback(False, "that is the direction the heads feel most; take the last vector.")
    row = abs(left[-1] @ result) / (size * np.linalg.norm(left[-1]))
    if row > 1 - 1e-9:
        return Feedback(False, "that is a row of the first factor; its vectors are columns.")
    head = int(abs(felt).argmax())
    return Feedback(
        False, f"head {'ABC'[head]}'s output changes by {felt[head]:.4f}; it must be 0 for all."
    )
