"""Chapter 05: a head for a criterion, the effective number of words, relations dealt to heads."""

import numpy as np

from mhalib.attention import scaled_dot_product_attention, softmax
from mhalib.live.feedback import Wrong, array_of, check, expect, refuse, run
from mhalib.merging import entropy
from mhalib.running_sentence import KINDS, LONG, MORE_FEATURES, WORDS, features

INSERTS = ("quietly", "black")
SENTENCES = [  # with and without the inserted words, the short one first
    [word for word in LONG if word not in left_out]
    for left_out in (INSERTS, INSERTS[:1], INSERTS[1:], ())
]
SENTENCES.append(["cat", "the", "black", "mat"])  # the nearest noun is on the wrong side


@check
def check_criterion(w_q, w_k):
    """Chapter 05: a head by which a determiner finds its noun, and all others themselves."""
    w_q, w_k = _projection(w_q, "W_Q"), _projection(w_k, "W_K")
    if w_q.shape != w_k.shape:
        raise Wrong("W_Q and W_K need the same number of columns, for a dot product.")
    missed = _first_miss(w_q, w_k)
    if missed is None:
        return "Right, with and without the inserted words: a criterion."
    if _first_miss(w_k, w_q) is None:
        raise Wrong("W_Q and W_K are exchanged: the one who looks is multiplied by W_Q.")
    short = _head_weights(w_q, w_k, WORDS)
    if short[1, 0] > 0.5 and short[5, 4] > 0.5:
        raise Wrong("the nouns look for determiners; here a determiner is to look.")
    _refuse_row(*missed)


def _projection(value, name):
    """The learner's matrix: a row for each feature, and any number of columns."""
    try:
        shape = np.shape(value)
    except ValueError:  # rows of different lengths; array_of says so
        shape = ()
    n_features, columns = len(MORE_FEATURES), shape[1] if len(shape) == 2 else 3
    turned = f"{name} is transposed: it needs one row for each of the 8 features."
    hints = {shape: turned} if shape[1:] == (n_features,) else {}
    matrix = array_of(value, name, (n_features, columns), hints)
    if not np.isfinite(matrix).all():
        raise Wrong(f"{name} must hold finite numbers.")
    return matrix


def _head_weights(w_q, w_k, words):
    x = features(words, MORE_FEATURES)
    return scaled_dot_product_attention(x @ w_q, x @ w_k, x)[1]


def _first_miss(w_q, w_k):
    """The words, who gives the right one below .80, the right one and where most goes; or None."""
    for words in SENTENCES:
        own_noun = {"The": words.index("cat"), "the": words.index("mat")}
        for i, row in enumerate(_head_weights(w_q, w_k, words)):
            target = own_noun.get(words[i], i)
            if row[target] < 0.8:
                return words, i, target, int(row.argmax())
    return None


def _refuse_row(words, i, target, most):
    """Say what is wrong with the row of word i, where most weight should go to `target`."""
    word, found = f"“{words[i]}”", f"“{words[most]}”"
    kind, noun = KINDS[words[i].lower()], KINDS[words[most].lower()] == "noun"
    reasons = {
        f"{word} gives {found} most, but less than .80: let the logits be larger.": most == target,
        f"{word} must look at itself, since it is no determiner, but looks at {found}.": (
            kind != "determiner"
        ),
        f"{word} looks at itself: a noun must count for more than a place further off.": most == i,
        f"{word} looks at {found}: a noun, but not its own, which comes after it.": noun,
        f"{word} looks at {found}, which is no noun: that head goes by place, not by kind.": True,
    }
    refuse(reasons, lead=f"in “{' '.join(words)}” ")


@check
def check_effective_number(function):
    """Chapter 05: ``exp(entropy)`` of each row, 3 rows of 5 weights, a weight of 0 among them."""
    weights = softmax(np.random.default_rng(5).normal(size=(3, 5)) * 2)
    nats = entropy(weights)
    hints = {
        (5,): "a number for each word looked at; needed is one for each row (sum over axis=-1).",
        (): "one number for the whole table; needed is one for each row (sum over axis=-1).",
    }
    slips = {
        "this is the entropy, in nats; exp turns it into a number of words.": nats,
        "the sign is lost: the entropy is *minus* the sum of p log p.": np.exp(-nats),
        "2 to the power of nats: with the natural logarithm it is exp.": 2**nats,
        "one divided by the largest weight looks at one word only.": 1 / weights.max(axis=-1),
        "one divided by the sum of squares is another count.": 1 / (weights**2).sum(axis=-1),
    }
    expect(np.exp(nats), function, "effective_number", weights, slips=slips, hints=hints)
    sure = np.array([[0, 0, 1.0, 0, 0], [0.5, 0, 0, 0.5, 0], np.full(5, 0.2)])
    if not np.allclose(run(function, "effective_number", (3,), sure), [1, 2, 5]):
        raise Wrong("a weight of 0 gives NaN: 0 · log 0 counts as 0, so keep log away from 0.")
    return "Right: 1 for one sure word, 5 for five alike."


@check
def check_deal(function):
    """Chapter 05: ``deal(k, h)``: rows (h, k) that guarantee each relation 1 / ceil(k / h)."""
    for k, h in ((5, 3), (7, 2), (7, 3), (3, 5), (11, 4), (1, 1)):
        called, each = f"deal({k}, {h})", -(-k // h)
        hints = {(k, h): f"{called} is transposed: one row for each head, one column a relation."}
        rows = run(function, called, (h, k), k, h, hints={} if k == h else hints)
        if not (rows >= 0).all() or not np.allclose(rows.sum(axis=1), 1):
            raise Wrong(f"each row of {called} must be weights: above 0, sum 1.")
        guaranteed = rows.max(axis=0)
        least, j, busiest = guaranteed.min(), guaranteed.argmin(), (rows > 0).sum(axis=1).max()
        alike = np.allclose(rows, 1 / k)
        if not np.isclose(least, 1 / each):
            reasons = {
                f"in {called} no head looks at relation {j}: deal out all of them.": least == 0,
                f"every head of {called} does everything; let them share the work.": alike,
                f"{called} guarantees {least:.3f}, but {1 / each:.3f} is possible: one head has "
                f"{busiest} relations, where {each} a head would do.": True,
            }
            refuse(reasons)
    return "Right: nobody has more than ⌈k/h⌉ relations, and that is the best."
