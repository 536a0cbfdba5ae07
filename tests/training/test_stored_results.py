"""The stored results of chapter 08: what they are, what they say, and that training gives them."""

import numpy as np
import pytest
from refusals import refusal

from mhalib.training import Settings, stored_results
from tools.sweep import HEADS, READ_AS, SWEEPS

# With the BLAS kernels of Haswell, Zen and Nehalem and without AVX, the slices below differ from
# what is stored (made with AVX-512) by at most .0005; over one linear path by .0023, and there by
# up to .02 with other seeds: its second question hangs on a small difference of large weights.
ALIKE = {"corners": 0.01}
OTHERS_ALIKE = 0.002


def mean(result):
    """Mean over the seeds of the best answered question, of the second best, ..."""
    return np.sort(result.accuracy)[:, ::-1].mean(axis=0)


def by(name, *fields):
    """A sweep's results by the values of these settings."""
    found = stored_results.results(name)
    return {tuple(getattr(r.settings, field) for field in fields): r for r in found}


@pytest.mark.parametrize("name", SWEEPS)
def test_what_is_stored_is_what_make_sweep_makes(name):
    stored = stored_results.results(name)
    assert [result.settings for result in stored] == [Settings(**s) for s in SWEEPS[name]]
    for result in stored:
        assert result.read_as == READ_AS.get(name, {})
        assert result.accuracy.shape == (stored_results.SEEDS, result.settings.k)
        assert ((0 <= result.accuracy) & (result.accuracy <= 1)).all()


def test_the_names_are_those_of_the_sweeps():
    assert list(stored_results.sweeps()) == list(SWEEPS)
    assert "'width' is no sweep that is stored; these are: heads" in refusal(
        ValueError, stored_results.results, "width"
    )


@pytest.mark.parametrize(
    "name, number, seed",
    [
        ("heads", 0, 4),  # one question, one head
        ("heads", 6, 0),  # two questions, one head
        ("heads", 7, 1),  # two questions, two heads
        ("heads", 13, 2),  # three questions, two heads
        ("three_heads", 3, 2),  # four questions
        ("one_head_fewer", 1, 0),  # the same with linear rows
        ("one_head_fewer", 2, 1),  # five questions, four heads
        ("corners", 0, 1),  # a shared way, linear
        ("selection", 0, 0),
        ("selection", 7, 2),
        ("rescues", 0, 1),
        ("sharing", 2, 0),
        ("sharing_narrow_blocks", 2, 1),
        ("noisy_keys_by_width", 1, 3),  # 2 heads of 16 numbers
        ("noisy_keys_by_width", 9, 0),  # 8 heads of 2
        ("wide_queries", 0, 2),
        ("layers_for_heads", 2, 1),
        ("sharing_wide_keys", 0, 1),
        ("equal_heads", 0, 2),
        ("equal_heads", 1, 0),
        ("merged_after_training", 0, 0),
        ("averaged_after_training", 0, 1),
    ],
)
def test_a_slice_trained_again_gives_what_is_stored(name, number, seed):
    stored = stored_results.results(name)[number]
    again = stored_results.held_out(stored.settings, seed, stored.read_as)
    alike = ALIKE.get(name, OTHERS_ALIKE)
    np.testing.assert_allclose(again, stored.accuracy[seed], rtol=0, atol=alike)


# What chapter 08 and chapter 11 say of them


def test_enough_heads_answer_everything_and_one_head_gives_up_all_but_one():
    heads = by("heads", "k", "n_heads")
    heads |= by("three_heads", "k", "n_heads") | by("one_head_fewer", "k", "n_heads")
    for (k, h), result in heads.items():
        if k <= h <= 16 or k == 1:
            assert result.accuracy.min() > 0.99, (k, h)
        if h == 1 < k:
            low = np.sort(result.accuracy)[:, :-1]
            assert low.max() < 0.45 and low.min() > 0.2, k


def test_two_heads_answer_a_little_more_than_two_questions():
    heads = by("heads", "k", "n_heads")
    assert heads[3, 2].accuracy.min() > 0.9
    answered = np.sort(heads[4, 2].accuracy)
    assert answered[:, 0].max() < 0.35  # here one of four is always given up, and not two
    assert 0.65 < answered.mean() < 0.75


def test_one_head_fewer_answers_four_questions_in_98_percent_and_two_not_at_all():
    four, *_ = (r for r in stored_results.results("three_heads") if r.settings.k == 4)
    *others, five, _ = stored_results.results("one_head_fewer")
    assert four.accuracy.min() > 0.985 and four.accuracy.min(axis=1).max() < 0.995
    assert min(other.accuracy.min() for other in others) > 0.975, "another width, linear rows"
    assert 0.94 < five.accuracy.min() < 0.95
    assert by("heads", "k", "n_heads")[2, 1].accuracy.min(axis=1).max() < 0.38


def test_four_layers_of_one_head_are_as_good_as_four_heads_and_no_larger_and_three_are_not():
    two, three, four = stored_results.results("layers_for_heads")
    sizes = [
        sum(rows * columns for rows, columns in settings.shapes.values())
        for settings in (Settings(k=4, n_heads=4), two.settings, three.settings, four.settings)
    ]
    assert sizes[0] == max(sizes)
    assert four.accuracy.min() > 0.99
    assert max(layers.accuracy.min(axis=1).max() for layers in (two, three)) < 0.93


def test_the_separate_rows_and_the_own_blocks_are_needed_and_softmax_is_not():
    corners = by("corners", "k", "values", "softmax", "rows")
    for (k, values, softmax, rows), result in corners.items():
        answers = values == "own" and rows == "own"
        assert (result.accuracy.min() > 0.95) == answers, (k, values, softmax, rows)


def test_softmax_selects_with_two_numbers_what_linear_selects_with_eight():
    selection = by("selection", "softmax", "d_query")
    assert all(selection[True, m].accuracy.min() > 0.99 for m in (2, 3, 4, 8))
    assert all(mean(selection[False, m])[0] < 0.95 for m in (1, 2, 3, 4))
    assert selection[False, 8].accuracy.min() > 0.99


def test_an_mlp_or_a_second_layer_rescues_one_head_and_a_wider_one_does_not():
    mlp, layer, *wider = (r for r in stored_results.results("rescues") if r.settings.k == 2)
    assert mlp.accuracy.min() > 0.99 and layer.accuracy.min() > 0.99
    assert all(np.sort(result.accuracy)[:, 0].max() < 0.45 for result in wider)


def test_one_k_and_v_for_four_heads_learn_as_well_unless_they_are_too_narrow():
    *shared, narrow = stored_results.results("sharing")
    assert all(result.accuracy.min() > 0.99 for result in shared)
    assert narrow.accuracy.min() < 0.95  # 4 numbers of a token are too few for 8 keys and 8 values
    of_two_channels = stored_results.results("sharing_narrow_blocks")
    own, four, one = (result.accuracy.mean(axis=1) for result in of_two_channels)
    assert min(own.min(), four.min()) > 0.99 and one.max() < 0.99


def test_with_noisy_keys_narrow_heads_hurt_and_many_do_not():
    falling = [mean(result)[0] for result in stored_results.results("noisy_keys")]
    assert min(falling[:2]) > 0.95 and (np.diff(falling[1:]) < 0).all() and falling[-1] < 0.5
    by_width = by("noisy_keys_by_width", "d_query", "n_heads")
    wide, narrow = ([by_width[m, h].accuracy for h in HEADS] for m in (16, 2))
    assert min(runs.min() for runs in wide) > 0.97
    assert all(a.max() < b.min() for a, b in zip(narrow, narrow[1:4], strict=False)), "more help"
    assert max(runs.max() for runs in narrow) < 0.5


def test_thirty_two_heads_answer_all_with_wider_queries():
    assert all(result.accuracy.min() > 0.99 for result in stored_results.results("wide_queries"))


def test_equal_heads_answer_as_one_head():
    heads = by("heads", "k", "n_heads")
    for result in stored_results.results("equal_heads"):
        one = mean(heads[result.settings.k, 1])
        np.testing.assert_allclose(mean(result), one, atol=0.05)


@pytest.mark.parametrize("name", ["merged_after_training", "averaged_after_training"])
def test_heads_trained_apart_are_no_voters(name):
    assert all(result.accuracy.mean() < 0.6 for result in stored_results.results(name))


def test_a_result_is_found_by_its_settings_and_what_is_not_there_is_said():
    by_name = {str(r.settings): r.accuracy for r in stored_results.results("heads")}
    found = stored_results.right(k=3, n_heads=2)
    assert np.array_equal(found, by_name[str(stored_results.Settings(k=3, n_heads=2))])
    assert found.shape == (stored_results.SEEDS, 3)
    assert stored_results.right(k=4, n_heads=4).min() > 0.99, "as trained, not as read with one row"
    with pytest.raises(ValueError, match="no sweep holds {'d_model': 46, 'n_heads': 2}"):
        stored_results.right(n_heads=2, d_model=46)
