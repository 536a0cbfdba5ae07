"""Chapter 10: a kernel on a real picture, made of as few heads as will do."""

from types import SimpleNamespace

import ipywidgets as widgets
import numpy as np

from mhalib.chapters.ch10.cat_picture import cat
from mhalib.chapters.ch10.convolution import (
    KERNELS,
    convolve,
    line_weights,
    one_place_heads,
    one_place_outputs,
    one_place_weights,
    sharing_heads,
)
from mhalib.chapters.ch10.photo import Photo
from mhalib.chapters.ch10.route_maps import RouteMaps
from mhalib.live import Explorer, Goal, Verdict, chooser, column, fold, heading, row, slider
from mhalib.pictures import INK, Sheet, percent, plain, share
from mhalib.pictures.wording import HEADS

OWN = "my own"
PIXELS = {"pupil": (18, 24), "nose": (37, 37), "left edge": (24, 0), "corner": (0, 0)}
STEP_NAMES = ("up left", "up", "up right", "left", "itself")
STEP_NAMES += ("right", "down left", "down", "down right")
LIMIT = 0.01  # of white: below this a kernel counts as made
REACH = 2  # how far around itself a pixel's map goes


class FewestHeads(Explorer):
    """Choose a kernel, what a head may do, how many there are and how soft their rows are."""

    sentence_lines = 8
    examples = {"start": ("sharpen", "share", 2, 1.0, "pupil")}

    def __init__(self):
        self.goals = HEAD_GOALS
        super().__init__()
        self.picture = cat()
        self.kernel = self.watch(chooser("Kernel", [*KERNELS, OWN]), self._take)
        kinds = [("shares its budget", "share"), ("looks at one place", "place")]
        self.kind = self.watch(chooser("A head", kinds))
        self.heads = self.watch(slider("heads", 1, 9, 2, 1, INK, ".0f"))
        self.alpha = self.watch(slider("α", 0.1, 20, 1.0, 0.1, INK))
        self.pixel = self.watch(chooser("Pixel", list(PIXELS)))
        self.numbers = [
            self.watch(
                widgets.BoundedFloatText(0, min=-9, max=9, step=1, layout={"width": "72px"}),
                self._edit,
            )
            for _ in range(9)
        ]
        self.divisor = self.watch(chooser("Divided by", [1, 2, 3, 4, 6, 8, 9, 16]), self._edit)
        self.back()
        nine = [row(*self.numbers[i : i + 3]) for i in (0, 3, 6)]
        self.view = row(
            column(
                self.frames[0],
                self.sentence_line,
                self.goal_line,
                row(*self.goal_buttons, self.back_button),
            ),
            column(
                self.kernel,
                self.kind,
                heading("how many heads, 1 to 9"),
                self.heads,
                heading("α: soft to one-hot rows, 0.1 to 20"),
                self.alpha,
                self.pixel,
                self.frames[1],
                fold("The kernel's nine numbers", *nine, self.divisor),
            ),
        )

    def _take(self):
        """Put the chosen kernel's numbers into the boxes."""
        with self.one_redraw():
            if self.kernel.value in KERNELS:
                numbers, self.divisor.value = KERNELS[self.kernel.value]
                for box, number in zip(self.numbers, numbers, strict=True):
                    box.value = number

    def _edit(self):
        """A number was typed: if the kernel is no longer the chosen one, it is the reader's."""
        if not self._muted:
            with self.one_redraw():
                self.kernel.value = self._name()

    def _name(self):
        numbers = tuple(box.value for box in self.numbers), self.divisor.value
        return next((name for name, known in KERNELS.items() if known == numbers), OWN)

    def read(self):
        kernel = np.reshape([box.value for box in self.numbers], (3, 3)) / self.divisor.value
        n_heads, alpha, place = int(self.heads.value), self.alpha.value, PIXELS[self.pixel.value]
        shares, sizes = (sharing_heads if self.kind.value == "share" else one_place_heads)(kernel)
        needed, n_used = len(sizes), min(n_heads, len(sizes))
        shares, sizes = shares[:n_used].reshape(-1, 9), sizes[:n_used]
        result = np.tensordot(sizes @ shares, one_place_outputs(self.picture, alpha), 1)
        wanted = convolve(self.picture, kernel)
        rows = np.tensordot(shares, one_place_weights(self.picture.shape, place, alpha), 1)
        middle = self.picture.shape[0] // 2
        return SimpleNamespace(
            name=self._name(),
            kind=self.kind.value,
            kernel=kernel,
            n_heads=n_heads,
            alpha=alpha,
            place=place,
            needed=needed,
            shares=shares,
            sizes=sizes,
            rows=rows,
            hit=line_weights(self.picture.shape[0], alpha)[1, middle, middle] ** 2,
            result=result,
            wanted=wanted,
            error=abs(result - wanted).max(),
        )

    def draw(self, state):
        low, high = min(0, state.wanted.min()), max(0, state.wanted.max())
        if low == high or abs(state.kernel.sum() - 1) < 1e-9:
            low, high = 0, 1
        limits, idle = (low, high), np.zeros(state.n_heads - len(state.sizes))
        y, x = state.place
        mark = (y - REACH, x - REACH, y + REACH + 1, x + REACH + 1)
        shown = [
            {"values": self.picture, "mark": mark},
            {"values": state.result, "limits": limits},
            {"values": state.wanted, "limits": limits},
            {"values": state.result - state.wanted, "limits": (0, 0.25)},
        ]
        windows = np.concatenate([_around(state.rows, state.place), _nothing(len(idle))])
        arrays = {"windows": windows, "sizes": np.concatenate([state.sizes, idle])}
        if not self.pictures:
            titles = ("the picture", "what the heads make", "the convolution", "their difference")
            self.photos = [
                Photo(title, size_of="difference" if k == 3 else None, **arguments)
                for k, (title, arguments) in enumerate(zip(titles, shown, strict=True))
            ]
            sheet = Sheet([self.photos[:2], self.photos[3:1:-1]])
            return [sheet, RouteMaps("where the square's middle looks", **arrays)]
        for photo, arguments in zip(self.photos, shown, strict=True):
            photo.update(**arguments)
        self.pictures[1].update(**arrays)
        return self.pictures

    def describe(self, state):
        many = "1 head" if state.n_heads == 1 else f"{state.n_heads} heads"
        idle = state.n_heads - len(state.sizes)
        name = "A kernel of your own" if state.name == OWN else state.name.capitalize()
        spare = f" ({idle} of them idle)" if idle else ""
        return (
            f"{name} by {many}{spare}: {_done(state)}. At α = {state.alpha:.1f} a look far from "
            f"the border puts {percent(state.hit)} on the pixel it means. The largest difference "
            f"from the convolution is {_digits(state.error)} (white is 1)."
        )

    def apply(self, example):
        self.kernel.value, self.kind.value, self.heads.value, self.alpha.value = example[:4]
        self.pixel.value = example[4]
        self._take()


def _around(rows, place):
    """The maps cut out around a pixel, NaN where the picture ends: (n, 5, 5)."""
    padded = np.pad(rows, ((0, 0), (REACH, REACH), (REACH, REACH)), constant_values=np.nan)
    y, x = place
    return padded[:, y : y + 2 * REACH + 1, x : x + 2 * REACH + 1]


def _nothing(n_heads):
    return np.zeros((n_heads, 2 * REACH + 1, 2 * REACH + 1))


def _done(state):
    """What the heads do, in words: one by one for up to three."""
    if not len(state.sizes):
        return "the kernel is all 0, and no head has anything to do"
    if len(state.sizes) > 3:
        return f"{len(state.sizes)} of the kernel's {state.needed} places are looked at, one a head"
    return ", ".join(
        f"head {HEADS[r]} {_look(share)}, times {plain(size)}"
        for r, (share, size) in enumerate(zip(state.shares, state.sizes, strict=True))
    )


def _look(share):
    places = np.flatnonzero(share)
    if len(places) > 1:
        return f"shares among {len(places)} places"
    name = STEP_NAMES[places[0]]
    return "looks at the pixel itself" if name == "itself" else f"looks {name}"


def _digits(error):
    """A difference in words: '.032', 'under .001', '0'."""
    if error < 1e-12:
        return "0 up to rounding"
    return "under .001" if error < 0.0005 else share(error, 3)


def _now(state):
    return f"Now the largest difference is {_digits(state.error)}."


def _each(state, found):
    """G1: every kernel of the list, with the fewest heads."""
    made, fewest = state.error < LIMIT, state.n_heads <= state.needed
    if state.name in KERNELS and state.kind == "share" and made and fewest:
        found.add(state.name)
    missing = [name for name in KERNELS if name not in found]
    so_far = f"Done: {len(found)} of {len(KERNELS)}"
    so_far += f"; missing: {', '.join(missing)}." if 0 < len(missing) <= 3 else "."
    if not missing:
        return Verdict("reached", so_far)
    if state.name not in KERNELS:
        return Verdict("not yet", f"This kernel is not of the list. {so_far}")
    if state.kind != "share":
        return Verdict("not yet", f"Let a head share its budget. {so_far}")
    if not made:
        return Verdict("not yet", f"{_now(state)} {so_far}")
    if not fewest:
        return Verdict("not yet", f"Made, but with more heads than it takes. {so_far}")
    return Verdict("not yet", f"{state.name.capitalize()} takes {state.n_heads}. {so_far}")


def _kernel(name):
    numbers, divisor = KERNELS[name]
    return np.reshape(numbers, (3, 3)) / divisor


def _one_head(state, found):
    """G2: both signs by one head; it cannot be."""
    if state.name != "Sobel" or state.n_heads != 1:
        return Verdict("not yet", "Choose Sobel and one head.")
    if state.error < LIMIT:
        return Verdict("reached", _now(state))
    return Verdict(
        "impossible",
        "one head is a row of weights, none below 0, times one number: what it makes of a kernel "
        f"has one sign, and Sobel has both. {_now(state)}",
    )


def _one_place(state, found):
    """G3: one place a head: as many heads as there are places."""
    if state.name != "Laplacian" or state.kind != "place":
        return Verdict("not yet", "Choose the Laplacian and heads that look at one place only.")
    if state.error >= LIMIT:
        return Verdict("not yet", _now(state))
    if state.n_heads > state.needed:
        return Verdict("not yet", "Made, but with more heads than it takes.")
    return Verdict("reached", f"{state.n_heads} heads, one for each number that is not 0.")


def _soft(state, found):
    """G4: a soft row is a blur by itself."""
    if state.name != "identity" or state.n_heads != 1:
        return Verdict("not yet", "Choose the identity and one head, then move α.")
    gap = abs(state.result - convolve(cat(), _kernel("Gaussian blur"))).max()
    status = "reached" if gap < 0.03 else "not yet"
    return Verdict(status, f"Now it is {_digits(gap)} from the Gaussian blur.")


HEAD_GOALS = (
    Goal("heads that share: each kernel of the list to within .01, with the fewest.", _each),
    Goal("make Sobel with a single head.", _one_head),
    Goal("heads that look at one place only: the Laplacian with the fewest.", _one_place),
    Goal("the identity, one head: by α alone, come within .03 of the Gaussian blur.", _soft),
)
