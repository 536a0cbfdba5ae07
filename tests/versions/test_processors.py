"""Numbers hold on other processors: other BLAS kernels, and NumPy without newer instructions."""

import os
import subprocess
import sys

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from tools.home import ROOT

CHAPTERS = ["03", "07", "08", "11"]
OWN = {pool["architecture"] for pool in threadpool_info() if pool["internal_api"] == "openblas"}
NEWER = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
OTHERS = {  # and what NumPy does without on such a machine
    "Haswell": [name for name in NEWER if name != "X86_V3"],
    "Nehalem": NEWER,
    "Sandybridge": NEWER,
}
HERE = np.show_config(mode="dicts")["Machine Information"]["host"]["cpu"] == "x86_64"
KERNELS = [name for name in OTHERS if name not in OWN][:2] if HERE else []


@pytest.mark.parametrize("kernel", KERNELS)
def test_numbers_and_chapters_hold_with_another_kernel(kernel):
    environment = os.environ | {
        "OPENBLAS_CORETYPE": kernel,
        "NPY_DISABLE_CPU_FEATURES": " ".join(OTHERS[kernel]),
    }
    ask = "import numpy, threadpoolctl as t; print(t.threadpool_info()[0]['architecture'])"
    answer = subprocess.run(
        [sys.executable, "-c", ask], env=environment, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == kernel
    tests = [path for path in ROOT.glob("tests/test_*.py") if "numpy" in path.read_text()]
    tests.append(ROOT / "tests/training")
    notebooks = [path for start in CHAPTERS for path in ROOT.glob(f"notebooks/{start}*.ipynb")]
    assert len(notebooks) == len(CHAPTERS)
    command = [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider"]
    nbval = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout=300"]
    run = subprocess.run(
        [*command, *nbval, *tests, *notebooks],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
