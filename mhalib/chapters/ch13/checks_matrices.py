"""Chapter 13: counter-examples to myths about projections and parameters, by what they do."""

import numpy as np

from mhalib.attention import multi_head_attention, scaled_dot_product_attention
from mhalib.live.feedback import Wrong, arrays_of, check, refuse
from mhalib.pictures.wording import HEADS


def _block_width(channels):
    """How many channels each of two heads has."""
    if channels % 2:
        raise Wrong(f"{channels} channels cannot be cut into two equal blocks.")
    return channels // 2


@check
def check_same_parameters(X, W_Q, W_K, W_V, W_O):
    """The same four matrices, read with one head and with two: other outputs."""
    squares = "".join(f", W_{letter}: channels channels" for letter in "QKVO")
    arrays = arrays_of("X: tokens channels" + squares, X, W_Q, W_K, W_V, W_O, channels=2)
    X, W_Q, W_K, W_V, W_O = arrays
    _block_width(len(W_Q))
    (one, rows), (two, other) = (multi_head_attention(*arrays, n_heads) for n_heads in (1, 2))
    largest, gap = max(abs(one).max(), abs(two).max()), abs(one - two).max()
    if gap > 0.01 * largest:
        return f"Right: the outputs differ by {gap:.2g} and are {largest:.2g} at most."
    reasons = {
        "with one token every softmax has one entry, 1, however many heads there are.": (
            len(X) == 1
        ),
        "all rows of X are the same, so it does not matter where a head looks.": (
            np.ptp(X, axis=0).max() == 0
        ),
        "both outputs are 0 everywhere: look at W_V and W_O.": largest == 0,
        "all logits are 0, so every row is even, with one head and with two.": (
            not (X @ W_Q).any() or not (X @ W_K).any()
        ),
        "the weights differ, but what they select gives the same output.": (
            abs(rows - other).max() > 0.01
        ),
        "one head and two have the same rows of weights: let the blocks disagree.": True,
    }
    refuse(reasons, lead="the outputs agree within a hundredth: ")


@check
def check_fewer_heads(q, K):
    """One head of full width finds the best key; each of two halves misses it."""
    q, K = arrays_of("q: channels, K: words channels", q, K, channels=2, words=2)
    half, fit = _block_width(len(q)), K @ q
    best = int(fit.argmax())
    one, *halves = (
        scaled_dot_product_attention(q[None, part], K[:, part], K)[1][0, best]
        for part in np.s_[:, :half, half:]
    )
    if np.sum(fit == fit[best]) > 1:
        raise Wrong("two keys fit the query equally well: there is no best one.")
    most = max(halves)
    if most > 0.5:
        head = HEADS[halves.index(most)]
        raise Wrong(f"word {best} fits best, and head {head} of two finds it as well ({most:.2f}).")
    if one < 0.9:
        raise Wrong(
            f"word {best} fits best, but the one head gives it {one:.2f}; .90 is wanted: make q "
            "larger."
        )
    return (
        f"Right: word {best} fits best; one head gives it {one:.2f}, each of two heads "
        f"{most:.2f} at most."
    )


@check
def check_meaning(W_Q, W_K, X, other_X):
    """One head: a previous-word head in one text, and in another not at all."""
    axes = "W_Q: channels width, W_K: channels width, X: words channels, other_X: rows channels"
    W_Q, W_K, X, other_X = arrays_of(axes, W_Q, W_K, X, other_X, words=3, rows=3)
    tables = [scaled_dot_product_attention(t @ W_Q, t @ W_K, t)[1] for t in (X, other_X)]
    before, other = (np.diag(weights, -1) for weights in tables)  # given to the row before
    elsewhere = (tables[1] - np.diag(other, -1))[1:].max(axis=1)
    reasons = {
        "both texts are the same; keep the head and change the text.": (
            X.shape == other_X.shape and np.allclose(X, other_X)
        ),
        f"in X row {before.argmin() + 1} gives the row before it {before.min():.2f}; .90 is wanted "
        "in every row after the first.": before.min() < 0.9,
        f"in other_X row {other.argmax() + 1} still gives the row before it {other.max():.2f}; .10 "
        "at most is wanted in every row.": other.max() > 0.1,
        f"in other_X row {elsewhere.argmin() + 1} gives no other row more than "
        f"{elsewhere.min():.2f}: that is evenness. Let every row find what it looks for (.90) in "
        "another place.": elsewhere.min() < 0.9,
    }
    refuse(reasons)
    return (
        f"Right: the same two matrices; the row before gets {before.min():.2f} or more in X and "
        f"{other.max():.2f} at most in other_X."
    )


@check
def check_own_keys(q, k):
    """Heads with keys of their own, whose weights no keys shared by all could give."""
    axes = "q: heads queries channels, k: heads words channels"
    q, k = arrays_of(axes, q, k, heads=2, words=2)
    (n_heads, n_queries, width), n_words = q.shape, k.shape[1]
    rank, n_rows = _rank_of_rows(q, k), n_heads * n_queries
    if rank > width:
        return (
            f"Right: the rows of logits have rank {rank}; keys of {width} channels that all heads "
            f"share can give {width} at most, whatever the queries."
        )
    reasons = {
        "all heads have the same keys: these are shared keys.": np.allclose(k, k[0]),
        f"{n_words} words: {width} channels tell so few apart whatever the rows are, so shared "
        f"keys can do it. Take {width + 2} words or more.": n_words - 1 <= width,
        f"{n_heads} heads with {n_queries} queries are {n_rows} rows, and so few fit into {width} "
        "channels. Take more queries or fewer channels.": n_rows <= width,
        "a head's queries are 0, so its keys do not matter.": not q.any(axis=(1, 2)).all(),
        f"together the rows of logits have rank {rank}, and {width} channels can give that.": True,
    }
    refuse(reasons)


def _rank_of_rows(q, k):
    """The rank of all heads' rows of logits, each of length 1 and without its mean."""
    logits = (q @ k.swapaxes(1, 2)).reshape(-1, k.shape[1])
    loudest = abs(logits).max(axis=1, keepdims=True)
    logits -= logits.mean(axis=1, keepdims=True)  # softmax does not feel a constant
    lengths = np.linalg.norm(logits, axis=1, keepdims=True)
    real = lengths > 1e-9 * loudest  # what is left of equal logits is rounding
    unit = np.where(real, logits / np.where(real, lengths, 1), 0)  # quiet rows count as loud ones
    return np.linalg.matrix_rank(unit, tol=1e-3)


@check
def check_split_first(x, other_x, W):
    """Head A's projection feels what only the second half of x holds."""
    axes = "x: channels, other_x: channels, W: channels channels"
    x, other_x, W = arrays_of(axes, x, other_x, W, channels=2)
    half = _block_width(len(x))
    if not np.array_equal(x[:half], other_x[:half]):
        raise Wrong("x and other_x must be equal in their first half, head A's block.")
    if np.array_equal(x, other_x):
        raise Wrong("x and other_x are the same; let their second halves differ.")
    change = abs((x @ W - other_x @ W)[:half]).max()
    if change > 1e-9:
        return (
            f"Right: head A's projection changes by {change:.2g}. Cut out of x first, its half "
            "would be the same in both."
        )
    reasons = {
        "the change of x meets zeros (or cancels) in W[half:, :half].": W[half:, :half].any(),
        "W[:half, half:] leads from the first half to head B; x @ W needs W[half:, :half].": (
            W[:half, half:].any()
        ),
        "W has no way from the second half to head A: W[half:, :half] is 0.": True,
    }
    refuse(reasons, lead="head A's projection is the same for both: ")


@check
def check_w_o(W_V, W_O):
    """Two heads, one of which writes into the other's block: no W_V alone can do that."""
    axes = "W_V: channels channels, W_O: channels channels"
    W_V, W_O = arrays_of(axes, W_V, W_O, channels=2)
    half = _block_width(len(W_V))
    blocks = np.s_[:half, half:]
    sizes = np.array(  # of what each head writes (down) into each block (across)
        [[abs(W_V[:, own] @ W_O[own, into]).max() for into in blocks] for own in blocks]
    )
    largest, (home, crossing) = sizes.max(), (np.diag(sizes), np.diag(sizes[:, ::-1]))
    if largest and crossing.max() > 0.01 * largest:
        head, into = "AB" if crossing[0] >= crossing[1] else "BA"
        swapped = " Here the blocks are only swapped: heads renamed could do that without W_O."
        return (
            f"Right: head {head} writes into block {into}. Without W_O block {into} is head "
            f"{into}'s alone, whatever W_V is.{swapped if home.max() <= 0.01 * largest else ''}"
        )
    reasons = {
        "nothing is written at all: W_V or W_O is 0 where they meet.": not largest,
        "this W_O hands every channel on as it is.": (
            np.allclose(W_O, W_O[0, 0] * np.eye(2 * half))
        ),
        "this W_O mixes inside each block only, and W_V can take that over: fold it in.": (
            not W_O[:half, half:].any() and not W_O[half:, :half].any()
        ),
        "W_O leads across, but W_V fills no channel that it leads from.": True,
    }
    refuse(reasons, lead="each head writes into its own block only: ")
