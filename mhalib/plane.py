"""Points of a plane: hulls, and distances to lines."""

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
