"""One attention layer that learns to answer questions, and all that chapter 08 varies about it.

One query token asks, so no query, key or value is formed for each token: products are taken in
the order that makes them small. Head r is two small tables, made of its blocks of the matrices,

``QK_r = W_Q_r @ W_K_r.T / sqrt(d_query)`` (what meets what) and ``OV_r = W_V_r @ W_O_r`` (what
is written), and with the query token's features x and the tokens' features F it computes

``S_r = (x @ QK_r) @ F.T``, ``A_r = softmax(S_r)``, ``y = sum_r (A_r @ F) @ OV_r``,
``logits = y @ W_read``,

which is the layer of `attention` to the last digit but rounding. Sources: Vaswani et al. (2017);
Elhage et al. (2021) for the two tables; Kingma and Ba (2015) for Adam.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mhalib import gradients, tasks, validation
from mhalib.attention import concat_heads, softmax, split_heads
from mhalib.merging import merge_logits

CHOICES = {
    "rows": ("own", "merged", "averaged"),
    "values": ("own", "shared"),
    "readout": ("linear", "mlp"),
}


@dataclass(frozen=True)
class Settings:
    """A model and its task. The number of parameters is the same for every `n_heads`.

    k, n_tokens, n_values : as in `tasks.questions`
    n_heads, d_model : int
    softmax : bool
        False: linear, the logits themselves are the weights.
    rows : "own", "merged" or "averaged"
        Each head its own row of weights; or one row for all, from the merged logits (as the true
        big head has them); or the average of the heads' weights for all.
    values : "own" or "shared"
        Each head its block of W_V and W_O; or one way of full width for all, as the heads' mean.
    n_kv : int, optional
        How many heads keys and values have; `n_heads` unless given. 1: shared by all.
    d_query : int, optional
        Width of a head's queries and keys; ``d_model / n_heads`` unless given.
    latent : int, optional
        Keys and values are made of so many numbers of each token, not of all its features.
    readout : "linear" or "mlp" (one hidden layer of ``4 d_model`` channels, ReLU)
    n_layers : int
        Each further layer adds to what is written, and its queries see what was written so far.
    equal_heads : bool
        All heads begin with the numbers of head 0.
    d_key : int, optional
        Keys are vectors of this width, and the task is `tasks.nearest`.
    """

    k: int = 2
    n_heads: int = 2
    d_model: int = 32
    n_tokens: int = 8
    n_values: int = 8
    softmax: bool = True
    rows: str = "own"
    values: str = "own"
    n_kv: int | None = None
    d_query: int | None = None
    latent: int | None = None
    readout: str = "linear"
    n_layers: int = 1
    equal_heads: bool = False
    d_key: int | None = None

    def __post_init__(self):
        tasks.counts(self.k, self.n_tokens, n_values=self.n_values, n_layers=self.n_layers)
        validation.head_count(self.n_heads, self.d_model)
        for name in ("n_kv", "d_query", "latent", "d_key"):
            if getattr(self, name) is not None:
                tasks.counts(1, 1, **{name: getattr(self, name)})
        if self.n_heads % self.kv_heads:
            raise ValueError(
                f"n_heads = {self.n_heads} cannot share n_kv = {self.n_kv} keys and values evenly; "
                "take a number that divides n_heads."
            )
        for name, choices in CHOICES.items():
            if (given := getattr(self, name)) not in choices:
                named = ", ".join(map(repr, choices))
                raise ValueError(
                    f"{name} must be one of {named}, but is {validation.shown(given)}."
                )

    @property
    def kv_heads(self):
        return self.n_kv or self.n_heads

    @property
    def query_width(self):
        return self.d_query or self.d_model // self.n_heads

    @cached_property
    def shapes(self):
        """The shape of each parameter; those of a second layer end in _2."""
        key, d = self.d_key or self.n_tokens, self.d_model
        asked, token, n_answers = self.k * key, key + self.n_values, self.k * self.n_values
        shared = self.values == "shared"
        shapes = {}
        for layer in range(self.n_layers):
            end = _end(layer)
            shapes["w_q" + end] = (asked + d * (layer > 0), self.n_heads * self.query_width)
            if self.latent:
                shapes["latent" + end] = (token, self.latent)
            source = self.latent or token
            shapes["w_k" + end] = (source, self.kv_heads * self.query_width)
            shapes["w_v" + end] = (source, d if shared else self.kv_heads * d // self.n_heads)
            shapes["w_o" + end] = (d, d)
        if self.readout == "mlp":
            shapes["hidden"] = (d, 4 * d)
        return shapes | {"read": (4 * d if self.readout == "mlp" else d, n_answers)}

    def draw(self, rng, batch=128):
        """A `tasks.Batch` of this task."""
        if self.d_key is None:
            return tasks.questions(rng, self.k, batch, self.n_tokens, self.n_values)
        return tasks.nearest(rng, self.k, batch, self.n_tokens, self.n_values, self.d_key)


class Progress(NamedTuple):
    """After a step: how many are done, the loss before the step, the parameters after it."""

    step: int
    loss: float
    parameters: dict


class Trained(NamedTuple):
    """What training leaves; `stopped` says why it ended early, and is None if it did not."""

    settings: Settings
    parameters: dict
    losses: np.ndarray
    stopped: str | None


class Diverged(ArithmeticError):
    """The loss is no number any more; `parameters` are the last with which it was one."""

    def __init__(self, step, learning_rate, parameters):
        super().__init__(
            f"The loss at step {step} is no finite number with learning_rate = {learning_rate:g}; "
            "the weights before that step are kept, and a smaller rate may train on."
        )
        self.parameters = parameters


def initial(settings, rng, dtype=np.float32):
    """Parameters to start from, by name: normal, ``1 / sqrt(rows)`` in size."""
    drawn = {n: rng.standard_normal(shape, dtype) for n, shape in settings.shapes.items()}
    parameters = {name: w * len(w) ** -0.5 for name, w in drawn.items()}
    if settings.equal_heads:
        for name, w in parameters.items():
            h = settings.n_heads if name[:3] in ("w_q", "w_o") else settings.kv_heads
            if name.startswith("w_o"):
                parameters[name] = np.tile(w[: len(w) // h], (h, 1))
            elif name.startswith("w_"):
                parameters[name] = np.tile(w[:, : w.shape[1] // h], h)
    return parameters


def forward(parameters, settings, batch, mute=()):
    """Answer a batch of questions.

    Parameters
    ----------
    parameters : dict of arrays, as from `initial`
    settings : Settings
    batch : tasks.Batch
    mute : int numbers of heads, optional
        These write nothing. Those of a second layer count on from the first's.

    Returns
    -------
    logits : array (batch, k, n_values)
    weights : array (batch, n_layers * n_heads, n_tokens)
        The row each head reads with.
    """
    logits, weights, _ = _run(parameters, settings, batch, mute)
    return logits, weights


def loss_and_gradients(parameters, settings, batch):
    """How wrong the answers are, and the loss's derivative by every parameter.

    ``loss = -mean log softmax(logits)[answer]``, over examples and questions. Returns a float and
    a dictionary of arrays of the parameters' shapes.
    """
    logits, _, back = _run(parameters, settings, batch)
    logits = np.asfortranarray(logits)  # as in _rows
    logits = logits - logits.max(axis=-1, keepdims=True)
    log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    right = np.eye(settings.n_values, dtype=logits.dtype).take(batch.answers, axis=0)
    loss = -(log_p * right).sum() / batch.places.size
    return float(loss), back((np.exp(log_p) - right) / batch.places.size)


def accuracy(parameters, settings, batch, mute=()):
    """How often each question is answered right: array (k,). Other `settings` may be asked of
    the same parameters, as ``replace(settings, rows="merged")``."""
    logits, _ = forward(parameters, settings, batch, mute)
    return (logits.argmax(axis=-1) == batch.answers).mean(axis=0)


def looks(weights, batch):
    """The mean weight of each head on the token that each question asks for: (n_heads, k)."""
    return np.take_along_axis(weights, batch.places[:, None, :], axis=-1).mean(axis=0)


def steps(settings, rng, n_steps=1500, learning_rate=3e-3, batch=128, parameters=None):
    """Train, a step each time it is asked: yields a `Progress`. A step is one batch and Adam:

    ``m = .9 m + .1 g``, ``v = .999 v + .001 g^2``, ``theta -= rate m' / (sqrt(v') + 1e-8)``, where
    ``m' = m / (1 - .9^t)``, ``v' = v / (1 - .999^t)``.

    `parameters` to go on from are never changed; nor are those it yields. Raises `Diverged`, and
    in one sentence ValueError or TypeError for a negative count or rate.
    """
    validation.whole_number(n_steps, "n_steps")
    validation.number(learning_rate, "learning_rate")
    if n_steps < 0 or learning_rate <= 0:
        raise ValueError(
            "n_steps must not be negative and learning_rate must be above 0, but they are "
            f"{n_steps} and {learning_rate:g}."
        )
    tasks.counts(1, 1, batch=batch)
    return _steps(settings, rng, n_steps, learning_rate, batch, parameters)


def train(
    settings, rng, n_steps=1500, learning_rate=3e-3, batch=128, parameters=None, callback=None
):
    """Take all `steps`, and call `callback` with the `Progress` after each. Returns `Trained`.

    An interrupt (the stop button of a cell) or a loss that is no number ends it early, and what
    was trained so far is kept.
    """
    parameters = initial(settings, rng) if parameters is None else parameters
    losses, stopped = [], None
    try:
        for progress in steps(settings, rng, n_steps, learning_rate, batch, parameters):
            parameters = progress.parameters
            losses.append(progress.loss)
            if callback:
                callback(progress)
    except KeyboardInterrupt:
        stopped = f"Interrupted after {len(losses)} of {n_steps} steps."
    except Diverged as diverged:
        parameters, stopped = diverged.parameters, str(diverged)
    return Trained(settings, parameters, np.array(losses), stopped)


def _steps(settings, rng, n_steps, learning_rate, batch, parameters):
    parameters = initial(settings, rng) if parameters is None else parameters
    theta = np.concatenate([parameters[name].ravel() for name in settings.shapes])
    m, v, good = 0, 0, parameters
    for t in range(1, n_steps + 1):
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # what overflows ends the run
                loss, by_name = loss_and_gradients(parameters, settings, settings.draw(rng, batch))
                g = np.concatenate([by_name[name].ravel() for name in settings.shapes])
                m = 0.9 * m + 0.1 * g
                v = 0.999 * v + 0.001 * g * g
                finite = np.isfinite(loss + v.sum())
        except ValueError:  # a function of `attention` met a number beyond all floats
            finite = False
        if not finite:
            raise Diverged(t, learning_rate, good)
        good = parameters
        size = np.sqrt(v / (1 - 0.999**t)) + 1e-8
        theta = theta - learning_rate / (1 - 0.9**t) * m / size
        parameters = _by_name(theta, settings)
        yield Progress(t, loss, parameters)


def _by_name(theta, settings):
    """All parameters, cut from one vector: no number is copied."""
    parameters, start = {}, 0
    for name, (rows, columns) in settings.shapes.items():
        end = start + rows * columns
        parameters[name] = theta[start:end].reshape(rows, columns)
        start = end
    return parameters


def _end(layer):
    return f"_{layer + 1}" if layer else ""


def _features(settings, batch, dtype):
    """The query token's features (batch, k * key) and the tokens' (batch, n_tokens, features)."""
    key = settings.d_key or settings.n_tokens
    one_hot = np.eye(key + settings.n_values, dtype=dtype)
    if settings.d_key:
        tokens = np.concatenate([batch.keys, one_hot[:, key:][key + batch.values]], axis=-1)
        asked = batch.asked
    else:
        tokens = one_hot.take(batch.keys, axis=0) + one_hot.take(key + batch.values, axis=0)
        asked = one_hot[:key, :key].take(batch.asked, axis=0)
    return asked.reshape(len(asked), -1).astype(dtype, copy=False), tokens.astype(dtype, copy=False)


def _run(p, settings, batch, mute=()):
    """Logits, weights, and the way back: from the logits' derivative to all parameters'."""
    if not set(mute) <= set(range(settings.n_layers * settings.n_heads)):
        raise ValueError(
            f"mute = {validation.shown(mute)} must be numbers of heads, counted from 0; there are "
            f"{settings.n_layers * settings.n_heads}."
        )
    asked, tokens = _features(settings, batch, p["read"].dtype)
    written, layers = 0, []
    for layer in range(settings.n_layers):
        x = np.concatenate([asked, written], axis=1) if layer else asked
        heads = range(layer * settings.n_heads, (layer + 1) * settings.n_heads)
        silent = [r - heads[0] for r in mute if r in heads]
        layers.append(_layer(p, settings, x, tokens, _end(layer), silent))
        written = written + layers[-1][0]
    read = np.maximum(written @ p["hidden"], 0) if settings.readout == "mlp" else written
    logits = (read @ p["read"]).reshape(len(asked), settings.k, settings.n_values)

    def back(d_logits):
        d_logits = d_logits.reshape(len(asked), -1)
        d = {"read": read.T @ d_logits}
        d_written = d_logits @ p["read"].T
        if settings.readout == "mlp":
            d_hidden = d_written * (read > 0)
            d["hidden"] = written.T @ d_hidden
            d_written = d_hidden @ p["hidden"].T
        for *_, layer_back in reversed(layers):
            d_x = layer_back(d_written, d)
            if d_x is not None:
                d_written = d_written + d_x[:, asked.shape[1] :]
        return d

    return logits, np.concatenate([weights for _, weights, _ in layers], axis=1), back


def _layer(p, settings, x, tokens, end, silent):
    """What the heads of a layer write, their weights, and the way back."""
    h, n_kv, scale = settings.n_heads, settings.kv_heads, settings.query_width**-0.5
    n_blocks = 1 if settings.values == "shared" else h
    source_k, source_v = p["w_k" + end], p["w_v" + end]
    if settings.latent:
        source_k, source_v = (p["latent" + end] @ w for w in (source_k, source_v))
    w_q = split_heads(p["w_q" + end], h)
    w_k = _for_each(split_heads(source_k, n_kv), h)
    n_values = 1 if settings.values == "shared" else n_kv
    w_v = _for_each(split_heads(source_v, n_values), n_blocks)
    w_o = p["w_o" + end].reshape(n_blocks, -1, settings.d_model)

    qk = concat_heads(w_q @ w_k.swapaxes(1, 2) * scale)  # asked down; head by head, features across
    ov = _for_each(w_v @ w_o, h) * (n_blocks / h)
    logits = (x @ qk).reshape(len(x), h, -1) @ tokens.swapaxes(1, 2)
    weights, rows_back = _rows(logits, settings)
    seen = weights @ tokens
    seen[:, silent] = 0
    seen = seen.reshape(len(x), -1)
    ov = ov.reshape(-1, settings.d_model)

    def back(d_written, d):
        d_ov = (seen.T @ d_written).reshape(h, -1, settings.d_model) * (n_blocks / h)
        d_ov = _from_each(d_ov, n_blocks)
        d["w_o" + end] = (w_v.swapaxes(1, 2) @ d_ov).reshape(p["w_o" + end].shape)
        d_v = gradients.split_heads(_from_each(d_ov @ w_o.swapaxes(1, 2), n_values))
        d_seen = (d_written @ ov.T).reshape(len(x), h, -1)
        d_asks = (rows_back(d_seen @ tokens.swapaxes(1, 2)) @ tokens).reshape(len(x), -1)
        d_qk = gradients.concat_heads(x.T @ d_asks, h) * scale
        d["w_q" + end] = gradients.split_heads(d_qk @ w_k)
        d_k = gradients.split_heads(_from_each(d_qk.swapaxes(1, 2) @ w_q, n_kv))
        if settings.latent:
            latent = p["latent" + end]
            d["latent" + end] = d_k @ p["w_k" + end].T + d_v @ p["w_v" + end].T
            d_k, d_v = latent.T @ d_k, latent.T @ d_v
        d["w_k" + end], d["w_v" + end] = d_k, d_v
        return d_asks @ qk.T if end else None

    return seen @ ov, weights, back


def _rows(logits, settings):
    """The row each head reads with, and the way back to the logits: (batch, n_heads, n_tokens)."""
    h, full = settings.n_heads, logits.shape
    logits = np.asfortranarray(logits)  # NumPy adds up over the outermost axis in memory faster
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
            d = np.broadcast_to(d / h, full)
        if settings.softmax:
            d = gradients.softmax(own, d)
        return np.broadcast_to(d * h**-0.5, full) if settings.rows == "merged" else d

    return weights if settings.rows == "own" else np.broadcast_to(weights, full), back


def _for_each(blocks, n_heads):
    """A block for each head; heads that share one stand side by side."""
    return np.repeat(blocks, n_heads // len(blocks), axis=0)


def _from_each(d, n_blocks):
    """The derivative by shared blocks: the sum over the heads that share each."""
    return d if len(d) == n_blocks else d.reshape(n_blocks, -1, *d.shape[1:]).sum(axis=1)
