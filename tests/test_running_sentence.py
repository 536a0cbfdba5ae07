"""The running sentence's features, and the hand-made heads that read them."""

import numpy as np
import oracles
import pytest

from mhalib.running_sentence import (
    FEATURES,
    KINDS,
    LONG,
    MORE_FEATURES,
    WHERE,
    WHO,
    WORDS,
    features,
    head,
)


def weights_of(asks, words=WORDS):
    """A head's weights on a sentence, by the loop: one row for each word that looks."""
    x = features(words)
    q, k = (oracles.product(x.tolist(), w.tolist()) for w in head(asks))
    return np.array([oracles.softmax(row) for row in oracles.product(q, [*zip(*k, strict=True)])])


def test_the_running_sentence_has_the_features_a_reader_would_give_it():
    assert FEATURES == ("determiner", "noun", "verb", "preposition", "position")
    assert dict(zip(WORDS, features().tolist(), strict=True)) == {
        "The": [1, 0, 0, 0, 0],
        "cat": [0, 1, 0, 0, 1],
        "sat": [0, 0, 1, 0, 2],
        "on": [0, 0, 0, 1, 3],
        "the": [1, 0, 0, 0, 4],
        "mat": [0, 1, 0, 0, 5],
    }


@pytest.mark.parametrize("words", [["mat"], ("CAT", "cat"), np.array(["on", "The", "mat"])])
def test_any_list_of_known_words_has_features(words):
    x = features(words)
    assert x[:, -1].tolist() == list(range(len(words)))
    for row, word in zip(x, words, strict=True):
        assert FEATURES[row[:-1].argmax()] == KINDS[word.lower()]
        assert row[:-1].sum() == 1


def test_features_are_made_anew_for_every_caller():
    features()[:] = 7
    assert features()[0].tolist() == [1, 0, 0, 0, 0]


@pytest.mark.parametrize("asks", [WHO, WHERE], ids=["who", "where"])
def test_a_logit_is_what_the_words_kind_asks_for_as_far_as_the_key_has_it(asks):
    x, (w_q, w_k) = features(), head(asks)
    for i, looking in enumerate(WORDS):
        determiner, noun, later = asks[KINDS[looking.lower()]]
        for j, looked_at in enumerate(WORDS):
            kind = KINDS[looked_at.lower()]
            wanted = determiner * (kind == "determiner") + noun * (kind == "noun") + later * j
            assert (x[i] @ w_q) @ (x[j] @ w_k) == wanted


@pytest.mark.parametrize(
    "asks, looking, looked_at",
    [
        (WHO, "cat", {"The", "the"}),
        (WHO, "sat", {"cat"}),
        (WHO, "on", {"cat"}),
        (WHERE, "cat", {"mat"}),
        (WHERE, "sat", {"mat"}),
        (WHERE, "on", {"mat"}),
    ],
)
def test_a_head_reads_as_its_name_says(asks, looking, looked_at):
    weights = dict(zip(WORDS, weights_of(asks)[WORDS.index(looking)], strict=True))
    assert sum(weights[word] for word in looked_at) > 0.85
    assert max(weights, key=weights.get) in looked_at


def test_a_head_may_ask_on_behalf_of_some_kinds_only():
    asks = {"verb": [0, 2, 0]}
    w_q, w_k = head(asks)
    assert w_q.tolist() == [[0, 0, 0], [0, 0, 0], [0, 2, 0], [0, 0, 0], [0, 0, 0]]
    assert w_k.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 1]]
    assert asks == {"verb": [0, 2, 0]}
    np.testing.assert_allclose(weights_of(asks)[0], 1 / len(WORDS))


# With inserted words, from chapter 05 on


def test_the_long_sentence_has_two_kinds_more_and_the_position_squared():
    assert " ".join(LONG) == "The cat quietly sat on the black mat"
    assert [word for word in LONG if word not in ("quietly", "black")] == list(WORDS)
    for position, (word, row) in enumerate(zip(LONG, features(LONG, MORE_FEATURES), strict=True)):
        named = dict(zip(MORE_FEATURES, row, strict=True))
        assert [kind for kind in MORE_FEATURES[:6] if named[kind]] == [KINDS[word.lower()]]
        assert (named["position"], named["position²"]) == (position, position**2)


def test_both_tables_agree_where_they_have_the_same_features():
    narrow, wide = features(WORDS), features(WORDS, MORE_FEATURES)
    for name in FEATURES:
        left, right = narrow[:, FEATURES.index(name)], wide[:, MORE_FEATURES.index(name)]
        assert np.array_equal(left, right)
