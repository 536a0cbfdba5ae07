"""Chapter 06: what each head writes into the stream, one word at a time."""

from types import SimpleNamespace

import ipywidgets as widgets
import numpy as np

from mhalib import running_sentence
from mhalib.attention import softmax
from mhalib.chapters.ch06.stream import Stream, WriteTable
from mhalib.live import Explorer, Goal, Verdict, chooser, column, heading, row, slider
from mhalib.pictures import HEAD_COLOURS, short, wording
from mhalib.pictures.wording import HEADS
from mhalib.running_sentence import CARRIED

ASKS = (
    running_sentence.WHO,
    running_sentence.WHERE,
    {},
)  # head C asks for nothing and looks at all alike
KEEP_WHO, KEEP_WHERE = np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
SWAP = np.array([[0.0, 1.0], [1.0, 0.0]])
W_O = {  # rows: head A's who and where, head B's, head C's; columns: the stream's who and where
    "A who, B where, C minus both": np.vstack([KEEP_WHO, KEEP_WHERE, -np.eye(2)]),
    "half of all: A plus, B plus, C minus": np.vstack([np.eye(2), np.eye(2), -np.eye(2)]) / 2,
    "A's who as where, B's where as who": np.vstack(
        [KEEP_WHO @ SWAP, KEEP_WHERE @ SWAP, -np.eye(2)]
    ),
}


class Writes(Explorer):
    """Three heads of the running sentence write into a stream of two channels, who and where."""

    sentence_lines = 7
    words = running_sentence.WORDS
    examples = {"start": (1.0, 1.0, 1.0)}

    def __init__(self):
        self.goals = WRITE_GOALS
        x = running_sentence.features(self.words)
        made = [running_sentence.head(asks) for asks in ASKS]
        logits = [(x @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1]) for w_q, w_k in made]
        self.weights = softmax(np.array(logits))
        self.values = np.array([CARRIED[word][:2] for word in self.words], float)  # (who, where)
        self.heads = self.weights @ self.values  # (3, 6, 2): what each head brings to each word
        super().__init__()
        numbered = [(f"{word} ({place})", place) for place, word in enumerate(self.words)]
        self.word = self.watch(chooser("word", numbered, 2))
        self.w_o = self.watch(chooser("W_O", list(W_O), width="390px"))
        self.factors = [
            self.watch(slider(f"head {HEADS[r]}", 0, 1.5, 1.0, 0.01, HEAD_COLOURS[r], ".2f"))
            for r in range(3)
        ]
        self.refresh()
        panel = [heading("factor on each head's write, 0 to 1.5 (0 mutes it)"), *self.factors]
        buttons = row(*self.goal_buttons, self.back_button, self.ghost_button)
        self.view = widgets.VBox(
            [
                row(column(self.word), column(self.w_o)),
                row(
                    column(*self.frames[:1], self.sentence_line),
                    column(*self.frames[1:], *panel, self.goal_line, buttons),
                ),
            ],
            layout={"width": "100%", "overflow": "visible"},
        )

    def read(self):
        word = self.word.value
        factors = np.round([control.value for control in self.factors], 2)  # as the boxes say
        w_o = W_O[self.w_o.value].reshape(3, 2, 2)  # a block of rows for each head
        writes = factors[:, None] * (self.heads @ w_o)[:, word]
        sizes = np.linalg.norm(writes, axis=1)
        with np.errstate(invalid="ignore"):
            cosines = writes @ writes.T / np.outer(sizes, sizes)
        kept = self.keepsake
        return SimpleNamespace(
            word=self.words[word],
            weights=self.weights[:, word],
            start=self.values[word],
            factors=factors,
            writes=writes,
            sizes=sizes,
            cosines=cosines,
            end=self.values[word] + writes.sum(axis=0),
            kept=kept and (kept.end, kept.factors),
        )

    def draw(self, state):
        ghost = state.kept[0] if state.kept else None
        if not self.pictures:
            names = ["who", "where"]
            return [
                Stream(names, state.start, state.writes, ghost),
                WriteTable(names, state.writes, state.cosines),
            ]
        self.pictures[0].update(state.start, state.writes, ghost)
        self.pictures[1].update(state.writes, state.cosines)
        return self.pictures

    def describe(self, state):
        looks = [wording.choice(self.words, weights) for weights in state.weights]
        told = ", ".join(f"head {HEADS[r]} {look}" for r, look in enumerate(looks))
        added, end = (
            f"({short(who, 2)}, {short(where, 2)})"
            for who, where in (state.writes.sum(axis=0), state.end)
        )
        largest = int(state.sizes.argmax())
        size = f"the largest write is that of head {HEADS[largest]} ({state.sizes[largest]:.2f})"
        if not state.sizes.any():
            size = "nobody writes"
        before = f"({state.start[0]:.0f}, {state.start[1]:.0f})"
        return (
            f"“{state.word}” looks: {told}. The writes add up to {added}; {size}. The stream goes "
            f"from {before} to {end}."
        )

    def apply(self, factors):
        self.word.value, self.w_o.value = 2, next(iter(W_O))
        for control, factor in zip(self.factors, factors, strict=True):
            control.value = factor


NEAR = 0.2


def _who_and_where(state, found):
    away = np.linalg.norm(state.writes.sum(axis=0) - (1, 8))
    if state.word != "sat":
        return Verdict("not yet", "This goal is for the word “sat”.")
    return Verdict("reached" if away < NEAR else "not yet", f"The sum is {away:.2f} away.")


def _cancel(state, found):
    moved, least = np.linalg.norm(state.end - state.start), state.factors.min()
    if least < 0.2:
        return Verdict("not yet", f"The smallest factor is {least:.2f}; let all three be heard.")
    return Verdict("reached" if moved < NEAR else "not yet", f"The stream moves by {moved:.2f}.")


def _same_end(state, found):
    if not state.kept:
        return Verdict("not yet", "Press “Keep a ghost” first.")
    end, factors = state.kept
    away, change = np.linalg.norm(state.end - end), abs(state.factors - factors).max()
    now = f"★ is {away:.2f} from its ghost; the largest change of a factor is {change:.2f}."
    return Verdict("reached" if away < NEAR and change >= 0.4 else "not yet", now)


WRITE_GOALS = (
    Goal("let the writes to “sat” add up to (1, 8): who of “cat”, where of “mat”.", _who_and_where),
    Goal("make the writes cancel, with no factor below .20.", _cancel),
    Goal("keep a ghost; come back to its ★ with a factor changed by .40 or more.", _same_end),
)
