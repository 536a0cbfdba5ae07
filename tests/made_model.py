"""A model with random weights, small enough to be run a thousand times: what HeadHunt needs."""

import numpy as np

from mhalib.attention import concat_heads, softmax, split_heads
from mhalib.real_models import Model

HEADS, D_HEAD, VOCABULARY = 3, 5, 97


class MadeModel(Model):
    """Causal; 3 layers of 3 heads. A token is a word, and a number from 1 to 96 (or any other)."""

    name, n_layers, n_heads, causal = "a made model", 3, HEADS, True

    def __init__(self, seed=0):
        rng = np.random.default_rng(seed)
        d = HEADS * D_HEAD
        self.maps = rng.normal(size=(self.n_layers, 4, d, d)).astype(np.float32) / d**0.5
        self.table = rng.normal(size=(VOCABULARY, d)).astype(np.float32)
        self.known = {}

    def tokens(self, text):
        return [
            self.known.setdefault(word, len(self.known) % (VOCABULARY - 1) + 1)
            for word in text.split()
        ] or ([0] if text else [])

    def words_of(self, ids):
        names = {number: word for word, number in self.known.items()}
        return [names.get(int(number), f"t{number}") for number in ids]

    def embed(self, ids):
        return self.table[ids % VOCABULARY]

    def project(self, number, x):
        return tuple(split_heads(x @ w, HEADS) for w in self.maps[number, :3])

    def finish(self, number, x, outputs):
        return x + concat_heads(outputs) @ self.maps[number, 3]

    def losses(self, run):
        p = softmax(run.stream[-1] @ self.table.T)[:-1]
        return -np.log(np.take_along_axis(p, run.ids[1:, None] % VOCABULARY, -1)[:, 0])
