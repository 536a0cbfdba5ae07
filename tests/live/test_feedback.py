"""A check is made of statements: what they raise or return is told, what they break is not."""

import re

import numpy as np
import pytest
from slips import assert_slip

from mhalib.live import NOT_ATTEMPTED, Feedback
from mhalib.live.feedback import Wrong, check, compare, expect, refuse


@check
def check_double(function):
    """A check as chapters write them: twice 3."""
    slips = {"that is 3 itself.": 3.0, "that is a power of 3.": (9.0, 27.0)}
    hints = {(1,): "that is a list of one number."}
    expect(6, function, "double", np.array(3.0), slips=slips, hints=hints)
    return "Right: twice as much."


def test_feedback_reads_as_its_sentence():
    assert repr(NOT_ATTEMPTED).startswith("Not attempted yet")
    assert repr(check_double(lambda x: 2 * x)) == "✓ Right: twice as much."
    assert repr(check_double(lambda x: x)) == "that is 3 itself."


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda x: x, "that is 3 itself."),
        (lambda x: x**2, "that is a power of 3."),
        (lambda x: x**3, "that is a power of 3."),
        (lambda x: [2 * x], "that is a list of one number."),
        (lambda x: [x, x], "the result of double has shape (2,); needed is ()."),
        (lambda x: 6.0001, "the result of double is 6.0001 at [], but 6.0000 is right there."),
        (lambda x: np.nan, "the result of double is nan at [], but 6.0000 is right there."),
        (lambda x: "six", "the result of double must be an array of numbers, not str."),
        (lambda x: [[1], [2, 3]], "the result of double must be an array of numbers, not list."),
        (lambda x: x.missing, "double stopped with AttributeError: "),
        (lambda x: x.fill(6), "double changed its input; make a new array instead."),
    ],
)
def test_the_first_thing_that_is_wrong_is_said(answer, sentence):
    assert_slip(check_double(answer), sentence)


def test_no_attempt_comes_before_anything_else():
    assert check_double(lambda x: None) == check_double(lambda x: ...) == NOT_ATTEMPTED


def test_of_several_reasons_the_first_that_holds_is_said_and_without_one_it_goes_on():
    with pytest.raises(Wrong, match="^row 1: second$"):
        refuse({"first": False, "second": True, "third": True}, lead="row 1: ")
    assert refuse({"first": False, "second": np.False_}) is None


@pytest.mark.parametrize("mistake", [ZeroDivisionError, ValueError, AssertionError, KeyError])
def test_a_mistake_in_a_check_itself_is_nobodys_feedback(mistake):
    @check
    def broken(answer):
        raise mistake("of ours")

    with pytest.raises(mistake, match="of ours"):
        broken(1)


def test_a_check_keeps_its_name_and_its_words_and_takes_arguments_by_name():
    assert check_double.__name__ == "check_double" and "twice 3" in check_double.__doc__
    assert check_double(function=lambda x: x + x) == Feedback(True, "Right: twice as much.")


@pytest.mark.parametrize("off", [5e-9, 1e-4, 3e-2])
def test_a_wrong_number_and_the_right_one_never_look_equal(off):
    with pytest.raises(Wrong) as wrong:
        compare([0.5, off], [0.5, 0], {}, "x")
    given, needed = re.search(r"is (\S+) at \[1\], but (\S+) is right", str(wrong.value)).groups()
    assert float(given) == pytest.approx(off, rel=0.01) and float(needed) == 0 and given != needed


def test_float32_is_accepted_with_its_rounding_and_refused_beyond():
    right = np.array([0.1, 1e-3, 700.0])
    compare(right.astype(np.float32), right, {}, "x")
    compare(right.tolist(), right, {}, "x")
    for wrong in (right.astype(np.float32) * np.float32(1.01), right * (1 + 1e-5)):
        with pytest.raises(Wrong):
            compare(wrong, right, {}, "x")
