"""The running sentence, with features that mean something, and heads made by hand.

Every word is a row of five features: which kind of word it is (0 or 1) and where it stands.
A head made by hand asks for kinds of words and for early or late ones; nothing is random, so a
heat map of it can be read.
"""

import numpy as np

from mhalib import validation

WORDS = ("The", "cat", "sat", "on", "the", "mat")
FEATURES = ("determiner", "noun", "verb", "preposition", "position")
KINDS = {
    "the": "determiner",
    "cat": "noun",
    "mat": "noun",
    "sat": "verb",
    "on": "preposition",
}


def features(words=WORDS):
    """X of shape (T, 5): one row a word, its kind as 0/1 and its position 0, 1, 2, ...

    Raises ValueError for a word whose kind is not known here, TypeError for a bare text.
    """
    words = validation.words(words)
    unknown = [word for word in words if word.lower() not in KINDS]
    if unknown:
        known = ", ".join(KINDS)
        raise ValueError(f"no features for {validation.shown(unknown[0])}; known words: {known}.")
    x = np.zeros((len(words), len(FEATURES)))
    for position, word in enumerate(words):
        x[position, FEATURES.index(KINDS[word.lower()])] = 1
        x[position, -1] = position
    return x


# What a head asks for, by the kind of the word that looks: how much it wants a determiner,
# a noun, a later word. Keys answer with what they are and where they stand.
WHO = {
    "determiner": (0, 6, 0),
    "noun": (6, 0, 0),
    "verb": (0, 9, -2),
    "preposition": (0, 6, -1),
}
WHERE = {
    "determiner": (0, 6, 1),
    "noun": (0, 3, 1),
    "verb": (0, 9, 2),
    "preposition": (0, 9, 2),
}
ASKED_FOR = ("determiner", "noun", "later")


def head(asks):
    """W_Q and W_K, each (5, 3), of a head that asks as `WHO` or `WHERE` does.

    ``(x_i W_Q) . (x_j W_K)`` = what word i's kind asks for, as far as word j has it.

    Raises ValueError or TypeError for a kind that is none, or wishes that are not 3 numbers.
    """
    validation.wishes(asks, FEATURES[:-1], ASKED_FOR)
    w_q = np.zeros((len(FEATURES), len(ASKED_FOR)))
    for kind, wishes in asks.items():
        w_q[FEATURES.index(kind)] = wishes
    w_k = np.zeros_like(w_q)
    w_k[FEATURES.index("determiner"), 0] = 1
    w_k[FEATURES.index("noun"), 1] = 1
    w_k[FEATURES.index("position"), 2] = 1
    return w_q, w_k
