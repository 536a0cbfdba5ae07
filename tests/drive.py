"""How tests find and move the controls of an explorer, with no front end, and read its pictures."""

import contextlib
import io
import math

import ipywidgets as widgets
import numpy as np
from PIL import Image

CHOOSERS = (widgets.FloatSlider, widgets.Dropdown, widgets.ToggleButtons)


def shown(widget, folded=False):
    """All widgets on the page below this one; with `folded`, those behind a fold as well."""
    yield widget
    if folded or not isinstance(widget, widgets.Accordion):
        for child in getattr(widget, "children", ()):
            yield from shown(child, folded)


def controls(made, folded=False):
    return [w for w in shown(made.view, folded) if isinstance(w, CHOOSERS)]


def ends(control):
    """The values at the corners of a control's range."""
    if isinstance(control, widgets.FloatSlider):
        return [control.min, control.max]
    return [value for _, value in labelled(control)]


def labelled(control):
    return [o if isinstance(o, tuple) else (o, o) for o in control.options]


def decoded(file):
    """The pixels in a PNG file: isal deflates the same ones to other bytes now and then."""
    return np.asarray(Image.open(io.BytesIO(file)))


def painted(made):
    """The pixels of an explorer's pictures, to compare with those of another time or explorer."""
    return [picture.pixels().tobytes() for picture in made.pictures]


def arrows(picture):
    """Each arrow on show: who looks, who is looked at, its number, how thick it is."""
    return {
        pair: (float(number.get_text()), line.get_linewidth())
        for pair, (line, head, number) in picture.edges.items()
        if line.get_visible() and head.get_visible() and number.get_visible()
    }


@contextlib.contextmanager
def undrawn(made):
    """Change controls inside; nothing is drawn, not even at the end."""
    made._muted = True
    yield
    made._muted = False


def judged(made):
    """The state that the controls stand for, and each goal's verdict on it alone: undrawn."""
    state = made.read()
    return state, [goal.check(state, set()) for goal in made.goals]


def row_by_hand(logits):
    """The softmax of one row, in plain Python."""
    exponentials = [math.exp(logit - max(logits)) for logit in logits]
    return [e / sum(exponentials) for e in exponentials]


def check_state(made):
    """What must hold in any state of any explorer, whether drawn or not."""
    state, verdicts = judged(made)
    for name in ("weights", "merged", "average"):
        if hasattr(state, name):
            rows = getattr(state, name)
            assert np.isfinite(rows).all() and np.allclose(rows.sum(axis=-1), 1)
    sentence = made.describe(state)
    assert sentence.endswith(".") and "nan" not in sentence and "\n" not in sentence
    for status, why in verdicts:
        assert status in ("not yet", "reached", "impossible") and why
    return sentence


def choose(made, **values):
    """Set controls by the names of their attributes, with one redraw."""
    with made.one_redraw():
        for name, value in values.items():
            getattr(made, name).value = value


def start_again(made):
    """An explorer that tests share (drawn once), as if it were new; return it."""
    made.found.clear()
    made.keepsake = None
    made.example.value = next(iter(made.examples))
    made.show_goal(0)
    made.back_button.click()
    return made


def counted_redraws(made, monkeypatch):
    """A list that grows by one with every redraw."""
    calls, read = [], made.read
    monkeypatch.setattr(made, "read", lambda: calls.append(1) or read())
    return calls


def lines(picture):
    """The lines of a `Listing`: what stands at the left, what at the right."""
    texts = [[text.get_text() for text in slot.artists[1:]] for slot in picture.lines]
    return [line for line in texts if line != ["", ""]]


def number_of(text):
    """What a label says, as a number."""
    return float(text.get_text().replace("−", "-"))
