"""Chapter 04, the flagship: every head's softmax against the merged softmax."""

from functools import partial
from itertools import product
from types import SimpleNamespace

import ipywidgets as widgets
import numpy as np

from mhalib.attention import softmax
from mhalib.live.controls import chooser, column, fold, heading, room_for, row, slider
from mhalib.live.explorer import Explorer, goal, impossible, not_yet, reached, reached_if
from mhalib.merging import MERGE_RULES, RULE_NAMES, average_of_weights, merge_logits
from mhalib.pictures import HEAD_COLOURS, Lanes, OutputPlane, wording
from mhalib.pictures.wording import HEADS
from mhalib.plane import distance_to_hull
from mhalib.running_sentence import BLOCKS, CARRIED


@goal("win what one row could not: “cat” ≥ .60 in one head, “mat” ≥ .60 in another.")
def won(state, found):
    cat, mat = state.weights[:, 0], state.weights[:, 1]
    pairs = [
        (a, b) for a in np.flatnonzero(cat >= 0.6) for b in np.flatnonzero(mat >= 0.6) if a != b
    ]
    if pairs:
        a, b = pairs[0]
        return reached(
            f"Head {HEADS[a]} gives “cat” {cat[a]:.2f}, head {HEADS[b]} gives “mat” {mat[b]:.2f}."
        )
    return not_yet(f"At best “cat” has {cat.max():.2f} and “mat” {mat.max():.2f}.")


@goal("silence head B in the merged lane (“mat” below .01), touching only head A.")
def silenced(state, found):
    if state.logits.shape != (2, 2) or not np.array_equal(state.logits[1], (0, 10)):
        return not_yet("Head B must stay at 0 and 10: go back to example 1.")
    mat, own = state.merged[1], state.weights[1, 1]
    if mat < 0.01:
        return reached(f"Merged “mat” is {mat:.4f}; head B still gives it {own:.2f}.")
    return not_yet(f"Merged “mat” is {mat:.3f}.")


@goal("merged ≥ .90 on a word that no head gives more than .20.")
def compromise(state, found):
    if state.logits.shape[1] == 2:
        return not_yet(
            "With two words it cannot be: a word that every head gives .20 leaves .80 for the "
            "other. Take a third word under “More heads, more words”."
        )
    j = int(np.argmax(state.merged))
    word, most = state.words[j], state.weights[:, j].max()
    now = (
        f"The merged head gives “{word}” {state.merged[j]:.3f}; a head gives it {most:.2f} at most."
    )
    return reached_if(state.merged[j] >= 0.9 and most <= 0.2, now)


REASONS = ("flat", "agreeing and sure", "partners")


def reason_to_agree(state):
    """Why merged equals the average of weights to 1e-3, or None if it does not."""
    if abs(state.merged - state.average).max() > 1e-3:
        return None
    if np.ptp(state.weights, axis=0).max() > 0.01:  # the heads differ, and yet
        return "partners"
    return "flat" if np.ptp(state.weights) < 0.01 else "agreeing and sure"


@goal("merged equals the average of weights, to .001, for three reasons.")
def three_reasons(state, found):
    reason = reason_to_agree(state)
    if reason:
        found.add(reason)
    names = [name for name in REASONS if name in found]
    listed = f"Found {len(names)} of 3{': ' + ', '.join(names) if names else ''}."
    gap = f"The rows now differ by {abs(state.merged - state.average).max():.3f}."
    return reached_if(len(names) == 3, f"{listed} {gap}")


@goal("head A ≥ .90 on “cat”, head B ≥ .90 on “mat”; bring ■ to ★.")
def square_to_star(state, found):
    if state.logits.shape != (2, 2):
        return not_yet("This goal is for two heads and two words: go back to example 1.")
    if state.weights[0, 0] < 0.9 or state.weights[1, 1] < 0.9:
        return not_yet("First head A needs .90 on “cat” and head B .90 on “mat”.")
    gap = np.linalg.norm(state.outputs - state.merged_outputs)
    if gap < 0.05:
        return reached(f"Star and square are {gap:.3f} apart.")
    away = distance_to_hull(state.outputs, state.values.T)
    if away < 0.05:
        return not_yet(f"Star and square are {gap:.2f} apart.")
    return impossible(
        "one row of weights w carries w · “cat” + (1 − w) · “mat”, a point on the grey line, and "
        f"the star stands {away:.2f} away from it."
    )


class TwoLanes(Explorer):
    """The flagship: every head's softmax against the merged softmax, and what each carries."""

    goals = (won, silenced, compromise, three_reasons, square_to_star)
    words, blocks = tuple(CARRIED), BLOCKS
    values = tuple(zip(*CARRIED.values(), strict=True))
    low, high = -20, 20
    examples = {
        "1  Two sure heads": ((10, 0), (0, 10)),
        "2  The largest sum": ((10, 0), (0, 4)),
        "3  Knife edge": ((8, 0), (0, 10)),
        "4  The compromise": ((10, 0, 8), (0, 10, 8)),
        "5  Veto and nominate": ((6, 6, 0, 0), (0, 6, 6, 0)),
        "6  Partners": ((2.1, 1.2, 0), (-2.3, -2.1, 0)),  # as nearly as tenths allow
        "7  Heads that agree": ((3, 0), (3, 0)),
        "8  Four weak voices": ((1, 0, 0, 0, 0, 0),) * 4,
    }

    def __init__(self):
        super().__init__()
        self._sliders = {}
        self.rule = self.watch(chooser("Merged by", RULE_NAMES))
        self.shown_head, self.value_head = self._head_buttons(), self._head_buttons()
        self.n_heads = self.watch(chooser("heads", [2, 3, 4]), self._rebuild)
        self.n_words = self.watch(chooser("words", [2, 3, 4, 5, 6]), self._rebuild)
        named = [("head A (who)", 0), ("head B (where)", 1)]
        self.x_head = self.watch(chooser("across", named))
        self.y_head = self.watch(chooser("up", named, 1))
        self.logit_panel = column(width="100%")
        self.value_panel = column(width="98%")
        self.back()
        buttons = row(*self.goal_buttons, self.back_button, self.ghost_button)
        self.view = column(
            row(self.example, self.next_button, self.rule),
            row(
                column(self.frames[0], self.sentence_line),
                column(self.logit_panel, self.goal_line, buttons, self.frames[1]),
            ),
            fold(
                "More heads, more words, other values",
                row(self.n_heads, self.n_words),
                row(self.x_head, self.y_head),
                self.value_panel,
            ),
            width="100%",
        )

    def _head_buttons(self):
        control = widgets.ToggleButtons(options=[("head A", 0), ("head B", 1)])
        control.style.button_width = "58px"
        return self.watch(control, self._show_panels)

    def slider(self, kind, head, word):
        """The slider of a head's logit or value for a word, made when first needed."""
        if (kind, head, word) not in self._sliders:
            low, high = (self.low, self.high) if kind == "logit" else (0, OutputPlane.TOP)
            start = 0.0 if kind == "logit" else self.values[head][word]
            made = slider(self.words[word], low, high, start, colour=HEAD_COLOURS[head])
            self._sliders[kind, head, word] = self.watch(made)
        return self._sliders[kind, head, word]

    def _table(self, kind):
        heads, words = range(self.n_heads.value), range(self.n_words.value)
        return np.array([[self.slider(kind, r, j).value for j in words] for r in heads])

    def _rebuild(self):
        """Fit the choosers and panels to the number of heads and words."""
        n = self.n_heads.value
        with self.one_redraw():
            for control in (self.shown_head, self.value_head):
                self._offer(control, [(f"head {HEADS[r]}", r) for r in range(n)])
            named = [(f"head {HEADS[r]} ({self.blocks[r]})", r) for r in range(n)]
            for control in (self.x_head, self.y_head):
                self._offer(control, named)
            for place in product(("logit", "value"), range(n), range(self.n_words.value)):
                self.slider(*place)
            self._show_panels()

    def _offer(self, control, options):
        if list(control.options) != options:
            kept = min(control.value, len(options) - 1)
            control.options = options
            control.value = kept

    def _show_panels(self):
        heads, words = range(self.n_heads.value), range(self.n_words.value)
        some = heads if len(heads) * len(words) <= 4 else [self.shown_head.value]
        shown = [] if some is heads else [self.shown_head]
        for r in some:
            text = f"head {HEADS[r]} ({self.blocks[r]}): logits, −{-self.low} to {self.high}"
            shown += [heading(text, HEAD_COLOURS[r]), *(self.slider("logit", r, j) for j in words)]
        self.logit_panel.children = shown
        self.sentence_line.layout.min_height = room_for(2 + 2 * len(heads))["min_height"]
        r = self.value_head.value
        text = f"what each word carries in head {HEADS[r]}'s block ({self.blocks[r]}), 0 to 10"
        values = [self.slider("value", r, j) for j in words]
        self.value_panel.children = [heading(text, HEAD_COLOURS[r]), self.value_head, *values]

    def apply(self, logits):
        """Show these logits (heads by words), with the series' own values, merged by adding."""
        self.shown_head.value = self.value_head.value = self.x_head.value = 0
        self.n_heads.value, self.n_words.value = len(logits), len(logits[0])
        self.rule.value, self.y_head.value = "add", 1
        for r, head in enumerate(logits):
            for j, logit in enumerate(head):
                self.slider("logit", r, j).value = logit
                self.slider("value", r, j).value = self.values[r][j]
        self._show_panels()

    def read(self):
        logits, values = self._table("logit"), self._table("value")
        weights, n_words = softmax(logits), logits.shape[1]
        merged, average = softmax(merge_logits(logits, self.rule.value)), average_of_weights(logits)
        outputs = (weights * values).sum(axis=1)  # one number a head: its row times its block
        return SimpleNamespace(
            words=self.words[:n_words],
            logits=logits,
            values=values,
            weights=weights,
            parts=logits * MERGE_RULES[self.rule.value].factor(len(logits)),
            merged=merged,
            average=average,
            carried=np.vstack([np.diag(outputs), values @ merged]),
            outputs=outputs,
            merged_outputs=values @ merged,
            average_outputs=values @ average,
            axes=[self.x_head.value, self.y_head.value],
            rows=np.vstack([weights, merged]),
        )

    def draw(self, state):
        axes, kept = state.axes, self.keepsake
        if kept and kept.rows.shape != state.rows.shape:
            kept = None
        lanes = {name: getattr(state, name) for name in ("logits", "weights", "parts", "merged")}
        lanes |= {"carried": state.carried, "ghost": kept.rows if kept else None}
        plane = {
            "words_at": state.values[axes].T,
            "star": state.outputs[axes],
            "square": state.merged_outputs[axes],
            "diamond": state.average_outputs[axes],
            "ghost": (kept.outputs[axes], kept.merged_outputs[axes]) if kept else None,
        }
        names = [f"{self.blocks[r]} (block {HEADS[r]})" for r in axes]
        colours = [HEAD_COLOURS[r] for r in axes]
        return self.drawn(
            (partial(Lanes, state.words), lanes),
            (partial(OutputPlane, state.words, names, colours), plane),
            shape=(state.logits.shape, *axes),
        )

    def describe(self, state):
        axes, heads = state.axes, (state.words, state.weights, state.merged)
        carried = state.outputs[axes], state.merged_outputs[axes]
        said = wording.what_is_carried([self.blocks[r] for r in axes], *carried)
        return f"{wording.heads_and_merged(*heads)} {said}"
