"""Run SmolLM2 on a text given twice and store one layer's logits (`make induction-head`)."""

from pathlib import Path

import numpy as np

from mhalib.chapters.twenty_minutes import HEAD, on_target, stored
from mhalib.chapters.twenty_minutes.induction_head import LAYER, TEXT
from mhalib.real_models import load

STORED = Path(__file__).parents[1] / "mhalib/chapters/twenty_minutes/induction_head.npz"


def main():
    model = load("SmolLM2")
    once = model.tokens(TEXT)
    run = model.run([*once, *once])
    logits = run.layers[LAYER].logits[:, len(once) :]  # the rows of the second time
    words = [word.strip() for word in run.words]
    np.savez_compressed(STORED, words=words, logits=logits.astype(np.float32))
    weights = run.layers[LAYER].weights[:, len(once) :]
    print(f"head {HEAD}: {on_target(weights, stored().target)[HEAD]:.3f} on target")


if __name__ == "__main__":
    main()
