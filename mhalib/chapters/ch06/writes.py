"""Chapter 06: what each head writes into the stream, one word at a time."""

from functools import partial
from types import SimpleNamespace

import numpy as np

from mhalib.attention import softmax
from mhalib.chapters.ch06.stream import Stream, WriteTable
from mhalib.live.controls import chooser, column, heading, put, row, slider
from mhalib.live.explorer import Explorer, goal, not_yet, reached_if
from mhalib.pictures import HEAD_COLOURS, short, wording
from mhalib.pictures.wording import HEADS
from mhalib.running_sentence import CARRIED, WHERE, WHO, WORDS, features, head

ASKS = (WHO, WHERE, {})  # head C asks for nothing and looks at all alike
BOTH, KEEP_WHO, KEEP_WHERE = np.eye(2), np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
WHO_AS_WHERE, WHERE_AS_WHO = np.eye(2, k=1), np.eye(2, k=-1)
W_O = {  # rows: head A's who and where, head B's, head C's; columns: the stream's who and where
    "A who, B where, C minus both": np.vstack([KEEP_WHO, KEEP_WHERE, -BOTH]),
    "half of all: A plus, B plus, C minus": np.vstack([BOTH, BOTH, -BOTH]) / 2,
    "A's who as where, B's where as who": np.vstack([WHO_AS_WHERE, WHERE_AS_WHO, -BOTH]),
}
CLOSE = 0.2  # ends of the stream that are no further apart count as one


@goal("let the writes to “sat” add up to (1, 8): who of “cat”, where of “mat”.")
def who_and_where(state, found):
    away = np.linalg.norm(state.writes.sum(axis=0) - (1, 8))
    if state.word != "sat":
        return not_yet("This goal is for the word “sat”.")
    return reached_if(away < CLOSE, f"The sum is {away:.2f} away.")


@goal("make the writes cancel, with no factor below .20.")
def cancel(state, found):
    moved, least = np.linalg.norm(state.end - state.start), state.factors.min()
    if least < 0.2:
        return not_yet(f"The smallest factor is {least:.2f}; let all three be heard.")
    return reached_if(moved < CLOSE, f"The stream moves by {moved:.2f}.")


@goal("keep a ghost; come back to its ★ with a factor changed by .40 or more.")
def same_end(state, found):
    if not state.kept:
        return not_yet("Press “Keep a ghost” first.")
    end, factors = state.kept
    away, change = np.linalg.norm(state.end - end), abs(state.factors - factors).max()
    now = f"★ is {away:.2f} from its ghost; the largest change of a factor is {change:.2f}."
    return reached_if(away < CLOSE and change >= 0.4, now)


class Writes(Explorer):
    """Three heads of the running sentence write into a stream of two channels, who and where."""

    sentence_lines = 7
    goals = (who_and_where, cancel, same_end)
    examples = {"start": (1.0, 1.0, 1.0)}

    def __init__(self):
        x, made = features(WORDS), map(head, ASKS)
        logits = [(x @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1]) for w_q, w_k in made]
        self.weights = softmax(np.array(logits))
        self.values = np.array([CARRIED[word][:2] for word in WORDS], float)  # (who, where)
        self.heads = self.weights @ self.values  # (3, 6, 2): what each head brings to each word
        super().__init__()
        numbered = [(f"{word} ({place})", place) for place, word in enumerate(WORDS)]
        self.word = self.watch(chooser("word", numbered, 2))
        self.w_o = self.watch(chooser("W_O", list(W_O), width="390px"))
        self.factors = [
            self.watch(slider(f"head {HEADS[r]}", 0, 1.5, 1.0, 0.01, HEAD_COLOURS[r], ".2f"))
            for r in range(3)
        ]
        self.refresh()
        panel = [heading("factor on each head's write, 0 to 1.5 (0 mutes it)"), *self.factors]
        buttons = row(*self.goal_buttons, self.back_button, self.ghost_button)
        left = column(self.frames[0], self.sentence_line)
        self.view = column(
            row(column(self.word), column(self.w_o)),
            row(left, column(self.frames[1], *panel, self.goal_line, buttons)),
            width="100%",
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
            word=WORDS[word],
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
        ghost, names = state.kept[0] if state.kept else None, ["who", "where"]
        stream = {"start": state.start, "writes": state.writes, "ghost": ghost}
        table = {"writes": state.writes, "cosines": state.cosines}
        return self.drawn((partial(Stream, names), stream), (partial(WriteTable, names), table))

    def describe(self, state):
        looks = [wording.choice(WORDS, weights) for weights in state.weights]
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
        put(self.factors, factors)
