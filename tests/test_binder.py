"""Binder builds what is tested here: the Python, requirements.txt and the package."""

import re
import subprocess
import sys
import tomllib

import pytest

from tools.home import ROOT


@pytest.fixture(scope="module")
def dockerfile():
    command = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", "."]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout + run.stderr


def test_python_is_the_one_asked_for_and_a_tested_one(dockerfile):
    asked = (ROOT / "binder/runtime.txt").read_text().strip().removeprefix("python-")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert re.findall(r"environment for python=(\S+)", dockerfile) == [asked]
    assert f"Programming Language :: Python :: {asked}" in project["classifiers"]


def test_binders_requirements_are_installed_when_the_repository_is_there(dockerfile):
    copy = dockerfile.index("src/ ${REPO_DIR}/")
    assert re.search(r'bin/pip install .*-r "binder/requirements.txt"', dockerfile[copy:])


def test_binders_requirements_are_the_pinned_environment_and_the_package():
    assert (ROOT / "binder/requirements.txt").read_text().split("\n") == [
        "-r ../requirements.txt",
        ".",
        "",
    ]


def test_no_other_file_takes_over():
    assert not (ROOT / ".binder").exists()
    assert {path.name for path in (ROOT / "binder").iterdir()} == {
        "requirements.txt",
        "runtime.txt",
    }
