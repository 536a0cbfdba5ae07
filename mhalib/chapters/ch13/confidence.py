"""How sure the reader was, against how often the reader was right, over the whole series.

Everything is read from the reader's own file of answers (`mhalib.live.predictions`);
nothing is written.
"""

import numpy as np

from mhalib.chapters.ch13.confidence_picture import ConfidencePicture
from mhalib.live.explorer import still
from mhalib.live.predictions import SURE, load_answers, readable

FEW = 4  # answers with one degree of confidence, below which nothing is concluded
NO_ANSWERS = (
    "No prediction has been answered here yet; import_answers(line) brings those of another "
    "machine."
)


def right_and_given(answers):
    """How many answers were right, and how many there are, by how sure: two arrays (3,).

    `answers` as `load_answers` returns them; an entry that is not of that form is left out.
    """
    right, given = np.zeros((2, len(SURE)), int)
    for answer in readable(answers).values():
        given[answer["sure"]] += 1
        right[answer["sure"]] += answer["right"]
    return right, given


def surely_wrong(answers):
    """The keys of the answers that were given as certain and were wrong, with their rules."""
    last = len(SURE) - 1
    return {
        key: answer["rule"]
        for key, answer in sorted(readable(answers).items())
        if answer["sure"] == last and not answer["right"]
    }


def confidence_in_words(right, given):
    """One sentence: does being right go up with being sure?"""
    if min(total for total in given if total) < FEW:
        return "With so few answers at a step, that says little yet."
    shares = [hits / total for hits, total in zip(right, given, strict=True) if total]
    if len(shares) < 2:
        return "All answers were given with the same confidence, so there is nothing to compare."
    if all(low < high for low, high in zip(shares, shares[1:], strict=False)):
        return "The surer, the more often right: your confidence knew something."
    if shares[-1] > shares[0]:
        return "More often right when surest than when least sure, but not at every step."
    return "Not more often right when surest: there your rules of thumb are worth a second look."


class Review:
    """A picture of confidence against correctness, or, with no answers, a sentence."""

    def __init__(self, answers=None):
        answers = load_answers() if answers is None else answers
        self.right, self.given = right_and_given(answers)
        self.wrong = surely_wrong(answers)
        self.picture = ConfidencePicture(SURE, self.right, self.given) if self.given.any() else None

    @property
    def sentence(self):
        """What the picture shows, in words."""
        if self.picture is None:
            return NO_ANSWERS
        return f"{self.picture.alt} {confidence_in_words(self.right, self.given)}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        if self.picture is None:
            return {"text/plain": self.sentence}
        return still([self.picture], self.sentence)._repr_mimebundle_()
