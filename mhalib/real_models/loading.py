"""The three models: which tensor is which, and what a layer does besides its heads."""

import functools
import math
import re

import numpy as np

from mhalib import inputs
from mhalib.attention import concat_heads, split_heads
from mhalib.real_models.packages import SET_UP, Missing, find
from mhalib.real_models.readers import GGUF, read_safetensors, read_torch
from mhalib.real_models.running import Model
from mhalib.rotary import rotate

# The SMILES tokens of Schwaller et al. (2018): bracketed atoms, two-letter atoms, bonds, rings.
SMILES = re.compile(
    r"\[[^\]]+]|Br?|Cl?|[NOSPFIbcnosp]|\(|\)|\.|=|#|-|\+|\\|/|:|~|@|\?|>>?|\*|\$|%[0-9]{2}|[0-9]"
)
GRID = np.arange(-8, 8, 1 / 1024)
NORMAL = np.array([(1 + math.erf(x / math.sqrt(2))) / 2 for x in GRID])


def gelu(x):
    """``x * Phi(x)``, Phi the normal distribution, read off a table of 16384 (exact to 4e-8)."""
    return x * np.interp(x, GRID, NORMAL).astype(x.dtype)


def silu(x):
    """``x / (1 + exp(-x))``."""
    return x / (1 + np.exp(-np.clip(x, -80, None)))


def layer_norm(x, gain, bias, epsilon=1e-12):
    """``(x - mean) / sqrt(variance + epsilon) * gain + bias``, over the channels."""
    x = x - x.mean(axis=-1, keepdims=True)
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(epsilon)) * gain + bias


def rms_norm(x, gain, epsilon):
    """``x / sqrt(mean(x^2) + epsilon) * gain``."""
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(epsilon)) * gain


class Encoder(Model):
    """BERT and ALBERT: every token sees every token, positions are added to the start.

    A layer: ``x = norm(x + heads @ W_O + b)``, ``x = norm(x + gelu(x @ W_1 + b) @ W_2 + b)``.
    """

    LAYER, HEADS, AFTER = "", (), ()  # what files call a layer, its W_Q, W_K, W_V, and the rest
    WIDEN = ""  # ALBERT's table of words is narrower than its stream

    def _names(self, number, parts):
        return [f"{self.LAYER.format(number)}.{part}" for part in parts]

    def _linear(self, x, name):
        return x @ self._tensors[f"{name}.weight"].T + self._tensors[f"{name}.bias"]

    def _norm(self, x, name):
        return layer_norm(x, self._tensors[f"{name}.weight"], self._tensors[f"{name}.bias"])

    def embed(self, ids):
        """``norm(word + position + type)``, and for ALBERT widened."""
        word, position, kind = (
            self._tensors[f"embeddings.{kind}_embeddings.weight"]
            for kind in ("word", "position", "token_type")
        )
        x = self._norm(word[ids] + position[: len(ids)] + kind[0], "embeddings.LayerNorm")
        return self._linear(x, self.WIDEN) if self.WIDEN else x

    def project(self, number, x):
        """Queries, keys and values of a layer, cut into heads."""
        names = self._names(number, self.HEADS)
        return tuple(split_heads(self._linear(x, name), self.n_heads) for name in names)

    def finish(self, number, x, outputs):
        """What a layer does after its heads."""
        w_o, norm, wide, narrow, last = self._names(number, self.AFTER)
        x = self._norm(x + self._linear(concat_heads(outputs), w_o), norm)
        return self._norm(x + self._linear(gelu(self._linear(x, wide)), narrow), last)

    def w_o(self, number):
        """W_O of a layer: (n_heads * d_head, d_model)."""
        return self._tensors[f"{self._names(number, self.AFTER)[0]}.weight"].T


class MiniLM(Encoder):
    """all-MiniLM-L6-v2 (Wang et al. 2020; Reimers and Gurevych 2019): 6 layers of 12 heads."""

    name, n_layers, n_heads = "MiniLM", 6, 12
    LAYER = "encoder.layer.{}"
    HEADS = ("attention.self.query", "attention.self.key", "attention.self.value")
    AFTER = (
        "attention.output.dense attention.output.LayerNorm "
        "intermediate.dense output.dense output.LayerNorm"
    ).split()

    def __init__(self):
        from tokenizers import Tokenizer

        self._tensors = read_safetensors(find(self.name))
        self._tokenizer = Tokenizer.from_file(str(find(self.name, "tokenizer")))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def tokens(self, text):
        return self._tokenizer.encode(text).ids

    def words_of(self, ids):
        return [self._tokenizer.id_to_token(int(i)) for i in ids]


class RXNMapper(Encoder):
    """RXNMapper (Schwaller et al. 2021), an ALBERT: one layer of 8 heads, used 12 times."""

    name, n_layers, n_heads = "RXNMapper", 12, 8
    LAYER = "encoder.albert_layer_groups.0.albert_layers.0"
    HEADS = ("attention.query", "attention.key", "attention.value")
    AFTER = "attention.dense attention.LayerNorm ffn ffn_output full_layer_layer_norm".split()
    WIDEN = "encoder.embedding_hidden_mapping_in"

    def __init__(self):
        tensors = read_torch(find(self.name))
        self._tensors = {name.removeprefix("albert."): array for name, array in tensors.items()}
        lines = find(self.name, "vocabulary").read_text(encoding="utf-8").split("\n")
        self._vocabulary = [line for line in lines if line]
        self._numbers = {word: number for number, word in enumerate(self._vocabulary)}

    def tokens(self, text):
        """[CLS], the SMILES tokens (what is none is skipped, as in the package), [SEP]."""
        words = ["[CLS]", *SMILES.findall(text), "[SEP]"]
        unknown = self._numbers["[UNK]"]
        return [self._numbers.get(word, unknown) for word in words]

    def words_of(self, ids):
        return [self._vocabulary[i] for i in ids]

    def covered(self, text, places):
        """The text's tokens, with [MASK] at these places: what the model learnt to guess."""
        ids = np.array(self.tokens(text))
        ids[places] = self._numbers["[MASK]"]
        return ids

    def guesses(self, run):
        """The logits of the token at each place: ``norm(gelu(x W + b)) E^T + b``: (T, 591)."""
        x = self._norm(
            gelu(self._linear(run.stream[-1], "predictions.dense")), "predictions.LayerNorm"
        )
        return self._linear(x, "predictions.decoder")


class SmolLM2(Model):
    """SmolLM2-135M-Instruct (Allal et al. 2025): 30 layers, 9 query heads on 3 blocks, RoPE.

    A layer: ``x = x + heads(norm(x)) @ W_O``, ``n = norm(x)``, ``x = x + (silu(n @ W_g) * (n @
    W_u)) @ W_d``. W_Q and W_K are stored so that RoPE turns neighbouring channels. A layer's
    weights, 4 bits a number in the file, are expanded to float32 when it first runs.
    """

    name, n_layers, n_heads, n_kv, causal = "SmolLM2", 30, 9, 3, True

    def __init__(self):
        self._file = GGUF(find(self.name))
        self._base = float(self._file.field("llama.rope.freq_base"))
        self._epsilon = self._file.field("llama.attention.layer_norm_rms_epsilon")
        self._tokenizer = byte_pairs(self._file)
        self._file.forget_fields()
        self._embedding = self._file.tensor("token_embd.weight")
        self._gain = self._file.tensor("output_norm.weight")
        self._weight = functools.cache(self._expand)

    def _expand(self, number, name):
        """One of a layer's tensors, ready to multiply from the right."""
        return self._file.tensor(f"blk.{number}.{name}.weight").T

    def embed(self, ids):
        return self._embedding[ids]

    def project(self, number, x):
        """Queries, keys (both turned) and values of a layer, cut into heads."""
        x = rms_norm(x, self._weight(number, "attn_norm"), self._epsilon)
        q, k, v = (
            split_heads(x @ self._weight(number, f"attn_{kind}"), n)
            for kind, n in (("q", self.n_heads), ("k", self.n_kv), ("v", self.n_kv))
        )
        places = np.arange(len(x))
        q, k = (rotate(part, places, self._base, "neighbours") for part in (q, k))
        return q, k, v

    def finish(self, number, x, outputs):
        """What a layer does after its heads."""
        x = x + concat_heads(outputs) @ self.w_o(number)
        n = rms_norm(x, self._weight(number, "ffn_norm"), self._epsilon)
        gate, up, down = (self._weight(number, f"ffn_{kind}") for kind in ("gate", "up", "down"))
        return x + (silu(n @ gate) * (n @ up)) @ down

    def w_o(self, number):
        """W_O of a layer: (n_heads * d_head, d_model)."""
        return self._weight(number, "attn_output")

    def tokens(self, text):
        return self._tokenizer.encode(text).ids

    def words_of(self, ids):
        return [self._tokenizer.decode([int(i)], skip_special_tokens=False) for i in ids]

    def next_token(self, run):
        """The logits of each place's next token: (T, 49152)."""
        return rms_norm(run.stream[-1], self._gain, self._epsilon) @ self._embedding.T

    def losses(self, run):
        """``-log p(token t + 1 | tokens up to t)`` for each t but the last: (T - 1,), in nats."""
        return surprisal(self.next_token(run)[:-1], run.ids[1:])


def surprisal(logits, ids):
    """``-log softmax(logits)[id]``, row by row, in nats: (..., n), (...) to (...)."""
    logits = logits - logits.max(axis=-1, keepdims=True)
    right = np.take_along_axis(logits, ids[..., None], axis=-1)[..., 0]
    return np.log(np.exp(logits).sum(axis=-1)) - right


def byte_pairs(file):
    """The tokenizer whose vocabulary and merges a GGUF file of kind "smollm" holds."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    words = file.field("tokenizer.ggml.tokens")
    merges = [tuple(pair.split(" ")) for pair in file.field("tokenizer.ggml.merges")]
    made = Tokenizer(models.BPE({word: i for i, word in enumerate(words)}, merges))
    digits = pre_tokenizers.Digits(individual_digits=True)
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [digits, pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    made.decoder = decoders.ByteLevel()
    kinds = file.field("tokenizer.ggml.token_type")
    special = [word for word, kind in zip(words, kinds, strict=True) if kind != 1]
    made.add_special_tokens([AddedToken(word, normalized=False) for word in special])
    return made


MODELS = {model.name: model for model in (RXNMapper, MiniLM, SmolLM2)}


@functools.cache
def load(name):
    """The model of this name, RXNMapper, MiniLM or SmolLM2; the same object every time.

    Raises `Missing` if its package or a reader is not installed, ValueError for another name.
    """
    if name not in MODELS:
        known = ", ".join(MODELS)
        raise ValueError(f"name must be one of {known}, but is {inputs.shown(name)}.")
    try:
        return MODELS[name]()
    except ModuleNotFoundError as error:
        raise Missing(f"{name} is read with {error.name}, not installed here: {SET_UP}") from None
