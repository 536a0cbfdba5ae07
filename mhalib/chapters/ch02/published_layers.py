"""Chapter 02: published configurations, and what shapes run through one of their layers."""

from functools import partial
from types import SimpleNamespace

from mhalib.live.controls import chooser, column, heading, row, slider
from mhalib.live.explorer import Explorer, goal, not_yet, reached, reached_if
from mhalib.pictures import Listing
from mhalib.published_models import CONFIGURATIONS, FIELDS, dimension_flow, sizes

PUBLISHED = "as published"


@goal("provoke a refusal: heads that do not divide the width.")
def refused(state, found):
    if "cannot be cut" in state.refusal:
        return reached("The heads do not divide the width, and no head_dim helps.")
    other = "This is refused, but for another reason." if state.refusal else "This is accepted."
    return not_yet(other)


@goal("find heads that do not divide the width and are accepted all the same.")
def accepted(state, found):
    if state.refusal:
        return not_yet("This is refused.")
    width, heads, d_head = state.size.d_model, state.size.n_heads, state.size.d_head
    if width % heads == 0:
        return not_yet(f"{heads} heads divide a width of {width}.")
    return reached(f"{heads} do not divide {width}, but the file says {d_head} each.")


@goal("find three models whose heads, side by side, are not as wide as the stream.")
def three_of_another_width(state, found):
    if not state.refusal and state.size.n_heads * state.size.d_value != state.size.d_model:
        found.add(state.name)
    return reached_if(len(found) >= 3, f"Found: {', '.join(sorted(found)) or 'none'}.")


class PublishedLayers(Explorer):
    """Choose a model, see its file and its layer; change its heads and see what it takes."""

    goals = (refused, accepted, three_of_another_width)
    examples = {name: name for name in CONFIGURATIONS}

    def __init__(self):
        super().__init__()
        self.example.description = "Model"
        self.heads = self.watch(chooser("Heads", [PUBLISHED, "1", "8", "10", "12", "24"]))
        self.n_words = self.watch(slider("words", 1, 12, 6, 1, number_format=".0f"))
        self.refresh()
        choices = row(self.example, self.next_button), self.heads
        words = heading("words, 1 to 12"), self.n_words
        buttons = row(*self.goal_buttons, self.back_button)
        self.view = row(
            column(*choices, *words, self.frames[0], self.sentence_line),
            column(self.frames[1], self.goal_line, buttons),
        )

    def read(self):
        name, heads = self.example.value, self.heads.value
        config, size, flow, refusal = CONFIGURATIONS[name], None, [], ""
        field = next(field for field in FIELDS["n_heads"] if field in config)
        if heads != PUBLISHED:
            config = config | {field: int(heads)}
        try:
            size, flow = sizes(config), dimension_flow(config, int(self.n_words.value))
        except ValueError as error:
            refusal = str(error)
        return SimpleNamespace(
            name=name, heads=heads, config=config, size=size, flow=flow, refusal=refusal
        )

    def draw(self, state):
        fields = [(field, str(value), False) for field, value in state.config.items()]
        steps = [(step, str(shape), len(shape) == 3) for step, shape in state.flow]
        steps = steps or [("refused: no such layer", "", False)]
        return self.drawn(
            (partial(Listing, "in its configuration file", 9), {"lines": fields}),
            (partial(Listing, "one layer, step by step", 18), {"lines": steps}),
        )

    def describe(self, state):
        changed = "" if state.heads == PUBLISHED else ", changed"
        return state.refusal or layer(state.name + changed, state.size)

    def apply(self, name):
        self.heads.value, self.n_words.value = PUBLISHED, 6


def layer(name, size):
    """How a published model cuts its stream into heads."""
    wide = size.n_heads * size.d_value
    pair = f", with keys and values for {size.n_kv}" if size.n_kv < size.n_heads else ""
    values = f" (values {size.d_value})" if size.d_value != size.d_head else ""
    same = "as wide as the stream" if wide == size.d_model else f"so W_O is {wide} × {size.d_model}"
    heads = f"{size.n_heads} head{'s' if size.n_heads > 1 else ''}"
    return (
        f"{name}: a stream of {size.d_model} channels, {heads} of {size.d_head} channels"
        f"{values}{pair}; side by side they have {wide}, {same}."
    )
