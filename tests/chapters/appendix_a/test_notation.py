"""Appendix A: every line of its tables is checked by a cell, and so is every slip it names."""

import re
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = Path(__file__).parents[3] / "notebooks"
APPENDIX = nbformat.read(NOTEBOOKS / "appendix_a_notation.ipynb", as_version=4)
TEXT = "\n\n".join(c.source for c in APPENDIX.cells if c.cell_type == "markdown")
PRINTED = [
    line
    for cell in APPENDIX.cells
    if cell.cell_type == "code"
    for output in cell.outputs
    for line in output.get("text", "").splitlines()
]


def tables():
    """Each table as its rows, each row as its cells without backquotes."""
    for block in re.findall(r"(?:^\|.*\n?)+", TEXT, re.MULTILINE):
        lines = block.splitlines()
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        yield [[cell.replace("`", "") for cell in row] for row in (rows[0], *rows[2:])]


MAPPINGS = [  # subject, whose, what is written
    (table[0][0], row[0], " ".join(row[1:]))
    for table in tables()
    if table[1][0] == "here"
    for row in table[2:]
]


def test_each_subject_names_the_four_sources_and_pytorch():
    for subject in ("tokens", "projections", "heads", "weights", "W_O", "cost"):
        whose = [who for about, who, _ in MAPPINGS if about == subject]
        assert whose == ["source 1", "source 2", "source 3", "source 4", "PyTorch"], subject
    masks = [who for about, who, _ in MAPPINGS if about == "masks"]
    assert masks[0] == "sources 1-4"
    assert {"function, mask", "layer, mask", "layer, padding"} < set(masks)


@pytest.mark.parametrize("subject, whose, written", MAPPINGS)
def test_every_notation_that_is_written_out_is_checked_by_a_cell(subject, whose, written):
    checks = [line for line in PRINTED if line.startswith(f"{subject}, {whose}:")]
    if "not written" in written:
        assert checks == []
    else:
        assert checks == [f"{subject}, {whose}: off by 0.0"]


def test_every_check_finds_no_difference():
    named = [line for line in PRINTED if re.match(r"\w+, (source \d|PyTorch|layer|function)", line)]
    assert len(named) > 30
    assert all(line.endswith("off by 0.0") for line in named)


def test_every_slip_and_every_trap_is_shown_by_the_next_cell():
    seen = []
    for cell, following in zip(APPENDIX.cells, APPENDIX.cells[1:], strict=False):
        if cell.cell_type == "markdown":
            slips = re.findall(r"\*\*Slip (\d+)\*\*", cell.source)
            shown = "".join(output.get("text", "") for output in following.get("outputs", []))
            for n in slips:
                assert re.search(rf"^slip {n}\b", shown, re.MULTILINE), n
            traps = cell.source.count("**Trap**")
            assert len(re.findall(r"^trap\b", shown, re.MULTILINE)) >= traps, cell.source
            seen += slips
    assert seen == [str(n) for n in range(1, len(seen) + 1)] and len(seen) >= 11


def test_no_slip_or_trap_says_that_nothing_differs():
    for line in PRINTED:
        if re.match(r"(slip|trap)", line) and "10 times X" not in line:
            assert not line.endswith("off by 0.0"), line


def test_each_word_of_the_series_stands_in_the_chapter_the_table_names():
    table = next(table for table in tables() if table[0][0] == "word")
    assert len(table) > 10
    for word, _, chapter in table[1:]:
        path = NOTEBOOKS / re.search(r"\(([^)]+)\)", chapter).group(1)
        if path.exists():  # that all do is asked in test_notebooks
            source = path.read_text(encoding="utf-8").lower()
            assert re.search(rf"\b{word.removesuffix('e')}", source), (word, path.name)
