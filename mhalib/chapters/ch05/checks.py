"""Chapter 05: a head for a criterion, the effective number of words, relations dealt to heads."""

import numpy as np

from mhalib.attention import softmax
from mhalib.live import Feedback
from mhalib.live.feedback import array_of, compare, run
from mhalib.running_sentence import KINDS, LONG, MORE_FEATURES, WORDS, features

INSERTS = ("quietly", "black")
SENTENCES = [  # with and without the inserted words, the short one first
    [word for word in LONG if word not in left_out]
    for left_out in (INSERTS, INSERTS[:1], INSERTS[1:], ())
]
SENTENCES.append(["cat", "the", "black", "mat"])  # the nearest noun is on the wrong side


def check_criterion(w_q, w_k):
    """Chapter 05: a head by which a determiner finds its noun, and all others themselves."""
    n_features, matrices = len(MORE_FEATURES), []
    for name, value in (("W_Q", w_q), ("W_K", w_k)):
        try:
            shape = np.shape(value)
        except ValueError:  # rows of different lengths; array_of says so
            shape = ()
        columns = shape[1] if len(shape) == 2 else 3
        turned = f"{name} is transposed: it needs one row for each of the 8 features."
        hints = {shape: turned} if shape[1:] == (n_features,) else {}
        array = array_of(value, name, (n_features, columns), hints)
        if isinstance(array, Feedback):
            return array
        if not np.isfinite(array).all():
            return Feedback(False, f"{name} must hold finite numbers.")
        matrices.append(array)
    w_q, w_k = matrices
    if w_q.shape != w_k.shape:
        return Feedback(False, "W_Q and W_K need the same number of columns, for a dot product.")
    missed = _first_miss(w_q, w_k)
    if missed is None:
        return Feedback(True, "Right, with and without the inserted words: a criterion.")
    if _first_miss(w_k, w_q) is None:
        return Feedback(False, "W_Q and W_K are exchanged: the one who looks is multiplied by W_Q.")
    short = _weights(w_q, w_k, WORDS)
    if short[1, 0] > 0.5 and short[5, 4] > 0.5:
        return Feedback(False, "the nouns look for determiners; here a determiner is to look.")
    return Feedback(False, "in “{}” {}.".format(" ".join(missed[0]), _slip(*missed)))


def _weights(w_q, w_k, words):
    x = features(words, MORE_FEATURES)
    return softmax((x @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1]))


def _first_miss(w_q, w_k):
    """The words, who gives the right one below .80, the right one and where most goes; or None."""
    for words in SENTENCES:
        own_noun = {"The": words.index("cat"), "the": words.index("mat")}
        for i, row in enumerate(_weights(w_q, w_k, words)):
            target = own_noun.get(words[i], i)
            if row[target] < 0.8:
                return words, i, target, int(row.argmax())
    return None


def _slip(words, i, target, most):
    """What is wrong with the row of word i, where most weight should go to `target`."""
    word, found = f"“{words[i]}”", f"“{words[most]}”"
    if most == target:
        return f"{word} gives {found} most, but less than .80: let the logits be larger"
    if KINDS[words[i].lower()] != "determiner":
        return f"{word} must look at itself, since it is no determiner, but looks at {found}"
    if most == i:
        return f"{word} looks at itself: a noun must count for more than a place further off"
    if KINDS[words[most]] == "noun":
        return f"{word} looks at {found}: a noun, but not its own, which comes after it"
    return f"{word} looks at {found}, which is no noun: that head goes by place, not by kind"


def check_effective_number(function):
    """Chapter 05: ``exp(entropy)`` of each row, 3 rows of 5 weights, a weight of 0 among them."""
    name, rng = "effective_number", np.random.default_rng(5)
    weights = softmax(rng.normal(size=(3, 5)) * 2)
    hints = {
        (5,): "a number for each word looked at; needed is one for each row (sum over axis=-1).",
        (): "one number for the whole table; needed is one for each row (sum over axis=-1).",
    }
    result = run(function, name, (3,), weights, hints=hints)
    if isinstance(result, Feedback):
        return result
    entropies = -(weights * np.log(weights)).sum(axis=-1)
    slips = [
        (entropies, "this is the entropy, in nats; exp turns it into a number of words."),
        (np.exp(-entropies), "the sign is lost: the entropy is *minus* the sum of p log p."),
        (2**entropies, "2 to the power of nats: with the natural logarithm it is exp."),
        (1 / weights.max(axis=-1), "one divided by the largest weight looks at one word only."),
        (1 / (weights**2).sum(axis=-1), "one divided by the sum of squares is another count."),
    ]
    if wrong := compare(result, np.exp(entropies), slips, name):
        return wrong
    sure = np.array([[0, 0, 1.0, 0, 0], [0.5, 0, 0, 0.5, 0], np.full(5, 0.2)])
    result = run(function, name, (3,), sure)
    if isinstance(result, Feedback):
        return result
    if not np.allclose(result, [1, 2, 5]):
        return Feedback(
            False, "a weight of 0 gives NaN: 0 · log 0 counts as 0, so keep log away from 0."
        )
    return Feedback(True, "Right: 1 for one sure word, 5 for five alike.")


def check_deal(function):
    """Chapter 05: ``deal(k, h)``: rows (h, k) that guarantee each relation 1 / ceil(k / h)."""
    for k, h in ((5, 3), (7, 2), (7, 3), (3, 5), (11, 4), (1, 1)):
        called = f"deal({k}, {h})"
        hints = {(k, h): f"{called} is transposed: one row for each head, one column a relation."}
        rows = run(function, called, (h, k), k, h, hints={} if k == h else hints)
        if isinstance(rows, Feedback):
            return rows
        if not (rows >= 0).all() or not np.allclose(rows.sum(axis=1), 1):
            return Feedback(False, f"each row of {called} must be weights: above 0, sum 1.")
        guaranteed, best = rows.max(axis=0), 1 / -(-k // h)
        if np.isclose(guaranteed.min(), best):
            continue
        if guaranteed.min() == 0:
            j = int(guaranteed.argmin())
            return Feedback(
                False, f"in {called} no head looks at relation {j}: deal out all of them."
            )
        if np.allclose(rows, 1 / k):
            return Feedback(
                False, f"every head of {called} does everything; let them share the work."
            )
        busiest = int((rows > 0).sum(axis=1).max())
        return Feedback(
            False,
            f"{called} guarantees {guaranteed.min():.3f}, but {best:.3f} is possible: one head "
            f"has {busiest} relations, where {-(-k // h)} a head would do.",
        )
    return Feedback(True, "Right: nobody has more than ⌈k/h⌉ relations, and that is the best.")
