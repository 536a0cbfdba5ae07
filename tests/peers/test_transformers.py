"""Layers, caches and configurations are those of transformers: Llama's and DeepSeek's modules.

Its angles and DeepSeek's turning are float32 whatever the weights are, hence the tolerance.
"""

import numpy as np
import pytest
import torch
import transformers
from sizes import BATCH
from transformers.cache_utils import DynamicCache
from transformers.models.deepseek_v2 import modeling_deepseek_v2
from transformers.models.deepseek_v3 import modeling_deepseek_v3
from transformers.models.llama import modeling_llama

from mhalib.attention import causal_mask
from mhalib.chapters.ch11 import DECODERS, Latent, cache_bytes, kept
from mhalib.chapters.ch11.cache_sizes import PARAMETERS
from mhalib.kv_cache import Cache, causal_run, decode
from mhalib.sharing import GroupedQuery

TOKENS, HEADS, D_HEAD, D_MODEL, BASE = 7, 6, 4, 24, 100.0
C, NOPE, ROPE, D_VALUE = 5, 4, 2, 3
TOLERANCE = 1e-5


@pytest.fixture
def x():
    return np.random.default_rng(0).standard_normal((BATCH, TOKENS, D_MODEL))


def filled(module):
    """The module with seeded random weights, in float64."""
    torch.manual_seed(0)
    module = module.double().eval()
    with torch.no_grad():
        for weight in module.parameters():
            weight.copy_(torch.randn_like(weight) / 3)
    return module


def matrix(linear):
    return linear.weight.detach().numpy().T  # they multiply from the left


def of_llama(n_kv):
    config = transformers.LlamaConfig(
        hidden_size=D_MODEL,
        num_attention_heads=HEADS,
        num_key_value_heads=n_kv,
        rope_parameters={"rope_type": "default", "rope_theta": BASE},
        attn_implementation="eager",
    )
    theirs = filled(modeling_llama.LlamaAttention(config, layer_idx=0))
    maps = [matrix(getattr(theirs, f"{name}_proj")) for name in "qkvo"]
    return (
        theirs,
        modeling_llama.LlamaRotaryEmbedding(config),
        GroupedQuery(*maps, HEADS, n_kv, BASE),
    )


def of_deepseek(version):
    """DeepSeek's layer with queries that are not compressed, as in DeepSeek-V2-Lite."""
    modeling = {2: modeling_deepseek_v2, 3: modeling_deepseek_v3}[version]
    config = getattr(transformers, f"DeepseekV{version}Config")(
        hidden_size=D_MODEL,
        num_attention_heads=HEADS,
        num_key_value_heads=HEADS,
        q_lora_rank=None,
        kv_lora_rank=C,
        qk_nope_head_dim=NOPE,
        qk_rope_head_dim=ROPE,
        v_head_dim=D_VALUE,
        rope_parameters={"rope_type": "default", "rope_theta": BASE},
        attn_implementation="eager",
    )
    theirs = filled(getattr(modeling, f"DeepseekV{version}Attention")(config, layer_idx=0))
    w_c, w_r = np.split(matrix(theirs.kv_a_proj_with_mqa), [C], axis=1)
    gains = theirs.kv_a_layernorm.weight.detach().numpy()[:, None]
    up = (gains * matrix(theirs.kv_b_proj)).reshape(C, HEADS, NOPE + D_VALUE)
    w_uk, w_uv = (part.reshape(C, -1) for part in np.split(up, [NOPE], axis=2))
    ours = {
        "w_q": matrix(theirs.q_proj),
        "w_c": w_c,
        "w_r": w_r,
        "w_uk": w_uk,
        "w_uv": w_uv,
        "w_o": matrix(theirs.o_proj),
        "n_heads": HEADS,
        "rope": BASE,
        "pairs": "neighbours",
        "epsilon": theirs.kv_a_layernorm.variance_epsilon,
    }
    return theirs, getattr(modeling, f"DeepseekV{version}RotaryEmbedding")(config), ours


def ran(theirs, rotary, x, first=0, cache=None):
    """Their output and weights for tokens from position `first` on."""
    n_new, n_keys = x.shape[1], first + x.shape[1]
    tokens = torch.from_numpy(x)
    places = torch.arange(first, n_keys)[None].expand(len(x), -1)
    hidden = ~torch.from_numpy(causal_mask(n_new, n_keys))
    mask = torch.zeros(1, 1, n_new, n_keys, dtype=torch.float64).masked_fill(hidden, -torch.inf)
    with torch.no_grad():
        output, weights = theirs(
            hidden_states=tokens,
            position_embeddings=rotary(tokens, places),
            attention_mask=mask,
            cache=cache,
        )
    return output.numpy(), weights.numpy()


def assert_same(ours, theirs):
    for mine, their in zip(ours, theirs, strict=True):
        assert mine.shape == their.shape
        np.testing.assert_allclose(mine, their, rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize("n_kv", [6, 3, 2, 1])
def test_llama_runs_a_whole_text_as_we_do(n_kv, x):
    theirs, rotary, ours = of_llama(n_kv)
    assert_same(causal_run(ours, x), ran(theirs, rotary, x))


def assert_decoded_alike(theirs, rotary, ours, x):
    for cuts in ([1] * TOKENS, [3, 2, 1, 1]):
        their_cache, our_cache, first = DynamicCache(), Cache(TOKENS), 0
        for n in cuts:
            new = x[:, first : first + n]
            expected = ran(theirs, rotary, new, first, their_cache)
            assert_same(decode(ours, new, our_cache), expected)
            first += n
        assert their_cache.get_seq_length() == our_cache.n_tokens == TOKENS
        [stored] = their_cache.layers
        theirs_kept = stored.keys.numel() + stored.values.numel()
        assert our_cache.n_bytes == theirs_kept * 8


@pytest.mark.parametrize("n_kv", [6, 3, 2, 1])
def test_llama_decodes_with_its_cache_as_we_do_with_ours(n_kv, x):
    assert_decoded_alike(*of_llama(n_kv), x)


@pytest.mark.parametrize("absorbed", [True, False])
@pytest.mark.parametrize("version", [2, 3])
def test_deepseek_runs_a_whole_text_as_we_do(version, absorbed, x):
    theirs, rotary, parts = of_deepseek(version)
    assert_same(causal_run(Latent(**parts, absorbed=absorbed), x), ran(theirs, rotary, x))


@pytest.mark.parametrize("absorbed", [True, False])
@pytest.mark.parametrize("version", [2, 3])
def test_deepseek_decodes_from_its_latent_cache_as_we_do(version, absorbed, x):
    theirs, rotary, parts = of_deepseek(version)
    assert_decoded_alike(theirs, rotary, Latent(**parts, absorbed=absorbed), x)


# Configurations ----------------------------------------------------------------------------------

DEFAULTS = {  # models whose configuration class has them as its defaults
    "GPT-2 small": transformers.GPT2Config,
    "Llama-2-7B": transformers.LlamaConfig,
    "Mistral-7B v0.1": transformers.MistralConfig,
    "Mixtral-8x7B": transformers.MixtralConfig,
    "Command-R": transformers.CohereConfig,
    "Falcon-7B": transformers.FalconConfig,
    "GLM-4-9B": transformers.GlmConfig,
    "SmolLM3-3B": transformers.SmolLM3Config,
    "Gemma-7B": transformers.GemmaConfig,
    "Gemma-2-2B": transformers.Gemma2Config,
    "gpt-oss-120b": transformers.GptOssConfig,
    "DeepSeek-V3": transformers.DeepseekV3Config,
}
V2 = {  # what bears on its size and not on heads, from the paper, section 3.1.2
    "num_key_value_heads": 128,
    "vocab_size": 102400,
    "intermediate_size": 12288,
    "moe_intermediate_size": 1536,
    "n_routed_experts": 160,
    "n_shared_experts": 2,
    "first_k_dense_replace": 1,
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_a_configuration_is_the_default_of_its_class(name):
    theirs, ours = DEFAULTS[name](), DECODERS[name]
    for field, value in ours.items():
        their = getattr(theirs, field)
        assert (tuple(their) if isinstance(value, tuple) else their) == value, field


def test_no_layer_of_ours_has_a_window_that_its_class_has_not():
    for name, of in DEFAULTS.items():
        theirs = of()
        types = getattr(theirs, "layer_types", None)
        windowed = getattr(theirs, "sliding_window", None)
        if types is not None:
            windowed = windowed if "sliding_attention" in types else None
        assert ("sliding_window" in DECODERS[name]) == bool(windowed), name


@pytest.mark.parametrize("name", [*DEFAULTS, "DeepSeek-V2"])
def test_the_number_of_parameters_is_that_of_the_built_model(name):
    if name == "DeepSeek-V2":
        ours = {k: v for k, v in DECODERS[name].items() if k != "model_type"}
        config = transformers.DeepseekV2Config(**ours, **V2)
    else:
        config = DEFAULTS[name]()
    with torch.device("meta"):  # shapes only, no numbers
        model = transformers.AutoModelForCausalLM.from_config(config)
    assert sum(weight.numel() for weight in model.parameters()) == PARAMETERS[name]


@pytest.mark.parametrize("name", ["GLM-4-9B", "Gemma-2-2B", "gpt-oss-120b", "DeepSeek-V3"])
def test_a_cache_of_theirs_grows_as_ours_is_counted(name):
    """Layer by layer. A full window of theirs lacks the row that the next token brings itself."""
    ours, config, text = kept(DECODERS[name]), DEFAULTS[name](), 5000
    cache = DynamicCache(config=config)
    for layer in range(config.num_hidden_layers):
        if "kv_lora_rank" in DECODERS[name]:
            widths, n_kv = (config.kv_lora_rank, config.qk_rope_head_dim), 1
        else:
            widths, n_kv = (config.head_dim,) * 2, config.num_key_value_heads
        rows = [torch.zeros(1, n_kv, text, width, device="meta") for width in widths]
        cache.update(*rows, layer)
    numbers = sum(layer.keys.numel() + layer.values.numel() for layer in cache.layers)
    windows = [w for w in ours.windows if w is not None and w < text]
    assert numbers == cache_bytes(ours, text, bits=8) - len(windows) * ours.numbers
