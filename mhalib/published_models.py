"""The shapes of published models, read under one set of names.

The facts stand in `published_models.toml`, a model a line, named as in each model's own file.
"""

import tomllib
from importlib.resources import files
from typing import NamedTuple

from mhalib import inputs

_FACTS = tomllib.loads(
    files("mhalib").joinpath("published_models.toml").read_text(encoding="utf-8")
)
CONFIGURATIONS, FAMILIES, FIELDS = (_FACTS[k] for k in ("configurations", "families", "fields"))
PARAMETERS = _FACTS["parameters"]
DECODERS = {name: (CONFIGURATIONS | _FACTS["more_decoders"])[name] for name in PARAMETERS}


class Sizes(NamedTuple):
    """`n_kv` blocks of keys and values serve `n_heads` heads; queries are `d_head` long."""

    d_model: int
    n_heads: int
    n_kv: int
    d_head: int
    d_value: int
    n_layers: int


def sizes(config):
    """Read a configuration as in `CONFIGURATIONS`, whatever its file calls things, as `Sizes`.

    ``d_head = d_model / n_heads``, unless the file gives it. Raises ValueError or TypeError, in one
    sentence, for a field that is missing or no whole number above 0, and for heads that do not
    divide the width when no head_dim is given.
    """
    d_model, n_heads, n_layers = (_read(config, of) for of in ("d_model", "n_heads", "n_layers"))
    if "kv_lora_rank" in config:  # keys and values are made from a narrow table (chapter 11)
        nope, rope, d_value = (_read(config, of) for of in ("d_nope", "d_rope", "d_value"))
        return Sizes(d_model, n_heads, n_heads, nope + rope, d_value, n_layers)
    n_kv = 1 if config.get("multi_query") else _read(config, "n_kv", n_heads)
    if n_heads % n_kv:
        raise ValueError(
            f"{n_kv} blocks of keys and values cannot serve {n_heads} "
            f"head{'s' if n_heads > 1 else ''} evenly; take a multiple of {n_kv} heads."
        )
    if _field(config, "d_head") is None and d_model % n_heads:
        raise ValueError(
            f"{_field(config, 'd_model')} = {d_model} cannot be cut into "
            f"{_field(config, 'n_heads')} = {n_heads} equal blocks, and no head_dim says how wide "
            "a head is; take a number of heads that divides the width, or add head_dim."
        )
    d_head = _read(config, "d_head", d_model // n_heads)
    return Sizes(d_model, n_heads, n_kv, d_head, d_head, n_layers)


def dimension_flow(config, n_tokens):
    """The steps of one layer's multi-head attention, in order, each with the shape it gives.

    ``x, norm, Q K V, split, (RoPE), softmax in each head, concatenate, W_O, x + Y``

    Returns a list of (step, shape). Y is added to x itself, not to its norm; where the norm comes
    after ("post-norm", as in BERT) it rescales the sum. Left out, since they change no shape here:
    biases, dropout, T5's position bias (and that it does not divide its logits), DeepSeek-V2's
    norms of q and c, the MLP. Raises as `sizes`, and for a model_type not in `FAMILIES`.
    """
    size = sizes(config)
    inputs.counts(n_tokens=n_tokens)
    norm, place, rope = _family(config)
    first, stream = place == "before", (n_tokens, size.d_model)
    source, queries = "N" if first else "x", (size.n_heads, n_tokens, size.d_head)
    steps = {
        "x, the stream": stream,
        f"N = {norm}(x)": first and stream,
        **_blocks(config, size, n_tokens, source),
        "RMSNorm of Q and K": config["model_type"] == "qwen3" and queries,
        "RoPE turns Q and K": rope and queries,
        f"K, V: {size.n_heads // size.n_kv} heads share one": size.n_kv < size.n_heads and queries,
        "softmax, head by head": (size.n_heads, n_tokens, n_tokens),
        "weights @ V": (size.n_heads, n_tokens, size.d_value),
        "concatenate": (n_tokens, size.n_heads * size.d_value),
        "Y = that @ W_O": stream,
        "x + Y": stream,
        f"{norm}(x + Y)": not first and stream,
    }
    return [(step, shape) for step, shape in steps.items() if shape]


def _blocks(config, size, n_tokens, source):
    """From the table that is read to each head's block of queries, keys and values."""
    d_model, n_heads, n_kv, d_head, d_value, _ = size
    if "kv_lora_rank" not in config:
        return {
            f"Q = {source} @ W_Q": (n_tokens, n_heads * d_head),
            f"K, V = {source} @ W_K, {source} @ W_V": (n_tokens, n_kv * d_head),
            "split Q": (n_heads, n_tokens, d_head),
            "split K, V": (n_kv, n_tokens, d_head),
        }
    nope = _read(config, "d_nope")
    return {
        "q = N @ W_DQ": (n_tokens, config["q_lora_rank"]),
        "c = N @ W_DKV": (n_tokens, config["kv_lora_rank"]),
        "r = N @ W_KR, for all": (n_tokens, d_head - nope),
        "Q = q @ W_UQ": (n_tokens, n_heads * d_head),
        "K = c @ W_UK": (n_tokens, n_heads * nope),
        "V = c @ W_UV": (n_tokens, n_heads * d_value),
        "split Q": (n_heads, n_tokens, d_head),
        "split K": (n_heads, n_tokens, nope),
        "split V": (n_heads, n_tokens, d_value),
        "RoPE turns end of Q, r": (n_heads, n_tokens, d_head),
        "K and r side by side": (n_heads, n_tokens, d_head),
    }


def _family(config):
    kind = config.get("model_type")
    if kind not in FAMILIES:
        raise ValueError(
            f"model_type is {inputs.shown(kind)}, but must be one of {', '.join(FAMILIES)}: "
            "it says which norm a layer has, and where."
        )
    return FAMILIES[kind]


def _field(config, name):
    """What this file calls it; None if it does not say."""
    return next((field for field in FIELDS[name] if field in config), None)


def _read(config, name, default=None):
    field = _field(config, name)
    if field is None and default is None:
        raise ValueError(
            f"the configuration gives no {name}: it needs one of {', '.join(FIELDS[name])}."
        )
    value = default if field is None else config[field]
    inputs.counts(**{field or name: value})
    return value
