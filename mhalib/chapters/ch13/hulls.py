"""How far an output lies from all that one row of weights can bring."""

import numpy as np


def outside(point, points):
    """How far a point lies outside the convex hull of others, in the plane; 0 if it is inside.

    ``max over directions n of (n . point - max_j n . points_j)``, |n| = 1

    It is enough to try those along and across the lines between two points, and towards `point`.
    """
    between = (points[:, None] - points).reshape(-1, 2)
    across = np.stack([-between[:, 1], between[:, 0]], axis=1)
    directions = np.concatenate([between, across, point - points])
    lengths = np.linalg.norm(directions, axis=1)
    directions = directions[lengths > 0] / lengths[lengths > 0, None]
    ahead = directions @ point - (directions @ points.T).max(axis=1)
    return max(0.0, ahead.max(initial=0.0))
