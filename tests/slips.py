"""How tests look at what a check answers to a slip."""


def assert_slip(feedback, message):
    assert not feedback.solved
    assert message in feedback.message
    assert "\n" not in feedback.message and feedback.message.endswith(".")
