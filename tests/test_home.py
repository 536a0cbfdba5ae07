"""The home stands in pyproject.toml; every badge and set-up cell agrees with it."""

import re
import shutil
import subprocess

import nbformat
import pytest

from tools.home import GITHUB, ROOT, read_home

SET_UP = """\
import importlib.util

if importlib.util.find_spec("mhalib") is None:  # opened alone, as in Colab
    %pip install --quiet git+https://github.com/{home}
"""
COLAB = "https://colab.research.google.com/github/{home}/blob/main/notebooks/{file}"
BINDER = "https://mybinder.org/v2/gh/{home}/main?urlpath=lab/tree/notebooks/{file}"
BADGE = re.compile(r"https://(?:colab\.research\.google\.com/github|mybinder\.org/v2)/[^\s)\"'>]+")


def disagreements(root):
    """One sentence for each badge and set-up cell that does not lead to the project's home."""
    home = read_home(root)
    found = []
    files = sorted(path.name for path in (root / "notebooks").glob("*.ipynb"))
    for file in files:
        cells = nbformat.read(root / "notebooks" / file, as_version=4).cells
        for badge in (COLAB, BINDER):
            if badge.format(home=home, file=file) not in cells[0].source:
                found.append(f"{file}: first cell lacks {badge.format(home=home, file=file)}")
        code = [cell.source for cell in cells if cell.cell_type == "code"]
        if not code or not code[0].startswith(SET_UP.format(home=home)):
            found.append(f"{file}: first code cell is not the set-up cell for {home}")
    known = {badge.format(home=home, file=file) for badge in (COLAB, BINDER) for file in files}
    badges = BADGE.findall((root / "README.md").read_text(encoding="utf-8"))
    found += [f"README.md: {badge} is no chapter here" for badge in badges if badge not in known]
    return found if badges else [*found, "README.md: no badge"]


def make_home(root, repo):
    command = ["make", "--silent", "home", f"REPO={repo}"]
    return subprocess.run(command, cwd=root, capture_output=True, text=True)


@pytest.fixture(scope="module")
def untouched(published, tmp_path_factory):
    """A clone that no test changes."""
    clone = tmp_path_factory.mktemp("home") / "clone"
    subprocess.run(["git", "clone", "--quiet", published, clone], check=True)
    return clone


@pytest.fixture
def copy(untouched, tmp_path):
    return shutil.copytree(untouched, tmp_path / "copy")


def test_every_badge_and_set_up_cell_leads_to_the_home():
    assert disagreements(ROOT) == []


def test_a_badge_to_another_home_is_found(copy):
    first = next((copy / "notebooks").glob("*.ipynb"))
    text = first.read_text(encoding="utf-8")
    first.write_text(text.replace(f"/gh/{read_home()}", "/gh/ada/other"), encoding="utf-8")
    assert len(disagreements(copy)) == 1


def test_make_home_moves_every_copy_and_nothing_else(copy):
    old, new = read_home(), "Ada-L/heads_2.0"
    before = {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    assert make_home(copy, new).returncode == 0
    assert (read_home(copy), disagreements(copy)) == (new, [])
    for path, content in before.items():
        if ".git" not in path.parts:
            assert path.read_bytes() == content.replace(old.encode(), new.encode()), path
    assert make_home(copy, "ada/x").returncode == 0, "a home that was set can move again"
    assert (read_home(copy), disagreements(copy)) == ("ada/x", [])


@pytest.mark.parametrize(
    "repo",
    ["", "ada", "ada/", "/x", "a/b/c", "ada_l/x", "-a/x", "ada/x y", "ada/..", "ada/x.git"]
    + [GITHUB + "ada/x", "a" * 40 + "/x"],
)
def test_a_malformed_home_is_refused_in_one_sentence(untouched, repo):
    answer = make_home(untouched, repo)
    assert answer.returncode != 0
    assert answer.stderr.splitlines()[0] == (
        f"REPO is {repo!r}, and must be owner/name as on GitHub, without the address around it: "
        "make home REPO=ada/multi-head-attention."
    )
    assert read_home(untouched) == read_home()
