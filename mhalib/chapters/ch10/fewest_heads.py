"""Chapter 10: a kernel on a real picture, made of as few heads as will do."""

from functools import partial
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
from mhalib.live.controls import chooser, column, fold, heading, put, row, slider
from mhalib.live.explorer import Explorer, goal, impossible, not_yet, reached, reached_if
from mhalib.pictures import INK, Sheet, percent, plain, share
from mhalib.pictures.wording import HEADS

MY_OWN = "my own"
PIXELS = {"pupil": (18, 24), "nose": (37, 37), "left edge": (24, 0), "corner": (0, 0)}
STEP_NAMES = ("up left", "up", "up right", "left", "itself")
STEP_NAMES += ("right", "down left", "down", "down right")
LIMIT = 0.01  # of white: below this a kernel counts as made
REACH = 2  # how far around itself a pixel's map goes


@goal("heads that share: each kernel of the list to within .01, with the fewest.")
def each_kernel(state, found):
    made, fewest = state.error < LIMIT, state.n_heads <= state.needed
    if state.name in KERNELS and state.kind == "share" and made and fewest:
        found.add(state.name)
    missing = [name for name in KERNELS if name not in found]
    so_far = f"Done: {len(found)} of {len(KERNELS)}"
    so_far += f"; missing: {', '.join(missing)}." if 0 < len(missing) <= 3 else "."
    if not missing:
        return reached(so_far)
    if state.name not in KERNELS:
        return not_yet(f"This kernel is not of the list. {so_far}")
    if state.kind != "share":
        return not_yet(f"Let a head share its budget. {so_far}")
    if not made:
        return not_yet(f"{_now(state)} {so_far}")
    if not fewest:
        return not_yet(f"Made, but with more heads than it takes. {so_far}")
    return not_yet(f"{state.name.capitalize()} takes {state.n_heads}. {so_far}")


def _kernel(name):
    numbers, divisor = KERNELS[name]
    return np.reshape(numbers, (3, 3)) / divisor


@goal("make Sobel with a single head.")
def sobel_by_one(state, found):
    if state.name != "Sobel" or state.n_heads != 1:
        return not_yet("Choose Sobel and one head.")
    if state.error < LIMIT:
        return reached(_now(state))
    return impossible(
        "one head is a row of weights, none below 0, times one number: what it makes of a kernel "
        f"has one sign, and Sobel has both. {_now(state)}"
    )


@goal("heads that look at one place only: the Laplacian with the fewest.")
def laplacian_place_by_place(state, found):
    if state.name != "Laplacian" or state.kind != "place":
        return not_yet("Choose the Laplacian and heads that look at one place only.")
    if state.error >= LIMIT:
        return not_yet(_now(state))
    if state.n_heads > state.needed:
        return not_yet("Made, but with more heads than it takes.")
    return reached(f"{state.n_heads} heads, one for each number that is not 0.")


@goal("the identity, one head: by α alone, come within .03 of the Gaussian blur.")
def soft_blur(state, found):
    if state.name != "identity" or state.n_heads != 1:
        return not_yet("Choose the identity and one head, then move α.")
    gap = abs(state.result - convolve(cat(), _kernel("Gaussian blur"))).max()
    return reached_if(gap < 0.03, f"Now it is {_digits(gap)} from the Gaussian blur.")


class FewestHeads(Explorer):
    """Choose a kernel, what a head may do, how many there are and how soft their rows are."""

    sentence_lines = 8
    goals = (each_kernel, sobel_by_one, laplacian_place_by_place, soft_blur)
    examples = {"start": ("sharpen", "share", 2, 1.0, "pupil")}

    def __init__(self):
        super().__init__()
        self.picture = cat()
        self.kernel = self.watch(chooser("Kernel", [*KERNELS, MY_OWN]), self._take)
        kinds = [("shares its budget", "share"), ("looks at one place", "place")]
        self.kind = self.watch(chooser("A head", kinds))
        self.heads = self.watch(slider("heads", 1, 9, 2, 1, INK, ".0f"))
        self.alpha = self.watch(slider("α", 0.1, 20, 1.0, 0.1, INK))
        self.pixel = self.watch(chooser("Pixel", list(PIXELS)))
        boxes = [
            widgets.BoundedFloatText(0, min=-9, max=9, step=1, layout={"width": "72px"})
            for _ in range(9)
        ]
        self.numbers = [self.watch(box, self._edit) for box in boxes]
        self.divisor = self.watch(chooser("Divided by", [1, 2, 3, 4, 6, 8, 9, 16]), self._edit)
        self.back()
        nine = [row(*self.numbers[i : i + 3]) for i in (0, 3, 6)]
        buttons = row(*self.goal_buttons, self.back_button)
        heads = heading("how many heads, 1 to 9"), self.heads
        alpha = heading("α: soft to one-hot rows, 0.1 to 20"), self.alpha
        numbers = fold("The kernel's nine numbers", *nine, self.divisor)
        self.view = row(
            column(self.frames[0], self.sentence_line, self.goal_line, buttons),
            column(self.kernel, self.kind, *heads, *alpha, self.pixel, self.frames[1], numbers),
        )

    def _take(self):
        """Put the chosen kernel's numbers into the boxes."""
        with self.one_redraw():
            if self.kernel.value in KERNELS:
                numbers, self.divisor.value = KERNELS[self.kernel.value]
                put(self.numbers, numbers)

    def _edit(self):
        """A number was typed: if the kernel is no longer the chosen one, it is the reader's."""
        if not self._muted:
            with self.one_redraw():
                self.kernel.value = self._name()

    def _name(self):
        numbers = tuple(box.value for box in self.numbers), self.divisor.value
        return next((name for name, known in KERNELS.items() if known == numbers), MY_OWN)

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
        titles = ("the picture", "what the heads make", "the convolution", "their difference")
        sizes = (None, None, None, "difference")
        photos = [
            (partial(Photo, title, size_of=size), arguments)
            for title, size, arguments in zip(titles, sizes, shown, strict=True)
        ]
        *photos, maps = self.drawn(
            *photos, (partial(RouteMaps, "where the square's middle looks"), arrays)
        )
        return self.pictures or [Sheet([photos[:2], photos[3:1:-1]]), maps]

    def describe(self, state):
        many = "1 head" if state.n_heads == 1 else f"{state.n_heads} heads"
        idle = state.n_heads - len(state.sizes)
        name = "A kernel of your own" if state.name == MY_OWN else state.name.capitalize()
        spare = f" ({idle} of them idle)" if idle else ""
        return (
            f"{name} by {many}{spare}: {_done(state)}. At α = {state.alpha:.1f} a look far from "
            f"the border puts {percent(state.hit)} on the pixel it means. The largest difference "
            f"from the convolution is {_digits(state.error)} (white is 1)."
        )

    def apply(self, example):
        self.kernel.value, self.kind.value, self.heads.value, *rest = example
        self.alpha.value, self.pixel.value = rest
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
        f"head {HEADS[r]} {_look(places)}, times {plain(size)}"
        for r, (places, size) in enumerate(zip(state.shares, state.sizes, strict=True))
    )


def _look(shares):
    places = np.flatnonzero(shares)
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
