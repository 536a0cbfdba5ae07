"""Chapter 05: four heads without names; inserted words show by which criterion each looks."""

import functools
import itertools
from functools import partial
from types import SimpleNamespace

import numpy as np

from mhalib.attention import softmax
from mhalib.chapters.ch05.criteria import CRITERIA, STRICTNESS, WISH, criterion
from mhalib.chapters.ch05.graph import Graph
from mhalib.live.controls import chooser, column, fold, heading, row, slider
from mhalib.live.explorer import Explorer, goal, not_yet, reached
from mhalib.merging import RULE_NAMES, merge_logits
from mhalib.pictures import HEAD_COLOURS, INK, Heatmap, share
from mhalib.pictures.wording import HEADS, favourites, quoted
from mhalib.running_sentence import LONG, MORE_FEATURES, features

RIVALS = {  # places, not criteria: on the short sentence they draw the same arrows
    "noun → previous word": (("noun",), (), -1),
    "verb → previous word": (("verb",), (), -1),
    "preposition → 2 words on": (("preposition",), (), 2),
}
NAMES = dict(sorted((CRITERIA | RIVALS).items()))
MASKED = (  # heads A to D
    "verb → subject",
    "previous word",
    "noun → determiner",
    "preposition → object",
)
UNNAMED = "?"
TIE = 1e-6  # weights that differ by less are alike
INSERTS = ("quietly", "black")
SENTENCES = [kept for n in range(3) for kept in itertools.combinations(INSERTS, n)]


def words_with(inserted):
    """The sentence with these words inserted."""
    return [word for word in LONG if word not in INSERTS or word in inserted]


def logits_of(name, words, strictness=STRICTNESS):
    """The logits (T, T) of the head with this name."""
    x, (w_q, w_k) = features(words, MORE_FEATURES), criterion(*NAMES[name], strictness)
    return (x @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1])


@functools.cache
def looks_at(name, inserted):
    """Which word each word looks at most, at any strictness of the slider."""
    return logits_of(name, words_with(inserted)).argmax(axis=1)


@goal("name all four heads, each on evidence that leaves one name only.")
def unmasked(state, found):
    found.add((state.shown, state.inserted))
    seen = [sorted(s for r, s in found if r == head) for head in range(len(MASKED))]
    fits = [fitting(head, sentences) for head, sentences in enumerate(seen)]
    named = sum(guess != UNNAMED for guess in state.guesses)
    if state.guesses == MASKED and all(len(names) == 1 for names in fits):
        return reached("Each name is the only one that fits what you saw of its head.")
    said = [f"Named: {named} of {len(MASKED)}.", _about(state, fits[state.shown], seen)]
    if state.guesses == MASKED and len(fits[state.shown]) == 1:
        letters = [HEADS[head] for head, names in enumerate(fits) if len(names) > 1]
        said.append(f"But you have not seen enough of head {' and '.join(letters)} to tell.")
    return not_yet(" ".join(said))


def _about(state, names, seen):
    """What the evidence says of the head on show, and of the name it was given."""
    head, letter = state.shown, HEADS[state.shown]
    guess = state.guesses[head]
    if guess not in (UNNAMED, *names):
        inserted = next(s for s in seen[head] if mismatch(guess, head, s) is not None)
        words, i = words_with(inserted), mismatch(guess, head, inserted)
        would, does = (
            "itself" if at == i else f"“{words[at]}”"
            for at in (looks_at(name, inserted)[i] for name in (guess, MASKED[head]))
        )
        return (
            f"Head {letter} is not “{guess}”: in “{' '.join(words)}” that would have “{words[i]}” "
            f"look at {would}, but it looks at {does}."
        )
    if len(names) > 1:
        return (
            f"By who looks at whom, what you have seen of head {letter} fits {quoted(names)} "
            "alike: insert a word that tells them apart."
        )
    return f"What you have seen of head {letter} fits one name only."


@goal("with both words inserted, where does merging lose “sat” to “cat”? See it kept, and lost.")
def when_a_route_is_lost(state, found):
    if state.inserted != INSERTS:
        return not_yet("Insert both words.")
    sat, cat = state.words.index("sat"), state.words.index("cat")
    kept = state.merged[sat, cat]
    ahead = kept - np.delete(state.merged[sat], cat).max()
    if abs(ahead) > TIE:
        found.add("kept" if ahead > 0 else "lost")
    result = "a tie" if abs(ahead) <= TIE else "kept" if ahead > 0 else "lost"
    if len(found) == 2:
        return reached(
            f"The four heads together: for “cat” the wish, {WISH}; against it 8 times the "
            f"strictness. So {WISH // 8} is where it turns, whatever the rule."
        )
    return not_yet(f"Strictness {state.strictness:g}: {share(kept)} from “sat” to “cat”, {result}.")


class Unmask(Explorer):
    """Insert words, watch the arrows, name the four heads; beside them the merged head's graph."""

    sentence_lines, sentence_lines_wide, goal_lines = 10, 4, 8
    examples = {"start": ()}
    goals = (unmasked, when_a_route_is_lost)

    def __init__(self):
        self.guesses = [UNNAMED] * len(MASKED)
        super().__init__()
        out_in = [("left out", False), ("inserted", True)]
        self.inserts = [self.watch(chooser(word, out_in, width="180px")) for word in INSERTS]
        heads = [(f"head {HEADS[r]}", r) for r in range(len(MASKED))]
        self.shown_head = self.watch(chooser("Show", heads, width="180px"), self._show_guess)
        names = [UNNAMED, *NAMES]
        self.name = self.watch(chooser("It is", names, width="300px"), self._note_guess)
        self.strictness = self.watch(slider("strictness", 1, 5, STRICTNESS, 0.5, INK))
        self.threshold = self.watch(slider("weight", 0.05, 0.95, 0.1, 0.05, INK, ".2f"))
        self.rule = self.watch(chooser("Merged by", RULE_NAMES))
        self.back_button.description = "Start again"
        self.refresh()
        left = row(*self.inserts), self.shown_head, self.name
        strict = heading("what a place further off costs, 1 to 5"), self.strictness
        drawn = fold("Draw fewer arrows", heading("smallest weight, 0.05 to 0.95"), self.threshold)
        buttons = row(*self.goal_buttons, self.back_button)
        self.view = column(
            row(*map(column, self.frames[:2])),
            row(
                column(*left, *strict, self.goal_line, buttons, drawn),
                column(self.rule, self.frames[2]),
            ),
            self.sentence_line,
            width="100%",
        )

    def _show_guess(self):
        """Show the name that was given to the head now on show."""
        with self.one_redraw():
            self.name.value = self.guesses[self.shown_head.value]

    def _note_guess(self):
        if not self._muted:
            self.guesses[self.shown_head.value] = self.name.value
            self.refresh()

    def apply(self, example):
        """Start again: no word inserted, no head named, nothing seen."""
        self.guesses = [UNNAMED] * len(MASKED)
        self.found.clear()
        for control in (*self.inserts, self.shown_head, self.name):
            control.index = 0
        self.strictness.value, self.threshold.value, self.rule.value = STRICTNESS, 0.1, "add"

    def read(self):
        inserted = tuple(
            word for word, control in zip(INSERTS, self.inserts, strict=True) if control.value
        )
        words = words_with(inserted)
        strictness = self.strictness.value
        logits = np.array([logits_of(name, words, strictness) for name in MASKED])
        return SimpleNamespace(
            words=words,
            inserted=inserted,
            strictness=strictness,
            logits=logits,
            weights=softmax(logits),
            merged=softmax(merge_logits(logits, self.rule.value)),
            rule=self.rule.label,
            shown=self.shown_head.value,
            guesses=tuple(self.guesses),
            threshold=self.threshold.value,
        )

    def draw(self, state):
        title, colour = f"head {HEADS[state.shown]}", HEAD_COLOURS[state.shown]
        table, merged = (
            in_place(weights, state.words) for weights in (state.weights[state.shown], state.merged)
        )
        graph, least = partial(Graph, words=LONG), {"threshold": state.threshold}
        return self.drawn(
            (partial(Heatmap, queries=LONG, keys=LONG), {"table": table, "title": title}),
            (graph, least | {"weights": table, "title": title, "colour": colour}),
            (graph, least | {"weights": merged, "title": f"merged, {state.rule}"}),
        )

    def describe(self, state):
        return (
            f"Head {HEADS[state.shown]}: "
            + routes(state.words, state.weights[state.shown])
            + f" Merged ({state.rule}, strictness {state.strictness:g}): "
            + routes(state.words, state.merged)
        )


def in_place(weights, words):
    """Weights (T, T) as a table of the long sentence, NaN for words that are left out."""
    places = [LONG.index(word) for word in words]
    table = np.full((len(LONG), len(LONG)), np.nan)
    table[np.ix_(places, places)] = weights
    return table


def mismatch(name, head, inserted):
    """The first word that a head of this name would have look elsewhere, or None."""
    differ = looks_at(name, inserted) != looks_at(MASKED[head], inserted)
    return int(np.argmax(differ)) if differ.any() else None


def fitting(head, seen):
    """The names that fit all that was seen of a head."""
    return [name for name in NAMES if all(mismatch(name, head, s) is None for s in seen)]


def routes(words, weights):
    """Who looks elsewhere: '“sat” to “cat” (1.00); the other 5 look most at themselves.'"""
    said, rest = [], 0
    for i, looks in enumerate(weights):
        top = favourites(looks)
        if list(top) == [i]:
            rest += 1
        else:
            said.append(
                f"“{words[i]}” to {quoted(words[j] for j in top)} ({looks[top].mean():.2f})"
            )
    if rest:
        others = "each" if not said else "the other one" if rest == 1 else f"the other {rest}"
        alone = others != f"the other {rest}"
        said.append(f"{others} look{'s' * alone} most at {'itself' if alone else 'themselves'}")
    return "; ".join(said) + "."
