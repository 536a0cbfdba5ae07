"""A front end that does not wait: three hundred slider messages, as fast as they can be sent."""

import base64
import json

import numpy as np
import pytest
from drive import decoded

from mhalib.chapters.ch04 import TwoLanes

MADE = """
from mhalib.chapters.ch04 import TwoLanes
import ipywidgets, json
made = TwoLanes()
def own(widget):
    yield widget.model_id
    for child in getattr(widget, "children", ()):
        yield from own(child)
print(json.dumps({"slider": made.slider("logit", 0, 0).model_id,
                  "sentence": made.sentence_line.model_id,
                  "pictures": [frame.model_id for frame in made.frames],
                  "own": list(own(made.view))}))
"""
VALUES = [round(-20 + 40 * (37 * n % 300) / 299, 1) for n in range(299)] + [-3.7]


@pytest.fixture(scope="module")
def fire(kernel):
    """What the kernel sent: the view's names, and every message after the shots, in order."""
    ids = json.loads(kernel.run(MADE))
    shots = [kernel.set(ids["slider"], value=value) for value in VALUES]
    messages, idle = [], []
    for message in kernel.listen(lambda: len(idle) == len(shots)):
        parent = message["parent_header"].get("msg_id")
        if parent in shots and message["msg_type"] != "status":
            messages.append(message)
        elif parent in shots and message["content"]["execution_state"] == "idle":
            idle.append(parent)
    return ids, shots, messages, idle


def updates(messages, model, name):
    """The values that a widget's trait was set to, in order."""
    found = []
    for message in messages:
        data = message["content"].get("data", {})
        if message["content"].get("comm_id") == model and data.get("method") == "update":
            if name in data["state"]:
                found.append(data["state"][name])
            elif [name] in data["buffer_paths"]:
                found.append(bytes(message["buffers"][data["buffer_paths"].index([name])]))
    return found


def expected(value):
    made = TwoLanes()
    made.slider("logit", 0, 0).value = value
    return made


def test_every_shot_is_answered_in_order(fire):
    _, shots, _, idle = fire
    assert idle == shots


def test_the_last_picture_and_sentence_are_those_of_the_last_value(fire):
    ids, _, messages, _ = fire
    right = expected(VALUES[-1])
    assert updates(messages, ids["sentence"], "value")[-1] == right.sentence_line.value
    for model, frame in zip(ids["pictures"], right.frames, strict=True):
        last = updates(messages, model, "value")[-1]
        last = base64.b64decode(last) if isinstance(last, str) else last
        assert np.array_equal(decoded(last), decoded(frame.value))


def test_nothing_but_the_views_own_messages_was_sent(fire):
    ids, _, messages, _ = fire
    assert messages
    for message in messages:
        assert message["msg_type"] == "comm_msg"
        assert message["content"]["comm_id"] in ids["own"]
        assert message["content"]["data"]["method"] in ("update", "echo_update")


def test_each_shot_sends_at_most_one_picture_a_frame(fire):
    ids, shots, messages, _ = fire
    for model in ids["pictures"]:
        sent = [
            message["parent_header"]["msg_id"]
            for message in messages
            if message["content"]["comm_id"] == model
        ]
        assert len(sent) == len(set(sent)) <= len(shots)
