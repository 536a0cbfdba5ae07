"""The heads made by hand for a criterion, on the sentence with words inserted."""

import oracles
import pytest
from refusals import refusal

from mhalib.chapters.ch05.criteria import CRITERIA, WISH, criterion
from mhalib.running_sentence import KINDS, LONG, MORE_FEATURES, features


@pytest.mark.parametrize("strictness", [1, 4])
@pytest.mark.parametrize("name", CRITERIA)
def test_a_criterions_logit_is_a_wish_and_a_nearness_up_to_a_constant_of_the_row(name, strictness):
    looking, wanted, step = CRITERIA[name]
    x, (w_q, w_k) = features(LONG, MORE_FEATURES), criterion(*CRITERIA[name], strictness)
    for i, word in enumerate(LONG):
        looks = KINDS[word.lower()] in looking
        gaps = []
        for j, other in enumerate(LONG):
            wished = WISH * looks * (KINDS[other.lower()] in wanted)
            near = -strictness * (i + step * looks - j) ** 2
            gaps.append((x[i] @ w_q) @ (x[j] @ w_k) - wished - near)
        assert gaps == pytest.approx([gaps[0]] * len(LONG))


def own(kind, words):
    """By hand: where each word looks that has a partner, by the words between them."""
    pairs = {
        "noun → determiner": {"cat": "The", "mat": "the"},
        "verb → subject": {"sat": "cat"},
        "preposition → object": {"on": "mat"},
        "previous word": dict(zip(words[1:], words, strict=False)),
    }
    return [words.index(pairs[kind].get(word, word)) for word in words]


@pytest.mark.parametrize("left_out", [(), ("quietly",), ("black",), ("quietly", "black")], ids=str)
@pytest.mark.parametrize("name", CRITERIA)
def test_a_head_keeps_its_criterion_whatever_is_inserted_and_others_find_themselves(name, left_out):
    words = [word for word in LONG if word not in left_out]
    x = features(words, MORE_FEATURES).tolist()
    q, k = (oracles.product(x, w.tolist()) for w in criterion(*CRITERIA[name]))
    for row, target in zip(q, own(name, words), strict=True):
        logits = [sum(a * b for a, b in zip(row, key, strict=True)) / 3**0.5 for key in k]
        assert oracles.softmax(logits)[target] > 0.8


@pytest.mark.parametrize(
    "given, raises, says",
    [
        ((["dog"], [], -1), ValueError, "kinds of words are a list out of determiner, noun"),
        ((["noun"], "noun", -1), ValueError, "but were given as 'noun'"),
        ((["noun"], [], "left"), TypeError, "step must be one finite number"),
        ((["noun"], [], float("nan")), ValueError, "step must be one finite number"),
        ((["noun"], [], -1, "very"), TypeError, "strictness must be one finite number"),
    ],
)
def test_a_bad_criterion_is_refused_in_one_sentence(given, raises, says):
    assert says in refusal(raises, criterion, *given)
