"""One attention layer that learns to answer questions, and all that chapter 08 varies about it.

One query token asks, so products are taken in an order that keeps them small, and no query, key
or value of a token is ever formed. Head r is two small tables, made of its blocks,

``QK_r = W_Q_r @ W_K_r.T / sqrt(d_query)`` (what meets what), ``OV_r = W_V_r @ W_O_r`` (what is
written), and from the query token's features x and the tokens' features F it computes

``S_r = (x @ QK_r) @ F.T``, ``A_r = softmax(S_r)``, ``y = sum_r (A_r @ F) @ OV_r``,

``logits = y @ W_read``: the layer of `attention`, with other brackets. Each function of the forward
way returns its way back beside its result. Sources: Vaswani et al. (2017); Elhage et al. (2021)
for the two tables; Kingma and Ba (2015) for Adam.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mhalib import gradients, inputs
from mhalib.attention import softmax
from mhalib.merging import merge_logits
from mhalib.training import questions

CHOICES = {
    "rows": ("own", "merged", "averaged"),
    "values": ("own", "shared"),
    "readout": ("linear", "mlp"),
}
LAYER = ("w_q", "latent", "w_k", "w_v", "w_o")


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
        inputs.questions(self.k, self.n_tokens, **counts, **given)
        inputs.head_count(self.n_heads, self.d_model)
        if self.n_heads % self.kv_heads:
            raise ValueError(
                f"n_heads = {self.n_heads} cannot share n_kv = {self.n_kv} keys and values evenly; "
                "take a number that divides n_heads."
            )
        for name, choices in CHOICES.items():
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
        d, asked, token = (
            self.d_model,
            self.k * self.key_features,
            self.key_features + self.n_values,
        )
        d_values = d if self.values == "shared" else self.kv_heads * d // self.n_heads
        read, shapes = 4 * d if self.readout == "mlp" else d, {}
        for layer in range(self.n_layers):
            end = _end(layer)
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
        return questions.questions(rng, self.k, batch, self.n_tokens, self.n_values)


def initial(settings, rng, dtype=np.float32):
    """Parameters to start from, by name: normal, ``1 / sqrt(rows)`` in size."""
    parameters = {}
    for name, shape in settings.shapes.items():
        w = rng.standard_normal(shape, dtype) * shape[0] ** -0.5
        if settings.equal_heads and name.startswith("w_"):
            n_blocks = settings.n_heads if name[2] in "qo" else settings.kv_heads
            axis = 0 if name[2] == "o" else 1
            w = np.concatenate([np.split(w, n_blocks, axis)[0]] * n_blocks, axis)
        parameters[name] = w
    return parameters


def forward(parameters, settings, batch, mute=()):
    """Answer a batch: logits (batch, k, n_values), weights (batch, n_layers * n_heads, n_tokens).

    `parameters` are named as by `initial`; heads whose numbers are in `mute` write nothing (those
    of a second layer count on from the first's). Raises ValueError, in one sentence, for
    parameters or a batch of other settings.
    """
    logits, weights, _ = _run(parameters, settings, batch, mute)
    return logits, weights


def loss_and_gradients(parameters, settings, batch):
    """How wrong the answers are, and the loss's derivative by every parameter.

    ``loss = -mean log softmax(logits)[answer]``, over examples and questions. Returns a float and
    a dictionary of arrays of the parameters' shapes.
    """
    logits, _, back = _run(parameters, settings, batch)
    logits = np.asfortranarray(logits)  # as in `_rows`
    logits = logits - logits.max(axis=-1, keepdims=True)
    log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    right = np.eye(settings.n_values, dtype=logits.dtype).take(batch.answers, axis=0)
    loss = -(log_p * right).sum() / batch.answers.size
    return float(loss), back((np.exp(log_p) - right) / batch.answers.size)


def accuracy(parameters, settings, batch, mute=()):
    """How often each question is answered right: array (k,).

    Settings other than those of the training may read the same parameters, as
    ``replace(settings, rows="merged")``.
    """
    logits, _ = forward(parameters, settings, batch, mute)
    return (logits.argmax(axis=-1) == batch.answers).mean(axis=0)


def looks(weights, batch):
    """Each head's mean weight on the token that each question asks for: array (n_heads, k)."""
    return np.take_along_axis(weights, batch.places[:, None, :], axis=-1).mean(axis=0)


def _end(layer):
    return f"_{layer + 1}" if layer else ""


def _features(settings, batch, dtype):
    """x of the query token: (batch, k * key); F of the tokens: (batch, n_tokens, key + value)."""
    shape = len(batch.values), settings.n_tokens, settings.k
    if (*batch.values.shape, batch.places.shape[1]) != shape:
        raise ValueError(
            f"The batch has {batch.values.shape[1]} tokens and asks {batch.places.shape[1]} of "
            f"them, but the settings say n_tokens = {settings.n_tokens} and k = {settings.k}."
        )
    n = settings.key_features
    one_hot = np.eye(n + settings.n_values, dtype=dtype)
    tokens = one_hot.take(n + batch.values, axis=0)
    if settings.d_key:
        tokens[..., :n] = batch.keys
        return batch.asked.reshape(len(tokens), -1).astype(dtype), tokens
    asked = one_hot[:n, :n].take(batch.asked, axis=0)
    return asked.reshape(len(tokens), -1), tokens + one_hot.take(batch.keys, axis=0)


def _run(parameters, settings, batch, mute=()):
    """Logits, weights, and the way back from the logits' derivative to all parameters'."""
    inputs.parameters(parameters, settings.shapes)
    h, n_layers, read_out = settings.n_heads, settings.n_layers, parameters["read"]
    if not set(mute) <= set(range(n_layers * h)):
        raise ValueError(
            f"mute = {inputs.shown(mute)} must be heads by number, and these are the numbers "
            f"below {n_layers * h}."
        )
    asked, tokens = _features(settings, batch, read_out.dtype)
    written, layers = 0, []
    for layer in range(n_layers):
        end = _end(layer)
        own = {n: parameters[n + end] for n in LAYER if n + end in parameters}
        x = np.concatenate([asked, written], axis=1) if layer else asked
        silent = [r - layer * h for r in mute if r // h == layer]
        wrote, *rest = _layer(own, settings, x, tokens, silent)
        written = written + wrote
        layers.append((end, *rest))
    mlp = settings.readout == "mlp"
    read = np.maximum(written @ parameters["hidden"], 0) if mlp else written
    logits = (read @ read_out).reshape(len(asked), settings.k, settings.n_values)

    def back(d_logits):
        d_logits = d_logits.reshape(len(asked), -1)
        by_name, d_written = {"read": read.T @ d_logits}, d_logits @ read_out.T
        if mlp:
            d_hidden = d_written * (read > 0)
            by_name["hidden"] = written.T @ d_hidden
            d_written = d_hidden @ parameters["hidden"].T
        for end, _, layer_back in reversed(layers):
            d_x, d_own = layer_back(d_written)
            by_name |= {name + end: d for name, d in d_own.items()}
            d_written = d_written + d_x[:, asked.shape[1] :] if end else None
        return by_name

    weights = [weights for _, weights, _ in layers]
    return logits, np.concatenate(weights, axis=1) if n_layers > 1 else weights[0], back


def _layer(w, settings, x, tokens, silent):
    """What the heads of a layer write, their weights, and the way back to x and the matrices w."""
    h, n_kv, scale = settings.n_heads, settings.kv_heads, settings.query_width**-0.5
    n_v, n_o = (1, 1) if settings.values == "shared" else (n_kv, h)
    latent = w.get("latent")
    from_token = {n: w[n] if latent is None else latent @ w[n] for n in ("w_k", "w_v")}
    w_q, w_o = _blocks(w["w_q"], h), w["w_o"].reshape(n_o, -1, settings.d_model)
    w_k = _for_each(_blocks(from_token["w_k"], n_kv), h)
    w_v = _for_each(_blocks(from_token["w_v"], n_v), n_o)

    qk = _together(w_q @ w_k.swapaxes(1, 2) * scale)  # asked down, each head's features across
    ov = (_for_each(w_v @ w_o, h) * (n_o / h)).reshape(-1, settings.d_model)
    logits = (x @ qk).reshape(len(x), h, -1) @ tokens.swapaxes(1, 2)
    weights, rows_back = _rows(logits, settings)
    seen = weights @ tokens
    seen[:, silent] = 0
    seen = seen.reshape(len(x), -1)

    def back(d_written):
        d_ov = (seen.T @ d_written).reshape(h, -1, settings.d_model) * (n_o / h)
        d_ov = _from_each(d_ov, n_o)
        d_seen = (d_written @ ov.T).reshape(len(x), h, -1)
        d_logits = rows_back(d_seen @ tokens.swapaxes(1, 2))
        d_asks = (d_logits @ tokens).reshape(len(x), -1)
        d_qk = _blocks(x.T @ d_asks, h) * scale
        d_k = _together(_from_each(d_qk.swapaxes(1, 2) @ w_q, n_kv))
        d_v = _together(_from_each(d_ov @ w_o.swapaxes(1, 2), n_v))
        d = {"w_q": _together(d_qk @ w_k), "w_k": d_k, "w_v": d_v}
        d["w_o"] = (w_v.swapaxes(1, 2) @ d_ov).reshape(w["w_o"].shape)
        if latent is not None:
            d["latent"] = d_k @ w["w_k"].T + d_v @ w["w_v"].T
            d |= {"w_k": latent.T @ d_k, "w_v": latent.T @ d_v}
        return d_asks @ qk.T, d

    return seen @ ov, weights, back


def _rows(logits, settings):
    """The row each head reads with, and the way back to the logits: (batch, n_heads, n_tokens)."""
    h, shape = settings.n_heads, logits.shape
    logits = np.asfortranarray(
        logits
    )  # the axis to add up outermost in memory: several times faster
    if settings.rows == "merged":
        logits = merge_logits(logits, "big_head", axis=1)[:, None]
    own = weights = softmax(logits) if settings.softmax else logits
    if settings.rows == "averaged":
        weights = own.mean(axis=1, keepdims=True)

    def back(d):
        d = np.asfortranarray(d)
        if settings.rows != "own":
            d = d.sum(axis=1, keepdims=True)
        if settings.rows == "averaged":
            d = np.broadcast_to(d / h, shape)
        if settings.softmax:
            d = gradients.softmax(own, d)
        return np.broadcast_to(d * h**-0.5, shape) if settings.rows == "merged" else d

    return weights if settings.rows == "own" else np.broadcast_to(weights, shape), back


def _blocks(w, n):
    """`split_heads` of a matrix that was checked before, as a view: (n, rows, columns / n)."""
    return w.reshape(len(w), n, -1).swapaxes(0, 1)


def _together(blocks):
    """Its inverse, and its derivative."""
    return blocks.swapaxes(0, 1).reshape(blocks.shape[1], -1)


def _for_each(blocks, n_heads):
    """A block for each head; heads that share one stand side by side."""
    return np.repeat(blocks, n_heads // len(blocks), axis=0)


def _from_each(d, n_blocks):
    """The derivative by shared blocks: the sum over the heads that share each."""
    return d if len(d) == n_blocks else d.reshape(n_blocks, -1, *d.shape[1:]).sum(axis=1)
