"""What every chapter keeps: hygiene, exercises that can be solved, and the curriculum's numbers."""

import ast
import base64
import copy
import functools
import io
import json
import re
import tomllib

import nbformat
import numpy as np
import pytest
from nbconvert import HTMLExporter
from PIL import Image

from mhalib import pictures, softmax
from mhalib.live import Feedback
from tools.home import ROOT
from tools.refresh import normalise

FILES = sorted((ROOT / "notebooks").glob("*.ipynb"))
each_chapter = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


@functools.cache
def read(file):
    return nbformat.read(file, as_version=4)


def code_cells(file):
    return [cell for cell in read(file).cells if cell.cell_type == "code"]


def markdown(file):
    return "\n\n".join(cell.source for cell in read(file).cells if cell.cell_type == "markdown")


def outputs(file):
    """What the chapter's cells show; each has its data by kind, if it is not printed."""
    return [{"data": {}} | output for cell in code_cells(file) for output in cell.outputs]


def table(file):
    """What the chapter should print, say and ask: written by hand, so no refresh blesses an error.

    `printed`: the curriculum's numbers, as the cells print them; `said`: numbers of the prose that
    no cell prints (wishes, limits, sums in one's head, years); `options` of each prediction, the
    right one first, then each wrong rule's result.
    """
    start = file.stem[:2]
    pattern = f"ch{start}" if start.isdigit() else f"{start}*"
    [path] = (ROOT / "tests/chapters").glob(f"{pattern}/notebook.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def test_there_are_chapters():
    numbered = [file.name[:2] for file in FILES if file.name[:2].isdigit()]
    assert numbered == [f"{number:02}" for number in range(len(numbered))]


# Hygiene


@each_chapter
def test_metadata_is_what_a_refresh_would_leave(file):
    notebook = read(file)
    nbformat.validate(notebook)
    assert normalise(copy.deepcopy(notebook)) == notebook
    assert "widgets" not in notebook.metadata


@each_chapter
def test_every_code_cell_was_run_in_order_and_none_failed(file):
    cells = code_cells(file)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    for output in outputs(file):
        assert output["output_type"] != "error" and output.get("name") != "stderr"


@each_chapter
def test_no_output_depends_on_the_machine_or_the_run_or_loads_from_the_network(file):
    for output in outputs(file):
        assert not output["data"].keys() & {"image/svg+xml", "application/pdf"}
        data = {k: v for k, v in output["data"].items() if "png" not in k}
        text = json.dumps({**output, "data": data})  # a picture's letters may spell anything
        assert not re.search(r"0x[0-9a-f]{6,}|np\.float|/tmp/|/home/|<Figure|<script|http", text)


@each_chapter
def test_code_cells_are_short_and_never_three_in_a_table(file):
    in_a_row = 0
    for cell in read(file).cells:
        in_a_row = in_a_row + 1 if cell.cell_type == "code" else 0
        assert in_a_row <= 2, cell.source
        if cell.cell_type == "code":
            lines = [line for line in cell.source.splitlines() if line.strip()]
            assert len([line for line in lines if not line.strip().startswith("#")]) <= 15
            assert not lines[-1].rstrip().endswith(";")
            assert not re.search(r"\bOut\[|\b_\d+\b", cell.source)


def pictures_of(file):
    return [output for output in outputs(file) if "image/png" in output["data"]]


@each_chapter
def test_every_stored_picture_has_its_words_beside_it_and_nothing_that_could_hide_it(file):
    for output in pictures_of(file):
        assert output["metadata"]["image/png"]["alt"] == output["data"]["text/plain"] != ""
        assert output["data"].keys() == {"image/png", "text/plain"}


def test_the_html_export_shows_every_picture():
    [file] = [file for file in FILES if file.name.startswith("04")]
    html, _ = HTMLExporter().from_notebook_node(read(file))
    assert html.count('src="data:image/png') >= len(pictures_of(file)) > 0


@each_chapter
def test_what_folds_a_prediction_here_folds_it_in_colab_as_well(file):
    for cell in code_cells(file):
        if "Prediction(" in cell.source.replace("import Prediction", ""):
            assert cell.metadata["jupyter"]["source_hidden"] is True
            assert cell.metadata["cellView"] == "form"
            assert cell.source.startswith("# @title Predict: ")
            assert "<details><summary>The answer" in cell.outputs[0].data["text/html"]


@each_chapter
def test_links_lead_to_chapters_that_exist(file):
    for target in re.findall(r"\]\(([^)]+\.ipynb)\)", markdown(file)):
        if not target.startswith("http"):
            assert (file.parent / target).exists(), target


# The hook


@pytest.mark.parametrize("chapter", ["00", "04"])
def test_the_picture_at_the_top_is_the_one_the_library_draws(chapter):
    file = next(file for file in FILES if file.name.startswith(chapter))
    source = read(file).cells[0].source
    stored = base64.b64decode(re.search(r'src="data:image/png;base64,([^"]+)"', source).group(1))
    logits = np.array([[10, 0, 8], [0, 10, 8]])
    drawn = pictures.Lanes(["cat", "mat", "sat"], logits, softmax(logits), parts=logits).pixels()
    seen = np.asarray(Image.open(io.BytesIO(stored)).convert("RGB"))
    assert seen.shape == drawn.shape
    assert abs(seen.astype(int) - drawn).mean() < 0.5  # fewer colours, to be small
    assert len(stored) < 20_000


def test_the_readmes_picture_is_the_one_chapter_04_stores():
    file = next(file for file in FILES if file.name.startswith("04"))
    stored = pictures_of(file)[0]["data"]["image/png"]
    assert base64.b64decode(stored) == (file.parents[1] / "docs/flagship.png").read_bytes()


# Exercises


def exercises():
    """Each check's cell, with the solution that stands folded in the next markdown cell."""
    for file in FILES:
        cells = read(file).cells
        for cell, following in zip(cells, cells[1:], strict=False):
            if cell.cell_type == "code" and ".check_" in cell.source:
                name = re.search(r"\w+\.(check_\w+)", cell.source).group(1)
                yield pytest.param(file, cell.source, following.source, id=f"{file.stem}-{name}")


@pytest.mark.parametrize("file, stub, following", list(exercises()))
def test_an_exercise_starts_unsolved_and_its_folded_solution_passes_its_check(
    file, stub, following
):
    solution = re.search(
        r"<details><summary>Solution</summary>\n\n```python\n(.*?)```", following, re.DOTALL
    ).group(1)
    setup = code_cells(file)[0].source.replace("%pip", "pass  #")
    scope = {}
    exec(setup, scope)
    check = re.search(r"\w+\.check_.*", stub).group(0)
    exec(stub.replace(check, ""), scope)
    assert not eval(check, scope).solved
    exec(solution, scope)
    feedback = eval(check, scope)
    assert isinstance(feedback, Feedback) and feedback.solved, feedback


def test_no_later_cell_depends_on_what_the_learner_writes():
    for file in FILES:
        written = set()
        for cell in code_cells(file)[1:]:  # not the set-up
            if ".check_" in cell.source:
                written |= {n for n, kind in names_in(cell.source) if kind != ast.Load}
            else:  # only between chapter 13's exercises
                assert not {n for n, kind in names_in(cell.source) if n in written}, cell.source


def names_in(source):
    """The names of a cell, each with what is done to it; a function that it defines is stored."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            yield node.id, type(node.ctx)
        elif isinstance(node, ast.FunctionDef):
            yield node.name, ast.Store


def test_exercises_end_every_chapter_but_the_one_that_is_made_of_them():
    for file in FILES:
        kinds = [".check_" in cell.source for cell in code_cells(file)]
        assert kinds == sorted(kinds) or file.name.startswith("13"), file.name


# Predictions


def predictions(file):
    """The name of each prediction, and what is stored of its answer."""
    for cell in code_cells(file):
        if named := re.search(r'Prediction\("([^"]+)"', cell.source):
            yield named.group(1), cell.outputs[0].data["text/html"]


@each_chapter
def test_every_prediction_has_a_name_of_its_own_and_a_line_in_its_table(file):
    start = {"ap": "0A", "tw": "20"}.get(file.name[:2], file.name[:2])
    lines = [f"{start} {name}" for name in table(file).get("options", ())]
    assert sorted(name for name, _ in predictions(file)) == sorted(lines)


@each_chapter
def test_each_option_of_a_prediction_is_the_result_of_its_rule(file):
    for name, html in predictions(file):
        options = table(file)["options"][name[3:]]
        assert re.search(r"<b>([^<]+)</b>, which you get", html).group(1) == options[0], name
        assert set(re.findall(r"<li>([^<:]+)</li>", html)) == set(options), name


# Numbers


@each_chapter
def test_the_curriculums_numbers_are_printed_by_the_chapters_cells(file):
    texts = [o.get("text") or o["data"].get("text/plain", "") for o in outputs(file)]
    printed = "\n".join(texts)
    assert [number for number in table(file)["printed"] if number not in printed] == []


@each_chapter
def test_every_chapter_opens_and_ends_as_the_series_does(file):
    text = markdown(file)
    assert "**Time**" in text and "**Know before**" in text and "**Next**" in text
    if not file.name.startswith("00"):
        assert "## What this does not show" in text
    if not file.name.startswith(("00", "twenty")):  # nothing came before them
        assert text.count("<details><summary>Recall") == 2
        assert "## Say it in a sentence" in text


# Prose

PROSE = re.compile(r"(?<![\w./])(\d{1,3}(?:,\d{3})+|\d*\.\d\d+|\d{3,})(?![\w/])")


def shown(cell):
    """All numbers of a code cell and of what it prints."""
    texts = [cell.source]
    for output in cell.outputs:
        data = output.get("data", {})
        texts += [output.get("text", ""), *(str(data[kind]) for kind in data if "png" not in kind)]
    return re.findall(r"\d*\.?\d+", "\n".join(texts).replace(",", ""))


@each_chapter
def test_every_number_in_prose_is_printed_by_one_of_the_three_cells_before_or_after(file):
    cells = read(file).cells
    codes = [n for n, cell in enumerate(cells) if cell.cell_type == "code"]
    for place, cell in enumerate(cells):
        if cell.cell_type == "markdown":
            near = [n for n in codes if n < place][-3:] + [n for n in codes if n > place][:3]
            printed = [float(number) for n in near for number in shown(cells[n])]
            text = re.sub(r"^\|.*\.ipynb#.*$", "", cell.source, flags=re.MULTILINE)  # test_claims
            text = re.sub(r"\]\([^)]*\)|<img[^>]*>|```.*?```", "", text, flags=re.DOTALL)
            for number in set(PROSE.findall(text)) - set(table(file).get("said", ())):
                value, decimals = float(number.replace(",", "")), len(number.partition(".")[2])
                rounded = [round(other, decimals) for other in printed]
                assert value in rounded, f"{number} in: {cell.source[:60]}"
