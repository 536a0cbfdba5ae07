"""Chapter 02: two codes that cut a table into heads, one of them wrong: which?"""

from types import SimpleNamespace

import numpy as np

from mhalib import running_sentence
from mhalib.attention import split_heads
from mhalib.chapters.ch02.blocks import Blocks
from mhalib.live import Explorer, Goal, Verdict, chooser, column, row
from mhalib.pictures import wording
from mhalib.pictures.wording import HEADS, quoted

CODES = ("code 1", "code 2")
NOTHING, NOBODY = "nothing", "not said yet"


def reshape_only(x, n_heads):
    """The bug: numbers in reading order, dealt out to the heads without swapping any axes."""
    n_tokens, d_model = x.shape
    return x.reshape(n_heads, n_tokens, d_model // n_heads)


class TwoSplits(Explorer):
    """Change one word of x and see which cells of the heads' blocks change, for both codes."""

    sentence_lines = 7
    words, d_model = running_sentence.WORDS[:4], 8
    examples = {"case 1": 1, "case 2": 0}  # which code is the bug

    def __init__(self):
        self.goals = SPLIT_GOALS
        super().__init__()
        self.made = {}
        self.bug = self.examples[self.example.value]
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
        codes = [split_heads, split_heads]
        codes[self.bug] = reshape_only
        return SimpleNamespace(
            words=words,
            word=self.word.value,
            before=changed != x,
            after=[code(changed, n_heads) != code(x, n_heads) for code in codes],
            twins=all(np.array_equal(code(x, n_heads), codes[0](x, n_heads)) for code in codes),
            n_heads=n_heads,
            bug=self.bug,
            accused=self.accused.value,
        )

    def draw(self, state):
        size = len(state.words), state.n_heads
        if size not in self.made:
            self.made[size] = [
                Blocks(code, state.words, state.before, after)
                for code, after in zip(CODES, state.after, strict=True)
            ]
        for picture, after in zip(self.made[size], state.after, strict=True):
            picture.update(state.before, after)
        return self.made[size]

    def describe(self, state):
        return two_splits(state.words, state.word, CODES, state.after)

    def apply(self, bug):
        self.bug = bug
        self.word.value, self.accused.value = NOTHING, NOBODY
        self.n_heads.value, self.n_words.value = 2, 3


def _convicted(state, found):
    lit = state.before.any()
    if state.accused == NOBODY:
        hint = "You have evidence: which is it?" if lit else "Change a word and look."
        return Verdict("not yet", hint)
    if not lit:
        return Verdict("not yet", "No word has been changed: an accusation needs evidence.")
    if state.twins:
        return Verdict("not yet", "Both codes light up the same cells: this is no evidence.")
    if state.accused != CODES[state.bug]:
        return Verdict(
            "not yet",
            f"In every head {state.accused} lights up the row of “{state.word}” and no other: "
            "that is what a split must do.",
        )
    rows = state.after[state.bug].any(axis=(0, 2))
    strangers = [w for w, lit in zip(state.words, rows, strict=True) if lit and w != state.word]
    return Verdict(
        "reached",
        f"{state.accused} puts “{state.word}” into the rows of {wording.quoted(strangers)}: "
        "words are mixed before any of them can look.",
    )


def _invisible(state, found):
    reasons = [state.n_heads == 1, len(state.words) == 1]
    if state.twins and sum(reasons) == 1:
        found.add("one head" if reasons[0] else "one word")
    now = f"Here the codes give {'the same' if state.twins else 'different'} blocks"
    if all(reasons):
        now += ", for two reasons at once: take one at a time"
    if len(found) == 2:
        return Verdict("reached", f"Both found: one head, and one word. {now}.")
    so_far = f"Found: {', '.join(found)}. " if found else ""
    return Verdict("not yet", f"{so_far}{now}.")


SPLIT_GOALS = (
    Goal("one of the two codes is a bug. Change a single word, look, and say which.", _convicted),
    Goal("find two settings, for different reasons, where no word can show the bug.", _invisible),
)


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
