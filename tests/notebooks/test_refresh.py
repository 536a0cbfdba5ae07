"""`make refresh` stores what the cells show, in one form, and nothing of the editor."""

import subprocess
import sys

import nbformat
import pytest

from tools.home import ROOT

EXPLORER = """\
import os
import ipywidgets
from IPython.display import display
print(sorted(os.listdir(os.environ["MHALIB_HOME"])))
print("second line")
display({"text/plain": "a picture"}, raw=True)
ipywidgets.IntSlider()"""


def refresh(path):
    command = [sys.executable, ROOT / "tools/refresh.py", path]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def notebook(tmp_path):
    """As an editor leaves it: out of order, with timings, colours of folds and another kernel."""
    cells = [
        nbformat.v4.new_markdown_cell("# Title", metadata={"editable": False}),
        nbformat.v4.new_code_cell("x = 1", id="first", execution_count=41),
        nbformat.v4.new_code_cell(
            EXPLORER,
            id="second",
            metadata={"tags": ["kept"], "execution": {"iopub.status.busy": "now"}, "colab": {}},
        ),
    ]
    metadata = {"kernelspec": {"name": "python3", "display_name": "mine"}, "widgets": {"x": 1}}
    path = tmp_path / "chapter.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), path)
    return path


def test_it_stores_outputs_in_order_drops_the_rest_and_changes_nothing_the_second_time(notebook):
    assert refresh(notebook).returncode == 0
    once = notebook.read_bytes()
    stored = nbformat.read(notebook, as_version=4)
    assert stored.metadata == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    title, first, second = stored.cells
    assert [title.metadata, first.metadata, second.metadata] == [{}, {}, {"tags": ["kept"]}]
    assert [(cell.id, cell.execution_count) for cell in (first, second)] == [
        ("first", 1),
        ("second", 2),
    ]
    printed, shown, slider = second.outputs
    assert printed.text == "[]\nsecond line\n", "the predictions' folder is an empty one"
    assert list(shown.data) == ["text/plain"]
    assert (list(slider.data), slider.execution_count) == (["text/plain"], 2)
    refresh(notebook)
    assert notebook.read_bytes() == once


def test_a_failing_cell_is_named_and_the_file_stays(notebook):
    text = notebook.read_text(encoding="utf-8").replace("x = 1", "1 / 0")
    notebook.write_text(text, encoding="utf-8")
    answer = refresh(notebook)
    assert answer.returncode == 1
    assert answer.stderr.startswith("chapter.ipynb stays as it was, because a cell fails:\n")
    assert "ZeroDivisionError" in answer.stderr
    assert notebook.read_text(encoding="utf-8") == text
