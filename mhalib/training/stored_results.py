"""What many trainings gave: chapter 08's results, stored with the settings that made them.

``make sweep`` makes `stored_results.json` anew; this module says how one number of it is made,
and reads.
"""

import json
from dataclasses import replace
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from mhalib import inputs
from mhalib.training.adam import train
from mhalib.training.layer import accuracy
from mhalib.training.settings import Settings

SEEDS, HELD_OUT = 5, 4000


class Result(NamedTuple):
    """A model, trained once for each seed; `read_as` are settings changed after training."""

    settings: Settings
    read_as: dict
    accuracy: np.ndarray  # (seeds, k)


def held_out(settings, seed, read_as=()):
    """Train with this seed, then answer questions never seen: the accuracy of each, (k,)."""
    trained = train(settings, np.random.default_rng(seed))
    batch = settings.draw(np.random.default_rng(1_000_000 + seed), HELD_OUT)
    return accuracy(trained.parameters, replace(settings, **dict(read_as)), batch)


def results(name):
    """The results of one sweep, in the order they were made: a list of `Result`.

    Raises ValueError for a name that is none of `names()`.
    """
    if name not in (sweeps := _stored()):
        raise ValueError(
            f"{inputs.shown(name)} is no sweep that is stored; these are: {', '.join(sweeps)}."
        )
    return [
        Result(Settings(**row["settings"]), row["read_as"], np.array(row["accuracy"]))
        for row in sweeps[name]
    ]


def right(**settings):
    """How often each question is answered right by the model with these settings: (seeds, k).

    Raises ValueError for settings that no sweep holds.
    """
    wanted = Settings(**settings)
    for name in names():
        for result in results(name):
            if result.settings == wanted and not result.read_as:
                return result.accuracy
    raise ValueError(
        f"no sweep holds {inputs.shown(settings)}; tools/sweep.py lists what was trained."
    )


def names():
    """The sweeps that are stored."""
    return list(_stored())


def _stored():
    return json.loads(
        files("mhalib.training").joinpath("stored_results.json").read_text(encoding="utf-8")
    )
