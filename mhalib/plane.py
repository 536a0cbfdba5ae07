"""Points of a plane: hulls, and distances to lines and hulls."""

import numpy as np


def hull(points):
    """The corners of the convex hull of (n, 2) points, in order (Andrew's monotone chain)."""
    points = sorted(set(map(tuple, points)))

    def half(points):
        chain = []
        for p in points:
            while len(chain) > 1 and (
                (chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1])
                <= (chain[-1][1] - chain[-2][1]) * (p[0] - chain[-2][0])
            ):
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return half(points) + half(points[::-1]) or points[:1]


def distance_to_line(point, one, other):
    """How far a point of the plane lies from the line between two others."""
    along = np.subtract(other, one)
    if not along.any():
        return np.linalg.norm(point - one)
    share = np.clip((point - one) @ along / (along @ along), 0, 1)
    return np.linalg.norm(point - one - share * along)


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
