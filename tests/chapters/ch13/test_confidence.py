"""Confidence against correctness: from made answers, counted by hand, and from an empty folder."""

import numpy as np
import pytest
from pictured import drawn_in_full, words

from mhalib import live
from mhalib.chapters.ch13 import ConfidencePicture, Review, confidence
from mhalib.chapters.ch13.confidence import (
    FEW,
    NO_ANSWERS,
    confidence_in_words,
    right_and_given,
    surely_wrong,
)
from mhalib.live import predictions


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MHALIB_HOME", str(tmp_path / "home"))


def answer(right, sure, rule="average the weights"):
    return {"rule": rule, "right": right, "sure": sure}


ANSWERS = {
    "04 louder": answer(False, 2),
    "04 veto": answer(True, 2),
    "00 first softmax": answer(False, 0, "share in proportion"),
    "13 jury": answer(True, 1),
    "05 insert a word": answer(True, 2),
    "01 raise one": answer(False, 2, "scale them all"),
}


def test_answers_are_counted_by_how_sure_they_were():
    right, given = right_and_given(ANSWERS)
    assert right.tolist() == [0, 1, 2] and given.tolist() == [1, 1, 4]


def test_certain_and_wrong_are_listed_in_the_order_of_the_chapters_with_their_rules():
    assert list(surely_wrong(ANSWERS).items()) == [
        ("01 raise one", "scale them all"),
        ("04 louder", "average the weights"),
    ]


def test_entries_of_another_form_are_left_out_and_break_nothing():
    damaged = {
        "a": None,
        "b": {"rule": "r", "right": "yes", "sure": 1},
        "c": answer(True, 7),
        "d": answer(True, -1),
        "e": {"right": True, "sure": 1},
        "f": answer(True, True),
        "g": answer(True, 1.0),
    }
    right, given = right_and_given(ANSWERS | damaged)
    assert right.tolist() == [0, 1, 2] and given.tolist() == [1, 1, 4]
    assert "c" not in surely_wrong(damaged)


@pytest.mark.parametrize(
    "right, given, said",
    [
        ((2, 5, 9), (10, 10, 10), "The surer, the more often right"),
        ((2, 9, 5), (10, 10, 10), "not at every step"),
        ((9, 5, 5), (10, 10, 10), "Not more often right when surest"),
        ((5, 5, 5), (10, 10, 10), "Not more often right when surest"),
        ((2, 0, 9), (10, 0, 10), "The surer, the more often right"),
        ((0, 0, 9), (0, 0, 10), "nothing to compare"),
        ((0, 0, FEW - 1), (10, 10, FEW - 1), "says little yet"),
    ],
)
def test_the_verdict_compares_the_shares_and_not_the_counts(right, given, said):
    assert said in confidence_in_words(np.array(right), np.array(given))


def test_without_answers_it_says_so_in_one_sentence_and_shows_no_picture():
    review = Review()
    bundle = review._repr_mimebundle_()
    assert bundle == {"text/plain": NO_ANSWERS} and review.picture is None
    assert NO_ANSWERS.count(".") == 1 and "import_answers(line)" in NO_ANSWERS
    assert review.wrong == {}


def test_it_reads_the_readers_own_file_and_writes_nothing():
    predictions.save_answers(ANSWERS)
    before = predictions.answers_file().read_bytes()
    review = Review()
    assert review.given.tolist() == [1, 1, 4] and len(review.wrong) == 2
    review._repr_mimebundle_()
    assert predictions.answers_file().read_bytes() == before
    assert [path.name for path in predictions.answers_file().parent.iterdir()] == [
        "predictions.jsonl"
    ]


def test_answers_from_another_machine_count_after_they_were_imported():
    predictions.save_answers(ANSWERS)
    line = predictions.export_answers()
    predictions.answers_file().unlink()
    assert Review().picture is None
    predictions.import_answers(line)
    assert Review().right.tolist() == [0, 1, 2]


def test_a_prediction_that_is_committed_to_is_counted():
    prediction = live.Prediction("13 k", "?", {"add": 1.0, "average": 0.5}, "Since.")
    prediction.choice.value, prediction.sure.value = "average", "certain"
    prediction.commit()
    assert Review().wrong == {"13 k": "average"}


def test_the_bundle_holds_the_picture_its_sentence_and_its_size():
    bundle, metadata = Review(ANSWERS)._repr_mimebundle_()
    assert bundle["image/png"].startswith(b"\x89PNG")
    assert metadata["image/png"]["alt"] == bundle["text/plain"]
    assert "certain: 2 of 4 right" in bundle["text/plain"]
    assert metadata["image/png"]["width"] == 400


def test_every_bar_is_as_long_as_the_share_of_right_answers():
    picture = ConfidencePicture(predictions.SURE, [0, 3, 9], [0, 4, 9])
    assert [round(bar.get_width()) for bar in picture.bars] == [0, 150, 200]
    assert {"no answer", "3 of 4", "9 of 9"} <= {*words(picture.page.texts)}
    assert (drawn_in_full(picture)[..., 3] == 255).all()
    assert confidence.SURE is predictions.SURE
