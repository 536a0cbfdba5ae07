"""What every chapter keeps: hygiene, exercises that can be solved, and the curriculum's numbers."""

import ast
import base64
import io
import json
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from PIL import Image

from mhalib import pictures, softmax
from mhalib.live import Feedback
from tools.refresh import normalise

FILES = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
CHAPTERS = [pytest.param(file, id=file.stem) for file in FILES]
each_chapter = pytest.mark.parametrize("file", CHAPTERS)


def read(file):
    return nbformat.read(file, as_version=4)


def code_cells(file):
    return [cell for cell in read(file).cells if cell.cell_type == "code"]


def markdown(file):
    return "\n\n".join(cell.source for cell in read(file).cells if cell.cell_type == "markdown")


def printed(file):
    """All text that the chapter's cells print or show as text."""
    texts = []
    for cell in code_cells(file):
        for output in cell.outputs:
            texts.append(output.get("text") or output.get("data", {}).get("text/plain", ""))
    return "\n".join(texts)


def test_there_are_chapters():
    numbered = [file.name[:2] for file in FILES if file.name[:2].isdigit()]
    assert numbered == [f"{number:02}" for number in range(len(numbered))]


# Hygiene


@each_chapter
def test_metadata_is_what_a_refresh_would_leave(file):
    notebook = read(file)
    nbformat.validate(notebook)
    assert normalise(read(file)) == notebook
    assert "widgets" not in notebook.metadata


@each_chapter
def test_every_code_cell_was_run_in_order_and_none_failed(file):
    cells = code_cells(file)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        for output in cell.outputs:
            assert output.output_type != "error"
            assert output.get("name") != "stderr"


@each_chapter
def test_no_output_depends_on_the_machine_or_the_run(file):
    for cell in code_cells(file):
        for output in cell.outputs:
            data = {k: v for k, v in output.get("data", {}).items() if "png" not in k}
            text = json.dumps({**output, "data": data})  # a picture's letters may spell anything
            assert not re.search(r"0x[0-9a-f]{6,}|np\.float|/tmp/|/home/|<Figure", text)
            assert not set(output.get("data", {})) & {"image/svg+xml", "application/pdf"}


@each_chapter
def test_no_output_loads_anything_from_the_network(file):
    for cell in code_cells(file):
        for output in cell.outputs:
            assert "<script" not in json.dumps(output) and "http" not in json.dumps(output)


@each_chapter
def test_code_cells_are_short_and_never_three_in_a_row(file):
    in_a_row = 0
    for cell in read(file).cells:
        in_a_row = in_a_row + 1 if cell.cell_type == "code" else 0
        assert in_a_row <= 2, cell.source
        if cell.cell_type == "code":
            lines = [line for line in cell.source.splitlines() if line.strip()]
            assert len([line for line in lines if not line.strip().startswith("#")]) <= 15
            assert not lines[-1].rstrip().endswith(";")
            assert not re.search(r"\bOut\[|\b_\d+\b", cell.source)


@each_chapter
def test_every_stored_picture_has_its_words_beside_it(file):
    for cell in code_cells(file):
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                assert output.metadata["image/png"]["alt"] == output.data["text/plain"] != ""


@each_chapter
def test_the_html_export_shows_every_picture(file):
    html, _ = HTMLExporter().from_notebook_node(read(file))
    pictures = sum(
        "image/png" in output.get("data", {})
        for cell in code_cells(file)
        for output in cell.outputs
    )
    assert html.count('src="data:image/png') >= pictures > 0


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


@each_chapter
def test_a_second_run_gives_the_same_output_to_the_letter(file, monkeypatch, tmp_path):
    monkeypatch.setenv("MHALIB_HOME", str(tmp_path))
    again = read(file)
    NotebookClient(
        again,
        kernel_name="python3",
        timeout=120,
        store_widget_state=False,
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": file.parent}},
    ).execute()
    normalise(again)
    for cell, old in zip(again.cells, read(file).cells, strict=True):
        if "NBVAL_IGNORE_OUTPUT" not in cell.source:
            assert texts(cell) == texts(old), cell.source


def texts(cell):
    """A cell's outputs, without the pictures: their last pixels may differ between processors."""
    outputs = []
    for output in cell.get("outputs", []):
        data = {kind: value for kind, value in output.get("data", {}).items() if "png" not in kind}
        outputs.append((output.output_type, output.get("text"), data))
    return outputs


# The hook


@pytest.mark.parametrize("chapter", ["00", "04"])
def test_the_picture_at_the_top_is_the_one_the_library_draws(chapter):
    file = next(file for file in FILES if file.name.startswith(chapter))
    source = read(file).cells[0].source
    stored = base64.b64decode(re.search(r'src="data:image/png;base64,([^"]+)"', source).group(1))
    logits = np.array([[10, 0], [0, 10]])
    drawn = pictures.Lanes(["cat", "mat"], logits, softmax(logits), parts=logits).pixels()
    seen = np.asarray(Image.open(io.BytesIO(stored)).convert("RGB"))
    assert seen.shape == drawn.shape
    assert abs(seen.astype(int) - drawn).mean() < 0.5  # fewer colours, to be small
    assert len(stored) < 20_000


def test_the_readmes_picture_is_the_one_chapter_04_stores():
    file = next(file for file in FILES if file.name.startswith("04"))
    stored = [
        o.data["image/png"]
        for c in code_cells(file)
        for o in c.outputs
        if "data" in o and "image/png" in o.data
    ]
    assert base64.b64decode(stored[0]) == (file.parents[1] / "docs/flagship.png").read_bytes()


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


def test_every_prediction_has_a_name_of_its_own():
    keys = [
        re.search(r'Prediction\("([^"]+)"', cell.source).group(1)
        for file in FILES
        for cell in code_cells(file)
        if re.search(r'Prediction\("', cell.source)
    ]
    assert len(keys) == len(set(keys)) >= 12
    starts = {file.name[:2] for file in FILES} | {"0A", "20"}  # appendix A, twenty minutes
    assert all(key[:2] in starts and key[2] == " " for key in keys)


OPTIONS = {  # by hand: the right one first, then each wrong rule's result
    "00 first softmax": (".73", {".67", "1.00", ".50"}),
    "01 raise one": ("2.72", None),
    "01 add a hundred": (".67", {".34", "1.00"}),
    "02 weights": ("(2, 6, 6)", {"(2, 3, 3)", "(6, 6)", "(2, 6, 3)"}),
    "02 one word": (
        "head A “cat”, head B “cat”",
        {
            "head A “sat”, head B “The”",
            "head A “cat”, head B nothing",
            "head A all, head B all",
        },
    ),
    "02 inside": ("8 9 10 11", {"4 5 6 7", "8 10 12 14", "12 13 14 15"}),
    "02 there and back": ("0 1 2 3 4 5 6 7", {"0 1 2 3 12 13 14 15", "0 1 2 3 8 9 10 11"}),
    "02 cross terms": ("70", {"132", "901", "53"}),
    "02 root": ("0.5", {"1.0", "4.0"}),
    "02 parameters": ("2,359,296", {"28,311,552", "196,608"}),
    "02 stream": (
        "(6.5, 3.0, 4.0)",
        {"(1.7, −0.2, 0.0)", "(1.4, −1.0, −0.3)", "(0.5, 1.0, 0.0)"},
    ),
    "02 Gemma": ("4096", {"3072", "192"}),
    "02 freedom": ("128", {"256", "192", "64"}),
    "03 both off": (".00", {".73", "1.00"}),
    "03 softmax on": (".16", {".00", ".51"}),
    "03 own blocks": (".70", {".00", ".97"}),
    "03 both on": (".47", {".16", ".70", ".87"}),
    "03 whisper": (".003", {".016", ".164"}),
    "03 summed tables": (".50", {".00", "1.00"}),
    "03 rank": ("16", {"4", "5"}),
    "04 two sure heads": (".50", {"1.00", ".00"}),
    "04 carried": ("(1, 8)", {"(3, 5)", "(5, 2)"}),
    "04 louder": (".0025", {".9820", ".4910", ".2857"}),
    "04 knife edge": (".12", {".50", ".44"}),
    "04 compromise": (".995", {".119", ".444", ".000"}),
    "04 veto": ("1.00", {".50", ".33"}),
    "04 agree": (".98", {".88", "1.00"}),
    "04 faint voices": (".9998", {".0806", ".9674", ".5075"}),
    "05 insert a word": ("1.00", {".08", ".50"}),
    "05 merged route": (".00", {".25", "1.00"}),
    "05 seven relations": (".33", {".43", ".14", "1.00"}),
    "05 half a budget": ("(1, 8)", {"(0.5, 4)", "(6, 10)"}),
    "05 directions": ("20", {"24", "5", "32"}),
    "05 effective number": ("2.83", {"3.00", "2.00", "1.04"}),
    "06 corner": ("3.33", {"3.61", "4.00", ".00"}),
    "06 four pairs": ("2", {"4", "3", "1"}),
    "06 doubled": ("(1, 8)", {"(0.5, 4)", "(6, 10)"}),
    "06 fold": (".00", None),
    "06 mute": ("(1.09, 0.00)", {"(2.19, 0.00)", "(1.09, 7.94)"}),
    "06 twins": (".00", {"3.97", "7.94"}),
    "06 rank": ("3", {"12", "4", "6"}),
    "06 twenty words": (".63", {".58", ".74", "1.00"}),
    "07 nudged": (".50", {".92", ".11", ".70"}),
    "07 two rows": (".04", {"1.39", ".69", "1.56"}),
    "07 who pays": (".84", {".33", "1.00", ".15"}),
    "07 surely wrong": ("−.99995", {"−.00005", "−.25000"}),
    "07 merged answers": ("−.122", {".000", "−.035", "−.061"}),
    "09 causal": (".89", {".47", ".56", ".20"}),
    "09 after": (".01", {"1.00", ".17"}),
    "09 nothing": ("nan", {".00", ".50", ".73"}),
    "09 cache": ("4", {"1", "3", "5"}),
    "09 difference": ("−.42", {"−.24", ".79"}),
    "09 conventions": (".00", {".84", "1.68"}),
    "09 before the split": (".01", {"1.00", ".50", ".32"}),
    "10 the cat moves": ("(4, 9)", {"(4, 6)", "(4, 3)"}),
    "10 how soft": (".62", {".79", "1.00", ".11"}),
    "10 fewest heads": ("2", {"5", "9", "1"}),
    "10 at the edge": (".60", {".00", ".93", ".64"}),
    "10 half the light": (".086", {".065", ".130"}),
    "10 nine matrices": ("9", {"2", "16", "18"}),
    "10 constant signal": (".00", {"1.00", "2.00", ".69"}),
    "11 equal work": ("1536", {"128", "384", "3072"}),
    "11 cache saves": ("541", {"2", "500", "1000"}),
    "11 order": ("10 10 20 20", {"10 20 10 20", "15 15 15 15"}),
    "11 larger model": ("320 KiB", {"512 KiB", "2560 KiB", "5120 KiB"}),
    "11 latent": ("4,800 KiB", {"135 KiB", "1,920 KiB", "8,640 KiB"}),
    "08 one head": ("(0.99, 0.35)", {"(0.56, 0.56)", "(1.00, 0.12)", "(1.00, 1.00)"}),
    "08 three questions": (".92", {".12", ".56", "1.00"}),
    "08 one path": ("(1.00, 0.35)", {"(0.12, 0.12)", "(0.56, 0.56)", "(1.00, 1.00)"}),
    "08 one row": (".28", {".12", ".34", "1.00"}),
    "08 identical": (".00", {".90", "2.41"}),
    "08 averaged": (".39", {".12", "1.00"}),
    "08 selection": ("1.00", {".34", ".58"}),
    "08 hurt": (".47", {".12", ".98"}),
    "13 blocks": ("4.80", {".00", "6.00", "10.00"}),
    "13 parameters": ("480", {"576", "288", "192"}),
    "13 more heads": (".047", {".945", ".472", ".421"}),
    "13 meaning": (".00", {"1.00", ".25"}),
    "13 jury": ("4", {"0", "0.5", "1"}),
    "13 after training": (".37", {"1.00", ".12", ".41"}),
    "13 shared keys": ("2", {"1", "4"}),
    "13 split first": ("49,152", {"589,824", "4,096"}),
    "13 W_O": ("8", {"2", "6"}),
    "13 average": (".47", {".33", ".91"}),
    "13 no softmax": ("(10, 30)", {"(20, 20)", "(40, 40)"}),
    "20 two heads": (".50", {".98", ".02"}),
    "20 trained": (".41", {"1.00", ".34", ".12"}),
    "20 real head": (".0001", {".1996", ".8893", ".0177"}),
    "12 atoms": ("100%", {"44%", "7%", "2%"}),
    "12 merged atoms": ("37%", {"97%", "3%", "12%"}),
    "12 next word": ("0.0001", {"0.1098", "0.2001", "0.6930"}),
    "12 compromise": ("0.062%", {"18%", "8.3%", "0%"}),
    "12 induction merged": ("0.0002", {"0.1780", "0.2983", "0.8949"}),
    "12 mute one": ("8.18", {"2.76", "2.91", "10.80"}),
    "0A returned weights": (".4910", {".9820", ".0025", ".0474"}),
    "0A mask": (".93", {".00", ".01", ".33"}),
    "0A cache": ("36 KiB", {"3 KiB", "18 KiB", "432 KiB"}),
}


@pytest.mark.parametrize("key", OPTIONS)
def test_each_option_of_a_prediction_is_the_result_of_its_rule(key):
    html = next(
        cell.outputs[0].data["text/html"]
        for file in FILES
        for cell in code_cells(file)
        if f'Prediction("{key}"' in cell.source
    )
    right, wrong = OPTIONS[key]
    shown = re.findall(r"<li>([^<:]+)</li>", html)
    assert re.search(r"<b>([^<]+)</b>, which you get", html).group(1) == right
    assert right in shown
    if wrong:
        assert set(shown) == {right} | wrong


# The curriculum's numbers, as the chapters' own cells print them

NUMBERS = {
    "00": ["[0.73 0.27]", "[0.9 0.1]", "2.197"],
    "01": [
        "2.718",  # the ratio stays e
        "[nan nan]",  # naive code overflows
        "weight 0.43, if scaled 0.24",
        "weight 0.84, if scaled 0.25",
        "weight 0.96, if scaled 0.25",
        "0.247",  # the limit; curriculum.md has .2463, measured .2466 with ten million rows
        "2.357",
        "2.773",
        "at most 0.5",
    ],
    "02": [
        "head 0 of token 1\nright   [ 8  9 10 11]\nwrong   [4 5 6 7]",
        "all of head 0, wrong: 0 to 11",
        "right: head A “cat”, head B “cat”",
        "wrong: head A “sat”, head B “The”",
        "2nd: head A “cat”, head B “cat”",  # every second channel
        "round trip gives x back: True",
        "with heads between: off by 1.2",
        "the outputs reach 2.2",
        "joined by the library:\n[ 0  1  2  3 12 13 14 15]",
        "12 heads: exactly True",  # the sum
        "is the big head: True",
        "divided by nothing   std 4.0",
        "divided by √d_head   std 1.0",
        "divided by √d_model  std 0.5",
        "12 heads of  64: 12 x   196,608 = 2,359,296",  # 4d², whatever h
        "*Gemma-7B     3072  16×256  4096",
        "*DeepSeek-V2  5120 128×128 16384",
        "DeepSeek-V2: keys of 192 channels",
        "T5-11B, 10 heads: (6, 1280)",
        "n_embd = 768 cannot be cut into n_head = 10 equal blocks",
        "18 numbers of heads divide 768",
        "1 heads: 128 of 256",
        "2 heads: 192 of 256",
        "4 heads: 224 of 256",
        "8 heads: 240 of 256",
    ],
    "03": [  # from 200 draws; curriculum.md has another 200: .163, .701, .474, .36, .59, .77
        "shared linear 0.000 softmax 0.000",  # the comparison is fair: equal heads, no difference
        "shared    0.000    0.164",
        "own       0.703    0.469",
        "0.707",  # what own blocks should give: the root of 1/2
        "head A     0.74     0.46",  # softmax brings them nearer
        "head B     0.73     0.46",
        "loudness   1: 0.40,  5%",
        "loudness   8: 0.86, 80%",
        "0.05  0.000 0.0007  0.703 0.0333",  # from .1 down: a quarter, a half
        " 0.1  0.000 0.0028  0.703 0.0663",
        " 0.2  0.000 0.0107  0.703 0.1306",
        "   2  0.000 0.3539  0.703 0.6244",
        "   3  0.000 0.4875  0.703 0.7014",
        "   4  0.000 0.5787  0.703 0.7499",
        "   8  0.000 0.7562  0.703 0.8425",
        "equal  sum 0.50, average 0.00",
        "random sum 0.50, average 0.15",
        "2  0.703  0.707",
        "4  0.891  0.866",
        "8  0.960  0.935",
        "2 heads: own 2, shared V and W_O 1",
        "4 heads: own 4, shared V and W_O 1",
        "logits        4",
        "weights      16",
        "log-weights   5",
        "output        4",
        "average of logits         8",
        "log of average of weights 16",
        "weight on y 0.690, log-odds 0.802",  # one head's log-odds would double
        "weight on y 0.741, log-odds 1.051",
        "the same output: True",
        "dividing by row sums: True",
    ],
    "04": [
        "[0.999955 0.000045]",
        "[0.5 0.5]",
        "[1. 8.]",
        "[3. 5.]",
        "0.982",
        "0.0025",
        "0.0142",
        "0.0474",
        "[0.12 0.88]",
        "[0.88 0.12]",
        "[0.119 0.119]",
        "0.995",
        "0.972",
        "0.909",
        "[0.0025 0.9951 0.0025 0.    ]",
        "[0.25  0.499 0.25  0.001]",
        "[0.1008 0.1575 0.7417]",
        "0.2155 nats",
        "0.311",
        "0.081",
        "0.9998",
        "0.5075",
    ],
    "05": [
        "6 words: noun → determiner 2 of 2",  # arrows that are previous-word arrows as well
        "6 words: verb → subject    1 of 1",
        "8 words: noun → determiner 1 of 2",
        "8 words: verb → subject    0 of 1",
        "noun → determiner the 1.00 black 0.00",
        "previous word     the 0.08 black 0.83",
        "3 × black: mat to the 0.00",
        "preposition → object mat 1.00  13.9",
        "all four added -23.1",
        "cat → The      1.000   1.000",  # what merging keeps of the arrow, 6 and 8 words
        "sat → cat      1.000   0.005",
        "mat → the      1.000   0.005",
        "on  → mat      0.000   0.000",
        "2 + predicate 0.50 1.00",  # chapter 01's goal
        "7 + evidence  0.14 0.25 0.33 0.50",
        "3,312,400  0.333  0.333",
        "exactly the same: True",
        "12 of  64: rank of each  64, rows a token 12",
        "h = 1 (6, 32)   rank  5",
        "h = 2 (12, 32)  rank 10",
        "h = 4 (24, 32)  rank 20",
        "h = 8 (48, 32)  rank 32",
        "h = 4 (24, 32)  rank 20, formula 20, two alike 16",
        "previous word        0.46 1.01–1.76",
        "merged row on        1.00 words: on 1.00",
        "merged row mat       2.06 words: black 0.50 mat 0.50",
    ],
    "06": [
        "[3.77 6.15] away 3.33",
        "pairs reached, at most 2",
        "farthest pair, at best 2.0",  # half of the rectangle's narrow side
        "one head carries  [0.5 4. ]",  # a budget is not information
        "times W_O = 2 I   [1. 8.]",
        "largest difference 0.0",  # one head: W_O folded into W_V; several: the sum of writes
        "side by side [1.09 2.05 4.96 7.94]",
        "three heads: 0.0",
        "heads swapped, W_O not: 5.89",
        "its logits differ by 0.0",
        "head D: matches 3, moves 3",
        "0.11 away  [1.09 7.94]  all links",
        "3.94 away  [4.75 6.8 ]  no projections",
        "3 random words: 0.30",  # curriculum.md has .31, .42, .51, .58, .63; measured with
        "4 random words: 0.41",  # a hundred thousand draws: .303, .413, .506, .576, .630
        "6 random words: 0.51",
        "10 random words: 0.58",
        "20 random words: 0.63",
        "the sentence without sat: 0.66",
        "three words: 0.50, with one more far away: 0.10",
    ],
    "07": [
        "cat leads by ln(7/3) = 0.847",
        "  10  0.500  0.500    0.500",  # nudged to .7 / .3 and released
        "least sum in one row 1.386",
        "2 ln 2 = 1.386",
        "on 0.909: loss B 3.095 → 2.753",  # loss A helps loss B
        "on 0.333: loss B 1.099 → 1.294",  # loss A harms loss B
        "5000: losses 0.0002 0.0002",  # in two rows both vanish
        "[0.6439 0.2369 0.0871 0.0321]",
        "[0.2293 0.1808 0.0796 0.031 ]",
        "-0.1525",
        "column sums [0. 0. 0. 0.]",
        "row sums    [0. 0. 0. 0.]",
        "[-0.2369 -0.2369 -0.2369]",  # in proportion to their own weight
        "by 1    [-0.2893 -0.2893 -0.2893]",  # the same part for any raise
        "off the blocks: 0.0 0.0",
        "shape (3, 6)",
        "A's block − B's block   0.0",
        "answers to B by up to 0.00",  # a loss of its own
        "answers to B by up to 0.34",  # a shared one
        "mat 4.5e-05, answers 4.5e-05",
        "answers 0.25",
        "-0.99995",
        "−log p         11 steps",
        "(o − 1)²/2 22,063 steps",
    ],
    "08": [  # from five seeds; curriculum.md has other runs, and another noise for the noisy keys
        "h = 32: 3,072 numbers",  # the same for every h
        "h =  1: 3,072 numbers",
        "1500: right 0.98 0.32, weight 0.50 0.46",  # both tokens, and not which is which
        " 500: right 0.99 0.20",  # what the one gains, the other loses
        "values alike 0.12 of the time",
        "  the right  0.23",
        "losses together 0.95, if it named either 1.21",
        "k = 1 1.00 1.00 1.00 1.00 1.00 1.00",
        "k = 2 0.35 1.00 1.00 1.00 1.00 0.97",
        "k = 3 0.23 0.92 1.00 1.00 1.00 0.86",
        "k = 4 0.28 0.25 1.00 1.00 1.00 0.70",
        "one path, linear         (1.00, 0.86)",  # curriculum.md .97, .3: the spread is wide
        "one path, softmax        (1.00, 0.35)",
        "rows and blocks, linear  (1.00, 1.00)",
        "rows and blocks, softmax (1.00, 1.00)",
        "  2 heads, one row, linear  1.00 0.86",
        "  4 heads, one row, softmax 0.75 0.30 0.29 0.28",  # the fifth corner
        "  one head         softmax 0.75 0.30 0.29 0.28",
        "largest difference 0.0",  # identical heads never part
        "B question 3 1.00 1.00 0.12 1.00",
        "C, E, G, H:  1.00 0.98 1.00 0.97",  # all spare heads muted at once
        "averaged  0.39:",
        "alike     0.00  0.94",  # a weight below 0 fails where the values cancel
        "softmax  0.52 1.00 1.00 1.00 1.00",  # query width 1, 2, 3, 4, 8
        "linear   0.34 0.58 0.83 0.95 1.00",
        "one K and V: worst of all runs 1.00",  # MQA
        "twice as wide      (0.99, 0.32)",
        "hidden layer       (1.00, 1.00)  0.80",
        "a second layer     (1.00, 1.00)  0.85",
        "right 0.98 0.98 0.94 0.76 0.47 0.32",  # where heads hurt
        "  two others differ   1.00",  # the leak
        "0.98 0.89 0.84 0.24",
        "2 heads, rank 2",
        "1 head, rank 1",
    ],
    "09": [
        "the 0.01 0.47 0.01 0.01 0.01 0.47",
        "the 0.03 0.89 0.03 0.03 0.03 0.0",  # and nothing for what is hidden
        "heads, queries, keys (2, 2, 5)",
        "A mat  0.48 0.01 0.01 0.01 0.48\nB mat  0.03 0.34 0.11 0.19 0.34",
        "hidden 0",  # in cross-attention all may be seen
        "1.0 1.0 1.0 1.0 1.0 1.0\n0.01 0.49 0.99 0.91 0.53 1.0",  # row sums, mask before and after
        "renormalised, off by 0.0",  # the same only then
        "mask before 0.89 → 0.89",
        "mask after  0.47 → 0.05",
        "renormalised [nan nan nan]",
        "with the mask off by 0.0\nwithout it    off by 7.0",  # padding
        "to the letter: [[nan nan]]\nmhalib:        [[0. 0.]]",  # a row with nothing to see
        "[0.27 0.73] float64",
        "[0.5 0.5] float32\nreplaced:   [0.5 0.5] float64",
        "right 11110 11111\nwrong 10000 11000",
        "against the full run's last two\nrows: off by 0.0",
        "query at   5, key at   3: -0.416\nquery at 105, key at 103: -0.416",
        "with positions off by 1.93\nwithout        off by 0.0",  # a bag of words
        "44 positions: 7.003 turns",
        "one hand, 2 and 46: -0.42 -0.43\nfour, 44: 1.0 -0.31 0.9 1.0",
        "four, their sum, 2: 2.56\nfour, their sum, 8: 2.55",  # a sum over pairs
        "base  10000: 54,410",
        "lengths change by 0.0\nlogits change by  0.0",
        "ViT-B/16, 12 layers\n  12 heads of 64, keys for 12\n  N = LayerNorm(x) | RoPE: False",
        "Llama-3-8B, 32 layers\n  32 heads of 128, keys for 8\n  N = RMSNorm(x) | RoPE: True",
        "put in order: 0.0 by [0 4 1 5 2 6 3 7]",  # exactly: not rounded
        "wrong way:    1.88 by [0 2 4 6 1 3 5 7]",
        "  A    1.0 0.3162 0.1 0.0316\n  B    0.01 0.0032 0.001 0.0003",
        "neighbours A, B by [0. 0.]",
        "halves     A, B by [3.33 3.33]",
        "new words at [0, 1] off by 8.95",
    ],
    "10": [
        "picture (48, 64) patches (192, 16)",
        "head A: (5, 3) 1.00",
        "head B: (4, 6) 0.57 (5, 11) 0.15 (9, 9) 0.11 (5, 7) 0.08",
        "head B looks most at (4, 9)",  # it moves with the cat
        "alpha  2: meant 0.6187, elsewhere 0.38",
        "alpha 10: meant 0.9998, elsewhere 0.00018",
        "alpha 40: meant 1.0000, elsewhere 0\n\nlargest difference below 4e-15: True",  # a shift
        "head A, times +5",
        "head B, times -4",
        "rows (2, 768, 768)\nlargest difference below 4e-15: True",
        "blur          1 1 1 1 1 1 1 1 1 / 9: heads 1",
        "Sobel         -1 0 1 -2 0 2 -1 0 1 / 1: heads 2",
        "largest difference of all below 4e-15: True",
        "head A alone  times 1.04: off by 1.09",  # not an ensemble
        "their average times 1.03: off by 1.23",
        "nine steps against edge padding: below 5e-15: True",
        "zero padding: corner 0.22 edge 0.33",
        "one head:     [0.5]",
        "shift with a mask, zero padding: below 1e-15: True",
        "(9, 10) looks (0, 2), weight 0.54",  # routes that change with the input
        "(3, 4) looks (-1, -1), weight 0.26",
        "largest difference from half 0.22",
        "zero padding: below 4e-15: True",  # with a ring of zeros
        "rank 9",
        "low: wide              0.89  0.00  0.00",
        "high: itself − narrow  0.01  0.40  0.99",
        "band: narrow − wide    0.11  0.60  0.01",
    ],
    "11": [
        "768 heads of   1: 2,359,296",  # 4d², whatever h
        " 1536    3.62    3.62",  # 4Td² = 2T²d at T = 2d
        "  1 heads:    1 MiB",
        " 12 heads:   12 MiB",
        " 48 heads:   48 MiB",
        "768 heads:  768 MiB",
        "1000    541.4",
        "[1, 1, 1, 1, 1] same: True 1920 bytes",
        "[3, 2] same: True 1920 bytes",
        "[10 10 20 20]",
        "n_kv = 1: [10 10 10 10]",
        "W_K (24, 12) tied (24, 24)\nsame output: True",
        "GPT-2 small        36 ",
        "Llama-2-7B        512 ",
        "Llama-2-70B       320   10.00",  # times 16 texts: 160 GiB
        "Llama-3-8B        128 ",
        "Mistral-7B v0.1   128    0.50\n   window 4096",
        "Falcon-7B           8 ",
        "SmolLM2-135M     22.5 ",
        "DeepSeek-V2      67.5 ",
        "16 texts of 32,768 tokens take 160 GiB of cache (172 GB)",
        "8 bits: outputs off by 0.9%",
        "4 bits: outputs off by 15.5%",
        "    4      1   16  1.000  1.000",
        "   16      1    4  0.833  0.970",
        "the same to 1e-14: True",  # 7e-16 in curriculum.md
        "expanded = absorbed: True",
        "kept a token 12 - MHA 48",
        "DeepSeek-V2: 67.5 KiB\n   expanded 4800: 71 times",
        "     8  1.000  1.000",
        "MHA 8,192  MLA 34,816: 4.25 times",
        "read back: [0 1 2 3 4 5 6 7]",  # two numbers can hold eight keys
    ],
    "13": [
        "carried [9. 8.] outside by 4.80",
        "heads  1: 288 directions of 576",
        "heads  3: 480 directions of 576",
        "one head  [0.945 0.028 0.028]",
        "head A    [0.047 0.953 0.   ]\nhead B    [0.047 0.    0.953]",
        "heads 1: 0.98",  # nearest of noisy keys; curriculum.md has another run's .96
        "heads 16: 0.47",
        "heads  4: 1.00\n  heads  8: 1.00\n  heads 16: 1.00\n  heads 32: 0.75",  # four questions
        "in order\n  word before [1. 1. 1.]",
        "reversed\n  word before [0. 0. 0.]",
        "A alone   5 off by 4",
        "neither   0 off by 1",
        "own rows           1.00\nmerged             0.37\naverage of weights 0.41",
        "rank: own keys 2 shared keys 1",
        "     4      1   1.00",  # one block for four heads
        "    16      1   0.83",
        "x cut first     49,152\nprojection cut 589,824",
        "head A of x @ W: [4 2] and [10  2]",
        "with W_O    8 channels change\nwithout W_O 2 channels change",
        "W_O folded into W_V, same?\n  one head   True\n  four heads False",
        "averaged  [0.467 0.267 0.267]\nmerged by\nadd       [0.333 0.333 0.333]",
        "side by side: two heads [10 30]\n              one head  [20 20]",
        "averaged:     two heads 20\n              one head  20",
        "No prediction has been answered here yet",
    ],
    "twenty": [
        "merged [0.5 0.5]",
        "heads: 1  0.41 right",
        "heads: 4  1.00 right",
        "heads: 32 0.75 right",
        # curriculum.md has .886 and .0003, of random tokens; these are words
        "head 6             0.889\naverage of weights 0.200\nmerged             0.0001",
        "head 6  -3.0\n  head 7  -1.5\n  head 8  13.5\n  merged 10.9",
    ],
    "12": [
        "(12, 8, 56, 56)",
        "59 atoms, 96 tables",
        "    8     3    3   44    2    2  100    2    2",  # head 5: 97-100% from depth 4 on
        "   10     3    8   47    0    2   97    3    2",
        "middle one of all: 2%",
        "merged, true big head   37% right",
        "average of weights      97% right",
        "previous word  best (0,  2) 1.00",
        "next word      best (1,  8) 0.69",
        "duplicate      best (2,  9) 0.70",
        "merged, big_head  0.0001",
        "layer 0 merged 0.73",
        "MiniLM: 37 of 72 heads",
        "random logits, 80 tokens: 49% of rows",
        "0.06%, random logits of the same lengths 18%",
        "  all others' logits added, without head 8: 13.7",
        "(18, 6) itself: 4.19",
        "27 sentences, 3,210 rows: 2 compromises",
        "head (18, 6)       0.8949",  # .886 in curriculum.md, on other tokens
        "merged             0.0002",  # .0003
        "second half  2.75 -> 8.18",  # 2.7 -> 8.5
        "ordinary text 3.42 -> 3.45",
        "one other of layer 16: 2.91 2.86 2.74 2.77 2.76 2.86 2.92 2.74",
        "layer 16 merged: 8.21",
        "largest difference 0.000000",
        "183 of 270 heads have more than half on the first token",
    ],
    "appendix_a": ["0.0025", "0.0142", "0.0474", "0.4910", "36 KiB", "off by 0.0"],
}


@pytest.mark.parametrize("chapter", NUMBERS)
def test_the_curriculums_numbers_are_printed_by_the_chapters_cells(chapter):
    file = next(file for file in FILES if file.name.startswith(chapter))
    for number in NUMBERS[chapter]:
        assert number in printed(file), number


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
NOT_PRINTED = {  # wishes, limits, sums in one's head and what recall questions repeat
    "01": {".73", ".27", "2.197", ".60", "1.20"},
    "02": {".60", "1.20", "102", "101"},
    "03": {".17"},
    "04": {".90", ".10", "2.197", ".000046", ".60", ".999", ".001", ".693", ".347", ".20"},
    "05": {".98", ".0025", "100", ".91", ".09", ".60", ".08", ".80"},
    "06": {"4,000"},
    "07": {".05", ".20"},
    "08": {".875", "128", ".003", ".56", ".44", ".999", ".001"},
    "09": {"2017", "2021", "2024", "10000", ".10", ".02", ".85"},  # years, a base, goals
    "10": {"1.386", "2020"},
    "11": {"1,024"},  # bytes of a KiB
    "13": {
        ".047",
        ".10",
        ".50",
        ".90",
        ".15",
        "576",
        "2,048",
        "2019",
        "2020",
        "2021",
        "2023",
        "2024",
        "2025",
    },  # papers
    "tw": {".90", ".20", ".01", ".125"},  # goals, and a chance
    "12": {"180"},  # megabytes, fetched once: nothing is printed where they are there
}


def shown(cell):
    """All numbers of a code cell and of what it prints."""
    outputs = [
        output.get("text", "")
        + "".join(str(v) for kind, v in output.get("data", {}).items() if "png" not in kind)
        for output in cell.outputs
    ]
    return re.findall(r"\d*\.?\d+", "\n".join([cell.source, *outputs]).replace(",", ""))


@each_chapter
def test_every_number_in_prose_is_printed_by_one_of_the_three_cells_before_or_after(file):
    cells = read(file).cells
    codes = [n for n, cell in enumerate(cells) if cell.cell_type == "code"]
    for place, cell in enumerate(cells):
        if cell.cell_type == "markdown":
            near = [n for n in codes if n < place][-3:] + [n for n in codes if n > place][:3]
            printed = [float(number) for n in near for number in shown(cells[n])]
            text = re.sub(r"\]\([^)]*\)|<img[^>]*>|```.*?```", "", cell.source, flags=re.DOTALL)
            for number in set(PROSE.findall(text)) - NOT_PRINTED.get(file.name[:2], set()):
                value, decimals = float(number.replace(",", "")), len(number.partition(".")[2])
                rounded = [round(other, decimals) for other in printed]
                assert value in rounded, f"{number} in: {cell.source[:60]}"
