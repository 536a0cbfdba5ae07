"""The same arrays as the picture, as one sentence of plain text."""

import numpy as np

from mhalib.pictures.numbers import percent

HEADS = "ABCDEFGHI"


def listed(parts):
    """Parts of a sentence, one after another: a, b and c."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def quoted(words):
    """“cat”, “mat” and “sat”."""
    return listed(f"“{word}”" for word in words)


def favourites(weights):
    """Indices of the keys with the largest weight, all of them in a tie (to half a percent)."""
    return np.flatnonzero(weights > np.max(weights) - 0.005)


def choice(words, weights, verb="puts"):
    """What one row of weights does, as a phrase: 'puts 88% on “cat”'."""
    top = favourites(weights)
    if len(top) == 1:
        return f"{verb} {percent(weights[top[0]])} on “{words[top[0]]}”"
    if len(top) == len(words):
        return "splits evenly" if len(words) == 2 else f"spreads evenly over all {len(words)} words"
    return f"splits, {percent(weights[top].mean())} each on {quoted(words[j] for j in top)}"


def heads_and_merged(words, weights, merged):
    """What each head prefers, what the merged head prefers, and what became of the choices."""
    choices = [choice(words, row) for row in weights]
    if len(set(choices)) == 1:
        heads = f"Each head {choices[0]}"
    else:
        named = zip(HEADS[: len(choices)], choices, strict=True)
        heads = "H" + ", ".join(f"head {letter} {does}" for letter, does in named)[1:]
    fate = _fate(words, weights, merged)
    return f"{heads}. The merged head {choice(words, merged)}{fate}."


def _fate(words, weights, merged):
    top = favourites(merged)
    chosen = [favourites(row) for row in weights]
    if len(top) == 1 and not any(top[0] in head for head in chosen):
        return ", which no head preferred"
    lost = [
        (HEADS[r], words[head[0]], merged[head[0]])
        for r, head in enumerate(chosen)
        if len(head) == 1 and weights[r][head[0]] > 0.5 and merged[head[0]] < 0.1
    ]
    if lost:
        letter, word, weight = lost[0]
        return f" and leaves {percent(weight)} for head {letter}'s “{word}”"
    return ""


def what_is_carried(names, star, square):
    """Where multi-head and the merged head end up."""
    return (
        f"Multi-head carries ({star[0]:.2f}, {star[1]:.2f}), merged "
        f"({square[0]:.2f}, {square[1]:.2f}), as ({names[0]}, {names[1]})."
    )


def most_looked_at(queries, keys, table):
    """For each query the key with the largest number, or those in a tie: '“sat” to “cat”, ...'."""
    top = [quoted(keys[j] for j in favourites(row)) for row in np.abs(table)]
    pairs = (f"“{query}” to {seen}" for query, seen in zip(queries, top, strict=True))
    return f"the largest number of each row is {', '.join(pairs)}."
