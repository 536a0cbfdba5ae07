"""The trained models, run by mhalib, are those of transformers with the same weights."""

import re

import gguf
import numpy as np
import pytest
import torch
import transformers

from mhalib.real_models import find, load

REACTION = "CC(C)S.CN(C)C=O.Fc1cccnc1F.O=C([O-])[O-].[K+].[K+]>>CC(C)Sc1ncccc1F"
SENTENCES = [
    "The cat sat on the mat because it was tired.",
    "Two cats, 3 dogs and 1,024 mice met at 10:45; naïve? 猫は😀 sat  twice.",
]

THEIRS = {  # names of tensors in a GGUF file, and there
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    **{f"attn_{kind}": f"self_attn.{kind}_proj" for kind in "qkv"},
    "attn_output": "self_attn.o_proj",
    **{f"ffn_{kind}": f"mlp.{kind}_proj" for kind in ("gate", "up", "down")},
}


def as_torch(tensors):
    return {name: torch.from_numpy(np.array(array)) for name, array in tensors.items()}


def filled(module, tensors):
    """The module with these weights: every one of its own must be among them."""
    absent, _ = module.load_state_dict(as_torch(tensors), strict=False)
    assert not [name for name in absent if "position_ids" not in name]
    return module.eval()


def ran(module, ids):
    with torch.no_grad():
        return module(
            torch.tensor(ids)[None],
            output_attentions=True,
            output_hidden_states=True,
        )


def assert_same_layers(ours, theirs, tolerance):
    """Weights of every head and the stream before every layer. SmolLM2's last is normed there."""
    weights = torch.cat(theirs.attentions).numpy()
    np.testing.assert_allclose(ours.weights(), weights, rtol=0, atol=tolerance)
    stream = torch.cat(theirs.hidden_states).numpy()
    size = np.abs(stream).max(axis=(1, 2), keepdims=True)
    ours = ours.stream[: len(stream)]
    np.testing.assert_allclose(ours[:-1] / size[:-1], stream[:-1] / size[:-1], atol=tolerance)


def test_rxnmapper_runs_as_albert_does():
    ours = load("RXNMapper")
    config = transformers.AlbertConfig.from_pretrained(
        find("RXNMapper").parent, attn_implementation="eager"
    )
    theirs = filled(transformers.AlbertModel(config, add_pooling_layer=False), ours._tensors)
    run = ours.run(REACTION)
    result = ran(theirs, run.ids)
    assert_same_layers(run, result, 1e-5)
    np.testing.assert_allclose(run.stream[-1], result.last_hidden_state[0].numpy(), atol=1e-5)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_minilm_runs_as_bert_does(sentence):
    ours = load("MiniLM")
    config = transformers.BertConfig.from_pretrained(
        find("MiniLM").parent, attn_implementation="eager"
    )
    theirs = filled(transformers.BertModel(config, add_pooling_layer=False), ours._tensors)
    run = ours.run(sentence)
    result = ran(theirs, run.ids)
    assert_same_layers(run, result, 1e-5)
    np.testing.assert_allclose(run.stream[-1], result.last_hidden_state[0].numpy(), atol=1e-5)


def in_halves(weight, n_blocks):
    """The rows of W_Q or W_K as transformers wants them: RoPE turns halves there."""
    blocks = weight.reshape(n_blocks, -1, 2, weight.shape[-1])
    return blocks.swapaxes(1, 2).reshape(weight.shape)


@pytest.fixture(scope="module")
def llama():
    """transformers' Llama with the weights of the file, expanded and put in order here."""
    file = gguf.GGUFReader(find("SmolLM2"))
    count = {key: value.contents() for key, value in file.fields.items() if "llama." in key}
    config = transformers.LlamaConfig(
        vocab_size=count["llama.vocab_size"],
        hidden_size=count["llama.embedding_length"],
        intermediate_size=count["llama.feed_forward_length"],
        num_hidden_layers=count["llama.block_count"],
        num_attention_heads=count["llama.attention.head_count"],
        num_key_value_heads=count["llama.attention.head_count_kv"],
        rms_norm_eps=count["llama.attention.layer_norm_rms_epsilon"],
        rope_parameters={"rope_type": "default", "rope_theta": count["llama.rope.freq_base"]},
        tie_word_embeddings=True,
        attn_implementation="eager",
    )
    blocks = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    tensors = {}
    for tensor in file.tensors:
        name = tensor.name.removesuffix(".weight")
        kind = name.rpartition(".")[-1]
        array = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        array = in_halves(array, blocks[kind]) if kind in blocks else array
        tensors[name.replace(kind, THEIRS[kind]).replace("blk", "model.layers") + ".weight"] = array
    tensors["lm_head.weight"] = tensors["model.embed_tokens.weight"]
    return filled(transformers.LlamaForCausalLM(config), tensors)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_smollm2_runs_as_llama_does(sentence, llama):
    ours = load("SmolLM2")
    run = ours.run(sentence)
    result = ran(llama, run.ids)
    assert_same_layers(run, result, 1e-4)
    logits = result.logits[0].numpy()
    np.testing.assert_allclose(ours.next_token(run), logits, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(ours.next_token(run).argmax(-1), logits.argmax(-1))
    theirs = torch.nn.functional.cross_entropy(
        result.logits[0, :-1], torch.tensor(run.ids[1:]), reduction="none"
    )
    np.testing.assert_allclose(ours.losses(run), theirs.numpy(), atol=1e-4)


@pytest.mark.parametrize("sentence", [*SENTENCES, "$x_$", ""])
def test_minilms_tokens_are_those_of_the_reference_tokenizer(sentence):
    theirs = transformers.BertTokenizer.from_pretrained(find("MiniLM").parent)
    assert load("MiniLM").tokens(sentence) == theirs(sentence)["input_ids"]


@pytest.mark.parametrize(
    "sentence", ["The cat sat on the mat.", "naïve? 猫は😀 sat  twice", "$x_$"]
)
def test_smollm2s_tokens_are_those_of_the_reference_tokenizer(sentence):
    path = find("SmolLM2")
    theirs = transformers.AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    assert load("SmolLM2").tokens(sentence) == theirs(sentence)["input_ids"]


def test_rxnmappers_tokens_are_those_of_the_packages_pattern():
    """Read from its source, not imported: the package needs another transformers."""
    package = find("RXNMapper").parents[3]
    source = (package / "smiles_utils.py").read_text()
    pattern = re.search(r'SMI_REGEX_PATTERN = r"(.*)"', source)[1]
    vocabulary = find("RXNMapper", "vocabulary").read_text().splitlines()
    words = ["[CLS]", *re.findall(pattern, REACTION), "[SEP]"]
    assert [vocabulary[i] for i in load("RXNMapper").tokens(REACTION)] == words
