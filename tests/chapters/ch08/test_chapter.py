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
