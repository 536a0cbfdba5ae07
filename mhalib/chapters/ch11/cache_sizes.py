"""How much memory published models need for their cache: facts and a product."""

from typing import NamedTuple

from mhalib import inputs
from mhalib.published_models import DECODERS, PARAMETERS, sizes

SLIDING = "sliding_attention"  # a layer that sees a window only


class Kept(NamedTuple):
    """What a model keeps: so many numbers a token in each layer, of so many tokens at most.

    `windows` has an entry for each layer: how many of the last tokens it sees, None for all.
    """

    numbers: int
    windows: tuple


def kept(config, n_kv=None, latent=None):
    """What the layers of a model keep of a token.

    ``numbers = 2 n_kv d_head`` (keys and values), and for MLA ``c + d_rope``

    `config`: a dictionary as in `DECODERS`. As published, or with `n_kv` blocks of keys and values
    instead, or with `latent` = (c, d_rope). Returns `Kept`. Raises ValueError or TypeError as
    `sizes` does, and for an n_kv that cannot serve the heads.
    """
    size = sizes(config)
    windows = _windows(config, size.n_layers)
    if latent is None and n_kv is None and "kv_lora_rank" in config:
        latent = config["kv_lora_rank"], config["qk_rope_head_dim"]
    if latent is not None:
        inputs.counts(**dict(zip(("c", "d_rope"), latent, strict=True)))
        return Kept(sum(latent), windows)
    n_kv = size.n_kv if n_kv is None else n_kv
    inputs.groups(size.n_heads, n_kv)
    return Kept(n_kv * (size.d_head + size.d_value), windows)


def bytes_per_token(kept, bits=16):
    """Memory of one token while every layer still sees it: ``layers * numbers * bits / 8``."""
    return len(kept.windows) * kept.numbers * _bits(bits) / 8


def cache_bytes(kept, n_tokens, n_texts=1, bits=16):
    """Memory of the cache: ``texts * sum over layers min(T, window) * numbers * bits / 8``.

    A layer that sees only the last tokens need keep no others. `kept`: as `kept` gives it;
    `n_texts`: how many texts (users) of `n_tokens` each are held at once. Raises ValueError or
    TypeError for counts that are no whole numbers above 0, or bits other than 4, 8, 16 and 32.
    """
    inputs.counts(n_tokens=n_tokens, n_texts=n_texts)
    rows = sum(n_tokens if w is None else min(n_tokens, w) for w in kept.windows)
    return n_texts * rows * kept.numbers * _bits(bits) / 8


def n_parameters(name, n_kv=None, latent=None):
    """A model's parameters; with other sharing, each layer's matrices for K and V change.

    ``W_K, W_V: d_model * n_kv * (d_head + d_value)``; MLA: ``d_model * (c + d_rope)`` and
    ``c * n_heads * (d_nope + d_value)``, and the queries' d_rope more.
    """
    config = DECODERS[name]
    change = _n_kv_parameters(config, n_kv, latent) - _n_kv_parameters(config)
    return PARAMETERS[name] + sizes(config).n_layers * change


def _n_kv_parameters(config, n_kv=None, latent=None):
    """The parameters of a layer that the kind of sharing decides."""
    size = sizes(config)
    own = "kv_lora_rank" in config
    if own and n_kv is None:
        c, rope = latent or (config["kv_lora_rank"], config["qk_rope_head_dim"])
        nope = config["qk_nope_head_dim"]
        return size.d_model * (c + rope) + c * size.n_heads * (nope + size.d_value)
    if latent is None:
        return size.d_model * kept(config, n_kv).numbers
    c, rope = latent
    made = c * size.n_heads * (size.d_head + size.d_value)
    return size.d_model * (c + rope) + made + size.d_model * size.n_heads * rope


def _windows(config, n_layers):
    window = config.get("sliding_window")
    if window is not None:
        inputs.counts(sliding_window=window)
    types = config.get("layer_types", (None if window is None else SLIDING,) * n_layers)
    if len(types) != n_layers:
        raise ValueError(
            f"layer_types names {len(types)} layers, but the model has {n_layers}; one for each."
        )
    return tuple(window if kind == SLIDING else None for kind in types)


def _bits(bits):
    if bits not in (4, 8, 16, 32):
        raise ValueError(
            f"bits must be 4, 8, 16 or 32 for each number, but is {inputs.shown(bits)}."
        )
    return bits
