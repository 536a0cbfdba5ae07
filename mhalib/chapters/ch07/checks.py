"""Chapter 07: the Jacobian of softmax, its product with a gradient, the pull of a loss.

What is right is found by central differences: one logit moved up and down by a little.
"""

import numpy as np

from mhalib.attention import softmax
from mhalib.gradients import central_differences
from mhalib.live import Feedback
from mhalib.live.feedback import compare, run


def check_jacobian(function):
    """Chapter 07: ``jacobian(weights)`` of one row of 5 weights: ``diag(p) - p p^T``."""
    name, logits = "jacobian", np.array([2.0, 1.0, 0.0, -1.0, 0.5])
    p = softmax(logits)
    hints = {(5,): "these are 5 numbers; each of 5 weights answers to each of 5 logits: (5, 5)."}
    result = run(function, name, (5, 5), p, hints=hints)
    if isinstance(result, Feedback):
        return result
    both = np.outer(p, p)
    slips = [
        (np.diag(p * (1 - p)), "only the diagonal: raising one logit also moves the others."),
        (np.diag(p), "the part that is subtracted is missing: −p[j] p[k], in every place."),
        (-both, "the diagonal is missing: p[j] is added where j = k."),
        (both - np.diag(p), "every sign is turned: a weight rises with its own logit."),
        (np.diag(p) + both, "the second part is subtracted: the others fall."),
        (abs(np.diag(p) - both), "the others fall: −p[j] p[k]."),
        (np.eye(5) - p, "1[j = k] − p[k] is right, but each row j must be multiplied by p[j]."),
        (p * (np.eye(5) - p), "the factor p went along the columns; row j needs p[j]: p[:, None]."),
        (
            np.diag(softmax(p)) - np.outer(softmax(p), softmax(p)),
            "p was put through softmax again.",
        ),
    ]
    if wrong := compare(result, central_differences(softmax, logits), slips, name):
        return wrong
    return Feedback(True, "Right: central differences give the same 25 numbers.")


def check_pull_back(function):
    """Chapter 07: ``pull_back(weights, upstream)`` for a table of 3 rows and 5 keys."""
    name, rng = "pull_back", np.random.default_rng(7)
    logits, g = 2 * rng.normal(size=(3, 5)), rng.normal(size=(3, 5))
    a = softmax(logits)
    hints = {
        (3, 5, 5): "these are Jacobians; multiply them by upstream, better without forming them.",
        (3,): "one number a row is left; every logit has its own.",
        (5, 3): "the result is transposed; it has the shape of the logits, (3, 5).",
    }
    result = run(function, name, (3, 5), a, g, hints=hints)
    if isinstance(result, Feedback):
        return result
    slips = [
        (a * g, "−A (G · A) is missing: raising a logit also takes from the other weights."),
        (a * (1 - a) * g, "A (1 − A) is the diagonal alone; the other entries of a row count too."),
        (
            a * (g - (g * a).sum()),
            "the sum runs over the whole table; rows do not know each other.",
        ),
        (
            a * (g - (g * a).sum(axis=0)),
            "the sum runs down the columns; each row needs its own, axis=-1.",
        ),
        (
            a * (g - g.mean(-1, keepdims=True)),
            "the plain mean of G; needed is the mean weighted by A.",
        ),
        (
            a * (g - g.sum(-1, keepdims=True)),
            "the sum of G; each G must be weighted by its A first.",
        ),
        (g - (g * a).sum(-1, keepdims=True), "the factor A in front is missing."),
        (-a * (g - (g * a).sum(-1, keepdims=True)), "the sign is turned: this is the step."),
    ]
    right = central_differences(lambda s: (softmax(s) * g).sum(), logits)
    if wrong := compare(result, right, slips, name):
        return wrong
    return Feedback(True, "Right: as central differences say, and with no Jacobian formed.")


def check_pull(function):
    """Chapter 07: ``pull(logits, wanted)``: how −log of the wanted weight pulls at 7 logits."""
    name, logits, wanted = "pull", np.array([3.0, -1.0, 0.5, 10.0, 2.0, 0.0, 1.0]), 2
    hints = {(): "this is one number; every logit is pulled: 7 of them."}
    result = run(function, name, (7,), logits, wanted, hints=hints)
    if isinstance(result, Feedback):
        return result
    p, one = softmax(logits), np.eye(7)[wanted]
    slips = [
        (p - one, "this is the gradient; the pull is against it, with the other sign."),
        (-p, "1 is missing at the wanted word: 1[j = wanted] − p[j]."),
        (one, "the weights are missing: what is there already is subtracted."),
        (one * (1 - p), "only the wanted logit; the others are pulled down, by their weights."),
        (one * p * (1 - p), "this is how the weight answers; the logarithm divides it by p."),
        (p[wanted] * (one - p), "this is the pull of −p; −log p divides by p[wanted]."),
        (one - logits, "these are the logits; take softmax first."),
    ]
    right = -central_differences(lambda s: -np.log(softmax(s)[wanted]), logits)
    if wrong := compare(result, right, slips, name):
        return wrong
    return Feedback(True, "Right: central differences of −log p say the same.")
