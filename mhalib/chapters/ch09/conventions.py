"""From one convention of RoPE's pairs of channels to the other."""

import numpy as np

from mhalib.rotary import frequencies


def permutation(d_head):
    """The order of channels in which halves become neighbours: 0, d_head/2, 1, d_head/2 + 1, ...

    ``rotate(x, t)[..., p] = rotate(x[..., p], t, pairs="neighbours")`` exactly, so that queries
    and keys (columns of each head's W_Q and W_K) of one convention can serve the other. Dot
    products do not change. The way back is ``np.argsort(p)``.

    Shape (d_head,), integers. Raises as `frequencies` does.
    """
    frequencies(d_head)
    return np.arange(d_head).reshape(2, -1).T.ravel()
