"""Chapter 12's stored runs: some of them run again, and their rows by hand."""

import numpy as np
import oracles
import pytest
from made_model import MadeModel

from mhalib.chapters.ch12 import instead, stored_runs
from mhalib.chapters.ch12 import repeats as again
from mhalib.real_models import Layer, load, surprisal

TEXT = "the cat sat on the mat"


@pytest.fixture
def layer():
    return MadeModel().run(TEXT).layers[1]


def test_the_two_specialists_lose_what_is_stored_and_merged_is_worse_than_muted_everywhere():
    runs = stored_runs()["two specialists"]
    assert len(runs) == 9
    assert all(run["merged, big_head"] > run["both muted"] + 0.5 for run in runs)
    assert all(run["average of weights"] < run["both muted"] for run in runs[:3])
    found = again.two_specialists(load("RXNMapper"), again.REACTIONS[4])
    assert found == pytest.approx(runs[7], abs=0.02)


def test_a_pair_of_heads_loses_what_is_stored():
    mapper, text = load("RXNMapper"), again.REACTIONS[1]
    (pair, merged, averaged, muted) = stored_runs()["pairs"][1][0]
    rows = {n: instead(pair, again.only(pair, "big_head")) for n in range(12)}
    assert again.covered_loss(mapper, text, {"rows": rows}) == pytest.approx(merged, abs=0.02)
    cut = {"muted": {(n, head) for n in range(12) for head in pair}}
    assert again.covered_loss(mapper, text, cut) == pytest.approx(muted, abs=0.02)
    assert merged > averaged


def test_minilm_turns_as_stored():
    minilm = load("MiniLM")
    sentence = again.card()[0]
    found = again.layer_by_layer(minilm, sentence, again.turned(minilm, sentence))
    assert found["unchanged"] == pytest.approx(0, abs=1e-6)
    for change in again.ALL_ROWS:
        assert found[change] == pytest.approx(stored_runs()["sentences"][0][change], abs=0.005)


def test_instead_gives_the_row_to_the_named_heads_and_to_no_other(layer):
    weights = instead([0, 2], Layer.merged)(layer)
    by_hand = layer.weights.copy()
    by_hand[0] = by_hand[2] = layer.merged()
    np.testing.assert_array_equal(weights, by_hand)


@pytest.mark.parametrize("how", ["add", "big_head", "average"])
def test_only_merges_the_named_heads_and_no_other(how, layer):
    scale = {"add": 1, "big_head": 2**0.5, "average": 2}[how]
    logits = (layer.logits[0] + layer.logits[2]) / scale
    row = [oracles.softmax(line) for line in logits.tolist()]
    np.testing.assert_allclose(again.only([0, 2], how)(layer), row, atol=1e-6)


def test_with_the_sink_kept_each_head_keeps_its_first_weight_and_the_rest_is_shared(layer):
    weights = again.awake(layer)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-6)
    np.testing.assert_allclose(weights[..., 0], layer.weights[..., 0], atol=1e-6)
    rest = weights[:, 1:, 1:] / weights[:, 1:, 1:].sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(rest, np.broadcast_to(rest[:1], rest.shape), atol=1e-5)


def test_each_covered_symbol_is_guessed_once_and_none_sees_itself():
    mapper = load("RXNMapper")
    ids = np.array(mapper.tokens(again.REACTIONS[3]))
    logits = []
    for place in (3, 11):
        run = mapper.run(mapper.covered(again.REACTIONS[3], [3, 11]))
        assert (run.ids[[3, 11]] == 14).all() and (np.delete(run.ids - ids, [3, 11]) == 0).all()
        logits.append(mapper.guesses(run)[place])
    by_hand = [
        -np.log(oracles.softmax(row.tolist())[i])
        for row, i in zip(logits, ids[[3, 11]], strict=True)
    ]
    np.testing.assert_allclose(surprisal(np.array(logits), ids[[3, 11]]), by_hand, atol=1e-4)
