"""Chapter 02's “which code is the bug?”: against cells moved by loops, and its two goals."""

import functools
import itertools
import re

import numpy as np
import pytest
from drive import painted

from mhalib.chapters.ch02 import TwoSplits
from mhalib.chapters.ch02.two_splits import CODES, NOBODY, NOTHING

WORDS, HEADS, COUNTS = TwoSplits.words, (1, 2, 4), (1, 2, 3, 4)
CASES = list(TwoSplits.examples)


SHARED = functools.cache(TwoSplits)  # drawn once; every test sets all its controls


def made(case=CASES[0], word=NOTHING, heads=2, words=3, accused=NOBODY):
    splits = SHARED()
    with splits.one_redraw():
        splits.example.value = case
        splits.word.value, splits.accused.value = word, accused
        splits.n_heads.value, splits.n_words.value = heads, words
    return splits


def rows_lit(t, n_heads, n_words, wrong):
    """Which (head, word) hold a channel of word t: for each channel, where it is moved to."""
    d = 8 // n_heads
    rows = set()
    for channel in range(8):
        place = t * 8 + channel  # in reading order
        if wrong:
            rows.add((place // (n_words * d), place % (n_words * d) // d))
        else:
            rows.add((channel // d, t))
    return rows


def shown(splits, code):
    """The same, read from the lights of the picture."""
    lit = set()
    for r, slots in enumerate(splits.pictures[code].after):
        table = np.array([s.artists[0].get_visible() for s in slots])
        table = table.reshape(len(splits.state.words), -1)
        lit |= {(r, int(t)) for t in np.flatnonzero(table.any(axis=1))}
        assert (table == table[:, :1]).all(), "a row is lit as a whole, or not at all"
    return lit


EVERY = list(itertools.product(CASES, HEADS, COUNTS))


@pytest.mark.parametrize("case, heads, words", EVERY)
def test_lights_are_where_the_channels_of_the_changed_word_go(case, heads, words):
    for t, word in enumerate(WORDS[:words]):
        splits = made(case, word, heads, words)
        for code in range(2):
            wrong = code == splits.state.bug
            assert shown(splits, code) == rows_lit(t, heads, words, wrong)


def test_with_no_word_changed_nothing_lights_up():
    for word in (NOTHING, "on"):  # the fourth word of three
        splits = made(word=word)
        assert shown(splits, 0) == shown(splits, 1) == set()
        assert splits.sentence.endswith("so nothing lights up.")


def test_the_cases_shuffle_the_codes_and_nothing_names_the_bug_before_it_is_accused():
    assert set(TwoSplits.examples.values()) == {0, 1}
    seen = []
    for splits in map(made, CASES):
        seen.append((splits.sentence, splits.verdicts[0], painted(splits)))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("case, heads, words", EVERY)
def test_any_single_word_convicts_wherever_the_bug_can_be_seen_at_all(case, heads, words):
    """With at least two heads and two words; with one of either the codes are the same."""
    for word in WORDS[:words]:
        splits = made(case, word, heads, words)
        for code, name in enumerate(CODES):
            splits.accused.value = name
            reached = splits.verdicts[0].status == "reached"
            assert reached == (code == splits.state.bug and heads > 1 and words > 1)


def test_an_accusation_without_evidence_or_of_the_right_code_is_not_accepted():
    splits = made(accused="code 1")
    for name in CODES:
        splits.accused.value = name
        assert "needs evidence" in splits.verdicts[0].why
    splits.word.value = "cat"
    splits.accused.value = CODES[1 - splits.state.bug]
    assert "that is what a split must do" in splits.verdicts[0].why
    splits.n_heads.value = 1
    assert "no evidence" in splits.verdicts[0].why


def test_the_verdict_names_the_rows_that_should_not_have_lit():
    splits = made(word="cat", accused="code 2")
    assert splits.verdicts[0].status == "reached"
    strangers = {WORDS[t] for _, t in rows_lit(1, 2, 3, wrong=True)} - {"cat"}
    assert set(re.findall("rows of (.*):", splits.verdicts[0].why)[0].split(" and ")) == {
        f"“{word}”" for word in strangers
    }


def test_goal_2_wants_both_reasons_one_at_a_time():
    splits = made()
    splits.found[1].clear()
    with splits.one_redraw():
        splits.n_heads.value, splits.n_words.value = 1, 1
    assert "one at a time" in splits.verdicts[1].why and not splits.found[1]
    splits.n_words.value = 3
    assert splits.found[1] == {"one head"} and splits.verdicts[1].status == "not yet"
    splits.n_heads.value = 4
    assert "different blocks" in splits.verdicts[1].why
    splits.n_words.value = 1
    assert splits.found[1] == {"one head", "one word"} and splits.verdicts[1].status == "reached"


@pytest.mark.parametrize("heads, words", [*itertools.product(HEADS, COUNTS)])
def test_the_sentence_names_the_rows_that_light_up(heads, words):
    splits = made(word="The", heads=heads, words=words)
    first, second = splits.sentence.split("; code 2 ")
    for code, said in enumerate((first, second)):
        parts = dict(re.findall(r"head (\w) (nothing|“.*?”(?=, head|\.|$))", said))
        right = rows_lit(0, heads, words, wrong=code == splits.state.bug)
        for r, letter in enumerate("ABCD"[:heads]):
            named = {WORDS[t] for head, t in right if head == r}
            assert set(re.findall("“(.*?)”", parts[letter])) == named


def test_back_undoes_everything_but_the_case():
    splits = made(CASES[1], "sat", 4, 4, "code 1")
    splits.back_button.click()
    state = splits.state
    assert (state.word, state.n_heads, len(state.words), state.accused) == (NOTHING, 2, 3, NOBODY)
    assert splits.state.bug == TwoSplits.examples[CASES[1]]
