"""MHA, GQA and MQA: what heads share, and what each of them keeps for itself.

Every query head has queries, a softmax and a block of W_O of its own, always. What is shared are
the blocks of keys and values they look at: MHA has `n_kv = n_heads`, one for each head; in GQA
heads stand in `n_kv` groups of equal size, and a group shares one; in MQA all share one.

A layer here is two steps, so that a cache fits between them (see `kv_cache`): `project` makes the
queries and the *rows* that later tokens will look at; `attend` lets queries look at rows. Layers
compute in float64 or float32; float16 becomes float32. Sources: Shazeer (2019); Ainslie et al.
(2023).
"""

from dataclasses import dataclass

import numpy as np

from mhalib import formulas, inputs
from mhalib.rotary import check_turn, turn

PAGE = 256  # rows that are multiplied at once, see `_pages`


def repeat_heads(kv, n_heads):
    """Give each head the block that its group shares: (..., n_kv, T, d) -> (..., n_heads, T, d).

    ``out[r] = kv[r // (n_heads / n_kv)]``: blocks 10, 20 serve four heads as 10, 10, 20, 20. A
    copy; `attend_in_groups` needs none. Raises ValueError if n_kv does not divide `n_heads`.
    """
    kv, dtype = inputs.floats(kv, "kv", "(..., n_kv, T, d_head)")
    inputs.groups(n_heads, kv.shape[-3])
    return formulas.repeat(kv, n_heads).astype(dtype, copy=False)


@np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
def grouped_attention(q, k, v, mask=None, scale=None):
    """Heads look in groups: head r at the keys and values of block ``r // (n_heads / n_kv)``.

    ``weights_r = softmax(q_r @ k_g.T * scale)``, ``output_r = weights_r @ v_g``: as many rows of
    weights as there are query heads, however few blocks there are.

    `q`: (..., n_heads, n_queries, d_head), `k`: (..., n_kv, n_keys, d_head), `v`: (..., n_kv,
    n_keys, d_value); `mask` and `scale` as in `attention.scaled_dot_product_attention`. Returns
    output (..., n_heads, n_queries, d_value) and weights (..., n_heads, n_queries, n_keys).

    Raises ValueError or TypeError, in one sentence, for shapes that do not fit (n_kv must divide
    n_heads) or overflow. Source: Ainslie et al. (2023).
    """
    q, k, v, dtype = inputs.grouped(q, k, v)
    mask = inputs.mask_or_none(mask, (*q.shape[:-1], k.shape[-2]))
    output, weights = attend_in_groups(q, k, v, mask, inputs.number(scale, "scale", or_none=True))
    return inputs.fits(output, dtype, "weights @ v"), weights.astype(dtype, copy=False)


@np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
def attend_in_groups(q, k, v, mask=None, scale=None):
    """`grouped_attention` without its checks, for rows that a cache has checked already.

    Queries of a group are set below each other, (..., n_kv, group * n_queries, d_head), and meet
    their block as it lies in memory: it is read once for the whole group, and never repeated.
    """
    *batch, n_heads, n_queries, d_head = q.shape
    n_kv, n_keys = k.shape[-3:-1]
    below = (*batch, n_kv, n_heads // n_kv * n_queries)
    scale = d_head**-0.5 if scale is None else scale
    q = (q * q.dtype.type(scale)).reshape(*below, d_head)
    pages = _pages(n_keys, below[-1])
    logits = [q @ formulas.transpose(k[..., page, :]) for page in pages]
    logits = np.concatenate(logits, axis=-1).reshape(*batch, n_heads, n_queries, n_keys)
    weights = formulas.softmax(inputs.fits(logits, logits.dtype, "q @ k.T * scale"), mask)
    rows = weights.reshape(*below, n_keys)
    output = sum(rows[..., page] @ v[..., page, :] for page in pages)
    return output.reshape(*batch, n_heads, n_queries, v.shape[-1]), weights


def _pages(n_rows, n_queries):
    """Slices of rows that are multiplied at once.

    BLAS copies a table before it multiplies it by a few queries, which costs more than to read it,
    but not a page of it. One query needs no pages, and many are worth the copy.
    """
    size = PAGE if 1 < n_queries <= 32 else n_rows
    return [slice(start, start + size) for start in range(0, n_rows, size)]


@dataclass(frozen=True)
class GroupedQuery:
    """A layer of `n_heads` query heads over `n_kv` blocks of keys and values.

    ``head_r = softmax(Q_r @ K_g.T / sqrt(d_head)) @ V_g`` with ``g = r // (n_heads / n_kv)``,
    ``Y = concat(head_0, ..., head_{h-1}) @ W_O``; n_kv = n_heads is MHA, n_kv = 1 is MQA.

    `rope` is the base of RoPE's angles, usually 10000; without it positions are not used. `pairs`
    is RoPE's convention, as in `rotary.rotate`. Raises ValueError or TypeError, in one sentence,
    for matrices that do not fit together.
    """

    w_q: np.ndarray  # (d_model, n_heads * d_head)
    w_k: np.ndarray  # (d_model, n_kv * d_head)
    w_v: np.ndarray  # (d_model, n_kv * d_value)
    w_o: np.ndarray  # (n_heads * d_value, d_out)
    n_heads: int
    n_kv: int
    rope: float | None = None
    pairs: str = "halves"

    def __post_init__(self):
        inputs.groups(self.n_heads, self.n_kv)
        d_model = np.shape(self.w_q)[0] if np.ndim(self.w_q) else 0
        d_head = block_width(self, "w_q", d_model, self.n_heads)
        d_key = block_width(self, "w_k", d_model, self.n_kv)
        if d_key != d_head:
            raise ValueError(
                f"w_q makes queries of {d_head} channels for each of {self.n_heads} heads and w_k "
                f"keys of {d_key} for each of {self.n_kv} blocks: a dot product needs the same."
            )
        block_width(self, "w_o", block_width(self, "w_v", d_model, self.n_kv) * self.n_heads)
        if self.rope is not None:
            check_turn(d_head, self.rope, self.pairs)

    @np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
    def project(self, x, first=0):
        """Queries of x, and the rows (K, V) that this and later tokens look at.

        `x`: (..., T, d_model), whose tokens have the positions first, first + 1, ... Returns
        q (..., n_heads, T, d_head) and (k, v), each (..., n_kv, T, ...).
        """
        x = tokens_of(x, self.w_q)
        q, k, v = (
            formulas.split(formulas.project(x, getattr(self, name), name), n_blocks)
            for name, n_blocks in (("w_q", self.n_heads), ("w_k", self.n_kv), ("w_v", self.n_kv))
        )
        if self.rope is not None:
            q, k = (placed(self, part, first) for part in (q, k))
        return q, (k, v)

    @np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
    def attend(self, q, k, v, mask=None):
        """Output (..., T, d_out) and weights (..., n_heads, T, n_keys) of queries that look."""
        mask = inputs.mask_or_none(mask, (*q.shape[:-1], k.shape[-2]))
        heads, weights = attend_in_groups(q, k, v, mask)
        return formulas.project(formulas.concat(heads), self.w_o, "w_o"), weights


def block_width(layer, name, n_rows, n_blocks=1):
    """Check a matrix of a layer, keep it as floats, and say how wide each of its blocks is."""
    w, _ = inputs.matrix(getattr(layer, name), name, n_rows)
    inputs.whole_number(n_blocks, "n_heads")
    if n_blocks < 1 or w.shape[1] % n_blocks:
        raise ValueError(
            f"{name} has {w.shape[1]} columns, which cannot be cut into {n_blocks} equal blocks; "
            "GQA's w_k and w_v have n_kv blocks, w_q and w_o have n_heads."
        )
    object.__setattr__(layer, name, w)
    return w.shape[1] // n_blocks


def placed(layer, part, first):
    """Queries or keys turned to their positions: first, first + 1, ..."""
    positions = np.arange(first, first + part.shape[-2])
    return turn(part, positions, layer.rope, layer.pairs)


def tokens_of(x, w_q):
    """Tokens as floats, of the width that the layer reads."""
    x, _ = inputs.floats(x, "x", "(..., T, d_model)")
    if x.shape[-1] != len(w_q):
        raise ValueError(
            f"x has {x.shape[-1]} channels, but w_q has {len(w_q)} rows, one for each channel."
        )
    return x
