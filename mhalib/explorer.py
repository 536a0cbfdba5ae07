"""Sliders change a state; the state becomes pictures, a sentence and a verdict on the goal.

An explorer is a plain object that holds core widgets, so that it works on ipywidgets 7.7.1 and 8,
and can be driven with no front end: set a control's value, then read `sentence`, `verdict` and
the pictures. Redrawing happens at once, in the call that changes a value.
"""

import contextlib
import html
import textwrap
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import ipywidgets as widgets

from mhalib.plots import INK, Picture, Sheet

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
NO_SCROLLBARS = {"overflow": "visible"}
# JupyterLab hands each widget's messages to a thread of their own; pictures are painted one by one.
ONE_AT_A_TIME = threading.RLock()
COLUMN = "412px"  # two columns fit JupyterLab's 848 px; one fills a phone


class Verdict(NamedTuple):
    """How a goal stands: 'not yet', 'reached' or 'impossible', and a sentence that says why."""

    status: str
    why: str


@dataclass(frozen=True)
class Goal:
    """A thing to try. `check(state, found)` gives the verdict; `found` is a set it may fill."""

    text: str
    check: Callable[..., Verdict]


def slider(name, low, high, value=0.0, step=0.1, colour=None, number_format=".1f"):
    """A slider that follows the hand, with a box to type into; it fills its column."""
    style = {"description_width": "72px"} | ({"handle_color": colour} if colour else {})
    return widgets.FloatSlider(
        value=value,
        min=low,
        max=high,
        step=step,
        description=name,
        readout_format=number_format,
        style=style,
        layout={"width": "98%"},
    )


def chooser(name, options, index=0, width="260px"):
    """A drop-down list with its name in front; with no options it is empty."""
    style, layout = {"description_width": "72px"}, {"width": width, "max_width": "98%"}
    return widgets.Dropdown(
        options=options,
        index=index if options else None,
        description=name,
        style=style,
        layout=layout,
    )


def button(name, action, width="auto"):
    """A button that calls `action()`."""
    made = widgets.Button(description=name, layout={"width": width})
    made.on_click(lambda _: action())
    return made


def column(*children, width=COLUMN):
    """Children above each other, half of a wide page and all of a narrow one."""
    return widgets.VBox(children, layout={"width": width, "max_width": "100%"} | NO_SCROLLBARS)


def row(*children):
    """Children beside each other, wrapping where the page is narrow."""
    return widgets.HBox(children, layout={"flex_flow": "row wrap", "width": "100%"} | NO_SCROLLBARS)


def fold(title, *children):
    """Children behind a title that opens on a click."""
    folded = widgets.Accordion([widgets.VBox(children)], selected_index=None)
    folded.set_title(0, title)
    return folded


def heading(text, colour=INK):
    """A panel's title, with a square in its colour."""
    return widgets.HTML(f'<b><span style="color:{colour}">■</span> {text}</b>')


def paragraph(text="", colour=None):
    """A line of text that wraps; with a colour, a bar at its left."""
    bar = f"border-left:4px solid {colour};padding-left:10px;" if colour else ""
    return f'<div style="line-height:1.45;white-space:normal;{bar}">{text}</div>'


def room_for(lines, wide=None):
    """The layout of a text that keeps room for its lines, so that nothing below it jumps.

    `lines` on a phone, `wide` lines in a wide window: seven tenths, unless given, since a column
    (412 px) is that much wider than a phone's output (284 px). Windows between get some between.
    """
    wide = -(-7 * lines // 10) if wide is None else wide
    fewer = 20 * (lines - wide) / (1280 - 400)  # pixels of height for each pixel of width
    height = f"max({20 * wide}px, calc({20 * lines + 400 * fewer:.0f}px - {100 * fewer:.2f}vw))"
    return {"width": "98%", "min_height": height}


def frame(picture):
    """The image widget that shows a picture: of fixed shape, so that the page never jumps."""
    size = {"width": str(picture.width), "height": str(picture.height)}
    layout = {"align_self": "flex-start", "max_width": "100%", "flex": "0 0 auto", "margin": "0"}
    return widgets.Image(value=picture.png(), format="png", layout=layout, **size)


def still(pictures, sentence):
    """The pictures, two to a row, above the sentence: one sheet for viewers without a kernel."""
    rows = [pictures[i : i + 2] for i in range(0, len(pictures), 2)]
    width = Sheet(rows).width
    lines = textwrap.wrap(sentence, max(20, int(width / 7)))
    caption = Picture(width, 14 + 18 * len(lines))
    for number, line in enumerate(lines):
        caption.text(8, 14 + 18 * number, line, 13, ha="left")
    return Sheet([*rows, [caption]])


class Explorer:
    """Base of all explorers. A subclass gives `goals`, `examples` and these four methods:

    `read()` the state from the controls, `draw(state)` pictures and return them, in a fixed
    order; `describe(state)` in a sentence; `apply(example)` set the controls.
    """

    goals = ()
    examples = {}
    sentence_lines = 6  # at most, on a phone

    def __init__(self):
        self.frames = []
        self.pictures = []
        self.keepsake = None  # the state kept as a ghost
        self.goal, self.found = 0, {}
        self._muted = False
        self.sentence_line = widgets.HTML(layout=room_for(self.sentence_lines))
        self.goal_line = widgets.HTML(layout=room_for(5))
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
        sheet = still(self.pictures, self.sentence)
        view = {"version_major": 2, "version_minor": 0, "model_id": self.view.model_id}
        bundle = {WIDGET_VIEW: view, "image/png": sheet.png(), "text/plain": self.sentence}
        return bundle, {"image/png": {"width": sheet.width, "alt": self.sentence}}
