"""What is proved of every chapter's checks, from two tables: its slips and its right answers."""

import numpy as np
import pytest

from mhalib.live import NOT_ATTEMPTED


def said(check, answer):
    """What a check says: to a tuple's parts one by one, to anything else as it is."""
    return check(*answer) if isinstance(answer, tuple) else check(answer)


def assert_slip(feedback, sentence):
    assert not feedback.solved, feedback
    assert sentence in feedback.message, feedback
    assert "\n" not in feedback.message and feedback.message.endswith("."), feedback


def rows(logits, axis=-1):
    """A learner's softmax."""
    e = np.exp(logits - logits.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def stubs(answer):
    """The exercise before anybody wrote in it, and with one part of several still dots."""
    for nothing in (None, ...):
        if callable(answer):
            yield lambda *inputs, nothing=nothing: nothing
        elif isinstance(answer, tuple):
            yield (nothing,) * len(answer)
            for place in range(len(answer)):
                yield (*answer[:place], nothing, *answer[place + 1 :])
        else:
            yield nothing


def coarse(value):
    """A learner's float32, as PyTorch gives it, where there were float64: in arrays and answers."""
    if callable(value):
        return lambda *inputs: coarse(value(*inputs))
    if isinstance(value, tuple | list) and not all(map(np.isscalar, value)):
        return type(value)(coarse(part) for part in value)
    array = np.asarray(value)
    return array.astype(np.float32) if array.dtype == np.float64 else value


class Checks:
    """A chapter's tests: ``class TestChecks(Checks): chapter, slips, right = ch01, SLIPS, RIGHT``.

    `slips`: {check: {part of the sentence that is said: the answer that hears it}}, `right`:
    {check: [answers]}. An answer to a check of several arguments is a tuple.
    """

    def pytest_generate_tests(self, metafunc):
        if "sentence" in metafunc.fixturenames:
            rows = [
                pytest.param(check, answer, sentence, id=f"{check.__name__}-{sentence}")
                for check, slips in self.slips.items()
                for sentence, answer in slips.items()
            ]
            metafunc.parametrize("check, answer, sentence", rows)
        elif "answer" in metafunc.fixturenames:
            rows = [
                pytest.param(check, answer, id=f"{check.__name__}-{n}")
                for check, answers in self.right.items()
                for n, answer in enumerate(answers)
            ]
            metafunc.parametrize("check, answer", rows)

    def test_every_check_of_the_chapter_has_a_right_answer_and_knows_two_slips(self):
        names = {name for name in vars(self.chapter) if name.startswith("check_")}
        assert {check.__name__ for check in self.slips} == names
        assert {check.__name__ for check in self.right} == names
        assert min(map(len, self.slips.values())) >= 2 and all(self.right.values())

    def test_a_slip_hears_its_own_sentence(self, check, answer, sentence):
        assert_slip(said(check, answer), sentence)

    def test_a_right_answer_is_accepted(self, check, answer):
        feedback = said(check, answer)
        assert feedback.solved, feedback
        assert feedback.message.startswith("Right") and feedback.message.endswith(".")

    def test_a_right_answer_in_float32_is_accepted(self, check, answer):
        feedback = said(check, coarse(answer))
        assert feedback.solved, feedback

    def test_an_untouched_stub_says_not_attempted(self, check, answer):
        for stub in stubs(answer):
            assert said(check, stub) == NOT_ATTEMPTED
