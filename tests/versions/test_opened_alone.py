"""A chapter that is opened without its repository, as in Colab, runs on Colab's own versions."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from mhalib.real_models import PACKAGES
from tools.home import GITHUB, ROOT, read_home

CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))
WIDGET_TESTS = sorted(
    path for start in ("explor", "predict") for path in ROOT.glob(f"tests/test_{start}*.py")
)
PINS = ROOT / "tests/colab/requirements.txt"
PINNED = {line for line in PINS.read_text().splitlines() if "==" in line}


def colabs_python():
    """Python 3.12 or 3.13 where there is one, as Colab has; else the Python that runs."""
    pyenv = sorted(Path.home().glob(".pyenv/versions/3.1[23].*/bin/python"))
    for name in ("python3.12", "python3.13", *pyenv):
        if path := shutil.which(name):
            ask = [path, "-c", "import ensurepip, sys; print(sys.executable)"]
            answer = subprocess.run(ask, capture_output=True, text=True)
            if answer.returncode == 0:
                return answer.stdout.strip()
    return sys.executable


def installed(python):
    freeze = [python, "-m", "pip", "freeze", "--disable-pip-version-check"]
    return set(subprocess.check_output(freeze, text=True).splitlines())


@pytest.fixture(scope="session")
def environment():
    """The Python of Colab's environment; kept until the versions change, as it takes a while."""
    folder, base = ROOT / ".venv-colab", colabs_python()
    python, stamp = folder / "bin/python", folder / "made-from"
    wanted = f"{base}\n{PINS.read_text()}"
    made = stamp.exists() and stamp.read_text() == wanted
    if not made or not PINNED <= installed(python):
        subprocess.run([base, "-m", "venv", "--clear", folder], check=True)
        install = [python, "-m", "pip", "install", "--quiet", "--requirement", PINS]
        subprocess.run(install, check=True)
        stamp.write_text(wanted)
    return python


@pytest.fixture
def colab(environment, published, tmp_path, monkeypatch):
    """Colab's environment without mhalib, where the home leads to the working tree."""
    uninstall = [environment, "-m", "pip", "uninstall", "--quiet", "--yes", "mhalib", "isal"]
    subprocess.run(uninstall, check=True, capture_output=True)
    kernel = tmp_path / "jupyter/kernels/colab/kernel.json"
    kernel.parent.mkdir(parents=True)
    launch = [str(environment), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel.write_text(json.dumps({"argv": launch, "display_name": "Colab", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{published.as_uri()}.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", GITHUB + read_home())
    monkeypatch.delenv("PYTHONPATH", raising=False)
    yield environment
    subprocess.run(uninstall, check=True, capture_output=True)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_it_runs_to_the_end_and_adds_mhalib_and_its_one_small_need(chapter, colab, tmp_path):
    before = installed(colab)
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(chapter, alone)
    NotebookClient(
        nbformat.read(alone / chapter.name, as_version=4),
        kernel_name="colab",
        timeout=120,
        resources={"metadata": {"path": alone}},
    ).execute()
    after = installed(colab)
    assert before - after == set()
    added = after - before
    if "real_heads" in chapter.name:  # it fetches models too, and their readers
        assert {package.requirement for package in PACKAGES.values()} <= after
        added = {line for line in added if line.startswith(("isal==", "mhalib @"))}
    isal, mhalib = sorted(added)
    assert isal.startswith("isal==")
    assert mhalib.startswith(f"mhalib @ git+{GITHUB}{read_home()}@")


def test_the_environment_has_colabs_versions(environment):
    assert PINNED <= installed(environment)


def test_the_explorers_and_predictions_pass_on_colabs_widgets(environment):
    assert WIDGET_TESTS
    subprocess.run([environment, "-m", "pip", "install", "--quiet", "isal"], check=True)
    # Old releases warn about themselves on a newer Python: that is not the explorers' doing.
    command = [environment, "-m", "pytest", "--quiet", "-W", "default", "-p", "no:cacheprovider"]
    run = subprocess.run([*command, *WIDGET_TESTS], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
