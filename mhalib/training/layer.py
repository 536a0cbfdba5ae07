"""The attention layer that learns to answer questions: the way forward, and the way back.

One query token asks, so products are taken in an order that keeps them small, and no query, key
or value of a token is ever formed. Head r is two small tables, made of its blocks, what meets what
and what is written; from the query token's features x and the tokens' features F it computes

``QK_r = W_Q_r @ W_K_r.T / sqrt(d_query)``, ``S_r = (x @ QK_r) @ F.T``, ``A_r = softmax(S_r)``,
``OV_r = W_V_r @ W_O_r``, ``y = sum_r (A_r @ F) @ OV_r``, ``logits = y @ W_read``:

the layer of `attention`, with other brackets. Each function of the forward way returns its way back
beside its result. Sources: Vaswani et al. (2017); Elhage et al. (2021) for the two tables.
"""

import numpy as np

from mhalib import formulas, inputs
from mhalib.training.settings import ending


def forward(parameters, settings, batch, mute=()):
    """Answer a batch: logits (batch, k, n_values), weights (batch, n_layers * n_heads, n_tokens).

    Heads whose numbers are in `mute` write nothing (those of a second layer count on from the
    first's). Raises ValueError, in one sentence, for parameters or a batch of other settings.
    """
    logits, weights, _ = _run(parameters, settings, batch, mute)
    return logits, weights


def loss_and_gradients(parameters, settings, batch):
    """How wrong the answers are, and the loss's derivative by every parameter.

    ``loss = -mean log softmax(logits)[answer]``, over examples and questions. Returns a float and
    a dictionary of arrays of the parameters' shapes.
    """
    logits, _, back = _run(parameters, settings, batch)
    logits = np.asfortranarray(logits)  # as in `_read_rows`
    logits = logits - logits.max(axis=-1, keepdims=True)
    log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    right = np.eye(settings.n_values, dtype=logits.dtype).take(batch.answers, axis=0)
    loss = -(log_p * right).sum() / batch.answers.size
    return float(loss), back((np.exp(log_p) - right) / batch.answers.size)


def accuracy(parameters, settings, batch, mute=()):
    """How often each question is answered right: array (k,).

    Other settings may read the same parameters, as ``replace(settings, rows="merged")``.
    """
    logits, _ = forward(parameters, settings, batch, mute)
    return (logits.argmax(axis=-1) == batch.answers).mean(axis=0)


def weight_on_asked(weights, batch):
    """Each head's mean weight on the token that each question asks for: array (n_heads, k)."""
    return np.take_along_axis(weights, batch.places[:, None, :], axis=-1).mean(axis=0)


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
    inputs.named_shapes(parameters, settings.shapes)
    h, n_layers, read_out = settings.n_heads, settings.n_layers, parameters["read"]
    if not set(mute) <= set(range(n_layers * h)):
        raise ValueError(
            f"mute = {inputs.shown(mute)} must be heads by number, and these are the numbers "
            f"below {n_layers * h}."
        )
    asked, tokens = _features(settings, batch, read_out.dtype)
    written, layers = 0, []
    for layer in range(n_layers):
        end = ending(layer)
        names = [n for n in ("w_q", "latent", "w_k", "w_v", "w_o") if n + end in parameters]
        own = {n: parameters[n + end] for n in names}
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
    w_q, w_o = formulas.split(w["w_q"], h), w["w_o"].reshape(n_o, -1, settings.d_model)
    w_k = formulas.repeat(formulas.split(from_token["w_k"], n_kv), h)
    w_v = formulas.repeat(formulas.split(from_token["w_v"], n_v), n_o)

    qk = formulas.concat(w_q @ formulas.transpose(w_k) * scale)  # asked down, features across
    ov = (formulas.repeat(w_v @ w_o, h) * (n_o / h)).reshape(-1, settings.d_model)
    logits = (x @ qk).reshape(len(x), h, -1) @ formulas.transpose(tokens)
    weights, weights_back = _read_rows(logits, settings)
    seen = weights @ tokens
    seen[:, silent] = 0
    seen = seen.reshape(len(x), -1)

    def back(d_written):
        d_ov = (seen.T @ d_written).reshape(h, -1, settings.d_model) * (n_o / h)
        d_ov = _repeat_back(d_ov, n_o)
        d_seen = (d_written @ ov.T).reshape(len(x), h, -1)
        d_logits = weights_back(d_seen @ formulas.transpose(tokens))
        d_asks = (d_logits @ tokens).reshape(len(x), -1)
        d_qk = formulas.split(x.T @ d_asks, h) * scale
        d_k = formulas.concat(_repeat_back(formulas.transpose(d_qk) @ w_q, n_kv))
        d_v = formulas.concat(_repeat_back(d_ov @ formulas.transpose(w_o), n_v))
        d = {"w_q": formulas.concat(d_qk @ w_k), "w_k": d_k, "w_v": d_v}
        d["w_o"] = (formulas.transpose(w_v) @ d_ov).reshape(w["w_o"].shape)
        if latent is not None:
            d["latent"] = d_k @ w["w_k"].T + d_v @ w["w_v"].T
            d |= {"w_k": latent.T @ d_k, "w_v": latent.T @ d_v}
        return d_asks @ qk.T, d

    return seen @ ov, weights, back


def _read_rows(logits, settings):
    """The row each head reads with, and the way back to the logits: (batch, n_heads, n_tokens)."""
    h, shape = settings.n_heads, logits.shape
    # The axis to add up outermost in memory: several times faster.
    logits = np.asfortranarray(inputs.fits(logits, logits.dtype, "q @ k.T * scale"))
    if settings.rows == "merged":  # as the true big head has them
        logits = logits.sum(axis=1, keepdims=True) * h**-0.5
    own = weights = formulas.softmax(logits) if settings.softmax else logits
    if settings.rows == "averaged":
        weights = own.mean(axis=1, keepdims=True)

    def back(d):
        d = np.asfortranarray(d)
        if settings.rows != "own":
            d = d.sum(axis=1, keepdims=True)
        if settings.rows == "averaged":
            d = np.broadcast_to(d / h, shape)
        if settings.softmax:
            d = formulas.softmax_back(own, d)
        return np.broadcast_to(d * h**-0.5, shape) if settings.rows == "merged" else d

    return weights if settings.rows == "own" else np.broadcast_to(weights, shape), back


def _repeat_back(d, n_blocks):
    """The derivative by shared blocks: the sum over the heads that share each."""
    return d if len(d) == n_blocks else d.reshape(n_blocks, -1, *d.shape[1:]).sum(axis=1)
