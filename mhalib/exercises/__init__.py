"""Checks that answer like a tutor: the first thing that is wrong, and the slip it looks like.

The order is: attempted, type, shape (never through broadcasting), property, value. A check
returns `Feedback`; printing it gives the sentence.
"""

from mhalib.exercises.cache import check_cache_size, check_for_heads, check_step
from mhalib.exercises.derivatives import check_jacobian, check_pull, check_pull_back
from mhalib.exercises.feedback import NOT_ATTEMPTED, Feedback
from mhalib.exercises.folded_heads import check_cross_terms, check_fold, check_linear_head
from mhalib.exercises.many_heads import check_concat_heads, check_multi_head, check_split_heads
from mhalib.exercises.masks import check_causal_mask, check_masked_softmax
from mhalib.exercises.merged_heads import check_compromise, check_merge, check_partner
from mhalib.exercises.mixing import check_folded, check_swap, check_writes
from mhalib.exercises.myths import (
    check_at_inference,
    check_jury,
    check_linear_heads,
    check_not_the_average,
    check_two_blocks,
)
from mhalib.exercises.myths_of_matrices import (
    check_fewer_heads,
    check_meaning,
    check_own_keys,
    check_same_parameters,
    check_split_first,
    check_w_o,
)
from mhalib.exercises.notation import check_from_pytorch, check_may_attend
from mhalib.exercises.one_head import check_attention, check_softmax
from mhalib.exercises.pictures import check_fewest_heads, check_mixed_of, check_place_head
from mhalib.exercises.real_heads import (
    check_induction_pattern,
    check_muted_output,
    check_previous_score,
)
from mhalib.exercises.rotary import check_rope, check_rope_head
from mhalib.exercises.routes import check_criterion, check_deal, check_effective_number
from mhalib.exercises.trained_heads import (
    check_adam_step,
    check_name_any,
    check_read_gradient,
    check_unseen,
)

__all__ = [
    "check_adam_step",
    "check_at_inference",
    "check_attention",
    "check_cache_size",
    "check_causal_mask",
    "check_compromise",
    "check_concat_heads",
    "check_criterion",
    "check_cross_terms",
    "check_deal",
    "check_effective_number",
    "check_fewer_heads",
    "check_fewest_heads",
    "check_fold",
    "check_folded",
    "check_for_heads",
    "check_from_pytorch",
    "check_induction_pattern",
    "check_jacobian",
    "check_jury",
    "check_linear_head",
    "check_linear_heads",
    "check_masked_softmax",
    "check_may_attend",
    "check_meaning",
    "check_merge",
    "check_mixed_of",
    "check_multi_head",
    "check_muted_output",
    "check_name_any",
    "check_not_the_average",
    "check_own_keys",
    "check_partner",
    "check_place_head",
    "check_previous_score",
    "check_pull",
    "check_pull_back",
    "check_read_gradient",
    "check_rope",
    "check_rope_head",
    "check_same_parameters",
    "check_softmax",
    "check_split_first",
    "check_split_heads",
    "check_step",
    "check_swap",
    "check_two_blocks",
    "check_unseen",
    "check_w_o",
    "check_writes",
    "Feedback",
    "NOT_ATTEMPTED",
]
