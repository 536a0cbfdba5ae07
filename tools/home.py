"""Move the project's home: `python tools/home.py OWNER/NAME` rewrites every copy of it.

The home itself stands in pyproject.toml; README and chapters need copies for their badges and
set-up cells, because each is read where the rest of the repository is out of reach.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GITHUB = "https://github.com/"
# What GitHub allows: letters, digits and single hyphens inside; a name may have . and _ too.
OWNER = r"(?=.{1,39}/)[A-Za-z0-9]+(-[A-Za-z0-9]+)*"
NAME = r"(?!\.+$)(?!.*\.git$)[A-Za-z0-9._-]{1,100}"


def read_home(root=ROOT):
    """OWNER/NAME of the project, as pyproject.toml has it."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["urls"]["Home"].removeprefix(GITHUB)


def move(repo, root=ROOT):
    """Write `repo` wherever the home stood, and return the files that changed."""
    old = re.compile(rf"(?<=/){re.escape(read_home(root))}(?![\w-])")
    changed = []
    for path in [root / "pyproject.toml", *root.glob("*.md"), *root.glob("notebooks/*.ipynb")]:
        before = path.read_bytes().decode()
        after = old.sub(repo, before)
        if after != before:
            path.write_bytes(after.encode())
            changed.append(path.relative_to(root).as_posix())
    return changed


def main(arguments):
    repo = arguments[0] if len(arguments) == 1 else ""
    if not re.fullmatch(f"{OWNER}/{NAME}", repo):
        sys.exit(
            f"REPO is {repo!r}, and must be owner/name as on GitHub, without the address around "
            "it: make home REPO=ada/multi-head-attention."
        )
    print(f"{repo} is the home now:", ", ".join(move(repo)) or "it was before, nothing changed")


if __name__ == "__main__":
    main(sys.argv[1:])
