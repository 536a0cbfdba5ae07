"""A real picture, and pictures as tokens: pixels or patches, and where they stand."""

from importlib.resources import files

import numpy as np

from mhalib import inputs


def cat():
    """A cat's face: (48, 64) numbers from 0 (black) to 1 (white), lines from the top.

    Photograph: Chelsea, by Stefan van der Walt, in the public domain (CC0); see chelsea.txt.
    """
    with files("mhalib.chapters.ch10").joinpath("chelsea.npy").open("rb") as file:
        return np.load(file) / 255


def patches(picture, size):
    """Cut a picture into square patches, one row of numbers each: (H, W) -> (T, size²).

    ``patches(x, s)[i · W/s + j] = x[i s : (i+1) s, j s : (j+1) s]``, read line by line

    Raises ValueError if `size` does not divide both sides.
    """
    picture, dtype = grey(picture)
    inputs.whole_number(size, "size")
    height, width = picture.shape
    if size < 1 or height % size or width % size:
        raise ValueError(
            f"a picture of {height} × {width} cannot be cut into patches of size {size}; take one "
            "that divides both sides."
        )
    cut = picture.reshape(height // size, size, width // size, size).swapaxes(1, 2)
    return cut.reshape(-1, size * size).astype(dtype)


def places(height, width):
    """Where tokens stand in a grid, line by line: rows of 1, y, x, y² + x², shape (T, 4).

    Raises ValueError or TypeError unless both are whole numbers from 1 on.
    """
    for value, name in ((height, "height"), (width, "width")):
        inputs.whole_number(value, name)
        if value < 1:
            raise ValueError(f"{name} must be at least 1, but is {value}: a grid holds a token.")
    y, x = np.indices((height, width)).reshape(2, -1).astype(float)
    return np.stack([np.ones_like(y), y, x, y**2 + x**2], axis=1)


def grey(picture):
    """Return a grey picture as floats of shape (H, W), and the dtype to give back."""
    array, dtype = inputs.floats(picture, "picture")
    if array.ndim != 2:
        raise ValueError(
            f"picture has shape {array.shape}, but must be grey: (height, width); of colours take "
            "one channel or their mean."
        )
    return array, dtype
