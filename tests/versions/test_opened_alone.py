"""A chapter opened without its repository, as in Colab: on Colab's, the oldest and the newest."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tools.home import GITHUB, ROOT, read_home

CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = [named.rpartition(" ")[2] for named in PROJECT["classifiers"]]
NEEDS = PROJECT["dependencies"]
KERNEL = ["ipykernel", "nbformat", "pytest"]  # what runs a chapter and its tests
MODELS = ROOT / "mhalib/real_models/models.txt"
COLAB = (ROOT / "tests/versions/colab.txt").read_text(encoding="utf-8")
WANTED = {  # the Pythons, the first that is here is taken; and what pip installs
    "colab": (PYTHONS[1:], re.findall(r"^\S+==\S+", COLAB, re.MULTILINE)),
    "oldest": (PYTHONS, [need.replace(">=", "==") for need in NEEDS] + KERNEL),
    "newest": (PYTHONS[::-1], [need.partition(">")[0] for need in NEEDS] + KERNEL),
}


def a_python(versions):
    """The first of these Pythons that is here and can make an environment; else this one."""
    for version in versions:
        pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
        for path in filter(None, map(shutil.which, (f"python{version}", *pyenv))):
            ask = [path, "-c", "import ensurepip, sys; print(sys.executable)"]
            answer = subprocess.run(ask, capture_output=True, text=True)
            if answer.returncode == 0:
                return answer.stdout.strip()
    return sys.executable


def pip(python, *arguments):
    command = [python, "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def installed(python):
    return set(pip(python, "freeze").splitlines())


@pytest.fixture(scope="module", params=WANTED)
def environment(request):
    """The Python of an environment without mhalib; kept until what is wanted changes."""
    versions, wanted = WANTED[request.param]
    base, folder = a_python(versions), ROOT / f".venv-{request.param}"
    python, stamp = folder / "bin/python", folder / "made-from"
    made_from = "\n".join([base, *wanted])
    if not stamp.exists() or stamp.read_text() != made_from:
        subprocess.run([base, "-m", "venv", "--clear", folder], check=True)
    pip(python, "install", "--quiet", "--upgrade", *wanted)
    stamp.write_text(made_from)
    return python


@pytest.fixture(scope="module")
def opened(environment, published, tmp_path_factory):
    """Runs a chapter in a folder of its own, where the home leads to the working tree.

    Gives what the chapter has installed; it may change nothing that is there.
    """
    folder = tmp_path_factory.mktemp("alone")
    kernel = folder / "jupyter/kernels/alone/kernel.json"
    kernel.parent.mkdir(parents=True)
    launch = [str(environment), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel.write_text(json.dumps({"argv": launch, "display_name": "Alone", "language": "python"}))

    def run(chapter):
        before, place = installed(environment), folder / chapter.stem
        place.mkdir()
        NotebookClient(
            nbformat.read(chapter, as_version=4),
            kernel_name="alone",
            timeout=300,
            resources={"metadata": {"path": place}},
        ).execute()
        after = installed(environment)
        assert before - after == set()
        return after - before

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(folder / "jupyter"))
        patch.setenv("GIT_CONFIG_COUNT", "1")
        patch.setenv("GIT_CONFIG_KEY_0", f"url.{published.as_uri()}.insteadOf")
        patch.setenv("GIT_CONFIG_VALUE_0", GITHUB + read_home())
        patch.delenv("PYTHONPATH", raising=False)
        yield run


@pytest.fixture(scope="module")
def first(environment, opened):
    """What the first chapter installs, where nothing of mhalib is."""
    pip(environment, "uninstall", "--quiet", "--yes", "mhalib")
    if environment.parents[1].name == ".venv-colab":
        pip(environment, "uninstall", "--quiet", "--yes", "isal")
    return opened(CHAPTERS[0])


def test_the_set_up_cell_adds_mhalib_and_its_one_small_need(first, environment):
    mhalib = [line for line in first if line.startswith(f"mhalib @ git+{GITHUB}{read_home()}@")]
    needs = [line for line in first if line.startswith("isal==")]
    assert len(mhalib) == 1 and first == {*mhalib, *needs}
    assert any(line.startswith("isal==") for line in installed(environment))


@pytest.mark.parametrize("chapter", CHAPTERS[1:], ids=lambda path: path.stem)
def test_a_chapter_runs_to_the_end_and_adds_only_what_it_reads(chapter, opened, first):
    added = opened(chapter)
    models = MODELS.read_text(encoding="utf-8") if "real_heads" in chapter.name else ""
    assert {line for line in added if f"\n{line.partition('==')[0]}==" not in models} == set()


def test_explorers_and_predictions_pass_on_its_widgets(environment, first):
    # Old releases warn about themselves on a newer Python: that is not the explorers' doing.
    command = [environment, "-m", "pytest", "--quiet", "-W", "default", "-p", "no:cacheprovider"]
    tests = ["tests/live", "tests/chapters/ch04/test_two_lanes.py"]  # every explorer, predictions
    run = subprocess.run([*command, *tests], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
