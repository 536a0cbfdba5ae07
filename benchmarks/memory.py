"""What a thousand slider moves leave behind, and what importing the library costs.

    python -m benchmarks.memory

Prints the growth of the process in MB and the number of open figures for both explorers of
chapter 04, and the time of the imports as a ratio, best of several fresh processes.
"""

import subprocess
import sys
from pathlib import Path

MOVES = """
import gc, itertools, matplotlib.pyplot as plt
from pathlib import Path
from mhalib.chapters import ch04

def resident():
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6

made = ch04.{explorer}()
slider = {slider}
low, high = slider.min, slider.max
for n in range(20):
    slider.value = low + (high - low) * n / 20
before = resident()
for n in range(1000):
    slider.value = round(low + (high - low) * ((37 * n) % 1000) / 1000, 2)
print(f"{{resident() - before:.1f}} {{len(plt.get_fignums())}}")
"""
BASE = "import numpy, matplotlib.figure, matplotlib.backends.backend_agg, ipywidgets"
OURS = f"{BASE}; import mhalib"
ALL = f"{OURS}, mhalib.explorers, mhalib.exercises, mhalib.live.predictions"
CLOCK = "import time; start = time.perf_counter(); {code}; print(time.perf_counter() - start)"


def python(code):
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.split()


def main():
    sliders = {"TwoLanes": 'made.slider("logit", 0, 0)', "WholeMaps": "made.loudness[0]"}
    if Path("/proc/self/statm").exists():
        for explorer, slider in sliders.items():
            megabytes, figures = python(MOVES.format(explorer=explorer, slider=slider))
            print(f"{explorer:10} 1,000 moves: {megabytes} MB, {figures} open figures")
    times = {BASE: [], OURS: [], ALL: []}
    for _ in range(9):
        for code, seconds in times.items():
            seconds.append(float(python(CLOCK.format(code=code))[0]))
    ours, everything = (min(times[code]) / min(times[BASE]) for code in (OURS, ALL))
    print(f"importing mhalib: {ours:.3f} times the libraries below; all of it: {everything:.3f}")


if __name__ == "__main__":
    main()
