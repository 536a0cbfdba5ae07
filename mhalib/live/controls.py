"""The controls and texts that explorers and predictions are made of."""

import ipywidgets as widgets

from mhalib.pictures import INK

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
NO_SCROLLBARS = {"overflow": "visible"}
COLUMN = "412px"  # two columns fit JupyterLab's 848 px; one fills a phone


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


def put(controls, values):
    """Give each control its value."""
    for control, value in zip(controls, values, strict=True):
        control.value = value


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


def live_view(widget):
    """What a notebook with a kernel shows of an object: this widget."""
    return {WIDGET_VIEW: {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}}
