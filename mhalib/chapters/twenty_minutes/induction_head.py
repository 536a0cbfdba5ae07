"""One layer of a trained model on a text given twice: its heads' logits, stored.

The layer is number 18 of SmolLM2-135M-Instruct (Allal et al. 2025; Apache-2.0), which holds an
*induction head*: at a word that has come before, head 6 looks at the word that followed it then.
``make induction-head`` makes `induction_head.npz` anew; chapter 12 runs the whole model.
"""

from importlib.resources import files
from typing import NamedTuple

import numpy as np

LAYER, HEAD = 18, 6
TEXT = (
    " The quick garden river stone paper music green window table horse cloud seven letter under"
    " coffee winter yellow kitchen doctor"
)  # each word is one token


class Stored(NamedTuple):
    """What the second time round looks at: n words, given twice.

    words : the 2n tokens; logits : (n_heads, n, 2n), a row for each word of the second time, -inf
    where the causal mask hides what comes later; target : (n,), the places that an induction head
    should look at, each the one after the first time's same word.
    """

    words: list
    logits: np.ndarray
    target: np.ndarray


def stored():
    """The stored rows, as `Stored`."""
    with (
        files("mhalib.chapters.twenty_minutes").joinpath("induction_head.npz").open("rb") as file,
        np.load(file) as arrays,
    ):
        words, logits = [str(word) for word in arrays["words"]], arrays["logits"]
    return Stored(words, logits, 1 + np.arange(logits.shape[1]))


def on_target(weights, target):
    """The mean weight that rows (..., n, 2n) put on their targets: (...)."""
    return weights[..., np.arange(len(target)), target].mean(axis=-1)
