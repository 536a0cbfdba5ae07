"""A grey picture, pixel by pixel; weights can lie over it."""

import numpy as np
from matplotlib.colors import to_rgb

from mhalib.pictures import HEAD_COLOURS, INK, Picture, plain, share
from mhalib.pictures.style import CELL_COLOURS, FAINT, STAR

GREYS = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)
SIZES = (CELL_COLOURS(np.arange(256))[:, :3] * 255).round().astype(np.uint8)


class Photo(Picture):
    """A grey picture under its title, `scale` CSS pixels for each of its own.

    With `size_of`, e.g. "difference", numbers are shown by their size, in colours.

    Parameters of `update`
    ----------------------
    values : (H, W)
    limits : (low, high), optional, the numbers shown as black and white; what is beyond is cut
    mark : (top, left, bottom, right), optional, pixels outlined: who looks
    weights : (rows, columns), optional, one for each patch, laid over the picture in `colour`: the
        largest covers the patch, half of it covers it half
    title : optional
    """

    LEFT, TOP = 4, 24

    def __init__(self, title, values, *, scale=3, size_of=None, colour=HEAD_COLOURS[0], **arrays):
        values = np.asarray(values, float)
        height, width = values.shape
        tall, wide = scale * height, scale * width
        super().__init__(wide + 2 * self.LEFT, self.TOP + tall + 24)
        self.size_of, self.colour, self.limits = size_of, np.array(to_rgb(colour)) * 255, (0, 1)
        self.title = self.text(self.LEFT, 12, title, 13, weight="bold", ha="left")
        self.heading = self.slot(0, 2, self.width, 21, [self.title])
        place = (self.LEFT / self.width, 24 / self.height, wide / self.width, tall / self.height)
        self.axes = self.figure.add_axes(place, xlim=(0, width), ylim=(height, 0))
        self.axes.set_axis_off()
        edges = {"extent": (0, width, height, 0), "interpolation": "nearest", "aspect": "auto"}
        self.image = self.axes.imshow(np.zeros((1, 1, 3), np.uint8), zorder=2, **edges)
        self.marks = [
            self.axes.plot([], [], color=colour, linewidth=line, zorder=3)[0]
            for colour, line in ((INK, 3.2), (STAR, 1.8))
        ]
        self.plane = self.slot(self.LEFT, self.TOP, wide, tall, [self.image, *self.marks])
        self.note = self.text(self.LEFT, self.height - 11, "", 11, colour=FAINT, ha="left")
        self.caption = self.slot(0, self.height - 22, self.width, 22, [self.note])
        self.update(values, **arrays)

    def update(self, values, limits=None, mark=None, weights=None, title=None):
        """Show these numbers; their meaning stands at the class."""
        values = np.asarray(values, float)
        self.limits = self.limits if limits is None else limits
        if title is not None:
            self.title.set_text(title)
        self.heading.renew(self.title.get_text())
        self.colours, self.mark = self._colours(values, weights), mark
        if self.plane.renew((self.colours.tobytes(), mark)):
            self.image.set_data(self.colours)
            top, left, bottom, right = (0, 0, 0, 0) if mark is None else mark
            for line in self.marks:
                line.set_data([left, right, right, left, left], [top, top, bottom, bottom, top])
                line.set_visible(mark is not None)
        self.note.set_text(self._note(values, weights))
        self.caption.renew(self.note.get_text())
        low, high = (_grey(number) for number in (values.min(), values.max()))
        self.alt = f"{self.title.get_text()}: from {low} to {high}."
        if weights is not None:
            most = np.unravel_index(np.argmax(weights), np.shape(weights))
            self.alt += f" Full colour: patch ({most[0]}, {most[1]})."

    def _paint(self, slot):
        if slot is self.plane and self.mark is None:
            self._stamp(slot, self.colours)
        else:
            super()._paint(slot)

    def _colours(self, values, weights):
        """RGB bytes: grey, with the weights' colour laid over it."""
        low, high = self.limits
        shown = abs(values) if self.size_of else values
        steps = np.clip(255 * (shown - low) / (high - low), 0, 255).round().astype(int)
        colours = (SIZES if self.size_of else GREYS)[steps]
        if weights is None:
            return colours
        weights = np.asarray(weights, float)
        each = [side // cut for side, cut in zip(values.shape, weights.shape, strict=True)]
        cover = np.kron(weights / weights.max(), np.ones(each))[..., None]
        return (colours * (1 - cover) + self.colour * cover).round().astype(np.uint8)

    def _note(self, values, weights):
        if weights is not None:
            return f"full colour: a weight of {share(np.max(weights))}"
        if self.size_of:
            largest = abs(values).max()
            said = "under .001" if 0 < largest < 0.0005 else _grey(largest)
            return f"largest {said}; brightest from {_grey(self.limits[1])}"
        return "black {}, white {}".format(*map(_grey, self.limits))


def _grey(number):
    """Three decimals only where a grey is small: '.5', '.004', '−1.73', '0'."""
    return plain(number, 2 if abs(number) >= 0.1 else 3)
