"""mhalib is a house: each module stands on a floor, and imports go down only."""

import ast
import sys

import pytest

from tools.home import ROOT

FLOORS = {  # from the ground up: the modules of a floor, and what it may use from outside
    "mathematics": (
        {
            "__init__",
            "validation",
            "attention",
            "gradients",
            "merging",
            "rotary",
            "folding",
            "sentences",
            "configurations",
            "sharing",
            "kv_cache",
            "cache_sizes",
            "tasks",
            "training",
            "sweeps",
            "images",
            "convolution",
            "real_head",
        },
        {"numpy", "threadpoolctl"},
    ),
    # Each imports its readers when a model is loaded: mhalib works without them.
    "trained models": ({"real_models"}, {"numpy", "safetensors", "gguf", "tokenizers"}),
    "pictures": ({"plots", "describe"}, {"numpy", "matplotlib", "isal"}),
    "live": ({"explorer", "explorers"}, {"numpy", "matplotlib", "ipywidgets", "isal"}),
    "lessons": (
        {"exercises", "predictions", "calibration"},
        {"numpy", "matplotlib", "ipywidgets", "isal"},
    ),
}
LEVEL = {module: level for level, (on, _) in enumerate(FLOORS.values()) for module in on}
FILES = sorted((ROOT / "mhalib").rglob("*.py"))


def module_of(file):
    """The module a file is, or the one that it is a room of: plots/lanes.py belongs to plots."""
    return file.relative_to(ROOT / "mhalib").parts[0].removesuffix(".py")


def imports(source):
    """The dotted names that a module of mhalib imports, wherever the import stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = ".".join(filter(None, ["mhalib" if node.level else "", node.module]))
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def trespasses(module, source):
    """One sentence for each import that this module's floor does not allow."""
    floor, (_, outside) = list(FLOORS.items())[LEVEL[module]]
    for name in imports(source):
        package, *rest = name.split(".")
        if package == "mhalib":
            inside = rest[0] if rest and rest[0] in LEVEL else "__init__"
            if LEVEL[inside] > LEVEL[module]:
                yield f"{module} ({floor}) imports {name}, which stands above it."
        elif package not in outside | sys.stdlib_module_names:
            yield f"{module} ({floor}) imports {name}, which this floor does without."


def test_every_module_stands_on_a_floor_and_every_floor_is_furnished():
    assert set(LEVEL) == {module_of(file) for file in FILES}


def test_no_module_is_a_drawer_for_what_has_no_place():
    assert not {"utils", "helpers", "core", "common", "misc"} & {f.stem for f in FILES}


each_file = pytest.mark.parametrize("file", FILES, ids=lambda f: f.relative_to(ROOT).as_posix())


@each_file
def test_imports_go_down_only(file):
    assert list(trespasses(module_of(file), file.read_text(encoding="utf-8"))) == []


@each_file
def test_no_module_touches_the_state_of_pyplot(file):
    source = file.read_text(encoding="utf-8")
    assert not [name for name in imports(source) if "pyplot" in name or "pylab" in name]


@pytest.mark.parametrize(
    "module, source",
    [
        ("attention", "import matplotlib"),
        ("merging", "import scipy.special as special"),
        ("attention", "from mhalib import plots"),
        ("attention", "from mhalib.plots import Heatmap"),
        ("attention", "def late():\n    import mhalib.explorer"),
        ("__init__", "from .exercises import check"),
        ("sentences", "from . import describe"),
        ("plots", "import ipywidgets"),
        ("attention", "from mhalib import real_models"),
        ("real_models", "import torch"),
        ("real_models", "from mhalib.plots import Heatmap"),
        ("explorers", "import safetensors"),
        ("describe", "from mhalib.explorers import Flagship"),
        ("explorer", "from mhalib import predictions"),
        ("exercises", "import torch"),
    ],
)
def test_an_import_that_goes_up_or_too_far_is_found(module, source):
    assert len(list(trespasses(module, source))) == 1
