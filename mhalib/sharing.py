"""MHA, GQA, MQA and MLA: what heads share, and what each of them keeps for itself.

Every query head has queries, a softmax and a block of W_O of its own, always. What is shared is
what they look at:

- MHA: nothing; `n_kv = n_heads` blocks of keys and values, one for each head;
- GQA: heads stand in `n_kv` groups of equal size, and a group shares one block;
- MQA: all heads share one block, `n_kv = 1`;
- MLA: all heads share one narrow table, from which each makes keys and values of its own.

A layer here is two steps, so that a cache fits between them (see `kv_cache`): `project` makes the
queries and the *rows* that later tokens will look at; `attend` lets queries look at rows. Layers
compute in float64 or float32; float16 becomes float32.

Sources: Shazeer (2019); Ainslie et al. (2023); DeepSeek-V2 (2024).
"""

from dataclasses import dataclass, field

import numpy as np

from mhalib import formulas, inputs
from mhalib.rotary import check_pairs, frequencies, turn

PAGE = 256  # rows that are multiplied at once, see `_pages`


def repeat_heads(kv, n_heads):
    """Give each head the block that its group shares: (..., n_kv, T, d) -> (..., n_heads, T, d).

    ``out[r] = kv[r // (n_heads / n_kv)]``: blocks 10, 20 serve four heads as 10, 10, 20, 20.

    Raises ValueError if n_kv does not divide `n_heads`. A copy; `attend_in_groups` needs none.
    """
    kv, dtype = inputs.floats(kv, "kv")
    inputs.needs_axes(kv, "kv", 3, "(..., n_kv, T, d_head)")
    inputs.groups(n_heads, kv.shape[-3])
    return formulas.repeat(kv, n_heads).astype(dtype, copy=False)


def tie_heads(w, n_heads, n_kv):
    """W_K or W_V of the MHA that a GQA is: (d_in, n_kv * d) -> (d_in, n_heads * d).

    ``block_r(out) = block_{r // (n_heads / n_kv)}(w)``: heads of a group have equal blocks.

    Raises ValueError if n_kv does not divide `n_heads` or the columns of `w`.
    """
    w, dtype = inputs.floats(w, "w")
    inputs.needs_axes(w, "w", 2, "(d_in, n_kv * d)")
    inputs.head_count(n_kv, w.shape[-1])
    inputs.groups(n_heads, n_kv)
    tied = formulas.repeat(formulas.split(w, n_kv), n_heads)
    return formulas.concat(tied).astype(dtype, copy=False)


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
    output, weights = attend_in_groups(q, k, v, mask, inputs.scale(scale))
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
        d_head = _width(self, "w_q", d_model, self.n_heads)
        d_key = _width(self, "w_k", d_model, self.n_kv)
        if d_key != d_head:
            raise ValueError(
                f"w_q makes queries of {d_head} channels for each of {self.n_heads} heads and w_k "
                f"keys of {d_key} for each of {self.n_kv} blocks: a dot product needs the same."
            )
        _width(self, "w_o", _width(self, "w_v", d_model, self.n_kv) * self.n_heads)
        if self.rope is not None:
            _check_rope(self, d_head)

    @np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
    def project(self, x, first=0):
        """Queries of x, and the rows (K, V) that this and later tokens look at.

        `x`: (..., T, d_model), whose tokens have the positions first, first + 1, ... Returns
        q (..., n_heads, T, d_head) and (k, v), each (..., n_kv, T, ...).
        """
        x = _tokens(x, self.w_q)
        q, k, v = (
            formulas.split(formulas.project(x, getattr(self, name), name), n_blocks)
            for name, n_blocks in (("w_q", self.n_heads), ("w_k", self.n_kv), ("w_v", self.n_kv))
        )
        if self.rope is not None:
            q, k = (_placed(self, part, first) for part in (q, k))
        return q, (k, v)

    @np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
    def attend(self, q, k, v, mask=None):
        """Output (..., T, d_out) and weights (..., n_heads, T, n_keys) of queries that look."""
        mask = inputs.mask_or_none(mask, (*q.shape[:-1], k.shape[-2]))
        heads, weights = attend_in_groups(q, k, v, mask)
        return formulas.project(formulas.concat(heads), self.w_o, "w_o"), weights


@dataclass(frozen=True)
class Latent:
    """Multi-head latent attention: all heads share a table of `c + d_rope` numbers a token.

    The rows are ``[C, R]`` with ``C = x @ W_C`` and ``R = rotate(x @ W_R)``. Each head's keys are
    ``K_r = [C @ U_K[r], R]`` and its values ``V_r = C @ U_V[r]``: keys without a position made
    from C, and next to them R, the same for all heads, which carries the position. Two forms:

    - expanded: make every K_r and V_r from the rows, then attend as MHA does;
    - absorbed: ``q . (C U_K[r])^T = (q U_K[r]^T) . C^T``, so move U_K to the query and U_V to the
      output; what is left is MQA, whose keys are the rows and whose values are their first part.

    `rope` and `pairs` as in `GroupedQuery`; DeepSeek's weights have neighbours. Source: DeepSeek-V2
    (2024), section 2.1 (queries not compressed).
    """

    w_q: np.ndarray  # (d_model, n_heads * (d_nope + d_rope)); a head's last d_rope are turned
    w_c: np.ndarray  # (d_model, c)
    w_r: np.ndarray  # (d_model, d_rope)
    w_uk: np.ndarray  # (c, n_heads * d_nope), U_K side by side
    w_uv: np.ndarray  # (c, n_heads * d_value), U_V side by side
    w_o: np.ndarray  # (n_heads * d_value, d_out)
    n_heads: int
    rope: float = 10_000.0
    pairs: str = "halves"
    absorbed: bool = True  # the form that `attend` takes; both give the same
    epsilon: float | None = None  # C is divided by sqrt(mean(C^2) + epsilon), as in DeepSeek-V2,
    # whose gains belong in w_uk and w_uv
    u_k: np.ndarray = field(init=False, repr=False)
    u_v: np.ndarray = field(init=False, repr=False)

    def __post_init__(self):
        d_model = np.shape(self.w_q)[0] if np.ndim(self.w_q) else 0
        d_head = _width(self, "w_q", d_model, self.n_heads)
        c, d_rope = (_width(self, name, d_model) for name in ("w_c", "w_r"))
        d_nope, d_value = (_width(self, name, c, self.n_heads) for name in ("w_uk", "w_uv"))
        if d_head != d_nope + d_rope:
            raise ValueError(
                f"w_q makes queries of {d_head} channels a head, but keys have {d_nope} from w_uk "
                f"and {d_rope} from w_r, together {d_nope + d_rope}: a dot product needs the same."
            )
        _width(self, "w_o", d_value * self.n_heads)
        _check_rope(self, d_rope)
        object.__setattr__(self, "u_k", formulas.split(self.w_uk, self.n_heads))
        object.__setattr__(self, "u_v", formulas.split(self.w_uv, self.n_heads))

    @np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
    def project(self, x, first=0):
        """Queries of x, and the one table of rows [C, R] that tokens look at.

        As in `GroupedQuery`; q is (..., n_heads, T, d_nope + d_rope), the table (..., 1, T,
        c + d_rope).
        """
        x = _tokens(x, self.w_q)
        q, c, r = (
            formulas.split(formulas.project(x, getattr(self, name), name), n_blocks)
            for name, n_blocks in (("w_q", self.n_heads), ("w_c", 1), ("w_r", 1))
        )
        if self.epsilon is not None:
            size = inputs.fits((c * c).mean(axis=-1, keepdims=True), c.dtype, "the mean of C^2")
            c = c / np.sqrt(size + self.epsilon, dtype=c.dtype)
        nope, pairs = np.split(q, [-r.shape[-1]], axis=-1)
        q = np.concatenate([nope, _placed(self, pairs, first)], axis=-1)
        return q, (np.concatenate([c, _placed(self, r, first)], axis=-1),)

    @np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
    def attend(self, q, rows, mask=None):
        """Output (..., T, d_out) and weights (..., n_heads, T, n_keys) of queries that look."""
        mask = inputs.mask_or_none(mask, (*q.shape[:-1], rows.shape[-2]))
        look = self._absorbed if self.absorbed else self._expanded
        heads, weights = look(q, rows, mask, q.shape[-1] ** -0.5)
        return formulas.project(formulas.concat(heads), self.w_o, "w_o"), weights

    def _expanded(self, q, rows, mask, scale):
        c, r = np.split(rows, [self.u_k.shape[-2]], axis=-1)
        nope = c @ self.u_k  # (..., n_heads, T, d_nope)
        r = np.broadcast_to(r, (*nope.shape[:-1], r.shape[-1]))
        return attend_in_groups(q, np.concatenate([nope, r], axis=-1), c @ self.u_v, mask, scale)

    def _absorbed(self, q, rows, mask, scale):
        n, d_nope = self.u_k.shape[-2:]
        nope, pairs = np.split(q, [d_nope], axis=-1)
        q = np.concatenate([nope @ formulas.transpose(self.u_k), pairs], axis=-1)
        c, weights = attend_in_groups(q, rows, rows[..., :n], mask, scale)
        return c @ self.u_v, weights


def _width(layer, name, n_rows, n_blocks=1):
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


def _check_rope(layer, d_head):
    """Refuse a base, a convention or a width by which nothing can be turned."""
    frequencies(d_head, layer.rope)
    check_pairs(layer.pairs)


def _placed(layer, part, first):
    """Queries or keys turned to their positions: first, first + 1, ..."""
    positions = np.arange(first, first + part.shape[-2])
    return turn(part, positions, frequencies(part.shape[-1], layer.rope), layer.pairs)


def _tokens(x, w_q):
    """Tokens as floats, of the width that the layer reads."""
    x, _ = inputs.floats(x, "x")
    inputs.needs_axes(x, "x", 2, "(..., T, d_model)")
    if x.shape[-1] != len(w_q):
        raise ValueError(
            f"x has {x.shape[-1]} channels, but w_q has {len(w_q)} rows, one for each channel."
        )
    return x
