"""One step of decoding beside the time to read the same memory once, for MHA, GQA, MQA and MLA.

    python -m benchmarks.decode

A step is what a token does once its query, key and value are made: it copies its rows into the
cache and looks at all that is there; 32 heads of 128 channels, float32. The limit is the quickest
of three ways to touch every number of the cache once. All with one thread, so that step and limit
have the same machine. Prints a table of best times in milliseconds and of their ratios, and then
what the rest of a step is spent on.
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

from time import perf_counter  # noqa: E402 (NumPy reads the number of threads once)

import numpy as np  # noqa: E402

from mhalib.attention import softmax  # noqa: E402
from mhalib.kv_cache import Cache  # noqa: E402
from mhalib.sharing import attend_in_groups  # noqa: E402

HEADS, D_HEAD, LATENT, D_ROPE = 32, 128, 512, 64
LENGTHS = (512, 1024, 2048, 4096)
ROUNDS = 41
KINDS = {  # blocks, and the widths of their tables
    "MHA": (HEADS, (D_HEAD, D_HEAD)),
    "GQA": (8, (D_HEAD, D_HEAD)),
    "MQA": (1, (D_HEAD, D_HEAD)),
    "MLA": (1, (LATENT + D_ROPE,)),
}
GOALS = {"MHA": 1.3, "GQA": 2.5}  # at the longest
RNG = np.random.default_rng(0)


def timed(functions, rounds=ROUNDS):
    """Best milliseconds of each function; they take turns, so that all meet the same noise."""
    spent = {name: [] for name in functions}
    for turn in range(rounds + 2):
        for name, function in functions.items():
            start = perf_counter()
            function()
            if turn > 1:
                spent[name].append(1e3 * (perf_counter() - start))
    return {name: min(times) for name, times in spent.items()}


def filled(n_kv, widths, n_tokens):
    """A cache with room for one token yet, and rows for it."""
    cache = Cache(n_tokens)
    cache.append(*(RNG.standard_normal((n_kv, n_tokens - 1, w), "float32") for w in widths))
    return cache, [RNG.standard_normal((n_kv, 1, w), "float32") for w in widths]


def step(cache, q, rows):
    """Append a token's rows and look at all; then forget the token, for the next round."""
    tables = cache.append(*rows)
    cache.n_tokens -= 1
    keys, values = tables if len(tables) == 2 else (tables[0], tables[0][..., :LATENT])
    return attend_in_groups(q, keys, values)


def readers(tables):
    """Ways to touch every number once."""
    ones = [np.ones((table.shape[-1], 1), "float32") for table in tables]
    flat = [table.reshape(-1) for table in tables]
    return {
        "largest": lambda: [table.max() for table in tables],
        "squares": lambda: [row @ row for row in flat],
        "products": lambda: [table @ one for table, one in zip(tables, ones, strict=True)],
    }


def measure(kind, n_tokens):
    """Step and limit in milliseconds, and MiB."""
    n_kv, widths = KINDS[kind]
    cache, rows = filled(n_kv, widths, n_tokens)
    q = RNG.standard_normal((HEADS, 1, widths[0]), "float32")
    times = timed({"step": lambda: step(cache, q, rows)} | readers(cache.tables))
    mebibytes = sum(table.nbytes for table in cache.tables) / 2**20
    return times.pop("step"), min(times.values()), mebibytes


def parts(kind, n_tokens):
    """What a step is made of, each part alone, in milliseconds."""
    n_kv, widths = KINDS[kind]
    cache, rows = filled(n_kv, widths, n_tokens)
    tables = cache.append(*rows)
    keys, values = tables if len(tables) == 2 else (tables[0], tables[0][..., :LATENT])
    q = RNG.standard_normal((HEADS, 1, widths[0]), "float32")
    logits = RNG.standard_normal((HEADS, 1, n_tokens), "float32")
    grouped = q.reshape(n_kv, HEADS // n_kv, -1)
    weights = softmax(logits).reshape(n_kv, HEADS // n_kv, n_tokens)
    return timed(
        {
            "step": lambda: attend_in_groups(q, keys, values),
            "softmax": lambda: softmax(logits),
            "products": lambda: (grouped @ keys.swapaxes(1, 2), weights @ values),
            "one key": lambda: attend_in_groups(q, keys[:, :1], values[:, :1]),
        }
    )


def main():
    print(f"{HEADS} heads of {D_HEAD}, float32, one thread; best of {ROUNDS}\n")
    print("        T     MiB  step, ms  limit, ms  step / limit")
    missed = []
    for kind in KINDS:
        for n_tokens in LENGTHS:
            took, limit, mebibytes = measure(kind, n_tokens)
            ratio, goal = took / limit, GOALS.get(kind) if n_tokens == LENGTHS[-1] else None
            said = f"   goal {goal}" if goal else ""
            times = f"{took:9.2f} {limit:10.2f} {ratio:13.2f}{said}"
            print(f"{kind} {n_tokens:5} {mebibytes:7.1f} {times}")
            missed += [kind] if goal and ratio > goal else []
    print(f"\nAt T = {LENGTHS[-1]}, in parts of the step:")
    print("     softmax  the two products as NumPy does them  Python and NumPy on one key")
    for kind in KINDS:
        times = parts(kind, LENGTHS[-1])
        shares = [times[name] / times["step"] for name in ("softmax", "products", "one key")]
        print("{} {:8.0%} {:36.0%} {:28.0%}".format(kind, *shares))
    if missed:
        print(f"\nMissed: {', '.join(missed)}. A quiet machine tells more.")


if __name__ == "__main__":
    main()
