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
        self.title = self.headline(title, self.LEFT, 12)
        self.heading = self.slot(0, 2, self.width, 21, [self.title])
        corner = (self.LEFT, self.TOP, wide, tall)
        axes, image = self.bitmap(*corner, width, height)
        self.marks = [
            axes.plot([], [], color=colour, linewidth=line, zorder=3)[0]
            for colour, line in ((INK, 3.2), (STAR, 1.8))
        ]
        self.map = self.slot(*corner, [image, *self.marks])
        low, style = self.height - 22, {"colour": FAINT, "ha": "left"}
        self.caption = self.note((0, low, self.width, 22), self.LEFT, low + 11, 11, **style)
        self.update(values, **arrays)

    def update(self, values, limits=None, mark=None, weights=None, title=None):
        """Show these numbers; their meaning stands at the class."""
        values = np.asarray(values, float)
        self.limits = self.limits if limits is None else limits
        title = self.title.get_text() if title is None else title
        self.heading.write(title)
        colours = self._colours(values, weights)
        if self.map.renew((colours.tobytes(), mark)):
            self.map.fill(colours, alone=mark is None)
            top, left, bottom, right = mark or (0, 0, 0, 0)
            for line in self.marks:
                line.set_data([left, right, right, left, left], [top, top, bottom, bottom, top])
                line.set_visible(mark is not None)
        self.caption.write(self._note(values, weights))
        self.alt = f"{title}: from {_grey(values.min())} to {_grey(values.max())}."
        if weights is not None:
            most = np.unravel_index(np.argmax(weights), np.shape(weights))
            self.alt += f" Full colour: patch ({most[0]}, {most[1]})."

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
