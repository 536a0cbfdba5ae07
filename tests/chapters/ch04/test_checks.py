"""Chapter 04's checks, asked like a learner: the slips they know, each with its own message."""

import numpy as np
from slips import Checks, rows

from mhalib.chapters import ch04
from mhalib.chapters.ch04 import partner


def root_of_heads(s):
    return s.sum(axis=0) / np.sqrt(len(s))


SLIPS = {}
SLIPS[ch04.check_merge] = {
    "merging ends before the softmax": lambda s, how: rows(s.sum(axis=0)),
    "average of weights": lambda s, how: rows(s).mean(axis=0),
    "turned into weights first, then added": lambda s, how: rows(s).sum(axis=0),
    "keys were summed away": lambda s, how: s.sum(axis=1),
    '"big_head") gives the bare sum': lambda s, how: s.sum(axis=0),
    '"add") divides by the number of heads': lambda s, how: s.mean(axis=0),
    '"add") divides by the square root': lambda s, how: root_of_heads(s),
    '"average") divides by the square root': lambda s, how: (
        s.sum(axis=0) if how == "add" else root_of_heads(s)
    ),
    '"big_head") divides by the number of heads': lambda s, how: (
        s.sum(axis=0) if how == "add" else s.mean(axis=0)
    ),
}
SLIPS[ch04.check_compromise] = {
    "has shape (3,); needed is (2, 3)": [10, 0, 8],
    "look like weights": [[0.8, 0.0, 0.2], [0.0, 0.8, 0.2]],
    "so does a head": [[10, 0, 0], [10, 0, 0]],
    "a head gives word 2 0.27": [[10, 0, 9], [0, 10, 9]],
    "veto the other's favourite more strongly": [[4, 0, 2.3], [0, 4, 2.3]],
    "gives word 2 only 0.82": [[5, 0, 3.6], [0, 5, 3.6]],
    "finite numbers": [[np.inf, 0, 0], [0, 1, 2]],
    "must be an array of numbers": "logits",
}
P = np.array([0.6, 0.3, 0.1])
SLIPS[ch04.check_partner] = {
    "q is p itself": (P, P),
    "mirroring p": (P, P[::-1]),
    "mirroring p works with two words only": (P, (1 - P) / 2),
    "cancels p": (P, (1 / P) / (1 / P).sum()),
    "p is uniform": (np.ones(3) / 3, np.ones(3) / 3),
    "p must be weights": (np.log(P), P),
    "q must be weights": (P, np.array([3.0, 2.0, 1.0])),
    "q has shape (2,)": (P, np.array([0.5, 0.5])),
    "merged and average differ by 0.007": (P, partner(P) + [0.003, -0.003, 0]),  # nearly right
    "1/p + 1/q is not the same": (P, np.array([0.2, 0.2, 0.6])),
}


def partner_on_a_grid(p):
    """1 / (c - 1 / p) for two million values of c: the one whose row adds up to 1."""
    inverse = 1 / p
    c = np.linspace(inverse.max() + 1, inverse.max() + 3, 2_000_001)
    sums = (1 / (c[:, None] - inverse)).sum(axis=1)
    return 1 / (c[abs(sums - 1).argmin()] - inverse)


DIVISORS = {"add": 1, "big_head": 3**0.5, "average": 3}
RIGHT = {
    ch04.check_merge: [lambda s, how: s.sum(axis=0) / DIVISORS[how]],
    ch04.check_compromise: [
        [[9, 0, 7], [0, 9, 7]],
        np.array([[0, 7, 9], [9, 7, 0]]),  # another word, another way
    ],
    ch04.check_partner: [(P, partner_on_a_grid(P))],
}


class TestChecks(Checks):
    chapter, slips, right = ch04, SLIPS, RIGHT
