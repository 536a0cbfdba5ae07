"""Chapter 09's masks, against rules written as loops and softmax in plain Python."""

import itertools
import math

import numpy as np
import oracles
import pytest
from drive import judged, undrawn

from mhalib.chapters.ch09 import WhoSeesWhom
from mhalib.chapters.ch09.who_sees_whom import HIDDEN, PAD, SETTINGS, TEXTS
from mhalib.running_sentence import WHO, WORDS

STATES = list(itertools.product(SETTINGS, TEXTS, HIDDEN))
KIND = {"The": "determiner", "the": "determiner", "cat": "noun", "mat": "noun"}
KIND |= {"sat": "verb", "on": "preposition"}


@pytest.fixture(scope="module")
def only_one():
    return WhoSeesWhom()


@pytest.fixture
def made(only_one):
    """At its start."""
    only_one.back_button.click()
    return only_one


def set_to(made, setting=SETTINGS[0], padding="none", hidden=HIDDEN[0]):
    with made.one_redraw():
        made.apply((setting, padding, hidden))


def judged_at(made, *state):
    """The state and the verdicts' statuses there, with nothing drawn."""
    with undrawn(made):
        made.apply(state)
    state, verdicts = judged(made)
    return state, [verdict.status for verdict in verdicts]


def queries_of(setting, words):
    """Each word that looks, with its place in the text (None: in another text)."""
    if setting == "cross-attention":
        return [("The", None), ("cat", None)]
    return list(zip(words, range(6), strict=True))[4 if "cache" in setting else 0 :]


def may_see(place, j, setting, words):
    later = "causal" in setting and j > place
    return words[j] != PAD and not later


def logit(query, words, j):
    """What the head that asks who wants of a word, by hand."""
    if PAD in (query, words[j]):
        return 0.0
    determiner, noun, later = WHO[KIND[query]]
    position = [word for word in words[: j + 1] if word != PAD]
    wish = determiner * (KIND[words[j]] == "determiner") + noun * (KIND[words[j]] == "noun")
    return (wish + later * (len(position) - 1)) / math.sqrt(3)


def row(query, place, setting, words, hidden):
    logits = [logit(query, words, j) for j in range(6)]
    mask = [may_see(place, j, setting, words) for j in range(6)]
    if hidden == "before softmax":
        return oracles.softmax(logits, mask)
    kept = [weight * may for weight, may in zip(oracles.softmax(logits), mask, strict=True)]
    total = math.fsum(kept) or 1.0
    return [weight / total for weight in kept] if hidden == "after, renormalised" else kept


@pytest.mark.parametrize("state", STATES, ids=" | ".join)
def test_every_setting_is_its_rule(made, state):
    set_to(made, *state)
    setting, padding, hidden = state
    words, looking = TEXTS[padding], queries_of(setting, TEXTS[padding])
    mask = [[may_see(place, j, setting, words) for j in range(6)] for _, place in looking]
    rows = [row(word, place, setting, words, hidden) for word, place in looking]
    assert made.state.mask.tolist() == mask
    assert np.allclose(made.state.seen, rows, rtol=0, atol=1e-12)
    assert list(made.state.queries) == [word for word, _ in looking]
    table, weights = made.pictures
    shown = [slot.key for slot in table.cells if slot.key != ""]
    assert shown == ["1" if may else "0" for line in mask for may in line]
    keys = [slot.key for slot in weights.cells if slot.key != ""]
    assert [key == "hidden" for key in keys] == [not may for may in np.ravel(mask)]
    for key, weight in zip(keys, np.ravel(rows), strict=True):
        assert (weight == 0) if key == "hidden" else float(key) == pytest.approx(weight, abs=0.0051)


@pytest.mark.parametrize("padding", TEXTS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_renormalised_is_the_same_as_before(made, setting, padding):
    tables = []
    for hidden in ("before softmax", "after, renormalised"):
        tables.append(judged_at(made, setting, padding, hidden)[0].seen)
    assert np.allclose(*tables, rtol=0, atol=1e-12)


def test_the_words_beside_the_tables_are_those_that_look_and_are_looked_at(made):
    set_to(made, "cross-attention", "2 at the start")
    for picture in made.pictures:
        shown = [label.get_text() for label in picture.query_labels if label.get_visible()]
        assert shown == ["The", "cat"]
        keys = [label.get_text() for label in picture.key_labels]
        assert keys == [PAD, PAD, "The", "cat", "sat", "on"]


def test_the_sentence_counts_and_says_what_is_lost(made):
    assert "may see 6 of the 6 places" in made.sentence
    assert "“the” splits, 47% each on “cat” and “mat”" in made.sentence
    set_to(made, "causal decoder")
    assert "may see 1 to 6 of the 6" in made.sentence and "“the” puts 89%" in made.sentence
    set_to(made, "causal decoder", "2 at the start")
    assert "2 rows see nothing and give nothing." in made.sentence
    set_to(made, "causal decoder", hidden="after softmax")
    assert "The row of “The” adds up to .01" in made.sentence
    set_to(made, "causal, with a cache", "2 at the end")
    assert made.sentence == "Only padding looks here; what it gets is thrown away."


def test_goal_1_is_reached_by_writing_with_the_budget_kept(made):
    reached = []
    for state in STATES:
        seen, status = judged_at(made, *state)
        if status[0] == "reached":
            reached.append(state)
    assert reached == [
        ("causal decoder", "none", "before softmax"),
        ("causal decoder", "none", "after, renormalised"),
    ]


def test_goal_2_is_reached_where_a_decoder_starts_with_padding(made):
    reached = set()
    for state in STATES:
        seen, status = judged_at(made, *state)
        assert (status[1] == "reached") == (seen.mask.sum(axis=1) == 0).any()
        if status[1] == "reached":
            reached.add(state[:2])
    assert reached == {("causal decoder", "2 at the start")}


def test_goal_3_is_reached_by_a_causal_mask_that_comes_too_late(made):
    reached = set()
    for state in STATES:
        seen, status = judged_at(made, *state)
        if status[2] == "reached":
            reached.add(state)
            real = [word != PAD for word in seen.queries]
            assert seen.seen[real].sum(axis=1).min() < 0.1
    assert reached == {("causal decoder", padding, "after softmax") for padding in TEXTS}


def test_no_row_is_ever_nan(made):
    for state in STATES:
        seen, _ = judged_at(made, *state)
        assert np.isfinite(seen.seen).all()


def test_it_starts_with_the_running_sentence_read_by_an_encoder(made):
    assert made.state.words == WORDS and made.state.setting == "encoder"
    set_to(made, *STATES[-1])
    made.back_button.click()
    assert made.state.words == WORDS and made.state.setting == "encoder"
