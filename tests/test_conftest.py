"""A notebook that runs out of time is red, and red to its end."""

import subprocess
import sys

import nbformat.v4
import pytest

from tools.home import ROOT

SLOW = "import time; time.sleep(30)"
# In C code the interrupt comes too late: the cell ends by itself, as if nothing had happened.
DEAF = """\
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
import time
time.sleep(4)"""


@pytest.mark.parametrize(
    "cells",
    [["1 + 1", SLOW, "late = 1", "1 / 0"], ["early = 1", DEAF, "late = 1"]],
    ids=["interrupted", "deaf"],
)
def test_a_cell_out_of_time_and_all_after_it_fail(cells, tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_code_cell, cells)])
    for count, cell in enumerate(notebook.cells, 1):
        cell.execution_count = count
    if cells[0] == "1 + 1":
        notebook.cells[0].outputs = [
            nbformat.v4.new_output("execute_result", {"text/plain": "2"}, execution_count=1)
        ]
    nbformat.write(notebook, tmp_path / "slow.ipynb")
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-c", ROOT / "pyproject.toml"]
    nbval = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout=2", "--rootdir", tmp_path]
    run = subprocess.run(
        [*command, *nbval, "-p", "no:cacheprovider", tmp_path / "slow.ipynb"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert f"= {len(cells) - 1} failed, 1 passed in" in run.stdout, run.stdout + run.stderr
    assert run.returncode == 1
