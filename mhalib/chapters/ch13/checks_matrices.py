"""Chapter 13: counter-examples to myths about projections and parameters, by what they do."""

import numpy as np

from mhalib.attention import multi_head_attention, scaled_dot_product_attention, softmax
from mhalib.live import Feedback
from mhalib.live.feedback import arrays_of
from mhalib.pictures.wording import HEADS


def odd(channels):
    """The Feedback for channels that two heads cannot share, or None."""
    if channels % 2:
        return Feedback(False, f"{channels} channels cannot be cut into two equal blocks.")


def check_same_parameters(X, W_Q, W_K, W_V, W_O):
    """The same four matrices, read with one head and with two: other outputs."""
    square = ("channels", "channels")
    values = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": W_O}
    axes = {"X": ("tokens", "channels")} | dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), square)
    arrays = arrays_of(values, axes, {"channels": 2})
    if isinstance(arrays, Feedback):
        return arrays
    if wrong := odd(len(arrays[1])):
        return wrong
    X, W_Q, W_K, W_V, W_O = arrays
    (one, rows), (two, other) = (multi_head_attention(*arrays, n_heads) for n_heads in (1, 2))
    largest = max(abs(one).max(), abs(two).max())
    gap = abs(one - two).max()
    if gap > 0.01 * largest:
        return Feedback(
            True, f"Right: the outputs differ by {gap:.2g} and are {largest:.2g} at most."
        )
    if len(X) == 1:
        why = "with one token every softmax has one entry, 1, however many heads there are."
    elif np.ptp(X, axis=0).max() == 0:
        why = "all rows of X are the same, so it does not matter where a head looks."
    elif largest == 0:
        why = "both outputs are 0 everywhere: look at W_V and W_O."
    elif not (X @ W_Q).any() or not (X @ W_K).any():
        why = "all logits are 0, so every row is even, with one head and with two."
    elif abs(rows - other).max() > 0.01:
        why = "the weights differ, but what they select gives the same output."
    else:
        why = "one head and two have the same rows of weights: let the blocks disagree."
    return Feedback(False, f"the outputs agree within a hundredth: {why}")


def check_fewer_heads(q, K):
    """One head of full width finds the best key; each of two halves misses it."""
    arrays = arrays_of(
        {"q": q, "K": K},
        {"q": ("channels",), "K": ("words", "channels")},
        {"channels": 2, "words": 2},
    )
    if isinstance(arrays, Feedback):
        return arrays
    q, K = arrays
    if wrong := odd(len(q)):
        return wrong
    best, half = int((K @ q).argmax()), len(q) // 2
    one = scaled_dot_product_attention(q[None], K, K)[1][0]
    halves = np.array([softmax(K[:, s] @ q[s] / half**0.5) for s in np.s_[:half, half:]])
    if np.sum(K @ q == (K @ q)[best]) > 1:
        return Feedback(False, "two keys fit the query equally well: there is no best one.")
    most = halves[:, best].max()
    if most > 0.5:
        head = HEADS[int(halves[:, best].argmax())]
        return Feedback(
            False, f"word {best} fits best, and head {head} of two finds it as well ({most:.2f})."
        )
    if one[best] < 0.9:
        return Feedback(
            False,
            f"word {best} fits best, but the one head gives it {one[best]:.2f}; .90 is wanted: "
            "make q larger.",
        )
    return Feedback(
        True,
        f"Right: word {best} fits best; one head gives it {one[best]:.2f}, each of two heads "
        f"{most:.2f} at most.",
    )


def check_meaning(W_Q, W_K, X, other_X):
    """One head: a previous-word head in one text, and in another not at all."""
    width = ("channels", "width")
    arrays = arrays_of(
        {"W_Q": W_Q, "W_K": W_K, "X": X, "other_X": other_X},
        {"W_Q": width, "W_K": width, "X": ("words", "channels"), "other_X": ("rows", "channels")},
        {"words": 3, "rows": 3},
    )
    if isinstance(arrays, Feedback):
        return arrays
    W_Q, W_K, X, other_X = arrays
    tables = [scaled_dot_product_attention(t @ W_Q, t @ W_K, t)[1] for t in (X, other_X)]
    first, second = (np.diag(weights, -1) for weights in tables)  # given to the word before
    elsewhere = (tables[1] - np.diag(second, -1))[1:].max(axis=1)
    if X.shape == other_X.shape and np.allclose(X, other_X):
        return Feedback(False, "both texts are the same; keep the head and change the text.")
    if first.min() < 0.9:
        row = int(first.argmin()) + 1
        return Feedback(
            False,
            f"in X row {row} gives the row before it {first.min():.2f}; .90 is wanted in every row "
            "after the first.",
        )
    if second.max() > 0.1:
        row = int(second.argmax()) + 1
        return Feedback(
            False,
            f"in other_X row {row} still gives the row before it {second.max():.2f}; .10 at most "
            "is wanted in every row.",
        )
    if elsewhere.min() < 0.9:
        row = int(elsewhere.argmin()) + 1
        return Feedback(
            False,
            f"in other_X row {row} gives no other row more than {elsewhere.min():.2f}: that is "
            "evenness. Let every row find what it looks for (.90) in another place.",
        )
    return Feedback(
        True,
        f"Right: the same two matrices; the row before gets {first.min():.2f} or more in X and "
        f"{second.max():.2f} at most in other_X.",
    )


def check_own_keys(q, k):
    """Heads with keys of their own, whose weights no keys shared by all could give."""
    arrays = arrays_of(
        {"q": q, "k": k},
        {"q": ("heads", "queries", "channels"), "k": ("heads", "words", "channels")},
        {"heads": 2, "words": 2},
    )
    if isinstance(arrays, Feedback):
        return arrays
    q, k = arrays
    n_heads, n_queries, width = q.shape
    logits = (q @ k.swapaxes(1, 2)).reshape(n_heads * n_queries, -1)
    loudest = abs(logits).max(axis=1, keepdims=True)
    logits -= logits.mean(axis=1, keepdims=True)  # softmax does not feel a constant
    lengths = np.linalg.norm(logits, axis=1, keepdims=True)
    real = lengths > 1e-9 * loudest  # what is left of equal logits is rounding
    unit = np.where(real, logits / np.where(real, lengths, 1), 0)  # quiet rows count as loud ones
    rank = int((np.linalg.svd(unit, compute_uv=False) > 1e-3).sum())
    if rank > width:
        return Feedback(
            True,
            f"Right: the rows of logits have rank {rank}; keys of {width} channels that all heads "
            f"share can give {width} at most, whatever the queries.",
        )
    if np.allclose(k, k[0]):
        why = "all heads have the same keys: these are shared keys."
    elif k.shape[1] - 1 <= width:
        why = (
            f"{k.shape[1]} words: {width} channels tell so few apart whatever the rows are, so "
            f"shared keys can do it. Take {width + 2} words or more."
        )
    elif n_heads * n_queries <= width:
        why = (
            f"{n_heads} heads with {n_queries} queries are {n_heads * n_queries} rows, and so few "
            f"fit into {width} channels. Take more queries or fewer channels."
        )
    elif not q.any(axis=(1, 2)).all():
        why = "a head's queries are 0, so its keys do not matter."
    else:
        why = f"together the rows of logits have rank {rank}, and {width} channels can give that."
    return Feedback(False, why)


def check_split_first(x, other_x, W):
    """Head A's projection feels what only the second half of x holds."""
    arrays = arrays_of(
        {"x": x, "other_x": other_x, "W": W},
        {"x": ("channels",), "other_x": ("channels",), "W": ("channels", "channels")},
        {"channels": 2},
    )
    if isinstance(arrays, Feedback):
        return arrays
    x, other_x, W = arrays
    if wrong := odd(len(x)):
        return wrong
    half = len(x) // 2
    if not np.array_equal(x[:half], other_x[:half]):
        return Feedback(False, "x and other_x must be equal in their first half, head A's block.")
    if np.array_equal(x, other_x):
        return Feedback(False, "x and other_x are the same; let their second halves differ.")
    change = (x @ W - other_x @ W)[:half]
    if abs(change).max() > 1e-9:
        return Feedback(
            True,
            f"Right: head A's projection changes by {abs(change).max():.2g}. Cut out of x first, "
            "its half would be the same in both.",
        )
    if W[half:, :half].any():
        why = "the change of x meets zeros (or cancels) in W[half:, :half]."
    elif W[:half, half:].any():
        why = "W[:half, half:] leads from the first half to head B; x @ W needs W[half:, :half]."
    else:
        why = "W has no way from the second half to head A: W[half:, :half] is 0."
    return Feedback(False, f"head A's projection is the same for both: {why}")


def check_w_o(W_V, W_O):
    """Two heads, one of which writes into the other's block: no W_V alone can do that."""
    square = ("channels", "channels")
    arrays = arrays_of({"W_V": W_V, "W_O": W_O}, {"W_V": square, "W_O": square}, {"channels": 2})
    if isinstance(arrays, Feedback):
        return arrays
    W_V, W_O = arrays
    if wrong := odd(len(W_V)):
        return wrong
    half = len(W_V) // 2
    blocks = np.s_[:half, half:]
    crossing = [W_V[:, own] @ W_O[own, other] for own, other in (blocks, blocks[::-1])]
    sizes = [abs(write).max() for write in crossing]
    largest = max(abs(W_V[:, own] @ W_O[own]).max() for own in blocks)
    if largest and max(sizes) > 0.01 * largest:
        head, into = ("A", "B") if sizes[0] >= sizes[1] else ("B", "A")
        home = max(abs(W_V[:, own] @ W_O[own, own]).max() for own in blocks)
        swapped = " Here the blocks are only swapped: heads renamed could do that without W_O."
        return Feedback(
            True,
            f"Right: head {head} writes into block {into}. Without W_O block {into} is head "
            f"{into}'s alone, whatever W_V is.{swapped if home <= 0.01 * largest else ''}",
        )
    if not largest:
        why = "nothing is written at all: W_V or W_O is 0 where they meet."
    elif np.allclose(W_O, W_O[0, 0] * np.eye(2 * half)):
        why = "this W_O hands every channel on as it is."
    elif not W_O[:half, half:].any() and not W_O[half:, :half].any():
        why = "this W_O mixes inside each block only, and W_V can take that over: fold it in."
    else:
        why = "W_O leads across, but W_V fills no channel that it leads from."
    return Feedback(False, f"each head writes into its own block only: {why}")
