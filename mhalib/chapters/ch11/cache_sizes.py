"""How much memory published models need for their cache: facts and a product.

`DECODERS` are the models of `configurations` that write text token by token, and more of them,
again under the field names of their own configuration files: Mixtral (mistralai/Mixtral-8x7B-v0.1),
Command-R (CohereForAI/c4ai-command-r-v01), GLM-4-9B (THUDM/glm-4-9b), SmolLM3-3B
(HuggingFaceTB/SmolLM3-3B), Gemma-2-2B (google/gemma-2-2b), gpt-oss-120b (openai/gpt-oss-120b) and
DeepSeek-V3 (deepseek-ai/DeepSeek-V3). `tests/peers` compares them, and `PARAMETERS`, with the
classes of the package transformers.
"""

from typing import NamedTuple

from mhalib import inputs
from mhalib.published_models import CONFIGURATIONS, sizes

LATE = ("sliding_attention", "full_attention")  # every second layer sees a window only
DECODERS = {
    "GPT-2 small": CONFIGURATIONS["GPT-2 small"],
    "Llama-2-7B": CONFIGURATIONS["Llama-2-7B"],
    "Llama-2-70B": CONFIGURATIONS["Llama-2-70B"],
    "Llama-3-8B": CONFIGURATIONS["Llama-3-8B"],
    "Mistral-7B v0.1": CONFIGURATIONS["Mistral-7B"] | {"sliding_window": 4096},
    "Mistral-Nemo": CONFIGURATIONS["Mistral-Nemo"],
    "Mixtral-8x7B": {
        "model_type": "mixtral",
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "num_hidden_layers": 32,
    },
    "Command-R": {
        "model_type": "cohere",
        "hidden_size": 8192,
        "num_attention_heads": 64,
        "num_key_value_heads": 64,
        "num_hidden_layers": 40,
    },
    "Falcon-7B": CONFIGURATIONS["Falcon-7B"],
    "GLM-4-9B": {
        "model_type": "glm",
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_key_value_heads": 2,
        "head_dim": 128,
        "num_hidden_layers": 40,
    },
    "Qwen3-0.6B": CONFIGURATIONS["Qwen3-0.6B"],
    "SmolLM2-135M": CONFIGURATIONS["SmolLM2-135M"],
    "SmolLM3-3B": {
        "model_type": "smollm3",
        "hidden_size": 2048,
        "num_attention_heads": 16,
        "num_key_value_heads": 4,
        "num_hidden_layers": 36,
    },
    "Gemma-7B": CONFIGURATIONS["Gemma-7B"],
    "Gemma-2-2B": {
        "model_type": "gemma2",
        "hidden_size": 2304,
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "head_dim": 256,
        "num_hidden_layers": 26,
        "sliding_window": 4096,
        "layer_types": LATE * 13,
    },
    "gpt-oss-120b": {
        "model_type": "gpt_oss",
        "hidden_size": 2880,
        "num_attention_heads": 64,
        "num_key_value_heads": 8,
        "head_dim": 64,
        "num_hidden_layers": 36,
        "sliding_window": 128,
        "layer_types": LATE * 18,
    },
    "DeepSeek-V2": CONFIGURATIONS["DeepSeek-V2"],
    "DeepSeek-V3": {
        "model_type": "deepseek_v3",
        "hidden_size": 7168,
        "num_attention_heads": 128,
        "q_lora_rank": 1536,
        "kv_lora_rank": 512,
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "v_head_dim": 128,
        "num_hidden_layers": 61,
    },
}
PARAMETERS = {  # of the whole model, experts and words included
    "GPT-2 small": 124_439_808,
    "Llama-2-7B": 6_738_415_616,
    "Llama-2-70B": 68_976_648_192,
    "Llama-3-8B": 8_030_261_248,
    "Mistral-7B v0.1": 7_241_732_096,
    "Mistral-Nemo": 12_247_782_400,
    "Mixtral-8x7B": 46_702_792_704,
    "Command-R": 34_980_831_232,
    "Falcon-7B": 6_921_720_704,
    "GLM-4-9B": 9_399_951_360,
    "Qwen3-0.6B": 596_049_920,
    "SmolLM2-135M": 134_515_008,
    "SmolLM3-3B": 3_075_098_624,
    "Gemma-7B": 8_537_680_896,
    "Gemma-2-2B": 2_614_341_888,
    "gpt-oss-120b": 116_829_156_672,
    "DeepSeek-V2": 235_741_434_880,
    "DeepSeek-V3": 671_026_404_352,
}


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
        for value, name in zip(latent, ("c", "d_rope"), strict=True):
            _at_least_one(value, name)
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
    _at_least_one(n_tokens, "n_tokens")
    _at_least_one(n_texts, "n_texts")
    rows = sum(n_tokens if w is None else min(n_tokens, w) for w in kept.windows)
    return n_texts * rows * kept.numbers * _bits(bits) / 8


def n_parameters(name, n_kv=None, latent=None):
    """Numbers in a model's weights; with other sharing, each layer's matrices for K and V change.

    ``W_K, W_V: d_model * n_kv * (d_head + d_value)``; MLA: ``d_model * (c + d_rope)`` and
    ``c * n_heads * (d_nope + d_value)``, and the queries' d_rope more.
    """
    config = DECODERS[name]
    change = _n_kv_parameters(config, n_kv, latent) - _n_kv_parameters(config)
    return PARAMETERS[name] + sizes(config).n_layers * change


def _n_kv_parameters(config, n_kv=None, latent=None):
    """What of a layer's weights the kind of sharing decides."""
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
        _at_least_one(window, "sliding_window")
    types = config.get("layer_types", ("full_attention" if window is None else LATE[0],) * n_layers)
    if len(types) != n_layers:
        raise ValueError(
            f"layer_types names {len(types)} layers, but the model has {n_layers}; one for each."
        )
    return tuple(window if kind == LATE[0] else None for kind in types)


def _at_least_one(value, name):
    inputs.whole_number(value, name)
    if value < 1:
        raise ValueError(f"{name} must be at least 1, but is {value}.")


def _bits(bits):
    if bits not in (4, 8, 16, 32):
        raise ValueError(
            f"bits must be 4, 8, 16 or 32 for each number, but is {inputs.shown(bits)}."
        )
    return bits
