"""What tests of pictures share: the full drawing to compare with, and colours as fractions."""

import io

import numpy as np
from matplotlib.colors import to_rgba

from mhalib.pictures import HEAD_COLOURS
from mhalib.pictures.raster import DENSITY

A_AND_B = [to_rgba(colour) for colour in HEAD_COLOURS[:2]]


def drawn_in_full(picture):
    """The pixels that Matplotlib's own savefig gives for the same artists, none left out."""
    for slot in picture.slots:
        for artist in slot.artists:
            artist.set_animated(False)
    file = io.BytesIO()
    picture.figure.savefig(file, format="raw", dpi=100 * DENSITY)
    pixels = np.frombuffer(file.getvalue(), np.uint8)
    return pixels.reshape(DENSITY * picture.height, DENSITY * picture.width, 4)


def assert_moves(make, states):
    """Moved from state to state, a picture has the pixels of one drawn anew, in full and opaque.

    `make(**state)` gives a picture; a state is what its `update` takes. In the end everything moves
    alone, from the last state to what it was in the first and back: nothing may be left as it is.
    """
    last = states[-1]
    first = dict.fromkeys(last) | states[0]
    alone = [last | {name: first[name]} for name in last if fits(first[name], last[name])]
    moved, known = make(**first), {}
    for number, state in enumerate([*states, *(s for one in alone for s in (one, last))]):
        moved.png()
        moved.update(**state)
        if id(state) not in known:
            known[id(state)] = drawn_in_full(make(**state))
        assert np.array_equal(moved.pixels(), known[id(state)][..., :3]), number
        assert (known[id(state)][..., 3] == 255).all()  # it reads on a dark page


def fits(one, other):
    return one is None or other is None or np.shape(one) == np.shape(other)


def at(*marks):
    """Where marks stand."""
    return [np.ravel(mark.get_data()).tolist() for mark in marks]


def words(texts):
    return [text.get_text() for text in texts]


def faces(slots):
    """The colours of the slots' first artists."""
    return [slot.artists[0].get_facecolor() for slot in slots]
