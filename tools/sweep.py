"""Train every model of chapters 08 and 11 with every seed, and store what came out.

    python tools/sweep.py                  # all, into mhalib/training/stored_results.json
    python tools/sweep.py heads sharing    # some sweeps only; the others stay as they are

What is printed is the mean over the seeds of the best answered question, of the second best, ...

Each process has one thread, so that two of them are as fast as two cores.
"""

import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

from mhalib.training import Settings  # noqa: E402
from mhalib.training.stored_results import SEEDS, held_out  # noqa: E402 (NumPy reads the threads once)

STORED = Path(__file__).parents[1] / "mhalib/training/stored_results.json"
HEADS = (1, 2, 4, 8, 16, 32)
NOISY = {"k": 1, "n_tokens": 32, "d_key": 16}
SWEEPS = {  # name: the settings that differ from the default, a model each
    "heads": [{"k": k, "n_heads": h} for k in (1, 2, 3, 4) for h in HEADS],
    "three_heads": [{"k": k, "n_heads": 3, "d_model": 33} for k in (1, 2, 3, 4)],
    "one_head_fewer": [
        {"k": 4, "n_heads": 3, "d_model": 30},  # another width that 3 divides
        {"k": 4, "n_heads": 3, "d_model": 33, "softmax": False},
        {"k": 5, "n_heads": 4},
        {"k": 5, "n_heads": 5, "d_model": 35},
    ],
    "corners": [
        {"k": k, "n_heads": k, "values": values, "softmax": softmax, "rows": rows}
        for k in (2, 4)
        for values in ("shared", "own")
        for softmax in (False, True)
        for rows in ("own", "merged")
    ],
    "selection": [
        {"k": 1, "n_heads": 1, "d_query": m, "softmax": softmax}
        for softmax in (True, False)
        for m in (1, 2, 3, 4, 8)
    ],
    "rescues": [
        {"k": k, "n_heads": 1} | rescue
        for k in (2, 4)
        for rescue in (
            {"readout": "mlp"},
            {"n_layers": 2},
            {"d_model": 128},
        )
    ],
    "sharing": [
        {"k": 4, "n_heads": 4} | shared
        for shared in (
            {"n_kv": 4},
            {"n_kv": 2},
            {"n_kv": 1},
            {"latent": 12},
            {"latent": 8},
            {"latent": 4},
        )
    ],
    "sharing_narrow_blocks": [{"k": 4, "n_heads": 16, "n_kv": n_kv} for n_kv in (16, 4, 1)],
    "sharing_wide_keys": [{"k": 4, "n_heads": 16, "n_kv": 1, "d_query": 8}],
    "noisy_keys": [NOISY | {"n_heads": h} for h in HEADS],
    "noisy_keys_by_width": [NOISY | {"n_heads": h, "d_query": m} for m in (16, 2) for h in HEADS],
    "wide_queries": [{"k": k, "n_heads": 32, "d_query": 8} for k in (2, 3, 4)],
    "layers_for_heads": [  # no more numbers than four heads in one layer have
        {"k": 4, "n_heads": 1, "n_layers": n, "d_model": d} for n, d in ((2, 18), (3, 13), (4, 11))
    ],
    "equal_heads": [{"k": h, "n_heads": h, "equal_heads": True} for h in (2, 4)],
    "merged_after_training": [{"k": 4, "n_heads": h} for h in (4, 8)],
    "averaged_after_training": [{"k": 4, "n_heads": h} for h in (4, 8)],
}
READ_AS = {
    "merged_after_training": {"rows": "merged"},
    "averaged_after_training": {"rows": "averaged"},
}


def run(job):
    name, settings, seed = job
    return held_out(Settings(**settings), seed, READ_AS.get(name, {})).round(4).tolist()


def main(asked):
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    asked = asked or list(SWEEPS)
    jobs = [(name, s, seed) for name in asked for s in SWEEPS[name] for seed in range(SEEDS)]
    with ProcessPoolExecutor(os.cpu_count()) as processes:
        accuracy = processes.map(run, jobs)
        for name in asked:
            stored[name] = []
            for settings in SWEEPS[name]:
                rows = [next(accuracy) for _ in range(SEEDS)]
                row = {"settings": settings, "read_as": READ_AS.get(name, {}), "accuracy": rows}
                stored[name].append(row)
                best_first = zip(*(sorted(row, reverse=True) for row in rows), strict=True)
                means = " ".join(f"{sum(q) / SEEDS:.3f}" for q in best_first)
                print(f"{name:24}{means:24}{settings}", flush=True)
    lines = [
        f'"{name}": [\n' + ",\n".join(map(json.dumps, stored[name])) + "\n]" for name in SWEEPS
    ]
    STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
