"""Points of a plane and their convex hull: all that weighted averages of them can reach."""

import numpy as np


def hull(points):
    """The corners of the convex hull ``{Σ_j w_j p_j : w_j ≥ 0, Σ_j w_j = 1}``, in order round it.

    `points` (n, 2); returns a list of (x, y), with two corners for points of one line and one for
    a single place. Source: Andrew's monotone chain (1979).
    """
    points = sorted(set(map(tuple, points)))
    return _lower_side(points) + _lower_side(points[::-1]) or points[:1]


def _lower_side(points):
    """From the first point to the last but one along one side, never turning to the right."""
    chain = []
    for x, y in points:
        while len(chain) > 1:
            (x0, y0), (x1, y1) = chain[-2:]
            if (x1 - x0) * (y - y0) > (y1 - y0) * (x - x0):
                break
            chain.pop()
        chain.append((x, y))
    return chain[:-1]


def distance_to_hull(point, points):
    """How far a point (2,) lies from the convex hull of `points` (n, 2); 0 if it is inside.

    ``max over directions n of (n · point − max_j n · points_j)``, |n| = 1

    It is enough to try those along and across the lines between two points, and towards `point`.
    """
    point, points = np.asarray(point, float), np.asarray(points, float)
    between = (points[:, None] - points).reshape(-1, 2)
    across = np.stack([-between[:, 1], between[:, 0]], axis=1)
    directions = np.concatenate([between, across, point - points])
    lengths = np.linalg.norm(directions, axis=1)
    directions = directions[lengths > 0] / lengths[lengths > 0, None]
    ahead = directions @ point - (directions @ points.T).max(axis=1)
    return max(0.0, ahead.max(initial=0.0))
