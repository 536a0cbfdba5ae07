"""Chapter 13's verdicts: asked first, kept, and compared at the end."""

import re

import nbformat
import pytest

from mhalib.chapters.ch13 import Verdicts
from mhalib.chapters.ch13.verdicts import STATEMENTS, VERDICTS
from mhalib.live.predictions import load_answers
from tools.home import ROOT


@pytest.fixture
def verdicts(tmp_path, monkeypatch):
    monkeypatch.setenv("MHALIB_HOME", str(tmp_path))
    return Verdicts()


def test_some_statements_are_true_some_false_and_some_depend():
    given = [verdict for verdict, _ in STATEMENTS.values()]
    assert all(given.count(verdict) >= 3 for verdict in VERDICTS)


def test_every_statement_is_a_heading_of_the_chapter_and_its_verdict_stands_under_it():
    notebook = nbformat.read(ROOT / "notebooks/13_myths_and_summary.ipynb", 4)
    text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    for number, (statement, (verdict, _)) in enumerate(STATEMENTS.items(), 1):
        section = text.split(f"## {number} {statement.removesuffix('.')}\n")[1].split("\n## ")[0]
        said = {"true": "**True", "false": "**False", "depends": "**It depends"}[verdict]
        assert said in section, statement
        assert sum(section.count(start) for start in ("**True", "**False", "**It depends")) == 1


def test_verdicts_that_were_given_are_kept_with_how_sure_and_whether_right(verdicts):
    verdicts.asked[0].verdict.value, verdicts.asked[0].sure.value = "depends", "certain"
    verdicts.asked[1].verdict.value = "true"
    verdicts.keep()
    assert load_answers() == {
        "13 verdict 1": {"rule": "depends", "right": True, "sure": 2},
        "13 verdict 2": {"rule": "true", "right": False, "sure": 0},
    }
    assert verdicts.said.value.count("2 of 11") == 1
    again = Verdicts()
    assert [x.verdict.value for x in again.asked[:3]] == ["depends", "true", "not yet"]
    assert again.asked[0].sure.value == "certain"


def test_the_table_sets_the_readers_verdicts_beside_ours(verdicts):
    for x, mine in zip(verdicts.asked, ("depends", "true", "false"), strict=False):
        x.verdict.value = mine
    table = verdicts.table()
    assert table.right == 2 and repr(table).startswith("2 of 11")
    page = table._repr_html_()
    assert page.count("<tr>") == 12 and page.count("not yet") == 8
    assert re.search(
        "2. The parameter count[^<]*</td><td[^>]*>true</td><td[^>]*><b>false.</b>", page
    )


def test_a_page_without_a_kernel_lists_the_statements_and_no_verdict(verdicts):
    page = verdicts._repr_mimebundle_()["text/html"]
    assert page.count("<li>") == 11
    assert not any(why in page for _, why in STATEMENTS.values())


def test_a_folder_that_cannot_be_written_is_said(verdicts, monkeypatch):
    monkeypatch.setattr("mhalib.chapters.ch13.verdicts.save_answers", lambda answers: False)
    verdicts.keep()
    assert "could not be written" in verdicts.said.value
