"""What a model of chapter 08 is: all that the chapter varies about it, and where it starts."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mhalib import formulas, inputs
from mhalib.training import questions

ROWS, VALUES, READOUTS = ("own", "merged", "averaged"), ("own", "shared"), ("linear", "mlp")


@dataclass(frozen=True)
class Settings:
    """A model and its task. `n_heads` does not change the number of parameters."""

    k: int = 2  # how many of n_tokens keys are asked at once
    n_heads: int = 2
    d_model: int = 32
    n_tokens: int = 8
    n_values: int = 8
    softmax: bool = True  # False: linear, the logits themselves are the weights
    rows: str = "own"  # or one row for all heads: from the "merged" logits, as the true big head
    # has them, or the heads' weights "averaged"
    values: str = "own"  # or "shared": one W_V and W_O of full width, read by the heads' mean
    n_kv: int | None = None  # heads of keys and values, n_heads unless given; 1: shared by all
    d_query: int | None = None  # width of a head's queries and keys, unless d_model / n_heads
    latent: int | None = None  # keys and values see so many mixtures of a token's features
    readout: str = "linear"  # or "mlp": one hidden layer of 4 d_model channels, ReLU
    n_layers: int = 1  # a further layer adds to what is written, and its queries see that
    equal_heads: bool = False  # all heads begin with the numbers of head 0
    d_key: int | None = None  # keys are vectors of this width; the task is `questions.nearest`

    def __post_init__(self):
        given = {name: getattr(self, name) for name in ("n_kv", "d_query", "latent", "d_key")}
        given = {name: count for name, count in given.items() if count is not None}
        counts = {"n_values": self.n_values, "n_layers": self.n_layers, "d_model": self.d_model}
        inputs.task(self.k, self.n_tokens, **counts, **given)
        inputs.head_count(self.n_heads, self.d_model)
        if self.n_heads % self.kv_heads:
            raise ValueError(
                f"n_heads = {self.n_heads} cannot share n_kv = {self.n_kv} keys and values evenly; "
                "take a number that divides n_heads."
            )
        for name, choices in dict(rows=ROWS, values=VALUES, readout=READOUTS).items():
            if (choice := getattr(self, name)) not in choices:
                named, choice = ", ".join(map(repr, choices)), inputs.shown(choice)
                raise ValueError(f"{name} must be one of {named}, but is {choice}.")

    @property
    def kv_heads(self):
        return self.n_kv or self.n_heads

    @property
    def query_width(self):
        return self.d_query or self.d_model // self.n_heads

    @property
    def key_features(self):
        return self.d_key or self.n_tokens

    @cached_property
    def shapes(self):
        """The shape of each parameter. A second layer's names end in _2."""
        d, asked = self.d_model, self.k * self.key_features
        token = self.key_features + self.n_values
        d_values = d if self.values == "shared" else self.kv_heads * d // self.n_heads
        read, shapes = 4 * d if self.readout == "mlp" else d, {}
        for layer in range(self.n_layers):
            end = ending(layer)
            shapes["w_q" + end] = (asked + d * (layer > 0), self.n_heads * self.query_width)
            if self.latent:
                shapes["latent" + end] = (token, self.latent)
            shapes["w_k" + end] = (self.latent or token, self.kv_heads * self.query_width)
            shapes["w_v" + end] = (self.latent or token, d_values)
            shapes["w_o" + end] = (d, d)
        hidden = {"hidden": (d, read)} if self.readout == "mlp" else {}
        return shapes | hidden | {"read": (read, self.k * self.n_values)}

    def draw(self, rng, batch=128):
        """A `questions.Batch` of this task."""
        if self.d_key:
            return questions.nearest(rng, self.k, batch, self.n_tokens, self.n_values, self.d_key)
        return questions.exact(rng, self.k, batch, self.n_tokens, self.n_values)


def initial(settings, rng, dtype=np.float32):
    """Parameters to start from, by name: normal, ``1 / sqrt(rows)`` in size."""
    parameters = {
        name: rng.standard_normal(shape, dtype) * shape[0] ** -0.5
        for name, shape in settings.shapes.items()
    }
    if settings.equal_heads:
        for heads in blocks(parameters, settings):
            heads[:] = heads[0].copy()
    return parameters


def blocks(by_name, settings):
    """Each matrix that heads have blocks of, as a view: (n_blocks, rows, columns)."""
    for name, w in by_name.items():
        if name.startswith("w_o"):
            yield w.reshape(settings.n_heads, -1, settings.d_model)
        elif name.startswith("w_"):
            yield formulas.split(w, settings.n_heads if name[2] == "q" else settings.kv_heads)


def ending(layer):
    """What the names of a layer's parameters end in."""
    return f"_{layer + 1}" if layer else ""
