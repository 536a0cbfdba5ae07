"""Three trained models that anyone can install, run by mhalib's own attention in NumPy.

`to_install` says what is missing, `load` finds a model's weights among the installed packages,
checks them and gives a model; nothing of those packages is imported or run. A model's `run` gives
each layer's logits, weights and the heads' outputs, and can mute heads or give them other rows.

The readers `safetensors`, `gguf` and `tokenizers` are imported when a model is loaded, not before.
"""

from mhalib.real_models.loading import MODELS, load, surprisal
from mhalib.real_models.packages import Missing, find, to_install
from mhalib.real_models.running import Layer, Model, Run
from mhalib.real_models.texts import Reaction, card, reactions

__all__ = [
    "card",
    "find",
    "Layer",
    "load",
    "Missing",
    "Model",
    "MODELS",
    "Reaction",
    "reactions",
    "Run",
    "surprisal",
    "to_install",
]
