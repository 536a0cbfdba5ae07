"""Chapter 02: two codes that cut a table into heads, one of them wrong: which?"""

from functools import partial
from types import SimpleNamespace

import numpy as np

from mhalib import running_sentence
from mhalib.attention import split_heads
from mhalib.chapters.ch02.blocks import Blocks
from mhalib.live.controls import chooser, column, row
from mhalib.live.explorer import Explorer, goal, not_yet, reached
from mhalib.pictures.wording import HEADS, quoted

CODES = ("code 1", "code 2")
NOTHING, NOBODY = "nothing", "not said yet"


def reshape_only(x, n_heads):
    """The bug: numbers in reading order, dealt out to the heads without swapping any axes."""
    n_tokens, d_model = x.shape
    return x.reshape(n_heads, n_tokens, d_model // n_heads)


@goal("one of the two codes is a bug. Change a single word, look, and say which.")
def convicted(state, found):
    lit = state.before.any()
    if state.accused == NOBODY:
        return not_yet("You have evidence: which is it?" if lit else "Change a word and look.")
    if not lit:
        return not_yet("No word has been changed: an accusation needs evidence.")
    if state.twins:
        return not_yet("Both codes light up the same cells: this is no evidence.")
    if state.accused != CODES[state.bug]:
        return not_yet(
            f"In every head {state.accused} lights up the row of “{state.word}” and no other: "
            "that is what a split must do."
        )
    rows = state.after[state.bug].any(axis=(0, 2))
    strangers = [w for w, lit in zip(state.words, rows, strict=True) if lit and w != state.word]
    return reached(
        f"{state.accused} puts “{state.word}” into the rows of {quoted(strangers)}: "
        "words are mixed before any of them can look."
    )


@goal("find two settings, for different reasons, where no word can show the bug.")
def invisible(state, found):
    reasons = [state.n_heads == 1, len(state.words) == 1]
    if state.twins and sum(reasons) == 1:
        found.add("one head" if reasons[0] else "one word")
    now = f"Here the codes give {'the same' if state.twins else 'different'} blocks"
    if all(reasons):
        now += ", for two reasons at once: take one at a time"
    if len(found) == 2:
        return reached(f"Both found: one head, and one word. {now}.")
    return not_yet(f"Found: {', '.join(found)}. {now}." if found else f"{now}.")


class TwoSplits(Explorer):
    """Change one word of x and see which cells of the heads' blocks change, for both codes."""

    sentence_lines = 7
    SHAPES_KEPT = 12
    goals = (convicted, invisible)
    words, d_model = running_sentence.WORDS[:4], 8
    examples = {"case 1": 1, "case 2": 0}  # which code is the bug

    def __init__(self):
        super().__init__()
        self.word = self.watch(chooser("Change", [NOTHING, *self.words]))
        self.n_heads = self.watch(chooser("Heads", [(str(n), n) for n in (1, 2, 4)], 1))
        self.n_words = self.watch(chooser("Words", [(str(n), n) for n in (1, 2, 3, 4)], 2))
        self.accused = self.watch(chooser("The bug is", [NOBODY, *CODES]))
        self.refresh()
        buttons = row(*self.goal_buttons, self.back_button)
        self.view = column(
            row(
                column(row(self.example, self.next_button), self.word, self.accused),
                column(self.n_heads, self.n_words),
            ),
            row(*map(column, self.frames)),
            row(column(self.sentence_line), column(self.goal_line, buttons)),
            width="100%",
        )

    def read(self):
        words, n_heads = self.words[: self.n_words.value], self.n_heads.value
        x = np.arange(len(words) * self.d_model, dtype=float).reshape(len(words), -1)
        changed = x.copy()
        if self.word.value in words:
            changed[words.index(self.word.value)] += 0.5
        bug, codes = self.examples[self.example.value], [split_heads, split_heads]
        codes[bug] = reshape_only
        return SimpleNamespace(
            words=words,
            word=self.word.value,
            before=changed != x,
            after=[code(changed, n_heads) != code(x, n_heads) for code in codes],
            twins=all(np.array_equal(code(x, n_heads), codes[0](x, n_heads)) for code in codes),
            n_heads=n_heads,
            bug=bug,
            accused=self.accused.value,
        )

    def draw(self, state):
        parts = [
            (partial(Blocks, code, state.words), {"before": state.before, "after": after})
            for code, after in zip(CODES, state.after, strict=True)
        ]
        return self.drawn(*parts, shape=(len(state.words), state.n_heads))

    def describe(self, state):
        if state.word not in state.words:
            among = f"“{state.word}” is not among the words"
            why = "No word is changed" if state.word == NOTHING else among
            return f"{why}, so nothing lights up."
        lit = [
            f"{code} lights up {lit_rows(state.words, blocks)}"
            for code, blocks in zip(CODES, state.after, strict=True)
        ]
        return f"“{state.word}” is changed: {'; '.join(lit)}."

    def apply(self, bug):
        self.word.value, self.accused.value = NOTHING, NOBODY
        self.n_heads.value, self.n_words.value = 2, 3


def lit_rows(words, blocks):
    """Which rows of which head's block hold a change: 'head A “cat”, head B nothing'."""
    rows = ([w for w, row in zip(words, block, strict=True) if row.any()] for block in blocks)
    named = zip(HEADS[: len(blocks)], rows, strict=True)
    return ", ".join(f"head {letter} {quoted(lit) if lit else 'nothing'}" for letter, lit in named)
