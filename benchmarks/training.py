"""A training step of chapter 08's model: mhalib beside PyTorch, in one run.

    python -m benchmarks.training

Same model, weights, batch and dtype, and first it is checked that both compute the same losses. A
step is forward, backward and Adam. PyTorch is eager, runs its own `scaled_dot_product_attention`
and is given finished one-hot tensors; it is timed with both of its Adams, plain and fused. The two
take turns; printed are medians in milliseconds and the median of each turn's ratio, for one thread
and for two.
"""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from statistics import median

MODELS = ((2, 2), (4, 4), (4, 8))  # questions, heads
ROUNDS, STEPS, RATE = 33, 30, 3e-3


def timed(step):
    start = time.perf_counter()
    for _ in range(STEPS):
        step()
    return 1000 * (time.perf_counter() - start) / STEPS


def measure(threads):
    """In a process of its own, as the number of threads is read once."""
    import numpy as np
    import torch

    from mhalib.training import Settings, initial, steps

    functional = torch.nn.functional
    torch.set_num_threads(threads)

    @dataclass(frozen=True)
    class Given(Settings):
        """The same task, but the batch is drawn already."""

        def draw(self, rng, batch):
            return drawn

    class Model(torch.nn.Module):
        def __init__(self, settings, parameters):
            super().__init__()
            self.h = settings.n_heads
            one = {name: [name] for name in ("w_q", "w_o", "read")}
            for layer, names in (one | {"kv": ["w_k", "w_v"]}).items():  # K and V in one product
                stacked = torch.tensor(np.concatenate([parameters[n].T for n in names]))
                linear = torch.nn.Linear(*stacked.T.shape, bias=False, dtype=stacked.dtype)
                linear.weight = torch.nn.Parameter(stacked)
                setattr(self, layer, linear)

        def forward(self, asked, tokens):
            q = self.w_q(asked).view(len(asked), 1, self.h, -1).transpose(1, 2)
            kv = self.kv(tokens).view(len(asked), tokens.shape[1], 2, self.h, -1)
            k, v = kv.permute(2, 0, 3, 1, 4)
            carried = functional.scaled_dot_product_attention(q, k, v)
            return self.read(self.w_o(carried.transpose(1, 2).flatten(1)))

    def torch_step(settings, parameters, **adam):
        model = Model(settings, parameters)
        optimizer = torch.optim.Adam(model.parameters(), lr=RATE, **adam)
        one_hot = np.eye(8, dtype=parameters["read"].dtype)
        parts = [one_hot[drawn.keys], one_hot[drawn.values]]
        tokens = torch.from_numpy(np.concatenate(parts, axis=-1))
        asked = torch.from_numpy(one_hot[drawn.asked].reshape(len(drawn.asked), -1))
        answers = torch.from_numpy(drawn.answers.ravel())

        def step():
            optimizer.zero_grad()
            logits = model(asked, tokens).view(-1, settings.n_values)
            loss = functional.cross_entropy(logits, answers)
            loss.backward()
            optimizer.step()
            return loss.item()

        return step

    for k, h in MODELS:
        settings = Given(k=k, n_heads=h)
        drawn = Settings(k=k, n_heads=h).draw(np.random.default_rng(1))
        for dtype in (np.float32, np.float64):
            begin = initial(settings, np.random.default_rng(0), dtype)

            def ours(settings=settings, begin=begin):
                endless = steps(settings, None, sys.maxsize, RATE, parameters=begin)
                return lambda: next(endless).loss

            plain = torch_step(settings, begin)
            step = ours()
            for _ in range(20):
                mine, theirs = step(), plain()
                assert abs(mine - theirs) < (1e-4 if dtype == np.float32 else 1e-9)
            fused = torch_step(settings, begin, fused=True)
            times = [(timed(step), timed(plain), timed(fused)) for _ in range(ROUNDS)][3:]
            row = [median(column) for column in zip(*times, strict=True)]
            row += [median(t[n] / t[0] for t in times) for n in (1, 2)]
            name = f"{threads}  {k} questions, {h} heads, {dtype.__name__}"
            print(f"{name:38}" + "".join(f"{x:9.2f}" for x in row), flush=True)


def main():
    print(f"{'threads':38}   mhalib  PyTorch    fused    ratio to each")
    for threads in ("1", "2"):
        limit = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), threads)
        command = [sys.executable, "-m", "benchmarks.training", threads]
        subprocess.run(command, env=os.environ | limit, check=True)


if __name__ == "__main__":
    measure(int(sys.argv[1])) if sys.argv[1:] else main()
