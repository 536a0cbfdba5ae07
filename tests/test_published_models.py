"""Shapes of published models: against their number of parameters, arrays, and tables by hand."""

import numpy as np
import pytest
from published import BESIDES, TOTAL

from mhalib.published_models import (
    CONFIGURATIONS,
    DECODERS,
    FAMILIES,
    FIELDS,
    dimension_flow,
    sizes,
)

GPT2 = CONFIGURATIONS["GPT-2 small"]
MLA = "DeepSeek-V2"
each_model = pytest.mark.parametrize("name", CONFIGURATIONS)


def steps_of(name):
    return [step for step, _ in dimension_flow(CONFIGURATIONS[name], 2)]


# Read ----------------------------------------------------------------------


def by_hand(config):
    """(width, heads, blocks of K and V, d_head, layers), field by field."""
    width = config.get("hidden_size") or config.get("n_embd") or config["d_model"]
    heads = config.get("num_attention_heads") or config.get("n_head") or config["num_heads"]
    layers = config.get("num_hidden_layers") or config.get("n_layer") or config["num_layers"]
    kv = 1 if config.get("multi_query") else config.get("num_key_value_heads", heads)
    d_head = config.get("head_dim") or config.get("d_kv") or width / heads
    return width, heads, kv, d_head, layers


@pytest.mark.parametrize("name", [name for name in CONFIGURATIONS if name != MLA])
def test_sizes_read_what_each_file_says_under_its_own_names(name):
    width, heads, kv, d_head, layers = by_hand(CONFIGURATIONS[name])
    assert sizes(CONFIGURATIONS[name]) == (width, heads, kv, d_head, d_head, layers)


HEADS = {  # heads, blocks of keys and values, d_head: from the papers and model cards
    "GPT-2 small": (12, 12, 64),
    "BERT-base": (12, 12, 64),
    "ViT-B/16": (12, 12, 64),
    "T5-11B": (128, 128, 128),
    "Llama-2-7B": (32, 32, 128),
    "Llama-2-70B": (64, 8, 128),
    "Llama-3-8B": (32, 8, 128),
    "Mistral-7B": (32, 8, 128),
    "Mistral-Nemo": (32, 8, 128),
    "Gemma-7B": (16, 16, 256),
    "Qwen3-0.6B": (16, 8, 128),
    "Falcon-7B": (71, 1, 64),
    "SmolLM2-135M": (9, 3, 64),
    MLA: (128, 128, 192),
}


def test_heads_are_the_published_ones_and_some_have_a_width_of_their_own():
    read = {name: sizes(config) for name, config in CONFIGURATIONS.items()}
    assert {name: size[1:4] for name, size in read.items()} == HEADS
    other = {name for name, of in read.items() if of.n_heads * of.d_head != of.d_model}
    assert other == {"T5-11B", "Mistral-Nemo", "Gemma-7B", "Qwen3-0.6B", MLA}


@pytest.mark.parametrize("name", BESIDES)
def test_the_layers_add_up_to_the_published_number_of_parameters(name):
    words, mlp, rest, once = BESIDES[name]
    size = sizes((CONFIGURATIONS | DECODERS)[name])
    heads = 2 * size.d_model * (size.n_heads + size.n_kv) * size.d_head
    assert words + size.n_layers * (heads + mlp + rest) + once == TOTAL[name]


def test_t5_11b_adds_up_over_its_two_stacks():
    width, inner, layers = 1024, 128 * 128, 24
    flow = dict(dimension_flow(CONFIGURATIONS["T5-11B"], 1))
    assert flow["concatenate"] == (1, inner) and flow["x + Y"] == (1, width)
    heads = 4 * width * inner
    mlp, norm, biases = 2 * width * 65536, width, 32 * 128
    encoder = layers * (heads + mlp + 2 * norm) + biases + norm
    decoder = layers * (2 * heads + mlp + 3 * norm) + biases + norm
    assert 32128 * width + encoder + decoder == 11_307_321_344
    assert sizes(CONFIGURATIONS["T5-11B"]).n_layers == layers


def test_every_family_and_every_field_is_used_by_a_model():
    assert {config["model_type"] for config in CONFIGURATIONS.values()} == set(FAMILIES)
    written = {field for config in CONFIGURATIONS.values() for field in config}
    assert {field for fields in FIELDS.values() for field in fields} <= written


# The flow ----------------------------------------------------------------------


@each_model
def test_a_flow_is_what_arrays_of_these_sizes_do(name):
    size, n_tokens = sizes(CONFIGURATIONS[name]), 3
    queries = np.zeros((size.n_heads, n_tokens, size.d_head))
    keys = np.zeros((size.n_kv, n_tokens, size.d_head)).repeat(size.n_heads // size.n_kv, axis=0)
    values = np.zeros((size.n_kv, n_tokens, size.d_value)).repeat(size.n_heads // size.n_kv, axis=0)
    table = queries @ keys.swapaxes(1, 2)
    flow = dict(dimension_flow(CONFIGURATIONS[name], n_tokens))
    assert flow["softmax, head by head"] == table.shape
    assert flow["weights @ V"] == (table @ values).shape
    assert flow["concatenate"] == np.concatenate([*(table @ values)], axis=1).shape
    assert flow["Y = that @ W_O"] == flow["x + Y"] == flow["x, the stream"]
    if name != MLA:
        source = "x" if name == "BERT-base" else "N"
        width = size.n_heads * size.d_head, size.n_kv * size.d_head
        assert flow[f"Q = {source} @ W_Q"] == (n_tokens, width[0])
        assert flow[f"K, V = {source} @ W_K, {source} @ W_V"] == (n_tokens, width[1])


@each_model
def test_the_norm_stands_before_everywhere_but_in_bert(name):
    steps = steps_of(name)
    assert steps.index("x + Y") > steps.index("Y = that @ W_O")
    if name == "BERT-base":
        assert steps[1] == "Q = x @ W_Q" and steps[-1] == "LayerNorm(x + Y)"
    else:
        kind = "LayerNorm" if name in ("GPT-2 small", "ViT-B/16", "Falcon-7B") else "RMSNorm"
        assert steps[1] == f"N = {kind}(x)" and steps[-1] == "x + Y"


@each_model
def test_what_turns_queries_and_keys_stands_after_the_split_and_before_the_softmax(name):
    steps = steps_of(name)
    turns = [n for n, step in enumerate(steps) if step.startswith("RoPE")]
    assert all(steps.index("split Q") < n < steps.index("softmax, head by head") for n in turns)
    assert bool(turns) == (name not in ("GPT-2 small", "BERT-base", "ViT-B/16", "T5-11B"))


def test_a_flow_with_shared_keys_line_by_line():
    assert dimension_flow(CONFIGURATIONS["Qwen3-0.6B"], 7) == [
        ("x, the stream", (7, 1024)),
        ("N = RMSNorm(x)", (7, 1024)),
        ("Q = N @ W_Q", (7, 2048)),
        ("K, V = N @ W_K, N @ W_V", (7, 1024)),
        ("split Q", (16, 7, 128)),
        ("split K, V", (8, 7, 128)),
        ("RMSNorm of Q and K", (16, 7, 128)),
        ("RoPE turns Q and K", (16, 7, 128)),
        ("K, V: 2 heads share one", (16, 7, 128)),
        ("softmax, head by head", (16, 7, 7)),
        ("weights @ V", (16, 7, 128)),
        ("concatenate", (7, 2048)),
        ("Y = that @ W_O", (7, 1024)),
        ("x + Y", (7, 1024)),
    ]
    assert "K, V: 8 heads share one" in steps_of("Llama-2-70B")  # 64 heads, 8 blocks
    assert "K, V: 71 heads share one" in steps_of("Falcon-7B")
    assert "share one" not in str(steps_of("Llama-2-7B"))


def test_deepseek_has_the_shapes_of_its_paper():
    assert sizes(CONFIGURATIONS[MLA]) == (5120, 128, 128, 192, 128, 60)
    flow = dict(dimension_flow(CONFIGURATIONS[MLA], 7))
    assert flow["q = N @ W_DQ"] == (7, 1536) and flow["Q = q @ W_UQ"] == (7, 128 * 192)
    assert flow["c = N @ W_DKV"] == (7, 512) and flow["r = N @ W_KR, for all"] == (7, 64)
    assert flow["K = c @ W_UK"] == flow["V = c @ W_UV"] == (7, 128 * 128)
    assert flow["split K"] == flow["split V"] == (128, 7, 128)  # without the part that RoPE turns
    assert flow["K and r side by side"] == flow["split Q"] == (128, 7, 192)
    assert flow["weights @ V"] == (128, 7, 128) and flow["concatenate"] == (7, 128 * 128)


# Refused ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"n_head": 10}, ValueError, "n_embd = 768 cannot be cut into n_head = 10 equal blocks"),
        ({"n_head": 10}, ValueError, "no head_dim says how wide a head is"),
        ({"n_head": 0}, ValueError, "n_head must be at least 1, but is 0"),
        ({"n_head": None}, TypeError, "n_head must be a whole number"),
        ({"n_embd": 768 / 1}, TypeError, "n_embd must be a whole number"),
        ({"head_dim": 64.0}, TypeError, "head_dim must be a whole number"),
        ({"num_key_value_heads": 5}, ValueError, "5 blocks of keys and values cannot serve 12"),
        ({"num_key_value_heads": 5}, ValueError, "12 heads evenly; take a multiple of 5 heads."),
        ({"n_head": 1, "num_key_value_heads": 5}, ValueError, "cannot serve 1 head evenly"),
        ({"model_type": "gpt9"}, ValueError, "model_type is 'gpt9', but must be one of gpt2,"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(changes, error, message):
    with pytest.raises(error) as refusal:
        dimension_flow(GPT2 | changes, 6)
    said = str(refusal.value)
    assert message in said and "\n" not in said and said.endswith((".", "whole numbers."))


def test_a_head_dim_of_its_own_makes_ten_heads_possible():
    assert dict(dimension_flow(GPT2 | {"n_head": 10, "head_dim": 64}, 6))["concatenate"] == (6, 640)


@pytest.mark.parametrize("field", ["n_embd", "n_head", "n_layer"])
def test_a_missing_field_is_named_with_all_its_names(field):
    with pytest.raises(ValueError, match=f"needs one of .*{field}"):
        sizes({name: value for name, value in GPT2.items() if name != field})


@pytest.mark.parametrize("n_tokens", [6.0, "6", True])
def test_a_number_of_tokens_is_whole(n_tokens):
    with pytest.raises(TypeError, match="n_tokens must be a whole number"):
        dimension_flow(GPT2, n_tokens)
