"""The running sentence, with features that mean something, and heads made by hand.

Every word is a row of five features: which kind of word it is (0 or 1) and where it stands.
Heads made by hand ask for kinds of words and for early or late ones, so that their heat maps can
be read. From chapter 05 on two words can be inserted, and the table has three columns more.
"""

import numpy as np

from mhalib import inputs

WORDS = ("The", "cat", "sat", "on", "the", "mat")
LONG = ("The", "cat", "quietly", "sat", "on", "the", "black", "mat")  # with both inserted
FEATURES = ("determiner", "noun", "verb", "preposition", "position")
MORE_FEATURES = (*FEATURES[:-1], "adjective", "adverb", "position", "position²")
KINDS = dict(the="determiner", cat="noun", mat="noun", sat="verb", on="preposition")
KINDS |= dict(black="adjective", quietly="adverb")

# What a word carries: one number for each head's block of the values.
BLOCKS = ("who", "where", "when", "how")
CARRIED = dict(cat=(1, 2, 6, 4), mat=(5, 8, 3, 1), sat=(3, 4, 9, 2))
CARRIED |= dict(on=(2, 7, 1, 8), The=(4, 1, 5, 7), the=(6, 5, 2, 9))


def features(words=WORDS, names=FEATURES):
    """X of shape (T, 5): one row a word, its kind as 0/1 and its position 0, 1, 2, ...

    With ``names=MORE_FEATURES`` of shape (T, 8): two kinds more, and the position squared.

    Raises ValueError for a word whose kind is not known here, TypeError for a bare text.
    """
    words = inputs.words(words)
    if tuple(names) not in (FEATURES, MORE_FEATURES):
        raise ValueError(f"names must be FEATURES or MORE_FEATURES, but is {inputs.shown(names)}.")
    known = [word for word, kind in KINDS.items() if kind in names]
    unknown = [word for word in words if word.lower() not in known]
    if unknown:
        raise ValueError(
            f"no features for {inputs.shown(unknown[0])}; known words: {', '.join(known)}."
        )
    x = np.zeros((len(words), len(names)))
    for position, word in enumerate(words):
        x[position, names.index(KINDS[word.lower()])] = 1
        x[position, names.index("position")] = position
    if "position²" in names:
        x[:, -1] = x[:, -2] ** 2
    return x


# What a head asks for, by the kind of the word that looks: how much it wants a determiner,
# a noun, a later word. Keys answer with what they are and where they stand.
WHO = dict(determiner=(0, 6, 0), noun=(6, 0, 0), verb=(0, 9, -2), preposition=(0, 6, -1))
WHERE = dict(determiner=(0, 6, 1), noun=(0, 3, 1), verb=(0, 9, 2), preposition=(0, 9, 2))
ASKED_FOR = ("determiner", "noun", "later")


def head(asks):
    """W_Q and W_K, each (5, 3), of a head that asks as `WHO` or `WHERE` does.

    ``(x_i W_Q) . (x_j W_K)`` = what word i's kind asks for, as far as word j has it.

    Raises ValueError or TypeError for a kind that is none, or wishes that are not 3 numbers.
    """
    inputs.wishes(asks, FEATURES[:-1], ASKED_FOR)
    w_q = np.zeros((len(FEATURES), len(ASKED_FOR)))
    for kind, wishes in asks.items():
        w_q[FEATURES.index(kind)] = wishes
    w_k = np.zeros_like(w_q)
    w_k[FEATURES.index("determiner"), 0] = 1
    w_k[FEATURES.index("noun"), 1] = 1
    w_k[FEATURES.index("position"), 2] = 1
    return w_q, w_k
