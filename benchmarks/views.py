"""The same three heat maps with numbers and one loudness slider, as different tools show them.

Each view is the code of one notebook cell that leaves its slider in `slider`. All but `empty` draw
softmax(loudness * logits) for three tables of N x N.
"""

TABLES = """
import numpy as np
from ipywidgets import FloatSlider, HTML, HBox, Image, VBox, interact

N = {n}
logits = np.random.default_rng(0).normal(size=(3, N, N))
words = [f"w{{i}}" for i in range(N)]
slider = FloatSlider(min=0, max=3, step=0.01, value=1)

def table(k, loudness):
    e = np.exp(loudness * (logits[k] - logits[k].max(axis=-1, keepdims=True)))
    return e / e.sum(axis=-1, keepdims=True)
"""

AXES = """
def draw(axes, weights):
    image = axes.imshow(weights, vmin=0, vmax=1, cmap="cividis")
    axes.set(xticks=range(N), xticklabels=words, yticks=range(N), yticklabels=words)
    texts = [axes.text(j, i, f"{w:.2f}", ha="center", va="center", color=color(w), fontsize=8)
             for (i, j), w in np.ndenumerate(weights)]
    return image, texts

def color(w):
    return "white" if w < 0.5 else "black"

def redraw(drawn, weights):
    image, texts = drawn
    image.set_data(weights)
    for text, w in zip(texts, weights.flat):
        text.set(text=f"{w:.2f}", color=color(w))
"""

VIEWS = {
    "empty view": """
line = HTML("<b>1.00</b>")
slider.observe(lambda change: setattr(line, "value", f"<b>{change.new:.2f}</b>"), names="value")
VBox([slider, line])
""",
    "mhalib": """
from mhalib.live.explorer import Explorer
from mhalib.pictures import Heatmap, Sheet

class Maps(Explorer):
    def __init__(self):
        super().__init__()
        self.watch(slider)
        self.refresh()
        self.view = VBox([slider, *self.frames, self.sentence_line])

    def read(self):
        return [table(k, slider.value) for k in range(3)]

    def draw(self, tables):
        if not self.pictures:
            self.maps = [Heatmap(f"head {k}", words, words, tables[k]) for k in range(3)]
            return [Sheet([self.maps])]
        for k in range(3):
            self.maps[k].update(tables[k])
        return self.pictures

    def describe(self, tables):
        return f"The largest weight is {max(t.max() for t in tables):.2f}."

made = Maps()
made
""",
    "interact": """
%matplotlib inline
import matplotlib.pyplot as plt
{axes}
def show(loudness):
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.2))
    for k in range(3):
        draw(axes[k], table(k, loudness))
    plt.show()

interact(show, loudness=slider);
""",
    "savefig": """
import io
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
{axes}
figure = Figure(figsize=(9.6, 3.2))
FigureCanvasAgg(figure)
drawn = [draw(axes, table(k, 1)) for k, axes in enumerate(figure.subplots(1, 3))]
picture = Image(format="png", layout={{"max_width": "100%"}})

def move(change):
    for k in range(3):
        redraw(drawn[k], table(k, slider.value))
    file = io.BytesIO()
    figure.savefig(file, format="png")
    picture.value = file.getvalue()

move(None)
slider.observe(move, names="value")
VBox([slider, picture])
""",
    "ipympl": """
%matplotlib widget
import matplotlib.pyplot as plt
{axes}
with plt.ioff():
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.2))
drawn = [draw(axes[k], table(k, 1)) for k in range(3)]

def move(change):
    for k in range(3):
        redraw(drawn[k], table(k, slider.value))
    figure.canvas.draw_idle()

slider.observe(move, names="value")
VBox([slider, figure.canvas])
""",
    "mpl-interactions": """
%matplotlib widget
import matplotlib.pyplot as plt
import mpl_interactions.ipyplot as iplt
from mpl_interactions.controller import Controls
{axes}
with plt.ioff():
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.2))
drawn = [draw(axes[k], table(k, 1)) for k in range(3)]

def numbers(k):
    def weights(loudness):
        redraw(drawn[k], table(k, loudness))
        return table(k, loudness)
    return weights

controls = Controls(use_ipywidgets=True, loudness=slider)
for k in range(3):
    iplt.imshow(numbers(k), controls=controls, ax=axes[k], vmin=0, vmax=1, cmap="cividis")
VBox([slider, figure.canvas])
""",
}


def cell(name, n):
    """The code of a view's cell for three tables of n x n."""
    return TABLES.format(n=n) + VIEWS[name].replace("{axes}", AXES).replace("{{", "{").replace(
        "}}", "}"
    )
