"""The picture that comes with the package, and pictures as tokens, against loops."""

import ast
from importlib.resources import files

import numpy as np
import pytest

from mhalib.chapters.ch10 import cat, patches, places

FOLDER = files("mhalib.chapters.ch10")


def test_the_cat_is_a_small_grey_picture_with_its_licence_beside_it():
    picture = cat()
    assert picture.shape == (48, 64) and picture.dtype == np.float64
    assert picture.min() == 0 and picture.max() == 1
    assert 0.4 < picture.mean() < 0.7 and len(np.unique(picture)) > 150
    assert len(FOLDER.joinpath("chelsea.npy").read_bytes()) < 4000
    said = FOLDER.joinpath("chelsea.txt").read_text(encoding="utf-8")
    assert "CC0" in said and "Stefan van der Walt" in said


def test_the_file_is_plain_numpy_and_nothing_is_unpickled():
    with FOLDER.joinpath("chelsea.npy").open("rb") as file:
        assert file.read(6) == b"\x93NUMPY"
        file.seek(10)
        assert ast.literal_eval(file.readline().decode())["descr"] == "|u1"


def test_patches_are_the_squares_of_the_picture_line_by_line():
    picture = np.arange(6 * 15.0).reshape(6, 15)
    cut = patches(picture, 3)
    assert cut.shape == (2 * 5, 9)
    for i in range(2):
        for j in range(5):
            square = [picture[3 * i + a, 3 * j + b] for a in range(3) for b in range(3)]
            assert cut[5 * i + j].tolist() == square
    assert patches(picture, 1).ravel().tolist() == picture.ravel().tolist()
    assert patches(picture.astype("float32"), 3).dtype == np.float32


def test_places_count_lines_and_columns_and_carry_their_squared_length():
    table = places(3, 5)
    assert table.shape == (15, 4)
    for t in range(15):
        y, x = divmod(t, 5)
        assert table[t].tolist() == [1, y, x, y * y + x * x]


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: patches(np.ones((6, 15)), 4), "6 × 15 cannot be cut into patches of size 4"),
        (lambda: patches(np.ones((6, 15)), 0), "of size 0"),
        (lambda: patches(np.ones((6, 15)), 3.0), "size must be a whole number, but is 3.0"),
        (lambda: patches(np.ones((6, 15, 3)), 3), "(6, 15, 3), but must be grey"),
        (lambda: patches([[0.5, float("nan")]], 1), "picture holds NaN"),
        (lambda: places(0, 3), "height must be at least 1, but is 0"),
        (lambda: places(3, -1), "width must be at least 1, but is -1"),
        (lambda: places(3, "5"), "width must be a whole number, but is '5'"),
    ],
)
def test_bad_input_meets_one_sentence(call, says):
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert says in str(caught.value)
