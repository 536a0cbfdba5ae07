"""Chapter 07: the Jacobian of softmax, its product with a gradient, one loss's step and another's.

What is right is found by central differences: one logit moved up and down by a little.
"""

import numpy as np

from mhalib.attention import softmax
from mhalib.live.feedback import central_differences, check, expect


@check
def check_jacobian(function):
    """Chapter 07: ``jacobian(weights)`` of one row of 5 weights: ``diag(p) - p p^T``."""
    logits = np.array([2.0, 1.0, 0.0, -1.0, 0.5])
    p, right = softmax(logits), central_differences(softmax, logits)
    hints = {(5,): "these are 5 numbers; each of 5 weights answers to each of 5 logits: (5, 5)."}
    both, again = np.outer(p, p), softmax(p)
    slips = {
        "only the diagonal: raising one logit also moves the others.": np.diag(p * (1 - p)),
        "the part that is subtracted is missing: −p[j] p[k], in every place.": np.diag(p),
        "the diagonal is missing: p[j] is added where j = k.": -both,
        "every sign is turned: a weight rises with its own logit.": both - np.diag(p),
        "the second part is subtracted: the others fall.": np.diag(p) + both,
        "the others fall: −p[j] p[k].": abs(np.diag(p) - both),
        "1[j = k] − p[k] is right, but each row j must be multiplied by p[j].": np.eye(5) - p,
        "the factor p went along the columns; row j needs p[j]: p[:, None].": p * (np.eye(5) - p),
        "p was put through softmax again.": np.diag(again) - np.outer(again, again),
    }
    expect(right, function, "jacobian", p, slips=slips, hints=hints)
    return "Right: central differences give the same 25 numbers."


@check
def check_pull_back(function):
    """Chapter 07: ``pull_back(weights, upstream)`` for a table of 3 rows and 5 keys."""
    rng = np.random.default_rng(7)
    logits, g = 2 * rng.normal(size=(3, 5)), rng.normal(size=(3, 5))
    a = softmax(logits)
    inner, mean = (table.sum(axis=-1, keepdims=True) for table in (g * a, g / 5))
    hints = {
        (3, 5, 5): "these are Jacobians; multiply them by upstream, better without forming them.",
        (3,): "one number a row is left; every logit has its own.",
        (5, 3): "the result is transposed; it has the shape of the logits, (3, 5).",
    }
    slips = {
        "−A (G · A) is missing: raising a logit also takes from the other weights.": a * g,
        "A (1 − A) is the diagonal alone; the other entries of a row count too.": a * (1 - a) * g,
        "the sum runs over the whole table; rows do not know each other.": a * (g - inner.sum()),
        "the sum runs down the columns; each row needs its own, axis=-1.": a * (g - (g * a).sum(0)),
        "the plain mean of G; needed is the mean weighted by A.": a * (g - mean),
        "the sum of G; each G must be weighted by its A first.": a * (g - 5 * mean),
        "the factor A in front is missing.": g - inner,
        "the sign is turned: this is the step.": a * (inner - g),
    }
    right = central_differences(lambda s: (softmax(s) * g).sum(), logits)
    expect(right, function, "pull_back", a, g, slips=slips, hints=hints)
    return "Right: as central differences say, and with no Jacobian formed."


@check
def check_effect(function):
    """Chapter 07: ``effect(logits, a, b)``: of a step of loss A on loss B, in a row of 7 words."""
    logits, a, b = np.array([1.0, -1.0, 0.5, 2.0, -0.5, 0.0, 1.5]), 2, 4
    p, (one_a, one_b) = softmax(logits), np.eye(7)[[a, b]]
    pull_a, slope_b = one_a - p, p - one_b
    hints = {(7,): "one number for each logit; add up: slope of B times step of A."}
    slips = {
        "the sign is turned: a step of A goes against its gradient.": -slope_b @ pull_a,
        "that is what A's step does to loss A itself.": -pull_a @ pull_a,
        "A's step moves all logits, not the one of its own word alone.": slope_b[a] * pull_a[a],
        "loss B feels all logits, not the one of its own word alone.": slope_b[b] * pull_a[b],
        "that is B's weight; its loss is −log of it: divide by −p[b].": -p[b] * slope_b @ pull_a,
        "that is the effect of B's step on B; A's is wanted.": -slope_b @ slope_b,
    }
    right = central_differences(
        lambda step: -np.log(softmax(logits + step[0] * pull_a)[b]), np.zeros(1)
    )[0]
    expect(right, function, "effect", logits, a, b, slips=slips, hints=hints)
    return "Right: central differences along A's step say the same."
