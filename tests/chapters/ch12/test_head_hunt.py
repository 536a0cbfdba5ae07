"""Chapter 12, the head hunt: its state against runs of the model, its goals, and any input."""

import numpy as np
import pytest
from drive import counted_redraws, judged, painted, start_again, undrawn
from made_model import HEADS, MadeModel

from mhalib.attention import softmax
from mhalib.chapters.ch12 import (
    ORDINARY,
    PATTERNS,
    HeadHunt,
    given_twice,
    repeats,
    score,
    stored_runs,
)
from mhalib.chapters.ch12.head_hunt import MOST, REPEATED, SHOWN, TEXTS, TYPED
from mhalib.merging import merge_logits
from mhalib.pictures import percent
from mhalib.real_models import load

POSTERS = {  # of each model: a text and a head for four posters
    "MiniLM": [
        ("previous word", "a sentence", 0, 2),
        ("next word", "a sentence", 1, 8),
        ("sink", "with words again", 4, 11),
        ("duplicate", "with words again", 2, 9),
    ],
    "SmolLM2": [
        ("previous word", "a sentence", 16, 0),
        ("itself", "a sentence", 11, 6),
        ("sink", "a sentence", 18, 8),
        ("induction", "given twice", 18, 6),
    ],
}


@pytest.fixture
def hunt():
    return HeadHunt(MadeModel())


@pytest.fixture(scope="module")
def smol():
    return HeadHunt(load("SmolLM2"), ("induction", "given twice", 16, 3))


@pytest.fixture(scope="module")
def minilm():
    return HeadHunt(load("MiniLM"))


@pytest.fixture
def writer(smol):
    """SmolLM2's hunt, from the start."""
    return start_again(smol)


def go(hunt, poster, text, layer, head):
    with hunt.one_redraw():
        hunt.poster.value, hunt.text.value = poster, text
        hunt.layer.value, hunt.head.value = layer, head


@pytest.mark.parametrize("poster", PATTERNS)
def test_the_state_is_what_the_model_gives(hunt, poster):
    go(hunt, poster, "with words again", 2, 1)
    run = MadeModel().run(TEXTS["with words again"])
    logits = run.layers[2].logits
    assert np.allclose(hunt.state.heads, softmax(logits), atol=1e-6)
    wanted = PATTERNS[poster](run.ids)
    for layer, head in np.ndindex(3, HEADS):
        expected = score(run.layers[layer].weights[head], wanted)
        assert np.isclose(hunt.state.scores[layer, head], expected, equal_nan=True)
    if wanted.any():
        assert percent(hunt.state.scores[2, 1]) + " of its weight there" in hunt.sentence
        assert f"keep {percent(hunt.state.merged_score)};" in hunt.sentence


@pytest.mark.parametrize("label, rule", SHOWN)
def test_what_is_enlarged_is_what_its_name_says(hunt, label, rule):
    go(hunt, "sink", "a sentence", 1, 2)
    hunt.shown.value = rule
    logits = MadeModel().run(TEXTS["a sentence"]).layers[1].logits
    tables = {None: softmax(logits)[2], "weights": softmax(logits).mean(axis=0)}
    table = tables[rule] if rule in tables else softmax(merge_logits(logits, rule))
    assert np.allclose(hunt.state.table, table, atol=1e-6)
    assert hunt.pictures[1].title.get_text().startswith("head (1, 2)" if rule is None else label)
    framed = [slot.artists[0].get_visible() for slot in hunt.pictures[0].names]
    assert framed.count(True) == (rule != "weights")
    if rule in ("add", "average"):
        assert score(table, hunt.state.wanted) == pytest.approx(hunt.state.merged_score, abs=1e-6)


def test_a_switch_mutes_its_head_and_the_text_runs_on_without_it(hunt):
    go(hunt, "previous word", "a sentence", 1, 0)
    hunt.switches[2].value = False
    cut = MadeModel().run(TEXTS["a sentence"], {(1, 2)})
    assert hunt.state.muted == [(1, 2)]
    assert hunt.pictures[0].maps[2].artists[1].get_visible()
    hunt.layer.value = 2
    assert np.allclose(hunt.state.heads, cut.layers[2].weights, atol=1e-6)
    assert all(switch.value for switch in hunt.switches), "switches are those of the layer"
    hunt.layer.value = 1
    assert [switch.value for switch in hunt.switches] == [True, True, False]
    hunt.all_on.click()
    assert hunt.state.muted == [] and all(switch.value for switch in hunt.switches)


def test_the_losses_are_those_of_the_two_texts(hunt):
    model = MadeModel()
    go(hunt, "previous word", "a sentence", 1, 0)
    hunt.switches[2].value = False
    for muted, losses in ((set(), hunt.state.losses_before), ({(1, 2)}, hunt.state.losses)):
        again = model.losses(model.run(REPEATED, muted))[25:].mean()
        assert losses == pytest.approx((again, model.losses(model.run(ORDINARY, muted)).mean()))
    (again, plain), (was, was_plain) = hunt.state.losses, hunt.state.losses_before
    assert f"{was:.1f} → {again:.1f}, on a text {was_plain:.1f} → {plain:.1f}." in hunt.sentence


def test_back_and_the_same_way_again_give_the_same_pictures(hunt):
    first = painted(hunt)
    go(hunt, "duplicate", "with words again", 2, 2)
    hunt.switches[0].value = False
    assert painted(hunt) != first
    hunt.back_button.click()
    assert painted(hunt) == first and hunt.state.muted == []


# A sentence of one's own ------------------------------------------------------------------------

STRANGE = [
    "",
    " ",
    "\n\t",
    "😀👩‍👩‍👧",
    "猫は座った",
    "$x_$ \\frac",
    "a" * 500,
    "x " * 999,
    "<b>&amp;",
    "\x00",
]


@pytest.mark.parametrize("text", STRANGE)
@pytest.mark.parametrize("name", ["made", "MiniLM", "SmolLM2"])
def test_any_text_is_shown(text, name, hunt, minilm, smol):
    made = {"made": hunt, "MiniLM": minilm, "SmolLM2": smol}[name]
    made.own.value = text or "something"
    made.own.value = text
    assert made.text.value == TYPED and "could not be drawn" not in made.sentence_line.value
    assert 0 < len(made.state.words) <= MOST
    assert "nan" not in made.sentence.lower().replace("banana", "") and "\n" not in made.sentence
    for poster in PATTERNS if name == "made" else ():
        made.poster.value = poster
    assert "<b>&amp;amp;" not in made.sentence_line.value
    for picture in made.pictures:
        picture.canvas.draw()  # a glyph that the font lacks would warn, and a warning is an error


def test_a_long_text_is_cut_and_an_empty_one_named(writer):
    writer.own.value = "word " * 40
    assert f"Only the first {MOST} of" in writer.sentence
    writer.own.value = ""
    assert "Nothing was typed" in writer.sentence


def test_typing_chooses_ones_own_sentence_and_draws_once(hunt, monkeypatch):
    calls = counted_redraws(hunt, monkeypatch)
    hunt.own.value = "a cat and a dog"
    assert hunt.text.value == TYPED and len(calls) == 1
    assert hunt.state.words == ["a", "cat", "and", "a", "dog"]


# Goals ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", POSTERS)
def test_goal_1_is_reached_by_the_four_heads_of_the_posters(name, writer):
    hunt = writer if name == "SmolLM2" else HeadHunt(load("MiniLM"))
    for number, (poster, text, layer, head) in enumerate(POSTERS[name]):
        assert hunt.verdicts[0].status == "not yet", poster
        go(hunt, poster, text, layer, (head + 1) % hunt.model.n_heads)
        assert f"Found so far: {number} of 4" in hunt.verdicts[0].why, poster
        hunt.head.value = head
    assert hunt.verdicts[0].status == "reached"


def test_goal_1_says_when_a_text_cannot_show_a_poster(writer):
    go(writer, "duplicate", "a sentence", 0, 0)
    assert "No token of this text can follow this one" in writer.verdicts[0].why
    go(writer, "next word", "a sentence", 0, 0)
    assert "no head follows “next word” clearly" in writer.verdicts[0].why


def test_goal_1_is_colder_the_less_weight_a_head_has_there(hunt):
    go(hunt, "previous word", "a sentence", 0, 0)
    seen = {}
    for layer, head in np.ndindex(3, HEADS):
        go(hunt, "previous word", "a sentence", layer, head)
        part = hunt.state.scores[layer, head] / hunt.state.scores.max()
        [said] = [
            w for w in ("found", "hot", "warm", "cool", "cold") if f"there, {w};" in hunt.sentence
        ]
        seen[part] = said
    order = [seen[part] for part in sorted(seen, reverse=True)]
    assert order[0] == "found"
    assert order == sorted(order, key=["found", "hot", "warm", "cool", "cold"].index)


def test_goal_2_is_reached_in_minilms_first_layer_and_nowhere_else():
    hunt, survivors = HeadHunt(load("MiniLM")), set()
    for text in list(TEXTS)[:3]:
        for poster in PATTERNS:
            for layer in range(6):
                with undrawn(hunt):
                    go(hunt, poster, text, layer, 0)
                if judged(hunt)[1][1].status == "reached":
                    survivors.add((poster, layer))
    assert survivors == {("previous word", 0)}
    go(hunt, "next word", "a sentence", 1, 8)
    assert hunt.verdicts[1].status == "impossible"
    go(hunt, "sink", "a sentence", 1, 8)
    assert "other than the sink" in hunt.verdicts[1].why


def test_goal_3_is_reached_by_one_wire_and_not_by_its_neighbours(writer):
    assert writer.verdicts[2].status == "not yet"
    writer.switches[0].value = False
    assert writer.state.muted == [(16, 0)] and writer.verdicts[2].status == "reached"
    assert "2.8 → 8.2" in writer.verdicts[2].why
    writer.switches[1].value = False
    assert writer.verdicts[2].status == "not yet" and "2 heads are muted" in writer.verdicts[2].why
    for head in range(1, 9):
        writer.unmute()
        writer.switches[head].value = False
        assert writer.verdicts[2].status == "not yet"


def test_an_encoder_has_no_switches_and_no_third_goal():
    hunt = HeadHunt(load("MiniLM"))
    assert len(hunt.goals) == 2 and hunt.state.losses is None and "loss" not in hunt.sentence


def test_a_slider_on_the_page_that_is_a_hair_off_its_step_means_that_step(hunt):
    hunt.layer.value, hunt.head.value = 2 - 4e-15, 1 - 4e-16
    assert (hunt.state.layer, hunt.state.head) == (2, 1)
    hunt.switches[1].value = False
    assert hunt.state.muted == [(2, 1)]


# The stored runs of the model that is loaded here


def test_smollm2_loses_what_is_stored_in_two_layers_of_one_text(smol):
    ids, runs, smol = given_twice(25, 3), stored_runs(), smol.model
    cost = repeats.second_half(smol)
    found = repeats.layer_by_layer(smol, ids, cost, layers=[16, 18])
    kept = runs["given twice"][3]
    assert found.pop("unchanged") == pytest.approx(kept["unchanged"], abs=0.02)
    for change, losses in found.items():
        assert losses == pytest.approx([kept[change][n] for n in (16, 18)], abs=0.05), change
    for change, losses in repeats.spared(smol, ids, cost).items():
        assert losses == pytest.approx(runs["specialist spared"][3][change], abs=0.05), change
    assert repeats.one_muted(smol, ids, cost)["(16, 0)"] == pytest.approx(
        runs["one muted, given twice"][3]["(16, 0)"], abs=0.05
    )
