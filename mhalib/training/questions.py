"""What the heads of chapter 08 are trained on: several questions at once, about a few tokens.

A token is a key with a value beside it. One query token asks for the values of k distinct keys;
its features have one key block for each question slot, in order. A guess is right 1/8 of the time.
"""

from typing import NamedTuple

import numpy as np

from mhalib import inputs


class Batch(NamedTuple):
    """Tokens, and what is asked about them, a row for each example. No batch is ever changed.

    Keys are numbers, no two alike in a row, or vectors with one axis more, d_key.
    """

    keys: np.ndarray  # (batch, n_tokens)
    values: np.ndarray  # (batch, n_tokens)
    asked: np.ndarray  # (batch, k), the key of each question slot
    places: np.ndarray  # (batch, k), where the token stands that has the answer
    answers: np.ndarray  # (batch, k), the value beside it


def exact(rng, k, batch=128, n_tokens=8, n_values=8):
    """Draw examples in which k distinct keys are asked at once.

    The keys are the numbers below `n_tokens` in any order, each value is any number below
    `n_values`, and any k of the keys are asked, in any order. Returns a `Batch`; raises ValueError
    or TypeError for k > n_tokens and for counts below 1.
    """
    inputs.task(k, n_tokens, batch=batch, n_values=n_values)
    keys, places = _orders(rng, 2, batch, n_tokens)
    return _asked(rng, keys, places[:, :k], n_values)


def nearest(rng, k=1, batch=128, n_tokens=32, n_values=8, d_key=16, noise=0.8):
    """Draw examples in which each question is a key that noise has moved.

    Keys are directions: normal vectors made `d_key ** 0.5` long. ``asked = key + noise * normal``,
    and the answer is the value beside the key. The noise is as strong in every direction, so that
    the token with the largest ``key . asked``, the nearest, is the best guess. Returns a `Batch`
    of vectors; raises as `exact`.
    """
    inputs.task(k, n_tokens, batch=batch, n_values=n_values, d_key=d_key)
    inputs.number(noise, "noise")
    keys = rng.standard_normal((batch, n_tokens, d_key))
    keys *= d_key**0.5 / np.linalg.norm(keys, axis=-1, keepdims=True)
    (places,) = _orders(rng, 1, batch, n_tokens)
    drawn = _asked(rng, keys, places[:, :k], n_values)
    return drawn._replace(asked=drawn.asked + noise * rng.standard_normal(drawn.asked.shape))


def _orders(rng, n, batch, n_tokens):
    """n times a batch of rows that hold the numbers below `n_tokens`, in any order."""
    return rng.random((n, batch, n_tokens), dtype=np.float32).argsort(axis=-1)


def _asked(rng, keys, places, n_values):
    """Values drawn beside the keys, and what stands at the places asked for."""
    values, row = rng.integers(n_values, size=keys.shape[:2]), np.arange(len(keys))[:, None]
    return Batch(keys, values, keys[row, places], places, values[row, places])
