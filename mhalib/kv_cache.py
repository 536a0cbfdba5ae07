"""Decoding step by step: what tokens leave behind for those that come after them.

A causal token's keys and values do not depend on what comes later: they are made once and kept.
Each new token makes its own query, leaves its rows and looks at all of them. `causal_run` is the
whole text at once, `decode` any part of it: both give the same.
"""

import numpy as np

from mhalib import inputs
from mhalib.attention import causal_mask


class Cache:
    """The rows of all tokens so far, in memory that is set aside at the first `append`.

    Tables are (..., n_kv, capacity, width), so that a block's rows lie one behind the other and
    are read in one go; `n_tokens` of them are filled. Raises ValueError or TypeError for a
    capacity that is no whole number above 0.
    """

    def __init__(self, capacity):
        inputs.whole_number(capacity, "capacity")
        if capacity < 1:
            raise ValueError(f"capacity must be at least 1 token, but is {capacity}.")
        self.capacity, self.n_tokens, self.tables = capacity, 0, ()

    @property
    def n_bytes(self):
        """Memory that the tokens so far take: ``n_tokens * sum(n_kv * width) * bytes a number``."""
        return sum(table.nbytes for table in self.tables) // self.capacity * self.n_tokens

    def append(self, *rows):
        """Copy new rows behind those that are there; give back all, as views to read only.

        `rows`: one array (..., n_kv, n_new, width) for each table, such as K and V. What was
        given back before does not change. Raises ValueError, and keeps what it had, if they do
        not fit the earlier ones or there is no room for them.
        """
        tables = self.tables or tuple(
            np.empty((*new.shape[:-2], self.capacity, new.shape[-1]), new.dtype) for new in rows
        )
        kinds = [[(*a.shape[:-2], a.shape[-1], str(a.dtype)) for a in s] for s in (tables, rows)]
        if kinds[0] != kinds[1] or len({new.shape[-2] for new in rows}) != 1:
            raise ValueError(
                f"the cache holds tables of {_kinds(tables)}, but the new rows are "
                f"{_kinds(rows)}: it belongs to another layer, batch or dtype."
            )
        start, stop = self.n_tokens, self.n_tokens + rows[0].shape[-2]
        if stop > self.capacity:
            raise ValueError(
                f"the cache holds {start} tokens and has room for {self.capacity}: {stop - start} "
                f"more do not fit; make it with Cache({stop}) or larger."
            )
        for table, new in zip(tables, rows, strict=True):
            table[..., start:stop, :] = new
        self.tables, self.n_tokens = tables, stop
        views = tuple(table[..., :stop, :] for table in tables)
        for view in views:
            view.flags.writeable = False
        return views


def causal_run(layer, x):
    """The whole text at once: ``attend(project(x), causal mask)``.

    `layer`: a `sharing.GroupedQuery`, or what has its two steps; `x`: (..., T, d_model). Returns
    output (..., T, d_out) and weights (..., n_heads, T, T).
    """
    q, rows = layer.project(x)
    return layer.attend(q, *rows, causal_mask(q.shape[-2]))


def decode(layer, x, cache):
    """The next token or tokens: project, append to the cache, look at all that is in it.

    `x`: (..., n_new, d_model), the tokens after the cache's. Returns output (..., n_new, d_out)
    and weights (..., n_heads, n_new, cache.n_tokens). Rows of the whole `causal_run`, however the
    text is cut into steps. Raises ValueError if the cache has no room or belongs elsewhere.
    """
    q, rows = layer.project(x, first=cache.n_tokens)
    rows = cache.append(*rows)
    n_new = q.shape[-2]
    mask = causal_mask(n_new, cache.n_tokens) if n_new > 1 else None  # the last token sees all
    return layer.attend(q, *rows, mask)


def _kinds(tables):
    return " and ".join(
        f"{(*table.shape[:-2], 'tokens', table.shape[-1])} {table.dtype}" for table in tables
    ).replace("'", "")
