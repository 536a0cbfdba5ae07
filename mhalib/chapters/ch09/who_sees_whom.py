"""Chapter 09: encoder, decoder, cross-attention and cache as masks of one head."""

from functools import partial
from types import SimpleNamespace

import numpy as np

from mhalib.attention import causal_mask, softmax
from mhalib.chapters.ch09.mask import Mask
from mhalib.live.controls import chooser, column, row
from mhalib.live.explorer import Explorer, goal, not_yet, reached, reached_if
from mhalib.pictures import HEAD_COLOURS, Heatmap, share
from mhalib.pictures.wording import choice
from mhalib.running_sentence import WHO, WORDS, features, head

PAD = "pad"
TEXTS = {
    "none": WORDS,
    "2 at the end": (*WORDS[:4], PAD, PAD),
    "2 at the start": (PAD, PAD, *WORDS[:4]),
}
WRITTEN = ("The", "cat")  # what a decoder has written so far, in cross-attention
SETTINGS = ("encoder", "causal decoder", "causal, with a cache", "cross-attention")
HIDDEN = ("before softmax", "after softmax", "after, renormalised")
T = len(WORDS)


def table_of(words):
    """Features of words; padding is a row of zeros, and positions start after it."""
    real = [word for word in words if word != PAD]
    x = np.zeros((len(words), len(features(real)[0])))
    x[[i for i, word in enumerate(words) if word != PAD]] = features(real)
    return x


def rows_that_look(setting):
    """Which rows of the table have a query: all, the last two (a cache), or the written words."""
    return {"causal, with a cache": slice(T - 2, T), "cross-attention": slice(0, 2)}.get(
        setting, slice(0, T)
    )


def mask_of(setting, words):
    """Who may see whom, (n_queries, T): the setting's mask, and no padding as a key."""
    rows = rows_that_look(setting)
    n_queries = rows.stop - rows.start
    causal = causal_mask(n_queries, T) if "causal" in setting else np.ones((n_queries, T), bool)
    return causal & np.array([word != PAD for word in words])


def weights_of(setting, words, hidden):
    """The weights of the head that asks who, (n_queries, T)."""
    x, (w_q, w_k), mask = table_of(words), head(WHO), mask_of(setting, words)
    looks = table_of(WRITTEN) if setting == "cross-attention" else x[rows_that_look(setting)]
    logits = (looks @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1])
    if hidden == "before softmax":
        return softmax(logits, mask)
    kept = softmax(logits) * mask
    if hidden == "after softmax":
        return kept
    total = kept.sum(axis=-1, keepdims=True)
    return kept / np.where(total == 0, 1, total)


@goal("let the fifth word, “the”, give “cat” .85 or more: no logit moves.")
def more_for_cat(state, found):
    if state.words != WORDS or state.setting not in SETTINGS[:2]:
        return not_yet("The fifth word, “the”, must look, and nothing be padding.")
    cat = state.seen[4, 1]
    return reached_if(cat >= 0.85, f"It gives “cat” {share(cat)}.")


@goal("make a row that may see nothing at all.")
def empty_row(state, found):
    empty = int((state.mask.sum(axis=1) == 0).sum())
    if not empty:
        return not_yet(f"The emptiest row sees {state.mask.sum(axis=1).min()}.")
    return reached(f"{empty} of them: padding with nothing but padding before it.")


@goal("lose budget: a word whose weights add up to less than .10.")
def lost_budget(state, found):
    real = [word != PAD for word in state.queries]
    least = float(state.seen[real].sum(axis=1).min(initial=1))
    return reached_if(least < 0.1, f"The least is {share(least)}.")


class WhoSeesWhom(Explorer):
    """Choose what the text is used for, where it is padded, and when the mask acts."""

    examples = {"start": (SETTINGS[0], "none", HIDDEN[0])}
    goals = (more_for_cat, empty_row, lost_budget)

    def __init__(self):
        super().__init__()
        self.setting = self.watch(chooser("Used as", SETTINGS))
        self.padding = self.watch(chooser("Padding", list(TEXTS)))
        self.hidden = self.watch(chooser("Hide", HIDDEN))
        self.refresh()
        self.view = column(
            row(*map(column, self.frames)),
            row(
                column(self.setting, self.padding, self.hidden, self.sentence_line),
                column(self.goal_line, row(*self.goal_buttons, self.back_button)),
            ),
            width="100%",
        )

    def apply(self, example):
        self.setting.value, self.padding.value, self.hidden.value = example

    def read(self):
        setting, words = self.setting.value, TEXTS[self.padding.value]
        rows = rows_that_look(setting)
        return SimpleNamespace(
            setting=setting,
            words=words,
            hidden=self.hidden.value,
            queries=WRITTEN if setting == "cross-attention" else words[rows],
            rows=rows,
            mask=mask_of(setting, words),
            seen=weights_of(setting, words, self.hidden.value),
        )

    def draw(self, state):
        tables = np.full((2, T, T), np.nan)
        tables[:, state.rows] = state.mask, state.seen
        crossed = state.setting == "cross-attention"
        labels = (WRITTEN + WORDS[2:] if crossed else state.words, state.words)
        style = {"queries": labels[0], "keys": labels[1], "colour": HEAD_COLOURS[0]}
        weights = {"table": tables[1], "hidden": tables[0] == 0}
        return self.drawn(
            (partial(Mask, "who may see whom", **style), {"table": tables[0]}),
            (partial(Heatmap, "weights of head A, who", **style), weights),
            shape=labels,
        )

    def describe(self, state):
        real = [i for i, word in enumerate(state.queries) if word != PAD]
        if not real:
            return "Only padding looks here; what it gets is thrown away."
        seen, sums = state.mask.sum(axis=1), state.seen.sum(axis=1)
        low, high = seen[real].min(), seen[real].max()
        may = f"{low} to {high}" if low < high else f"{high}"
        said = [f"{state.setting.capitalize()}: a word may see {may} of the {T} places."]
        for i in (4, 2, real[-1]):  # "the" if it is there, else "sat", else the last word
            if i in real and sums[i] > 0.995:
                said.append(f"“{state.queries[i]}” {choice(state.words, state.seen[i])}.")
                break
        empty = int((seen == 0).sum())
        if empty:
            row = (
                "1 row sees nothing and gives"
                if empty == 1
                else f"{empty} rows see nothing and give"
            )
            said.append(f"{row} nothing.")
        lost = real[int(np.argmin(sums[real]))]
        if sums[lost] < 0.995:
            said.append(
                f"The row of “{state.queries[lost]}” adds up to {share(sums[lost])}: what it gave "
                "to hidden places is lost."
            )
        return " ".join(said)
