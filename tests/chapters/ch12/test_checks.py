"""Chapter 12's checks, asked like a learner: each slip has its own message."""

import numpy as np
from slips import Checks

from mhalib.chapters import ch12


def rows(logits):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def with_row(row):
    """An answer in which every head but the spared one has the row that `row` makes."""

    def answer(logits, spared):
        weights = rows(logits)
        for head in set(range(len(logits))) - {spared}:
            weights[head] = row(logits, spared)
        return weights

    return answer


def merged(logits, spared=None):
    return rows(logits.sum(axis=0) / np.sqrt(len(logits)))


SLIPS = {}
SLIPS[ch12.check_spare] = {
    "no head was spared": lambda s, n: np.stack([merged(s)] * len(s)),
    "not divided by sqrt(h)": with_row(lambda s, n: rows(s.sum(axis=0))),
    "that is the average of logits": with_row(lambda s, n: rows(s.mean(axis=0))),
    "that is the average of weights": with_row(lambda s, n: rows(s).mean(axis=0)),
    "left out of the sum": with_row(lambda s, n: merged(np.delete(s, n, axis=0))),
    "the other way round": lambda s, n: np.array(
        [merged(s) if r == n else rows(s[r]) for r in range(len(s))]
    ),
    "a softmax over the last axis is missing": lambda s, n: np.array(
        [s[r] if r == n else s.sum(axis=0) / np.sqrt(len(s)) for r in range(len(s))]
    ),
    "this is one row for all": lambda s, n: merged(s),
    "stopped with ValueError": lambda s, n: s.reshape(2),
    "changed its input": lambda s, n: s.fill(0),
}


def induced(ids):
    pattern = np.zeros((len(ids), len(ids)), bool)
    for i in range(len(ids)):
        for j in range(1, i + 1):
            pattern[i, j] = ids[j - 1] == ids[i]
    return pattern


def same(ids):
    return np.equal.outer(ids, ids)


def shifted(table, by):
    out = np.zeros_like(table)
    out[:, max(by, 0) : len(out) + min(by, 0)] = table[:, max(-by, 0) : len(out) - max(by, 0)]
    return out


SLIPS[ch12.check_induction_pattern] = {
    "rows look at what comes later": lambda ids: shifted(same(ids), 1),
    "j = i is missing": lambda ids: np.tril(shifted(same(ids), 1), -1),
    "that is the same token, a duplicate": lambda ids: np.tril(same(ids), -1),
    "that is the same token, itself included": lambda ids: np.tril(same(ids)),
    "the token *before* the earlier one": lambda ids: np.tril(shifted(same(ids), -1)),
    "np.roll brings the last token round": lambda ids: np.tril(np.roll(same(ids), 1, 1)),
    "rows and columns are mixed up": lambda ids: np.tril(shifted(same(ids), 1).T),
    "turn it round": lambda ids: np.tril(shifted(same(ids), 1)).T,
    "has shape (11,)": lambda ids: ids == ids[0],
    "must be an array of numbers": lambda ids: "table",
}


def cut(outputs, w_o, muted):
    together = 0
    for r, block in enumerate(outputs):
        if r not in muted:
            together = together + block @ w_o[3 * r : 3 * r + 3]
    return together + np.zeros((7, w_o.shape[1]))


def side_by_side(blocks):
    return np.concatenate(list(blocks), axis=1)


def with_zeros(outputs, muted):
    kept = outputs.copy()
    kept[muted] = 0
    return kept


def left_out(outputs, w_o, muted):
    rest = [r for r in range(5) if r not in muted]
    return side_by_side(outputs[rest]) @ w_o[: 3 * len(rest)]


def spread(outputs, w_o, muted):
    kept = outputs.copy()
    kept[muted] = outputs.mean(axis=0)
    return side_by_side(kept) @ w_o


SLIPS[ch12.check_muted_output] = {
    "nothing is muted yet": lambda o, w, m: cut(o, w, []),
    "the other way round": lambda o, w, m: cut(o, w, [r for r in range(5) if r not in m]),
    "only the first": lambda o, w, m: cut(o, w, m[:1]),
    "only the last": lambda o, w, m: cut(o, w, m[-1:]),
    "made larger to make up for it": lambda o, w, m: cut(o, w, m) * 5 / (5 - len(m)),
    "moved up to rows of W_O": left_out,
    "the others' average": spread,
    "reshape alone mixes": lambda o, w, m: with_zeros(o, m).reshape(7, 15) @ w,
    "W_O is missing": lambda o, w, m: side_by_side(with_zeros(o, m)),
    "set side by side and multiplied": lambda o, w, m: with_zeros(o, m),
    "tokens down": lambda o, w, m: cut(o, w, m).T,
    "changed its input": lambda o, w, m: o.fill(0),
    "with no head muted": lambda o, w, m: cut(o, w, [1, 3]),
}
RIGHT = {
    ch12.check_spare: [with_row(merged)],
    ch12.check_induction_pattern: [induced],
    ch12.check_muted_output: [cut],
}


class TestChecks(Checks):
    chapter, slips, right = ch12, SLIPS, RIGHT
