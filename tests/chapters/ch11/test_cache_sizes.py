"""The memory of caches: against numbers from papers and cards, arrays, and loops over layers."""

import numpy as np
import pytest

from mhalib.chapters.ch11 import DECODERS, Latent, bytes_per_token, cache_bytes, kept
from mhalib.chapters.ch11.cache_sizes import PARAMETERS, n_parameters
from mhalib.kv_cache import Cache, decode
from mhalib.published_models import CONFIGURATIONS, sizes
from mhalib.sharing import GroupedQuery

GIB = 2**30
KIB_A_TOKEN = {
    "GPT-2 small": 36,
    "Llama-2-7B": 512,
    "Llama-2-70B": 320,
    "Llama-3-8B": 128,
    "Mistral-7B v0.1": 128,
    "Mistral-Nemo": 160,
    "Mixtral-8x7B": 128,
    "Command-R": 1280,
    "Falcon-7B": 8,
    "GLM-4-9B": 40,
    "Qwen3-0.6B": 112,
    "SmolLM2-135M": 22.5,
    "SmolLM3-3B": 72,
    "Gemma-7B": 448,
    "Gemma-2-2B": 104,
    "gpt-oss-120b": 72,
    "DeepSeek-V2": 67.5,
    "DeepSeek-V3": 68.625,
}


def test_a_token_takes_the_known_room_at_16_bits():
    per_token = {name: bytes_per_token(kept(of)) / 1024 for name, of in DECODERS.items()}
    assert per_token == KIB_A_TOKEN


def test_six_models_and_more_are_new_here_and_none_is_an_encoder():
    assert len(set(DECODERS) - set(CONFIGURATIONS) - {"Mistral-7B v0.1"}) >= 6
    assert not {"BERT-base", "ViT-B/16", "T5-11B"} & set(DECODERS)
    mistral = CONFIGURATIONS["Mistral-7B"] | {"sliding_window": 4096}
    assert DECODERS["Mistral-7B v0.1"] == mistral


def test_llama_2_70b_takes_160_gib_for_16_texts_and_ways_to_half_of_it():
    shape = DECODERS["Llama-2-70B"]
    whole = kept(shape)
    assert cache_bytes(whole, 32768, 16) == 160 * GIB
    assert cache_bytes(whole, 32768, 8) == cache_bytes(whole, 16384, 16) == 80 * GIB
    assert cache_bytes(whole, 32768, 16, bits=8) == 80 * GIB
    assert cache_bytes(kept(shape, n_kv=4), 32768, 16) == 80 * GIB
    assert cache_bytes(kept(shape, n_kv=1), 32768, 16) == 20 * GIB
    assert cache_bytes(kept(shape, latent=(512, 64)), 32768, 16) == 45 * GIB
    assert cache_bytes(whole._replace(windows=(4096,) * 80), 32768, 16) == 20 * GIB


@pytest.mark.parametrize("name", DECODERS)
@pytest.mark.parametrize("n_tokens", [1, 127, 128, 129, 4096, 5000])
def test_every_layer_counts_what_it_sees(name, n_tokens):
    config = DECODERS[name]
    numbers = 0
    for layer in range(sizes(config).n_layers):
        kinds = config.get("layer_types")
        sliding = "sliding_window" in config and (kinds is None or "sliding" in kinds[layer])
        first = n_tokens - config["sliding_window"] if sliding else 0
        numbers += kept(config).numbers * len(range(max(first, 0), n_tokens))
    assert cache_bytes(kept(config), n_tokens, 3, 8) == 3 * numbers


def test_mistral_keeps_its_window_and_gemma_2_half_of_its_layers():
    mistral = kept(DECODERS["Mistral-7B v0.1"])
    assert cache_bytes(mistral, 4096) == cache_bytes(mistral, 32768) == GIB / 2
    gemma = kept(DECODERS["Gemma-2-2B"])
    assert gemma.windows.count(4096) == gemma.windows.count(None) == 13
    assert gemma.windows[:3] == (4096, None, 4096)
    half = cache_bytes(gemma, 8192) - cache_bytes(gemma, 4096)
    assert half == 13 * 4096 * 2 * 4 * 256 * 2


def ones(*shape):
    return np.ones(shape, "float32")


def grouped(n_kv):
    return GroupedQuery(ones(24, 24), *[ones(24, 3 * n_kv)] * 2, ones(24, 24), 8, n_kv)


LATENT = Latent(ones(24, 8 * 5), ones(24, 7), ones(24, 2), *[ones(7, 8 * 3)] * 2, ones(24, 24), 8)


@pytest.mark.parametrize(
    "layer, how",
    [*((grouped(n), {"n_kv": n}) for n in (8, 4, 2, 1)), (LATENT, {"latent": (7, 2)})],
    ids=["MHA", "4", "2", "MQA", "MLA"],
)
def test_what_is_counted_is_what_a_cache_of_that_shape_holds(layer, how):
    cache, config = Cache(11), {"hidden_size": 24, "num_attention_heads": 8, "n_layer": 1}
    decode(layer, ones(7, 24), cache)
    assert cache.n_bytes == cache_bytes(kept(config, **how), 7, bits=32)


def test_a_deepseek_that_kept_its_keys_and_values_would_need_71_times_as_much():
    of = DECODERS["DeepSeek-V2"]
    assert bytes_per_token(kept(of, n_kv=128)) / 1024 == 4800
    assert round(4800 / KIB_A_TOKEN["DeepSeek-V2"]) == 71


def test_sharing_changes_the_weights_by_the_matrices_that_make_keys_and_values():
    published = PARAMETERS["Llama-2-70B"]
    assert n_parameters("Llama-2-70B") == published == n_parameters("Llama-2-70B", 8)
    less = published - n_parameters("Llama-2-70B", n_kv=1)
    assert less == 2 * 8192 * 7 * 128 * 80
    latent = n_parameters("Llama-2-70B", latent=(512, 64)) - published
    made = 8192 * (512 + 64) + 512 * 64 * (128 + 128) + 8192 * 64 * 64
    assert latent == 80 * (made - 2 * 8192 * 8 * 128)
    assert n_parameters("DeepSeek-V2", latent=(512, 64)) == PARAMETERS["DeepSeek-V2"]


GPT2 = DECODERS["GPT-2 small"]


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda: kept(GPT2, n_kv=5), "n_kv = 5 blocks of keys and values cannot serve"),
        (lambda: kept(GPT2, latent=(512, 0)), "d_rope must be at least 1, but is 0"),
        (lambda: kept(GPT2 | {"sliding_window": 0}), "sliding_window must be at least 1"),
        (lambda: kept(GPT2 | {"layer_types": ["full_attention"] * 3}), "names 3 layers"),
        (lambda: cache_bytes(kept(GPT2), 0), "n_tokens must be at least 1"),
        (lambda: cache_bytes(kept(GPT2), 3, -1), "n_texts must be at least 1"),
        (lambda: cache_bytes(kept(GPT2), 3.0), "n_tokens must be a whole number"),
        (lambda: bytes_per_token(kept(GPT2), 12), "bits must be 4, 8, 16 or 32"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(call, said):
    with pytest.raises((ValueError, TypeError), match=said) as refusal:
        call()
    assert str(refusal.value).endswith(".") and "\n" not in str(refusal.value)
