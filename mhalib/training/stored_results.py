"""What many trainings gave: chapter 08's results, stored with the settings that made them.

``make sweep`` makes `stored_results.json` anew; here is how one number of it is made, and read.
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


def sweeps():
    """All that is stored: a list of `Result`, in the order they were made, by a sweep's name."""
    stored = files("mhalib.training").joinpath("stored_results.json").read_text(encoding="utf-8")
    return {
        name: [
            Result(Settings(**r["settings"]), r["read_as"], np.array(r["accuracy"])) for r in rows
        ]
        for name, rows in json.loads(stored).items()
    }


def results(name):
    """The `Result` list of one sweep; ValueError for a name that is none."""
    if name not in (stored := sweeps()):
        raise ValueError(
            f"{inputs.shown(name)} is no sweep that is stored; these are: {', '.join(stored)}."
        )
    return stored[name]


def right(**settings):
    """How often each question is answered right by the model with these settings: (seeds, k)."""
    for rows in sweeps().values():
        for result in rows:
            if result.settings == Settings(**settings) and not result.read_as:
                return result.accuracy
    raise ValueError(
        f"no sweep holds {inputs.shown(settings)}; tools/sweep.py lists what was trained."
    )
