"""What chapter 08 says and no cell of it shows."""

import numpy as np

from mhalib import training


def test_thirty_two_heads_of_one_channel_answer_more_with_twice_as_many_steps():
    settings = training.Settings(k=2, n_heads=32)
    new = settings.draw(np.random.default_rng(9), 4000)
    right = []

    def look(progress):
        if progress.step in (1500, 3000):
            right.append(training.accuracy(progress.parameters, settings, new))

    training.train(settings, np.random.default_rng(0), n_steps=3000, callback=look)
    assert (right[1] > right[0]).all() and right[0].min() < 0.98


def test_some_linear_rows_over_one_path_answer_both_questions_unless_their_values_cancel():
    settings = training.Settings(k=2, n_heads=2, values="shared", softmax=False)
    new = settings.draw(np.random.default_rng(9), 4000)
    trained = training.train(settings, np.random.default_rng(2))
    logits, weights = training.forward(trained.parameters, settings, new)
    one_row = training.looks(weights.mean(axis=1, keepdims=True), new)[0]
    assert one_row[0] * one_row[1] < -0.5, "one token is added, the other taken off"
    right = logits.argmax(axis=-1) == new.answers
    same = new.answers[:, 0] == new.answers[:, 1]
    assert right[~same].mean(axis=0).min() > 0.98
    assert right[same].mean(axis=0).min() < 0.1, "equal values cancel"


def test_trained_weights_depend_hardly_on_values():
    settings = training.Settings(k=2, n_heads=2)
    p = training.train(settings, np.random.default_rng(0), n_steps=600).parameters
    new = settings.draw(np.random.default_rng(9), 1000)
    other = new._replace(values=np.random.default_rng(8).integers(8, size=new.values.shape))
    _, one = training.forward(p, settings, new)
    _, two = training.forward(p, settings, other)
    assert abs(one - two).mean() < 0.02
