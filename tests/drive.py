"""How tests find and move the controls of an explorer, with no front end."""

import ipywidgets as widgets

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
