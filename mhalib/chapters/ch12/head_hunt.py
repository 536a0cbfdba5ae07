"""Chapter 12: find the heads on the wanted posters, in a trained model; then cut their wires."""

import functools
from types import SimpleNamespace

import ipywidgets as widgets
import numpy as np

from mhalib.chapters.ch12.head_maps import HeadMaps
from mhalib.chapters.ch12.patterns import PATTERNS, given_twice, score
from mhalib.chapters.ch12.token_labels import most_weight
from mhalib.chapters.ch12.token_map import TokenMap
from mhalib.live.controls import button, chooser, column, heading, row, slider
from mhalib.live.explorer import Explorer, goal, impossible, not_yet, reached, reached_if
from mhalib.pictures import INK, percent, share

SHOWN = (
    ("the head alone", None),
    ("merged, true big head", "big_head"),
    ("merged, add", "add"),
    ("merged, average of logits", "average"),
    ("average of weights", "weights"),
)
TYPED = "your own sentence"
TEXTS = {
    "a sentence": "The cat sat on the mat because it was tired.",
    "with words again": "the old man saw the dog and the old dog saw the man",
    "given twice": " lamp river seven green coat tiger paper moon bread"
    " lamp river seven green coat tiger paper moon bread",
    TYPED: None,
}
ORDINARY = (
    "The cat sat on the mat because it was tired, and the old man who lived in the house gave it "
    "some milk before he went to bed."
)
REPEATED = given_twice(25)
MOST = 24  # tokens on show, so that their labels can be read
FOUND, CLEAR = 0.9, 0.5  # a head is found at this part of the best score, if that is clear


@goal("find the heads on four different posters.")
def posters(state, found):
    best = np.max(state.scores)
    if best >= CLEAR and _heat(state) == "found":
        found.add(state.poster)
    caught = f"Found so far: {len(found)} of 4{': ' * bool(found)}{', '.join(sorted(found))}."
    if len(found) >= 4:
        return reached(caught)
    if np.isnan(best):
        return not_yet(f"{caught} No token of this text can follow this one.")
    if best < CLEAR:
        return not_yet(
            f"{caught} On this text no head follows “{state.poster}” clearly: the best has "
            f"{percent(best)}."
        )
    return not_yet(f"{caught} Now {_heat(state)}.")


@goal(
    "find a specialist that survives: its head and the merged head (true big head) both give "
    ".50 or more to a pattern that is no sink."
)
def survivor(state, found):
    heads, merged = state.scores.max(axis=1), state.merged_scores
    if state.poster == "sink" or np.isnan(heads).any():
        return not_yet("Choose a poster other than the sink that this text can show.")
    here = (
        f"Here the best head has {share(heads[state.layer])}, merged {share(merged[state.layer])}."
    )
    if heads[state.layer] >= CLEAR and merged[state.layer] >= CLEAR:
        return reached(here)
    if not ((heads >= CLEAR) & (merged >= CLEAR)).any():
        return impossible(
            f"for “{state.poster}” on this text no layer has both: {here} Try another poster."
        )
    return not_yet(here)


@goal(
    "mute one single head so that the loss on tokens given twice at least doubles, while that "
    "on a text grows by less than .5."
)
def one_wire(state, found):
    (again, plain), (was_again, was_plain) = state.losses, state.losses_before
    now = f"{was_again:.1f} → {again:.1f}, and on a text {was_plain:.1f} → {plain:.1f}."
    if len(state.muted) != 1:
        return not_yet(f"{len(state.muted)} heads are muted; mute one. {now}")
    return reached_if(again >= 2 * was_again and plain < was_plain + 0.5, now)


class HeadHunt(Explorer):
    """Heads of a trained model against a pattern, at a glance and enlarged, and their switches.

    `model`: a `real_models.Model`; one that predicts (`losses`) gets switches for its heads, and
    the loss on tokens given twice and on ordinary text. `example`: (poster, text, layer, head).
    """

    sentence_lines, sentence_lines_wide, goal_lines = 14, 10, 8

    def __init__(self, model, example=("previous word", "a sentence", 0, 0)):
        self.model, self.predicts = model, hasattr(model, "losses")
        self.examples = {"start": example}
        self.goals = (posters, survivor, one_wire) if self.predicts else (posters, survivor)
        self.muted, self._whole = frozenset(), {}
        self._losses = functools.cache(self._measure)
        super().__init__()
        self._make_controls(model.n_layers - 1, model.n_heads - 1)
        with self.one_redraw():
            self.apply(example)
        layer = heading(f"layer, 0 to {model.n_layers - 1}"), self.layer
        head = heading(f"head, 0 to {model.n_heads - 1}"), self.head
        switches = heading("heads of this layer, pressed in: on"), row(*self.switches, self.all_on)
        choices = (self.poster, self.text, self.own, *layer, *head, self.shown)
        choices += switches if self.predicts else ()
        buttons = row(*self.goal_buttons, self.back_button)
        left = column(*choices, self.goal_line, buttons, self.sentence_line)
        self.view = column(row(left, column(*self.frames)), width="100%")

    def _make_controls(self, last_layer, last_head):
        self.poster = self.watch(chooser("Wanted", list(PATTERNS)))
        self.text = self.watch(chooser("Text", list(TEXTS)))
        own = widgets.Text(
            value="The trophy did not fit into the suitcase because it was too big.",
            description="Your own",
            continuous_update=False,
            style={"description_width": "72px"},
            layout={"width": "98%"},
        )
        self.own = self.watch(own, self._read_own)
        self.layer = self.watch(slider("layer", 0, last_layer, 0, 1, INK, "d"), self._other_layer)
        self.head = self.watch(slider("head", 0, last_head, 0, 1, INK, "d"))
        self.shown = self.watch(chooser("Enlarged", SHOWN))
        self.switches = [
            widgets.ToggleButton(value=True, description=f"{r}", layout={"width": "38px"})
            for r in range(last_head + 1)
        ]
        for switch in self.switches:
            self.watch(switch, self._switched)
        self.all_on = button("All heads on", self.unmute)

    def apply(self, example):
        self.muted = frozenset()
        self.poster.value, self.text.value, self.layer.value, self.head.value = example
        self.shown.index = 0
        self._press()

    def unmute(self):
        """Switch all heads of all layers on."""
        with self.one_redraw():
            self.muted = frozenset()
            self._press()

    def _press(self):
        """Show the switches of this layer as they stand."""
        layer = round(self.layer.value)
        for r, switch in enumerate(self.switches):
            switch.value = (layer, r) not in self.muted

    def _other_layer(self):
        with self.one_redraw():
            self._press()

    def _switched(self):
        if not self._muted:
            layer = round(self.layer.value)
            off = {(layer, r) for r, switch in enumerate(self.switches) if not switch.value}
            others = {pair for pair in self.muted if pair[0] != layer}
            self.muted = frozenset(off | others)
            self.refresh()

    def _read_own(self):
        with self.one_redraw():
            self.text.value = TYPED

    def _run(self, ids, muted):
        """A text's run, with these heads muted; the whole one is kept to start from."""
        if ids not in self._whole:
            if len(self._whole) > 6:
                self._whole.pop(next(iter(self._whole)))
            self._whole[ids] = {frozenset(): self.model.run(list(ids))}
        runs = self._whole[ids]
        if muted not in runs:
            whole = runs[frozenset()]
            self._whole[ids] = runs = {frozenset(): whole}
            runs[muted] = self.model.run(list(ids), muted, after=whole)
        return runs[muted]

    def _measure(self, muted):
        """The loss on the second half of tokens given twice, and on ordinary text."""
        again, plain = tuple(REPEATED.tolist()), tuple(self.model.tokens(ORDINARY))
        on_again = self.model.losses(self._run(again, muted))[len(again) // 2 :]
        return float(on_again.mean()), float(self.model.losses(self._run(plain, muted)).mean())

    def read(self):
        text, note = TEXTS[self.text.value], ""
        text = self.own.value if text is None else text
        ids = self.model.tokens(text)
        if not ids:
            ids, note = self.model.tokens(" "), " Nothing was typed: a blank is read."
        if len(ids) > MOST:
            note = f" Only the first {MOST} of {len(ids)} tokens are read."
        run = self._run(tuple(ids[:MOST]), self.muted)
        layer, head = round(self.layer.value), round(self.head.value)
        wanted = PATTERNS[self.poster.value](run.ids)
        heads = run.layers[layer]
        rule = self.shown.value
        merged = heads.merged(rule if rule in ("add", "average") else "big_head")
        average = heads.weights.mean(axis=0)
        tables = {None: heads.weights[head], "weights": average}
        return SimpleNamespace(
            note=note,
            words=run.words,
            poster=self.poster.value,
            wanted=wanted,
            layer=layer,
            head=head,
            rule=rule,
            name=f"head ({layer}, {head})" if rule is None else self.shown.label,
            heads=heads.weights,
            merged=merged,
            average=average,
            table=tables.get(rule, merged),
            scores=np.stack([score(each.weights, wanted) for each in run.layers]),
            merged_scores=np.array([score(each.merged(), wanted) for each in run.layers]),
            merged_score=score(merged, wanted),
            average_score=score(average, wanted),
            muted=sorted(self.muted),
            losses=self._losses(self.muted) if self.predicts else None,
            losses_before=self._losses(frozenset()) if self.predicts else None,
        )

    def draw(self, state):
        chosen = state.head if state.rule is None else len(state.heads)
        heads = {
            "title": f"layer {state.layer}, all heads",
            "tables": [*state.heads, state.merged],
            "scores": [*state.scores[state.layer], state.merged_score],
            "chosen": None if state.rule == "weights" else chosen,
            "muted": [r for layer, r in state.muted if layer == state.layer],
        }
        large = {
            "title": f"{state.name}, framed: {state.poster}",
            "queries": state.words,
            "keys": state.words,
            "table": state.table,
            "wanted": state.wanted,
        }
        return self.drawn((HeadMaps, heads), (TokenMap, large))

    def describe(self, state):
        rows = int(state.wanted.any(axis=1).sum())
        if not rows:
            said = f"No token of this text is one that “{state.poster}” says anything about."
        else:
            mine, layers = state.scores[state.layer, state.head], state.scores.max(axis=1)
            said = (
                f"“{state.poster}”, {rows} row{'s' * (rows > 1)}: head ({state.layer}, "
                f"{state.head}) has {percent(mine)} of its weight there, {_heat(state)}; the best "
                f"of its layer {percent(layers[state.layer])}, of all {state.scores.size} heads "
                f"{percent(layers.max())}. Merged, the heads of this layer keep "
                f"{percent(state.merged_score)}; the average of their weights "
                f"{percent(state.average_score)}."
            )
        said += f" Enlarged, {most_weight(state.words, state.words, state.table)}{state.note}"
        return said + (self._cut(state) if self.predicts else "")

    def _cut(self, state):
        """What the switches do to the losses."""
        (again, plain), (was_again, was_plain) = state.losses, state.losses_before
        if not state.muted:
            return f" All heads on: loss {again:.1f} on tokens given twice, {plain:.1f} on a text."
        off = ", ".join(f"({layer}, {head})" for layer, head in state.muted[:4])
        off += f" and {len(state.muted) - 4} more" * (len(state.muted) > 4)
        return (
            f" Muted: {off}. Loss on tokens given twice {was_again:.1f} → {again:.1f}, on a text "
            f"{was_plain:.1f} → {plain:.1f}."
        )


def _heat(state):
    """How near the hunter is, as children say it."""
    part = state.scores[state.layer, state.head] / max(state.scores.max(), 1e-9)
    names = ((FOUND, "found"), (0.6, "hot"), (0.3, "warm"), (0.1, "cool"), (-1, "cold"))
    return next(name for least, name in names if part >= least)
