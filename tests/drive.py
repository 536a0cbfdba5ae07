"""How tests find and move the controls of an explorer, with no front end, and read its pictures."""

import io

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
