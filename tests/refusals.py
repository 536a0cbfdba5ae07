"""The one sentence with which bad input is refused."""

import re

import numpy as np
import pytest


def ones(*shape):
    return np.ones(shape)


def refusal(raises, function, *given, **named):
    """The one sentence with which a call is refused."""
    with pytest.raises((TypeError, ValueError)) as caught:
        function(*given, **named)
    sentence = str(caught.value)
    assert caught.type is raises, sentence
    assert re.fullmatch(r"\S[^\n]{20,298}\.", sentence), sentence
    assert not re.search(r"[.?!] [A-Z]", sentence), f"more than one sentence: {sentence}"
    return sentence
