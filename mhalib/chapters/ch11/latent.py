"""MLA: all heads share one narrow table, from which each makes keys and values of its own."""

from dataclasses import dataclass, field

import numpy as np

from mhalib import formulas, inputs
from mhalib.rotary import check_turn
from mhalib.sharing import attend_in_groups, block_width, placed, tokens_of


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
        d_head = block_width(self, "w_q", d_model, self.n_heads)
        c, d_rope = (block_width(self, name, d_model) for name in ("w_c", "w_r"))
        d_nope, d_value = (block_width(self, name, c, self.n_heads) for name in ("w_uk", "w_uv"))
        if d_head != d_nope + d_rope:
            raise ValueError(
                f"w_q makes queries of {d_head} channels a head, but keys have {d_nope} from w_uk "
                f"and {d_rope} from w_r, together {d_nope + d_rope}: a dot product needs the same."
            )
        block_width(self, "w_o", d_value * self.n_heads)
        check_turn(d_rope, self.rope, self.pairs)
        object.__setattr__(self, "u_k", formulas.split(self.w_uk, self.n_heads))
        object.__setattr__(self, "u_v", formulas.split(self.w_uv, self.n_heads))

    @np.errstate(over="ignore", invalid="ignore")  # what overflows is refused
    def project(self, x, first=0):
        """Queries of x, and the one table of rows [C, R] that tokens look at.

        As in `GroupedQuery`; q is (..., n_heads, T, d_nope + d_rope), the table (..., 1, T,
        c + d_rope).
        """
        x = tokens_of(x, self.w_q)
        q, c, r = (
            formulas.split(formulas.project(x, getattr(self, name), name), n_blocks)
            for name, n_blocks in (("w_q", self.n_heads), ("w_c", 1), ("w_r", 1))
        )
        if self.epsilon is not None:
            size = inputs.fits((c * c).mean(axis=-1, keepdims=True), c.dtype, "the mean of C^2")
            c = c / np.sqrt(size + self.epsilon, dtype=c.dtype)
        nope, pairs = np.split(q, [-r.shape[-1]], axis=-1)
        q = np.concatenate([nope, placed(self, pairs, first)], axis=-1)
        return q, (np.concatenate([c, placed(self, r, first)], axis=-1),)

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
