"""mhalib is a house: each room stands on a floor, and imports go down only."""

import ast
import collections
import sys

import pytest

from tools.home import ROOT

READERS = {"safetensors", "gguf", "tokenizers"}  # imported when a model is loaded, not before
PAINT, WIDGETS = {"numpy", "matplotlib", "isal"}, {"ipywidgets"}
FLOORS = {  # from the ground up: the rooms of a floor, and what it may use from outside
    "mathematics": (
        {
            "__init__",
            "inputs",
            "formulas",
            "attention",
            "gradients",
            "merging",
            "rotary",
            "sharing",
            "kv_cache",
            "training",
            "running_sentence",
            "published_models",
            "plane",
        },
        {"numpy", "threadpoolctl"},
    ),
    "trained models": ({"real_models"}, {"numpy"} | READERS),
    "pictures": ({"pictures"}, PAINT),
    "live": ({"live"}, PAINT | WIDGETS),
    "chapters": ({"chapters"}, PAINT | WIDGETS),
}
LEVEL = {room: level for level, (on, _) in enumerate(FLOORS.values()) for room in on}
FILES = sorted((ROOT / "mhalib").rglob("*.py"))
CHAPTERS = sorted(
    p.name for p in (ROOT / "mhalib/chapters").iterdir() if (p / "__init__.py").exists()
)


def dotted(file):
    """mhalib/chapters/ch04/two_lanes.py is mhalib.chapters.ch04.two_lanes."""
    return ".".join(file.relative_to(ROOT).with_suffix("").parts)


def room_of(module):
    """The room a module is in: mhalib.pictures.lanes is in pictures, mhalib itself in __init__."""
    return [*module.split("."), "__init__"][1]


def imports(source):
    """The dotted names that a module of mhalib imports, wherever the import stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = ".".join(filter(None, ["mhalib" if node.level else "", node.module]))
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def trespasses(module, source):
    """One sentence for each import that this module's floor, or its chapter, does not allow."""
    floor, (_, outside) = list(FLOORS.items())[LEVEL[room_of(module)]]
    for name in imports(source):
        if name.split(".")[0] != "mhalib":
            if name.split(".")[0] not in outside | sys.stdlib_module_names:
                yield f"{module} ({floor}) imports {name}, which this floor does without."
            continue
        inside = room_of(name) if room_of(name) in LEVEL else "__init__"
        if LEVEL[inside] > LEVEL[room_of(module)]:
            yield f"{module} ({floor}) imports {name}, which stands above it."
        elif inside == "chapters" and name.split(".")[2:3] != module.split(".")[2:3]:
            yield f"{module} imports {name}: what two chapters use moves down into the library."


def test_every_room_stands_on_a_floor_and_every_floor_is_furnished():
    assert set(LEVEL) == {room_of(dotted(file)) for file in FILES}


def test_no_module_is_a_drawer_for_what_has_no_place():
    assert not {"utils", "helpers", "core", "common", "misc"} & {f.stem for f in FILES}


def test_every_chapter_with_a_folder_has_its_notebook_and_its_tests():
    for chapter in CHAPTERS:
        start = chapter.removeprefix("ch")
        assert len([*(ROOT / "notebooks").glob(f"{start}*.ipynb")]) == 1, chapter
        assert [*(ROOT / "tests/chapters" / chapter).glob("test_*.py")], chapter


each_file = pytest.mark.parametrize("file", FILES, ids=lambda f: f.relative_to(ROOT).as_posix())


@each_file
def test_imports_go_down_only_and_to_no_other_chapter(file):
    assert list(trespasses(dotted(file), file.read_text(encoding="utf-8"))) == []


@each_file
def test_no_module_touches_the_state_of_pyplot(file):
    source = file.read_text(encoding="utf-8")
    assert not [name for name in imports(source) if "pyplot" in name or "pylab" in name]


@pytest.mark.parametrize(
    "module, source",
    [
        ("attention", "import matplotlib"),
        ("merging", "import scipy.special as special"),
        ("attention", "from mhalib import pictures"),
        ("attention", "from mhalib.pictures import Heatmap"),
        ("attention", "def late():\n    import mhalib.live.explorer"),
        ("__init__", "from .chapters import ch04"),
        ("running_sentence", "from . import live"),
        ("training.layer", "from mhalib.chapters.ch08 import TrainIt"),
        ("pictures", "import ipywidgets"),
        ("attention", "from mhalib import real_models"),
        ("real_models", "import torch"),
        ("real_models", "from mhalib.pictures import Heatmap"),
        ("live.controls", "import safetensors"),
        ("pictures.wording", "from mhalib.chapters.ch04 import TwoLanes"),
        ("live.explorer", "from mhalib.chapters import ch04"),
        ("chapters.ch06.paint", "from mhalib.chapters.ch04 import TwoLanes"),
        ("chapters.ch06.paint", "from mhalib.chapters import ch04"),
        ("chapters.ch06.paint", "import mhalib.chapters.ch04.two_lanes"),
        ("chapters.ch06.checks", "import torch"),
    ],
)
def test_an_import_that_goes_up_or_too_far_is_found(module, source):
    assert len(list(trespasses(f"mhalib.{module}", source))) == 1


def test_no_name_of_a_function_or_class_means_two_things():
    """But a derivative has its function's name, and a door that of the mathematics behind it."""
    places = collections.defaultdict(list)
    for file in (file for file in FILES if file.stem not in ("formulas", "gradients")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                places[node.name].append(dotted(file))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
