"""Chapter 09: a query and a key as hands of clocks that turn with their positions."""

from functools import partial
from types import SimpleNamespace

import numpy as np

from mhalib.chapters.ch09.clock import Clock
from mhalib.chapters.ch09.differences import Differences
from mhalib.live.controls import chooser, column, heading, put, row, slider
from mhalib.live.explorer import Explorer, Verdict, goal, not_yet, reached
from mhalib.pictures import HEAD_COLOURS, short
from mhalib.rotary import frequencies, rotate

REACH = 60  # positions run from 0 to here
PAIRS = {"1 pair": 1, "2 pairs": 2, "4 pairs": 4}
SPEEDS = {n: frequencies(2 * n) for n in PAIRS.values()}  # radians a position


def logits(differences, own, n_pairs):
    """The logit of a query that stands `differences` positions behind its key.

    The sum over the pairs. In each the hands have length 1; the key's own angle is `own` radians
    (the query's is 0). Nothing is divided by √d_head.
    """
    differences = np.asarray(differences, float)
    q = np.tile([1.0, 0.0], (len(differences), n_pairs))
    k = np.tile([np.cos(own), np.sin(own)], n_pairs)
    return rotate(q, differences, pairs="neighbours") @ k


@goal("keep a ghost; move both positions and get the same logit.")
def moved_together(state, found):
    kept = _ghost(state)
    if isinstance(kept, Verdict):
        return kept
    if state.query_at == kept.query_at or state.key_at == kept.key_at:
        return not_yet("Move both, the query and the key.")
    off = abs(state.logit - kept.logit)
    if off > 1e-9:
        return not_yet(f"The logits differ by {off:.3f}.")
    if state.difference == kept.difference:
        why = f"The difference was {short(kept.difference)} both times."
    else:
        why = "The hands stand equally far apart, once on this side and once on that."
    return reached(why)


@goal("keep a ghost; with one clock get its logit, to .02, at another distance in the text.")
def another_distance(state, found):
    kept = _ghost(state)
    if isinstance(kept, Verdict):
        return kept
    if state.n_pairs > 1:
        return not_yet("A sum of several clocks may recur by chance; take one clock.")
    off, now, then = abs(state.logit - kept.logit), state.difference, kept.difference
    if abs(now) == abs(then):
        return not_yet(f"They are as far apart as before, {short(abs(then))}.")
    if off > 0.02:
        return not_yet(f"The logits differ by {off:.3f}.")
    why = "the same side: a clock does not count its laps"
    if _apart(state) * _apart(kept) < 0:
        why = "opposite sides: a cosine does not tell them apart"
    return reached(
        f"{short(then)} and {short(now)} apart in the text, yet {short(abs(_apart(kept)))}° and "
        f"{short(abs(_apart(state)))}° on the clock, on {why}."
    )


@goal(
    "with four clocks, a difference, not 0, at which the fastest stands as it does at 0 (to 2°), "
    "but the logit is another, by half or more."
)
def laps_told_apart(state, found):
    away = np.degrees(abs(np.angle(np.exp(1j * state.difference))))  # from where it was at 0
    at_zero = float(logits([0], state.own, state.n_pairs)[0])
    off = abs(state.logit - at_zero)
    if state.difference == 0 or away > 2:
        return not_yet(f"The fastest clock is {away:.1f}° off from where it stands at 0.")
    if off < 0.5:
        return not_yet(f"The fastest is back, but the logits differ by {off:.3f} only.")
    return reached(f"The fastest clock is back to {away:.1f}°; a slower one has moved on.")


class RopeClock(Explorer):
    """Move a query and a key along the text: hands turn, and the angle between them counts."""

    goal_lines = 7
    examples = {"start": (5, 3, 0)}
    goals = (moved_together, another_distance, laps_told_apart)

    def __init__(self):
        super().__init__()
        places = (("query at", 5), ("key at", 3))
        self.positions = [
            self.watch(slider(name, 0, REACH, at, 1, HEAD_COLOURS[0], ".0f")) for name, at in places
        ]
        self.own = self.watch(slider("key's own", -180, 180, 0, 15, HEAD_COLOURS[0], ".0f"))
        self.pairs = self.watch(chooser("Clocks", list(PAIRS.items()), width="180px"))
        self.refresh()
        places = heading(f"positions, 0 to {REACH}", HEAD_COLOURS[0]), *self.positions
        own = heading("own angle of the key in degrees, −180 to 180", HEAD_COLOURS[0]), self.own
        buttons = row(*self.goal_buttons, self.ghost_button, self.back_button)
        self.view = column(
            row(*map(column, self.frames)),
            row(
                column(*places, *own, self.pairs),
                column(self.sentence_line, self.goal_line, buttons),
            ),
            width="100%",
        )

    def apply(self, example):
        self.pairs.value = 1
        put((*self.positions, self.own), example)

    def read(self):
        query_at, key_at = (control.value for control in self.positions)
        own, n_pairs = np.radians(self.own.value), self.pairs.value
        speeds = SPEEDS[n_pairs]
        (logit,) = logits([query_at - key_at], own, n_pairs)
        return SimpleNamespace(
            query_at=query_at,
            key_at=key_at,
            difference=query_at - key_at,
            own=own,
            n_pairs=n_pairs,
            hands=np.array([query_at * speeds, own + key_at * speeds]),
            logit=float(logit),
            kept=self.keepsake,
        )

    def draw(self, state):
        n, kept, curve = state.n_pairs, state.kept, (state.own, state.n_pairs)
        hands = kept.hands if kept and kept.n_pairs == n else None
        same = kept and (kept.own, kept.n_pairs) == curve  # else it is no point of this curve
        point = (kept.difference, kept.logit) if same else None
        names = [f"{short(np.degrees(s), 2)}° a position" for s in SPEEDS[n]]
        clock = {"queries": state.hands[0], "keys": state.hands[1], "names": names, "ghost": hands}
        plane = {"logit_at": lambda d: logits(d, *curve), "now": state.difference, "ghost": point}
        title = f"the logit{f', sum of {n} pairs' if n > 1 else ''}, by the difference"
        return self.drawn(
            (partial(Clock, "each pair of channels is a clock"), clock),
            (partial(Differences, title, REACH, top=n), plane | {"key": curve}),
            shape=n,
        )

    def describe(self, state):
        apart = abs(_apart(state))
        where = "the hands stand" if state.n_pairs == 1 else "the fastest hands stand"
        return (
            f"The query at position {state.query_at:.0f} and the key at {state.key_at:.0f} are "
            f"{short(state.difference)} apart in the text; {where} {short(apart)}° apart, and the "
            f"logit is {short(state.logit, 3)}."
        )


def _apart(state):
    """The angle from the key's hand to the query's on the first clock, −180 to 180 degrees."""
    q, k = state.hands[:, 0]
    return float(np.degrees(np.angle(np.exp(1j * (q - k)))))


def _ghost(state):
    """The ghost if it can be compared, or the Verdict that says why it cannot."""
    if not state.kept:
        return not_yet("Press “Keep a ghost” first.")
    if (state.kept.own, state.kept.n_pairs) != (state.own, state.n_pairs):
        return not_yet("The ghost has another own angle or other clocks; drop it.")
    return state.kept
