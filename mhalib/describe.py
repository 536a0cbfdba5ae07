"""The same arrays as the picture, as one sentence of plain text."""

import numpy as np

HEADS = "ABCDEFGHI"


def percent(weight):
    """A weight in words: whole percents, one decimal near 0 and 1, never a false 0% or 100%."""
    if weight < 0.0005:
        return "under 0.1%" if weight > 0 else "0%"
    if weight > 0.9995:
        return "over 99.9%" if weight < 1 else "100%"
    return f"{100 * weight:.{0 if 0.0095 < weight < 0.9905 else 1}f}%"


def plain(number):
    """A number without needless zeros, with a real minus sign: '5', '−4', '.11'."""
    text = f"{round(float(number), 2) + 0:g}".replace("-", "−")
    return text.removeprefix("0") if text.startswith("0.") else text.replace("−0.", "−.")


def quoted(words):
    """“cat”, “mat” and “sat”."""
    *first, last = [f"“{word}”" for word in words]
    return f"{', '.join(first)} and {last}" if first else last


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


def one_row(words, weights):
    """One softmax: every word with its share."""
    shares = [
        f"“{word}” gets {percent(weight)}" for word, weight in zip(words, weights, strict=True)
    ]
    return f"{', '.join(shares)}: together 100%."


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


def output_plane(names, star, square):
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


def whole_maps(words, weights, merged, average):
    """The row in which merged differs most from the average of weights."""
    row = int(np.argmax(abs(merged - average).sum(axis=-1)))
    heads = heads_and_merged(words, weights[:, row], merged[row])
    return f"Merging changes the row of “{words[row]}” most: {heads[0].lower()}{heads[1:]}"


def lit_rows(words, blocks):
    """Which rows of which head's block hold a change: 'head A “cat”, head B nothing'."""
    rows = ([w for w, row in zip(words, block, strict=True) if row.any()] for block in blocks)
    named = zip(HEADS[: len(blocks)], rows, strict=True)
    return ", ".join(f"head {letter} {quoted(lit) if lit else 'nothing'}" for letter, lit in named)


def two_splits(words, word, codes, changed):
    """What a changed word changes in the blocks that each code makes."""
    if word not in words:
        why = "No word is changed" if word == "nothing" else f"“{word}” is not among the words"
        return f"{why}, so nothing lights up."
    lit = [
        f"{code} lights up {lit_rows(words, blocks)}"
        for code, blocks in zip(codes, changed, strict=True)
    ]
    return f"“{word}” is changed: {'; '.join(lit)}."


def layer(name, size):
    """How a published model cuts its stream into heads."""
    wide = size.n_heads * size.d_value
    pair = f", with keys and values for {size.n_kv}" if size.n_kv < size.n_heads else ""
    values = f" (values {size.d_value})" if size.d_value != size.d_head else ""
    same = "as wide as the stream" if wide == size.d_model else f"so W_O is {wide} × {size.d_model}"
    heads = f"{size.n_heads} head{'s' if size.n_heads > 1 else ''}"
    return (
        f"{name}: a stream of {size.d_model} channels, {heads} of {size.d_head} channels"
        f"{values}{pair}; side by side they have {wide}, {same}."
    )


def routes(words, weights):
    """Who looks elsewhere: '“sat” to “cat” (1.00); the other 5 look most at themselves.'"""
    said, rest = [], 0
    for i, row in enumerate(weights):
        top = favourites(row)
        if list(top) == [i]:
            rest += 1
        else:
            said.append(f"“{words[i]}” to {quoted(words[j] for j in top)} ({row[top].mean():.2f})")
    if rest:
        others = "each" if not said else "the other one" if rest == 1 else f"the other {rest}"
        alone = others != f"the other {rest}"
        said.append(f"{others} look{'s' * alone} most at {'itself' if alone else 'themselves'}")
    return "; ".join(said) + "."


def token(word, room=9):
    """A token of a trained model, cut to `room` characters: '␣' for nothing but blanks."""
    shown = "".join(c if c.isprintable() else "⏎" if c == "\n" else " " for c in word).strip()
    return (shown if len(shown) <= room else f"{shown[: room - 1]}…") or "␣"


def most_weight(queries, keys, table):
    """The largest weight of a table: 'the most is 93%, from “sat” to “cat”.'"""
    i, j = np.unravel_index(np.argmax(table), np.shape(table))
    return (
        f"the most is {percent(np.asarray(table)[i, j])}, from “{token(queries[i])}” to "
        f"“{token(keys[j])}”."
    )
