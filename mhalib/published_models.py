"""The shapes of published models, under the field names of their own configuration files.

Fields and values are those of each model's `config.json` as published with its weights (GPT-2:
openai-community/gpt2; BERT: google-bert/bert-base-uncased; ViT: google/vit-base-patch16-224; T5:
google-t5/t5-11b; Llama, Mistral, Gemma, Qwen3, Falcon, SmolLM2, DeepSeek-V2: the repositories of
those names), as far as they bear on heads. The tests add the layers up to the published number
of parameters.
"""

from typing import NamedTuple

from mhalib import inputs

CONFIGURATIONS = {
    "GPT-2 small": {"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12},
    "BERT-base": {
        "model_type": "bert",
        "hidden_size": 768,
        "num_attention_heads": 12,
        "num_hidden_layers": 12,
    },
    "ViT-B/16": {
        "model_type": "vit",
        "hidden_size": 768,
        "num_attention_heads": 12,
        "num_hidden_layers": 12,
    },
    "T5-11B": {
        "model_type": "t5",
        "d_model": 1024,
        "d_kv": 128,
        "num_heads": 128,
        "num_layers": 24,
    },
    "Llama-2-7B": {
        "model_type": "llama",
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_key_value_heads": 32,
        "num_hidden_layers": 32,
    },
    "Llama-2-70B": {
        "model_type": "llama",
        "hidden_size": 8192,
        "num_attention_heads": 64,
        "num_key_value_heads": 8,
        "num_hidden_layers": 80,
    },
    "Llama-3-8B": {
        "model_type": "llama",
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "num_hidden_layers": 32,
    },
    "Mistral-7B": {
        "model_type": "mistral",
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "num_hidden_layers": 32,
    },
    "Mistral-Nemo": {
        "model_type": "mistral",
        "hidden_size": 5120,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "num_hidden_layers": 40,
    },
    "Gemma-7B": {
        "model_type": "gemma",
        "hidden_size": 3072,
        "num_attention_heads": 16,
        "num_key_value_heads": 16,
        "head_dim": 256,
        "num_hidden_layers": 28,
    },
    "Qwen3-0.6B": {
        "model_type": "qwen3",
        "hidden_size": 1024,
        "num_attention_heads": 16,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "num_hidden_layers": 28,
    },
    "Falcon-7B": {
        "model_type": "falcon",
        "hidden_size": 4544,
        "num_attention_heads": 71,
        "multi_query": True,
        "num_hidden_layers": 32,
    },
    "SmolLM2-135M": {
        "model_type": "llama",
        "hidden_size": 576,
        "num_attention_heads": 9,
        "num_key_value_heads": 3,
        "num_hidden_layers": 30,
    },
    "DeepSeek-V2": {
        "model_type": "deepseek_v2",
        "hidden_size": 5120,
        "num_attention_heads": 128,
        "q_lora_rank": 1536,
        "kv_lora_rank": 512,
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "v_head_dim": 128,
        "num_hidden_layers": 60,
    },
}
FIELDS = {  # what files call it
    "d_model": ("hidden_size", "n_embd", "d_model"),
    "n_heads": ("num_attention_heads", "n_head", "num_heads"),
    "n_kv": ("num_key_value_heads",),
    "d_head": ("head_dim", "d_kv"),
    "n_layers": ("num_hidden_layers", "n_layer", "num_layers"),
    "d_nope": ("qk_nope_head_dim",),
    "d_rope": ("qk_rope_head_dim",),
    "d_value": ("v_head_dim",),
}
FAMILIES = {  # model_type: the norm, where it stands, whether RoPE turns all of Q and K
    "gpt2": ("LayerNorm", "before", False),
    "bert": ("LayerNorm", "after", False),
    "vit": ("LayerNorm", "before", False),
    "t5": ("RMSNorm", "before", False),
    "llama": ("RMSNorm", "before", True),
    "mistral": ("RMSNorm", "before", True),
    "gemma": ("RMSNorm", "before", True),
    "qwen3": ("RMSNorm", "before", True),
    "falcon": ("LayerNorm", "before", True),
    "deepseek_v2": ("RMSNorm", "before", False),
}


class Sizes(NamedTuple):
    """What a configuration says, under one set of names.

    `n_kv` blocks of keys and values serve `n_heads` heads (chapter 11); `d_head` is the length of
    a query and of a key, `d_value` that of a value.
    """

    d_model: int
    n_heads: int
    n_kv: int
    d_head: int
    d_value: int
    n_layers: int


def sizes(config):
    """Read a configuration, whatever its file calls things; ``d_head = d_model / n_heads``,
    unless the file gives it.

    `config`: a dictionary as in `CONFIGURATIONS`. Returns `Sizes`. Raises ValueError or TypeError,
    in one sentence, for a field that is missing or no whole number above 0, and for heads that do
    not divide the width when no head_dim is given.
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

    `config`: as for `sizes`, with its model_type. Returns a list of (step, shape). Y is added to
    x itself, not to its norm; where the norm comes after ("post-norm", as in BERT) it rescales
    the sum. Left out, since they change no shape here: biases, dropout, T5's position bias (and
    that it does not divide its logits), DeepSeek-V2's norms of q and c, the MLP. Raises
    ValueError or TypeError as `sizes` does, and for a model_type that is not in `FAMILIES`.
    """
    size = sizes(config)
    inputs.whole_number(n_tokens, "n_tokens")
    if n_tokens < 1:
        raise ValueError(f"n_tokens must be at least 1, but is {n_tokens}.")
    norm, place, rope = _family(config)
    stream, queries = (n_tokens, size.d_model), (size.n_heads, n_tokens, size.d_head)
    steps = [("x, the stream", stream)]
    if place == "before":
        steps.append((f"N = {norm}(x)", stream))
    steps += _blocks(config, size, n_tokens, "N" if place == "before" else "x")
    if config["model_type"] == "qwen3":
        steps.append(("RMSNorm of Q and K", queries))
    if rope:
        steps.append(("RoPE turns Q and K", queries))
    if size.n_kv < size.n_heads:
        steps.append((f"K, V: {size.n_heads // size.n_kv} heads share one", queries))
    steps += [
        ("softmax, head by head", (size.n_heads, n_tokens, n_tokens)),
        ("weights @ V", (size.n_heads, n_tokens, size.d_value)),
        ("concatenate", (n_tokens, size.n_heads * size.d_value)),
        ("Y = that @ W_O", stream),
        ("x + Y", stream),
    ]
    return steps if place == "before" else [*steps, (f"{norm}(x + Y)", stream)]


def _blocks(config, size, n_tokens, source):
    """From the table that is read to each head's block of queries, keys and values."""
    d_model, n_heads, n_kv, d_head, d_value, _ = size
    if "kv_lora_rank" not in config:
        return [
            (f"Q = {source} @ W_Q", (n_tokens, n_heads * d_head)),
            (f"K, V = {source} @ W_K, {source} @ W_V", (n_tokens, n_kv * d_head)),
            ("split Q", (n_heads, n_tokens, d_head)),
            ("split K, V", (n_kv, n_tokens, d_head)),
        ]
    nope = _read(config, "d_nope")
    return [
        ("q = N @ W_DQ", (n_tokens, config["q_lora_rank"])),
        ("c = N @ W_DKV", (n_tokens, config["kv_lora_rank"])),
        ("r = N @ W_KR, for all", (n_tokens, d_head - nope)),
        ("Q = q @ W_UQ", (n_tokens, n_heads * d_head)),
        ("K = c @ W_UK", (n_tokens, n_heads * nope)),
        ("V = c @ W_UV", (n_tokens, n_heads * d_value)),
        ("split Q", (n_heads, n_tokens, d_head)),
        ("split K", (n_heads, n_tokens, nope)),
        ("split V", (n_heads, n_tokens, d_value)),
        ("RoPE turns end of Q, r", (n_heads, n_tokens, d_head)),
        ("K and r side by side", (n_heads, n_tokens, d_head)),
    ]


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
    inputs.whole_number(value, field or name)
    if value < 1:
        raise ValueError(f"{field} must be at least 1, but is {value}.")
    return value
