"""mhalib: what multi-head attention does, in NumPy, pictures and sliders."""

from mhalib.attention import (
    causal_mask,
    concat_heads,
    multi_head_attention,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)
from mhalib.merging import average_of_weights, entropy, merge_logits

__all__ = [
    "average_of_weights",
    "causal_mask",
    "concat_heads",
    "entropy",
    "merge_logits",
    "multi_head_attention",
    "scaled_dot_product_attention",
    "softmax",
    "split_heads",
]
