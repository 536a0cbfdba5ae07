"""Run chapters in place, each in a fresh kernel: `python tools/refresh.py [NOTEBOOK ...]`.

What is stored depends on the cells alone, so a second run changes nothing.
"""

import base64
import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).resolve().parents[1]
VIEW = "application/vnd.jupyter.widget-view+json"
CELL_METADATA = {"tags", "jupyter", "cellView"}  # the last two fold sources, here and in Colab


def normalise(notebook):
    """Keep what a reader sees and drop what editors and kernels add; changes `notebook`."""
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    code = 0
    for cell in notebook.cells:
        for name in cell.metadata.keys() - CELL_METADATA:
            del cell.metadata[name]
        if cell.cell_type != "code":
            continue
        code += 1
        cell.execution_count = code
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = code
            # A view names a model of the kernel that is gone, by a new random name each time.
            output.get("data", {}).pop(VIEW, None)
    return notebook


def refresh(path):
    """Execute one notebook; it is written only if every cell ran."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=120,
        store_widget_state=False,
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],  # not the kernel's notes about its own connection
        resources={"metadata": {"path": path.parent}},
    ).execute()
    nbformat.write(normalise(notebook), path)


def picture_for_the_readme():
    """The README shows what the first picture of chapter 04 shows."""
    cells = nbformat.read(ROOT / "notebooks/04_the_softmax_decides.ipynb", as_version=4).cells
    stored = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    png = next(data["image/png"] for data in stored if "image/png" in data)
    (ROOT / "docs/flagship.png").write_bytes(base64.b64decode(png))


def main(arguments):
    notebooks = [Path(name) for name in arguments] or sorted(ROOT.glob("notebooks/*.ipynb"))
    with tempfile.TemporaryDirectory() as home:
        os.environ["MHALIB_HOME"] = home  # nobody's predictions end up in a stored output
        for path in notebooks:
            print(path.name, flush=True)
            try:
                refresh(path)
            except CellExecutionError as error:
                sys.exit(f"{path.name} stays as it was, because a cell fails:\n{error}")
    picture_for_the_readme()


if __name__ == "__main__":
    main(sys.argv[1:])
