"""Hulls and distances of points of a plane, against weighted averages tried in great number."""

import itertools

import numpy as np
import pytest

from mhalib.plane import distance_to_hull, hull

RNG = np.random.default_rng(1)
GRID = np.linspace(0, 1, 201)
ROWS = np.array([(a, b, 1 - a - b) for a, b in itertools.product(GRID, GRID) if a + b <= 1])


def side(start, end, point):
    """Twice the area of the triangle; positive if the point lies to the left of the way."""
    return (end - start)[0] * (point - start)[1] - (end - start)[1] * (point - start)[0]


@pytest.mark.parametrize("points", [RNG.normal(size=(n, 2)) for n in (3, 4, 6, 23)], ids=len)
def test_every_point_lies_to_the_left_of_every_side_of_a_hull_and_its_corners_are_points(points):
    corners = np.array(hull(points))
    assert {*map(tuple, corners)} <= {*map(tuple, points)}
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        assert min(side(start, end, point) for point in points) >= -1e-12


@pytest.mark.parametrize(
    "points, corners",
    [
        (
            [[0, 0], [4, 0], [4, 4], [0, 4], [2, 2], [4, 2]] * 2,
            [(0, 0), (4, 0), (4, 4), (0, 4)],
        ),
        ([[1, 2], [5, 8]], [(1, 2), (5, 8)]),
        ([[0, 0], [2, 2], [1, 1]], [(0, 0), (2, 2)]),
        ([[3, 3], [3, 3]], [(3, 3)]),
    ],
)
def test_a_hull_has_no_corner_inside_on_a_side_or_twice(points, corners):
    assert hull(np.array(points)) == corners


def test_the_distance_to_a_hull_is_the_least_of_many_weighted_averages():
    for _ in range(20):
        points, point = RNG.normal(size=(3, 2)), RNG.normal(size=2) * 2
        tried = np.linalg.norm(ROWS @ points - point, axis=1).min()
        assert distance_to_hull(point, points) == pytest.approx(tried, abs=0.02)


@pytest.mark.parametrize(
    "point, points, distance",
    [
        ((1, 8), [[1, 2], [5, 8]], 24 / np.hypot(4, 6)),  # twice the triangle's area by its side
        ((7, 8), [[1, 2], [5, 8]], 2),  # beyond an end
        ((3, 5), [[1, 2], [5, 8]], 0),
        ((3, 4), np.zeros((3, 2)), 5),
        ((1, 1), np.ones((3, 2)), 0),
    ],
)
def test_a_hull_may_be_a_line_or_a_point(point, points, distance):
    assert distance_to_hull(point, points) == pytest.approx(distance, abs=1e-12)
