"""Holds for every pytest run in this repository, the notebooks' included."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent
# Before NumPy is imported, here or by a notebook: several tests run at the same time.
for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

pytest.register_assert_rewrite("kernels", "lab", "layers", "refusals", "slips")  # they say more


def pytest_configure(config):
    """No run reads or writes the predictions of the learner who starts it."""
    home = tempfile.TemporaryDirectory()
    config.add_cleanup(home.cleanup)
    os.environ["MHALIB_HOME"] = home.name


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """After a timeout nbval expects the rest of the notebook to fail; here it has failed."""
    report = yield
    if call.when == "call" and getattr(item.parent, "timed_out", False) and not report.failed:
        report.outcome = "failed"
        report.longrepr = "A cell of this notebook ran out of time."
        report.__dict__.pop("wasxfail", None)
    return report


@pytest.fixture(scope="session")
def published(tmp_path_factory):
    """A git repository that holds the working tree as it is now, as if it had been pushed."""
    folder = tmp_path_factory.mktemp("published")
    git = ["git", f"--git-dir={folder}/.git", f"--work-tree={ROOT}"]
    author = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=0"]
    for command in (
        ["git", "init", "--quiet", folder],
        [*git, "add", "--all"],
        [*git, *author, "commit", "--quiet", "--no-verify", "--message=now"],
    ):
        subprocess.run(command, check=True)
    return folder
