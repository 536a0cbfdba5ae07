"""Sliders change a state; the state becomes pictures, a sentence and a verdict on the goal.

An explorer is a plain object that holds core widgets, so that it works on ipywidgets 7.7.1 and 8,
and can be driven with no front end: set a control's value, then read `sentence`, `verdict` and
the pictures. Redrawing happens at once, in the call that changes a value.
"""

import contextlib
import functools
import html
import textwrap
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import ipywidgets as widgets

from mhalib.live.controls import button, chooser, frame, live_view, paragraph, room_for
from mhalib.pictures import Picture, Sheet

# JupyterLab hands each widget's messages to a thread of their own; pictures are painted one by one.
ONE_AT_A_TIME = threading.RLock()


class Verdict(NamedTuple):
    """How a goal stands: 'not yet', 'reached' or 'impossible', and a sentence that says why."""

    status: str
    why: str


def reached(why):
    """The verdict on a goal that has been reached."""
    return Verdict("reached", why)


def not_yet(why):
    """The verdict on a goal that has not been reached."""
    return Verdict("not yet", why)


def impossible(why):
    """The verdict on a goal that cannot be reached as things stand."""
    return Verdict("impossible", why)


def reached_if(done, why):
    """The verdict on a goal that is reached if this is true, and not yet if it is not."""
    return reached(why) if done else not_yet(why)


@dataclass(frozen=True)
class Goal:
    """A thing to try. `check(state, found)` gives the verdict; `found` is a set it may fill."""

    text: str
    check: Callable[..., Verdict]


def goal(text):
    """Make the check that follows a goal with this text."""
    return functools.partial(Goal, text)


def still(pictures, sentence):
    """The pictures, two to a row, above the sentence: one sheet for viewers without a kernel."""
    rows = [pictures[i : i + 2] for i in range(0, len(pictures), 2)]
    width = Sheet(rows).width
    lines = textwrap.wrap(sentence, max(20, int(width / 7)))
    caption = Picture(width, 14 + 18 * len(lines))
    for number, line in enumerate(lines):
        caption.text(8, 14 + 18 * number, line, 13, ha="left")
    sheet = Sheet([*rows, [caption]])
    sheet.alt = sentence
    return sheet


class Explorer:
    """Base of all explorers. A subclass gives `goals`, `examples` and these four methods:

    `read()` the state from the controls, `draw(state)` pictures and return them, in a fixed
    order; `describe(state)` in a sentence; `apply(example)` set the controls. Only `apply`, and
    what a control or button was made to call, changes a control or what is remembered.
    """

    goals = ()
    examples = {}
    sentence_lines, sentence_lines_wide = 6, None  # at most, on a phone and in a wide window
    goal_lines = 5
    SHAPES_KEPT = 6

    def __init__(self):
        self.frames = []
        self.pictures = []
        self.keepsake = None  # the state kept as a ghost
        self.goal, self.found = 0, {}
        self._muted, self._drawn = False, {}
        room = room_for(self.sentence_lines, self.sentence_lines_wide)
        self.sentence_line = widgets.HTML(layout=room)
        self.goal_line = widgets.HTML(layout=room_for(self.goal_lines))
        self.goal_buttons = [
            button("◀ Goal", lambda: self.show_goal(self.goal - 1), "72px"),
            button("Goal ▶", lambda: self.show_goal(self.goal + 1), "72px"),
        ]
        self.ghost_button = button("Keep a ghost", self.keep_ghost)
        self.back_button = button("Back to example", self.back)
        self.example = chooser("Example", list(self.examples))
        self.next_button = button("Next", self.next_example, "60px")
        self.watch(self.example, self.back)

    def watch(self, control, action=None):
        """Redraw (or call `action`) whenever the control's value changes; return the control."""
        control.observe(lambda _: (action or self.refresh)(), names="value")
        return control

    @contextlib.contextmanager
    def one_redraw(self):
        """Change many controls inside, redraw once at the end."""
        with ONE_AT_A_TIME:
            outer, self._muted = self._muted, True
            try:
                yield
            finally:
                self._muted = outer
            self.refresh()

    def drawn(self, *parts, shape=None):
        """Pictures that are built when their shape is new, and from then on only updated.

        A part is a function that makes a picture from arrays, and these arrays by name, which
        the picture's `update` takes as well. The shapes asked for last are kept.
        """
        pictures = self._drawn.pop(shape, None)
        if pictures is None:
            pictures = [make(**arrays) for make, arrays in parts]
        else:
            for picture, (_, arrays) in zip(pictures, parts, strict=True):
                picture.update(**arrays)
        self._drawn[shape] = pictures
        if len(self._drawn) > self.SHAPES_KEPT:
            del self._drawn[next(iter(self._drawn))]
        return pictures

    def refresh(self):
        """Read the controls, repaint the pictures, say what they show."""
        with ONE_AT_A_TIME:
            self._refresh()

    def _refresh(self):
        if self._muted:
            return
        try:
            self.state = self.read()
            self.pictures = self.draw(self.state)
            self._show_pictures()
            self.sentence = self.describe(self.state)
            self.sentence_line.value = paragraph(html.escape(self.sentence))
            for picture in self.pictures:
                picture.alt = self.sentence
            self._judge()
        except Exception as error:
            message = f"This could not be drawn: {type(error).__name__}: {error}"
            self.sentence_line.value = paragraph(html.escape(message), "#b3261e")
            raise

    def _show_pictures(self):
        for picture in self.pictures[len(self.frames) :]:
            self.frames.append(frame(picture))
        for picture, framed in zip(self.pictures, self.frames, strict=True):
            framed.width, framed.height = str(picture.width), str(picture.height)
            framed.value = picture.png()

    def _judge(self):
        """Check every goal (some collect what was found on the way) and show the chosen one."""
        if not self.goals:
            return
        self.verdicts = [
            goal.check(self.state, self.found.setdefault(number, set()))
            for number, goal in enumerate(self.goals)
        ]
        text, (status, why) = self.goals[self.goal].text, self.verdict
        several = f" {self.goal + 1} of {len(self.goals)}" if len(self.goals) > 1 else ""
        if status == "impossible":
            ending = "<details><summary>not yet. Can it be reached at all?</summary>"
            ending += f"<b>Impossible</b>, because {html.escape(why)}</details>"
        else:
            ending = f"<b>{'✓ ' if status == 'reached' else ''}{status}.</b> {html.escape(why)}"
        colour = {"reached": "#00785a"}.get(status, "#b88a00")
        line = f"<b>Goal{several}:</b> {html.escape(text)}<br>{ending}"
        self.goal_line.value = paragraph(line, colour)

    @property
    def verdict(self):
        """How the goal on show stands."""
        return self.verdicts[self.goal]

    def show_goal(self, number):
        """Put another goal on show; they go round."""
        with ONE_AT_A_TIME:
            self.goal = number % len(self.goals)
            self._judge()

    def at(self, goal=1, example=None):
        """Put a goal on show (counted from 1, as on the page) and an example; return itself."""
        if not 1 <= goal <= len(self.goals):
            raise ValueError(f"goal must be 1 to {len(self.goals)}, but is {goal!r}.")
        if example is not None:
            self.example.value = example
        self.show_goal(goal - 1)
        return self

    def back(self):
        """Go back to the chosen example."""
        with self.one_redraw():
            self.apply(self.examples[self.example.value])

    def next_example(self):
        """Choose the example after this one; after the last comes the first."""
        names = list(self.examples)
        self.example.value = names[(names.index(self.example.value) + 1) % len(names)]

    def keep_ghost(self):
        """Keep what is shown now as outlines, or drop what was kept."""
        self.keepsake = None if self.keepsake else self.state
        self.ghost_button.description = "Drop the ghost" if self.keepsake else "Keep a ghost"
        self.refresh()

    def _repr_mimebundle_(self, include=None, exclude=None):
        bundle, metadata = still(self.pictures, self.sentence)._repr_mimebundle_()
        return live_view(self.view) | bundle, metadata
