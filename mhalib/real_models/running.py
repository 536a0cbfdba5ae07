"""Running a trained model: its layers one after the other, each head's part kept to be looked at.

What the three models share stands here. A model says how a text starts (`embed`), how a layer makes
queries, keys and values, and what it does with the heads' outputs (`finish`: W_O, residual, MLP,
norms); between the two stands `sharing.attend_in_groups`, the same for all.
"""

from dataclasses import dataclass, field

import numpy as np

from mhalib import formulas, inputs
from mhalib.attention import causal_mask
from mhalib.merging import merge_logits
from mhalib.sharing import attend_in_groups

LONGEST = 512  # tokens, for all three: tables of weights grow with the square


@dataclass(frozen=True)
class Layer:
    """What the heads of one layer made of a text of T tokens.

    q : array (n_heads, T, d_head), k, v : arrays (n_kv, T, d_head), as they met (turned by RoPE,
    where a model has it); mask : (T, T) or None; weights : (n_heads, T, T), before any merging;
    outputs : (n_heads, T, d_head), before W_O, as they went on (muted heads are 0).
    """

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    mask: np.ndarray | None
    weights: np.ndarray
    outputs: np.ndarray

    @property
    def logits(self):
        """``q_r @ k_g.T / sqrt(d_head)``, -inf where the mask hides a key: (n_heads, T, T)."""
        keys = formulas.repeat(self.k, len(self.q))
        logits = self.q @ formulas.transpose(keys) / np.float32(self.q.shape[-1] ** 0.5)
        return logits if self.mask is None else np.where(self.mask, logits, -np.inf)

    def merged(self, how="big_head"):
        """The weights (T, T) of the merged head: ``softmax(merge_logits(logits, how))``."""
        return formulas.softmax(merge_logits(self.logits, how))


@dataclass(frozen=True)
class Run:
    """A text that went through a model: its tokens as words and as numbers, and the layers.

    `stream` (n_layers + 1, T, d_model) is what each layer was given, and last what came out.
    """

    words: list
    ids: np.ndarray
    layers: list = field(repr=False)
    stream: np.ndarray = field(repr=False)

    def weights(self):
        """All weights: (n_layers, n_heads, T, T)."""
        return np.stack([layer.weights for layer in self.layers])


class Model:
    """A trained model. A subclass gives `words_of`, `embed`, `project` and `finish`."""

    name, causal = "", False
    n_layers = n_heads = 0

    def tokens(self, text):
        """The text's tokens, as numbers."""
        raise NotImplementedError

    def run(self, text, muted=(), rows=None, after=None):
        """Send a text through all layers.

        Parameters
        ----------
        text : str, or a list of token numbers
        muted : pairs (layer, head)
            Heads whose output is replaced by 0.
        rows : dict, optional
            From layers to functions of the `Layer` that give the weights which its heads use, each
            on its own values: (n_heads, T, T), or (T, T) for all heads. `Layer.merged` is one.
        after : Run, optional
            A run of the same text with nothing changed; layers before the first change are taken
            from it and not computed again.

        Raises ValueError for a text without tokens, with more than `LONGEST`, for a layer or head
        that the model has not, or for rows of another shape; TypeError for rows that are none.
        """
        ids = np.asarray(self.tokens(text) if isinstance(text, str) else text, int)
        muted, rows = set(muted), rows or {}
        self._check(ids, muted, rows)
        layers, stream = [], [self.embed(ids)]
        first = 0
        if after is not None and np.array_equal(after.ids, ids):
            first = min([layer for layer, _ in muted] + [*rows] + [self.n_layers])
            layers, stream = after.layers[:first], list(after.stream[: first + 1])
        mask = causal_mask(len(ids)) if self.causal else None
        for number in range(first, self.n_layers):
            x = stream[-1]
            q, k, v = self.project(number, x)
            outputs, weights = attend_in_groups(q, k, v, mask)
            layer = Layer(q, k, v, mask, weights, outputs)
            if number in rows:
                outputs = self._rows(rows[number], layer) @ formulas.repeat(v, len(q))
            silent = [head for where, head in muted if where == number]
            outputs = outputs.copy()
            outputs[silent] = 0
            layers.append(Layer(q, k, v, mask, weights, outputs))
            stream.append(self.finish(number, x, outputs))
        return Run(self.words_of(ids), ids, layers, np.stack(stream))

    def _rows(self, rows, layer):
        if not callable(rows):
            raise TypeError(
                "rows must give a layer a function that makes weights from it, such as "
                f"Layer.merged, but is {inputs.shown(rows)}."
            )
        weights = np.asarray(rows(layer))
        if weights.shape not in (layer.weights.shape, layer.weights.shape[1:]):
            raise ValueError(
                f"rows gave weights of shape {weights.shape}, but needed are {layer.weights.shape} "
                f"(n_heads, T, T) or {layer.weights.shape[1:]} for all heads alike."
            )
        return weights

    def _check(self, ids, muted, rows):
        if not 0 < ids.size <= LONGEST or ids.ndim != 1:
            raise ValueError(
                f"{self.name} reads 1 to {LONGEST} tokens at once, but this text has {ids.size}; "
                "cut it into pieces."
            )
        for layer, head in {*muted, *((layer, 0) for layer in rows)}:
            inputs.whole_number(layer, "layer")
            inputs.whole_number(head, "head")
            if not (0 <= layer < self.n_layers and 0 <= head < self.n_heads):
                raise ValueError(
                    f"{self.name} has {self.n_layers} layers of {self.n_heads} heads, counted from "
                    f"0, but not ({layer}, {head})."
                )
