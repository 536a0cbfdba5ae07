"""The table of claims: its links lead to sections, and its numbers are printed there."""

import re

import nbformat
import pytest

from tests.notebooks.test_notebooks import PROSE, shown
from tools.home import ROOT

LINK = re.compile(r"\]\(([\w]+\.ipynb)#(\S+?)\)(?=[\s:|]|$)")
CODE = re.compile(r"`[^`]*`")


def cells(name):
    return nbformat.read(ROOT / "notebooks" / name, 4).cells


def claims():
    """The rows of the table: claim, measured, control, reach."""
    [table] = [
        cell.source
        for cell in cells("13_myths_and_summary.ipynb")
        if cell.cell_type == "markdown" and cell.source.startswith("## What the series claims")
    ]
    lines = [line for line in table.splitlines() if line.startswith("|")]
    return [[part.strip() for part in line.strip("|").split("|")] for line in lines[2:]]


def section(name, anchor):
    """The code cells under the heading that the anchor names, up to the next one as high."""
    found, depth = [], None
    for cell in cells(name):
        if cell.cell_type == "code":
            found += [cell] if depth else []
            continue
        for hashes, title in re.findall(r"^(#+) (.*)$", cell.source, flags=re.MULTILINE):
            if title.strip().replace(" ", "-") == anchor:
                depth = len(hashes)
            elif depth and len(hashes) <= depth:
                return found
    return found


@pytest.mark.parametrize("claim", claims(), ids=lambda claim: claim[0][:40])
def test_a_claim_leads_to_a_section_that_prints_its_numbers(claim):
    assert len(claim) == 4 and all(claim)
    [(name, anchor)] = LINK.findall(claim[1])
    codes = section(name, anchor)
    assert codes, f"{name} has no section {anchor} with a cell"
    printed = [float(number) for cell in codes for number in shown(cell)]
    text = " ".join(CODE.sub("", LINK.sub("", part)) for part in claim)
    for number in PROSE.findall(text):
        value, decimals = float(number.replace(",", "")), len(number.partition(".")[2])
        assert value in [round(other, decimals) for other in printed], f"{number} in {anchor}"


def test_every_claim_names_a_control_and_some_numbers_are_found():
    rows = claims()
    assert len(rows) >= 15 and len({claim for claim, *_ in rows}) == len(rows)
    assert sum(len(PROSE.findall(measured)) for _, measured, *_ in rows) > 30
