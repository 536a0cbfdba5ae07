"""mhalib: what multi-head attention does, in NumPy, pictures and sliders."""

from mhalib.attention import (
    causal_mask,
    concat_heads,
    multi_head_attention,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)
from mhalib.merging import average_of_weights, entropy, js_divergence, merge_logits, partner

__all__ = [
    "average_of_weights",
    "causal_mask",
    "concat_heads",
    "entropy",
    "js_divergence",
    "merge_logits",
    "multi_head_attention",
    "partner",
    "scaled_dot_product_attention",
    "softmax",
    "split_heads",
]
