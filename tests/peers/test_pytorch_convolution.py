"""mhalib's convolution, and the heads that make it, are PyTorch's conv2d."""

import numpy as np
import pytest
import torch
from torch.nn.functional import conv2d, pad

from mhalib.attention import multi_head_attention
from mhalib.chapters.ch10 import (
    STEPS,
    cat,
    convolve,
    one_place_outputs,
    place_head,
    places,
    sharing_heads,
)


def theirs(picture, kernel, padding):
    """(H, W, C_in) and (3, 3, C_in, C_out) to (H, W, C_out)."""
    mode = {"edge": "replicate", "zero": "constant"}[padding]
    ringed = pad(torch.from_numpy(picture).permute(2, 0, 1)[None], (1, 1, 1, 1), mode)
    return conv2d(ringed, torch.from_numpy(kernel).permute(3, 2, 0, 1))[0].permute(1, 2, 0).numpy()


@pytest.mark.parametrize("padding", ["edge", "zero"])
def test_a_convolution_of_a_grey_picture(normal, padding):
    picture, kernel = normal(5, 7), normal(3, 3)
    right = theirs(picture[..., None], kernel[..., None, None], padding)[..., 0]
    np.testing.assert_allclose(convolve(picture, kernel, padding), right, rtol=1e-5, atol=1e-5)


def test_two_heads_are_a_convolution_of_the_cat_with_replicated_edges():
    kernel = np.random.default_rng(2).normal(size=(3, 3))
    shares, sizes = sharing_heads(kernel)
    made = np.tensordot(sizes @ shares.reshape(-1, 9), one_place_outputs(cat(), 40), 1)
    right = theirs(cat()[..., None], kernel[..., None, None], "edge")[..., 0]
    assert abs(made - right).max() < 4e-15


def test_nine_heads_are_a_convolution_of_many_channels_with_a_matrix_for_each_step():
    rng = np.random.default_rng(3)
    picture, kernel = rng.normal(size=(5, 7, 11)), rng.normal(size=(3, 3, 11, 13))
    x = np.hstack([places(5, 7), picture.reshape(35, 11)])
    w_q, w_k = (
        np.vstack([np.hstack(w), np.zeros((11, 27))])
        for w in zip(*(place_head(40, step) for step in STEPS), strict=True)
    )
    w_v = np.vstack([np.zeros((4, 99)), np.tile(np.eye(11), (1, 9))])
    made, _ = multi_head_attention(x, w_q, w_k, w_v, kernel.reshape(99, 13), 9)
    assert abs(made.reshape(5, 7, 13) - theirs(picture, kernel, "edge")).max() < 1e-13
