"""The model of chapter 08 against loops and central differences; its training; its controls."""

import math
from functools import partial
from inspect import signature

import numpy as np
import oracles
import pytest
from kinds_of_layer import MODELS
from oracles import slopes
from refusals import refusal

from mhalib import attention
from mhalib.training import (
    Settings,
    accuracy,
    forward,
    initial,
    loss_and_gradients,
    questions,
    steps,
    train,
    weight_on_asked,
)

each_model = pytest.mark.parametrize("settings", MODELS.values(), ids=MODELS)


def rng(seed=0):
    return np.random.default_rng(seed)


def begun(settings, batch=6):
    """Parameters in float64 that are no start any more, and a batch."""
    parameters = initial(settings, rng(1), np.float64)
    return {name: 1.5 * w for name, w in parameters.items()}, settings.draw(rng(2), batch)


def assert_same(parameters, others):
    assert parameters.keys() == others.keys()
    assert all((w == others[name]).all() for name, w in parameters.items())


# The way forward, once more as loops over examples, heads, tokens and features


def one_hot(number, n):
    return [float(i == number) for i in range(n)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def blocks(w, n_blocks):
    return [oracles.columns_of(w, block, n_blocks) for block in range(n_blocks)]


def rows_of(logits, settings):
    """The row of each head from the logits of all, as the words in `Settings` say."""
    h = settings.n_heads
    if settings.rows == "merged":
        logits = [[sum(scores) / math.sqrt(h) for scores in zip(*logits, strict=True)]] * h
    own = [oracles.softmax(row) if settings.softmax else row for row in logits]
    if settings.rows == "averaged":
        return [[sum(weights) / h for weights in zip(*own, strict=True)]] * h
    return own


def answered(parameters, settings, keys, values, asked, mute=()):
    """Logits and rows of one example: every query, key and value is formed."""
    w = {name: matrix.tolist() for name, matrix in parameters.items()}
    h, n_kv, n_values = settings.n_heads, settings.n_kv or settings.n_heads, settings.n_values
    if not settings.d_key:
        keys, asked = ([one_hot(key, settings.n_tokens) for key in each] for each in (keys, asked))
    tokens = [[*k, *one_hot(v, n_values)] for k, v in zip(keys, values, strict=True)]
    question = [x for key in asked for x in key]
    written, rows = [0.0] * settings.d_model, []
    for layer in range(settings.n_layers):
        end = f"_{layer + 1}" if layer else ""
        seen = oracles.product(tokens, w["latent" + end]) if settings.latent else tokens
        query = blocks(oracles.product([question + written * (layer > 0)], w["w_q" + end]), h)
        key = blocks(oracles.product(seen, w["w_k" + end]), n_kv)
        value = oracles.product(seen, w["w_v" + end])
        logits = []
        for r in range(h):
            q, scale = query[r][0], math.sqrt(len(query[r][0]))
            logits.append([dot(q, k) / scale for k in key[r // (h // n_kv)]])
        own = rows_of(logits, settings)
        carried = []
        for r in range(h):
            silent = layer * h + r in mute
            row = [0.0 if silent else weight for weight in own[r]]
            if settings.values == "shared":
                carried.append(oracles.product([row], value)[0])
            else:
                carried += oracles.product([row], blocks(value, n_kv)[r // (h // n_kv)])[0]
        if settings.values == "shared":
            carried = [sum(each) / h for each in zip(*carried, strict=True)]
        wrote = oracles.product([carried], w["w_o" + end])[0]
        written = [a + b for a, b in zip(written, wrote, strict=True)]
        rows += own
    if settings.readout == "mlp":
        written = [max(x, 0.0) for x in oracles.product([written], w["hidden"])[0]]
    flat = oracles.product([written], w["read"])[0]
    return [flat[i * n_values : (i + 1) * n_values] for i in range(settings.k)], rows


def loop_by_loop(parameters, settings, batch, mute=()):
    examples = zip(batch.keys.tolist(), batch.values.tolist(), batch.asked.tolist(), strict=True)
    answers = [answered(parameters, settings, *example, mute) for example in examples]
    logits, rows = zip(*answers, strict=True)
    return np.array(logits), np.array(rows)


@each_model
@pytest.mark.parametrize("mute", [(), (0, 3)], ids=["all heads", "two muted"])
def test_forward_is_the_model_written_as_loops(settings, mute):
    if settings.n_heads == 1:
        mute = mute[:1]
    parameters, batch = begun(settings)
    logits, weights = forward(parameters, settings, batch, mute)
    right, rows = loop_by_loop(parameters, settings, batch, mute)
    assert logits.shape == (6, settings.k, settings.n_values)
    assert weights.shape == (6, settings.n_layers * settings.n_heads, settings.n_tokens)
    np.testing.assert_allclose(logits, right, atol=1e-12)
    np.testing.assert_allclose(weights, rows, atol=1e-12)


def test_it_is_the_layer_of_attention_with_other_brackets():
    settings = MODELS["as it is"]
    p, batch = begun(settings)
    x = np.eye(5)[batch.asked].reshape(6, 1, 10)
    tokens = np.concatenate([np.eye(5)[batch.keys], np.eye(7)[batch.values]], axis=-1)
    heads = (
        attention.split_heads(a, 4) for a in (x @ p["w_q"], tokens @ p["w_k"], tokens @ p["w_v"])
    )
    outputs, rows = attention.scaled_dot_product_attention(*heads)
    right = attention.concat_heads(outputs) @ p["w_o"] @ p["read"]
    logits, weights = forward(p, settings, batch)
    np.testing.assert_allclose(logits.reshape(6, -1), right[:, 0], atol=1e-13)
    np.testing.assert_allclose(weights, rows[:, :, 0], atol=1e-14)


def surprise(logits, batch):
    """Mean of -log softmax at the right answers."""
    n, k = batch.answers.shape
    rows = [oracles.softmax(row) for row in np.reshape(logits, (n * k, -1)).tolist()]
    right = zip(rows, batch.answers.ravel(), strict=True)
    return -math.fsum(math.log(row[answer]) for row, answer in right) / (n * k)


@each_model
def test_the_loss_is_the_surprise_at_the_right_answers(settings):
    parameters, batch = begun(settings)
    loss, _ = loss_and_gradients(parameters, settings, batch)
    right = surprise(loop_by_loop(parameters, settings, batch)[0], batch)
    assert isinstance(loss, float) and loss == pytest.approx(right, rel=1e-12)


# The way back


@each_model
def test_every_derivative_by_central_differences(settings):
    parameters, batch = begun(settings, batch=3)
    _, ours = loss_and_gradients(parameters, settings, batch)
    assert set(ours) == set(parameters)
    for name, w in parameters.items():

        def loss(moved, name=name):
            return surprise(forward(parameters | {name: moved}, settings, batch)[0], batch)

        assert ours[name].shape == w.shape and ours[name].dtype == w.dtype
        assert abs(ours[name]).max() > 1e-4 or name.startswith(("w_q", "w_k"))
        for direction, right in slopes(loss, w):
            assert (ours[name] * direction).sum() == pytest.approx(right, rel=1e-6, abs=1e-9)


@each_model
def test_float32_stays_float32_and_is_as_near_as_it_can_be(settings):
    exact, batch = begun(settings)
    short = {name: w.astype(np.float32) for name, w in exact.items()}
    logits, weights = forward(short, settings, batch)
    assert logits.dtype == weights.dtype == np.float32
    _, ours = loss_and_gradients(short, settings, batch)
    for name, right in loss_and_gradients(exact, settings, batch)[1].items():
        assert ours[name].dtype == np.float32
        np.testing.assert_allclose(ours[name], right, rtol=1e-4, atol=1e-5)


# The settings


def count(settings):
    return sum(w.size for w in initial(settings, rng()).values())


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "variant",
    [{}, {"softmax": False}, {"values": "shared"}, {"rows": "merged"}, {"n_layers": 2}],
    ids=str,
)
def test_the_number_of_heads_does_not_change_the_number_of_parameters(k, variant):
    counts = {count(Settings(k=k, n_heads=h, **variant)) for h in (1, 2, 4, 8, 16, 32)}
    assert len(counts) == 1


def test_the_number_of_parameters_written_out():
    w_q, w_kv, w_o, read = 2 * 8 * 32, 2 * 16 * 32, 32 * 32, 32 * 2 * 8
    plain, second = w_q + w_kv + w_o + read, (2 * 8 + 32) * 32 + w_kv + w_o
    for changes, right in (
        ({}, plain),
        ({"values": "shared"}, plain),
        ({"rows": "merged"}, plain),
        ({"n_heads": 4, "n_kv": 1}, w_q + w_kv // 4 + w_o + read),
        ({"latent": 5}, w_q + 16 * 5 + 2 * 5 * 32 + w_o + read),
        ({"readout": "mlp"}, w_q + w_kv + w_o + 32 * 128 + 128 * 2 * 8),
        ({"n_layers": 2}, plain + second),
    ):
        assert count(Settings(**changes)) == right, changes


def test_a_start_is_normal_with_the_size_of_one_over_the_root_of_the_rows():
    for name, w in initial(Settings(d_model=96, readout="mlp", n_layers=2), rng()).items():
        assert w.dtype == np.float32, name
        assert w.std() * len(w) ** 0.5 == pytest.approx(1, rel=0.05), name
        assert abs(w.mean()) * len(w) ** 0.5 < 0.1, name


@pytest.mark.parametrize(
    "changes", [{"n_heads": h} for h in (2, 4, 8, 16, 32)] + [{"n_heads": 4, "n_kv": 2}], ids=str
)
def test_equal_heads_never_part(changes):
    settings = Settings(**changes, equal_heads=True)
    h, n_kv = settings.n_heads, settings.kv_heads
    parameters = train(settings, rng(), 1500 if h == 2 else 200).parameters
    by_head = {name: attention.split_heads(parameters[name], n_kv) for name in ("w_k", "w_v")}
    by_head["w_q"] = attention.split_heads(parameters["w_q"], h)
    by_head["w_o"] = parameters["w_o"].reshape(h, -1, 32)
    for name, heads in by_head.items():
        assert (heads == heads[:1]).all(), name
        assert (parameters[name] != initial(settings, rng())[name]).any()
    _, weights = forward(parameters, settings, settings.draw(rng(1), 500))
    assert (weights == weights[:, :1]).all()  # each logit has two terms: no order to add them in
    if h == 2:
        assert accuracy(parameters, settings, settings.draw(rng(1), 2000)).min() < 0.45


# Training


def test_each_of_two_heads_answers_the_question_it_looks_at_and_one_head_answers_one():
    (settings, two, losses, stopped), one = (train(Settings(n_heads=h), rng()) for h in (2, 1))
    assert stopped is None and losses.shape == (1500,)
    batch = settings.draw(rng(9), 2000)
    assert accuracy(two, settings, batch).min() >= 0.99
    low, high = sorted(accuracy(one.parameters, one.settings, batch))
    assert low < 0.45 and high > 0.9
    table = weight_on_asked(forward(two, settings, batch)[1], batch)
    head = table.argmax(axis=0)
    assert sorted(head) == [0, 1] and table.max(axis=0).min() > 0.6
    for question in (0, 1):
        muted = accuracy(two, settings, batch, mute=[head[question]])
        assert muted[question] < 0.3 and muted[1 - question] > 0.9


def test_the_weight_on_asked_tokens_and_the_accuracy_by_loops():
    settings = MODELS["as it is"]
    parameters, batch = begun(settings)
    logits, weights = forward(parameters, settings, batch)
    for head, question in np.ndindex(4, 2):
        seen = [weights[n, head, batch.places[n, question]] for n in range(6)]
        assert weight_on_asked(weights, batch)[head, question] == pytest.approx(sum(seen) / 6)
    for question in (0, 1):
        said = [max(range(7), key=logits[n, question].tolist().__getitem__) for n in range(6)]
        right = sum(a == b for a, b in zip(said, batch.answers[:, question], strict=True)) / 6
        assert accuracy(parameters, settings, batch)[question] == right


@each_model
def test_the_same_seed_trains_the_same_and_another_seed_does_not(settings):
    one, same, other = (train(settings, rng(seed), 5) for seed in (1, 1, 2))
    assert (one.losses == same.losses).all() and (one.losses != other.losses).all()
    for name, w in one.parameters.items():
        assert (w == same.parameters[name]).all() and (w != other.parameters[name]).any()


def test_steps_are_adam_written_as_loops():
    settings, generator = MODELS["as it is"], rng(1)
    theta = initial(settings, generator, np.float64)
    begin = {name: w.copy() for name, w in theta.items()}
    m, v = ({name: np.zeros_like(w) for name, w in theta.items()} for _ in range(2))
    ours = steps(settings, rng(2), 4, learning_rate=0.01, batch=3, parameters=begin)
    generator = rng(2)
    for t, progress in enumerate(ours, start=1):
        loss, g = loss_and_gradients(theta, settings, settings.draw(generator, 3))
        for name, w in theta.items():
            for place in np.ndindex(w.shape):
                m[name][place] = 0.9 * m[name][place] + 0.1 * g[name][place]
                v[name][place] = 0.999 * v[name][place] + 0.001 * g[name][place] ** 2
                root = math.sqrt(v[name][place] / (1 - 0.999**t)) + 1e-8
                w[place] -= 0.01 * m[name][place] / (1 - 0.9**t) / root
        assert (progress.step, progress.loss) == (t, pytest.approx(loss, rel=1e-12))
        for name, w in progress.parameters.items():
            np.testing.assert_allclose(w, theta[name], atol=1e-12)
    assert t == 4


def test_what_steps_yields_is_never_changed_afterwards():
    seen = list(steps(Settings(), rng(), 3))
    kept = [{name: w.copy() for name, w in progress.parameters.items()} for progress in seen]
    following = steps(Settings(), rng(1), 2, parameters=seen[-1].parameters)
    assert [progress.step for progress in following] == [1, 2]
    for progress, copies in zip(seen, kept, strict=True):
        assert_same(progress.parameters, copies)


def test_no_steps_leave_the_start_as_it_is():
    trained = train(Settings(), rng(), 0)
    assert trained.losses.size == 0 and trained.stopped is None
    assert_same(trained.parameters, initial(Settings(), rng()))


def test_a_callback_sees_every_step_what_it_raises_is_raised_and_nothing_is_printed(capsys):
    seen = []
    trained = train(Settings(), rng(), 7, callback=seen.append)
    assert [progress.step for progress in seen] == [1, 2, 3, 4, 5, 6, 7]
    assert [progress.loss for progress in seen] == trained.losses.tolist()
    with pytest.raises(ZeroDivisionError):
        train(Settings(), rng(), 3, callback=lambda progress: 1 / 0)
    assert capsys.readouterr() == ("", "")


def test_an_interrupt_keeps_what_is_there():
    def stop(progress):
        if progress.step == 5:
            raise KeyboardInterrupt

    trained = train(Settings(), rng(), callback=stop)
    whole = train(Settings(), rng(), 5)
    assert trained.stopped == "Interrupted after 5 of 1500 steps."
    assert (trained.losses == whole.losses).all()
    assert_same(trained.parameters, whole.parameters)


def test_steps_and_train_begin_alike():
    one, other = (signature(function).parameters for function in (steps, train))
    assert all(one[name].default == other[name].default for name in one)


@each_model
@pytest.mark.parametrize("rate", [1e20, 1e38])
def test_a_rate_that_diverges_stops_with_a_sentence_and_the_last_good_weights(settings, rate):
    seen = []
    trained = train(settings, rng(), 60, rate, callback=seen.append)
    assert f"learning_rate = {rate:g}; the weights before that are kept" in trained.stopped
    assert trained.stopped.startswith(f"The loss of step {len(seen) + 1} is no finite number")
    assert np.isfinite(trained.losses).all()
    last = seen[-2].parameters if len(seen) > 1 else initial(settings, rng())
    assert_same(trained.parameters, last)
    assert np.isfinite(forward(trained.parameters, settings, settings.draw(rng(), 5))[0]).all()


# Bad input

BAD_SETTINGS = [
    ({"n_heads": 3}, "d_model = 32 cannot be cut into n_heads = 3 equal blocks"),
    ({"n_heads": 0}, "cannot be cut into n_heads = 0"),
    ({"n_heads": 2.0}, "n_heads must be a whole number, but is 2.0"),
    ({"d_model": 0}, "d_model must be at least 1"),
    ({"d_model": "32"}, "d_model must be a whole number"),
    ({"k": 9}, "k = 9 distinct keys cannot be asked of n_tokens = 8 tokens"),
    ({"k": 0}, "k must be at least 1, but is 0"),
    ({"n_values": -8}, "n_values must be at least 1, but is -8"),
    ({"n_heads": 4, "n_kv": 3}, "n_heads = 4 cannot share n_kv = 3"),
    ({"n_kv": 0}, "n_kv must be at least 1, but is 0"),
    ({"d_query": 0.5}, "d_query must be a whole number, but is 0.5"),
    ({"latent": -1}, "latent must be at least 1"),
    ({"n_layers": 0}, "n_layers must be at least 1"),
    ({"rows": "mean"}, "rows must be one of 'own', 'merged', 'averaged', but is"),
    ({"values": "own "}, "values must be one of 'own', 'shared'"),
    ({"readout": ["mlp"]}, "readout must be one of 'linear', 'mlp'"),
]
BAD_TRAINING = [
    ({"n_steps": -1}, "n_steps must not be negative and learning_rate must be"),
    ({"n_steps": 1.5e3}, "n_steps must be a whole number, but is 1500.0"),
    ({"learning_rate": 0}, "but they are 1500 and 0"),
    ({"learning_rate": np.nan}, "learning_rate must be one finite number"),
    ({"batch": 0}, "batch must be at least 1"),
]


@pytest.mark.parametrize(
    "function, bad, says",
    [(Settings, *row) for row in BAD_SETTINGS]
    + [(partial(train, Settings(), rng()), *row) for row in BAD_TRAINING],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_settings_and_trainings_that_cannot_be_are_refused(function, bad, says):
    raises = TypeError if "whole number" in says else ValueError
    assert says in refusal(raises, function, **bad)


def test_parameters_batches_and_heads_of_other_settings_are_refused():
    p, batch = initial(Settings(), rng()), Settings().draw(rng())
    few = p | {"w_k": np.ones((5, 32)), "w_v": np.ones((5, 32))}
    w_q = "belong to other settings: w_q has shape (16, 32), but must have (24, 32)"
    read = "read has shape (32, 16), but must have (128, 16)"
    latent = "latent has shape None, but must have (16, 5)"
    asks = "8 tokens and asks 3 of them, but the settings say n_tokens = 8 and k = 2"
    muted = "mute = [2] must be heads by number, and these are the numbers below 2"
    for says, call in (
        (w_q, lambda: forward(p, Settings(k=3), batch)),
        (w_q, lambda: train(Settings(k=3), rng(), parameters=p)),
        (read, lambda: accuracy(p, Settings(readout="mlp"), batch)),
        (latent, lambda: forward(few, Settings(latent=5), batch)),
        (asks, lambda: loss_and_gradients(p, Settings(), questions.exact(rng(), 3))),
        (muted, lambda: forward(p, Settings(), batch, mute=[2])),
    ):
        assert says in refusal(ValueError, call)


def test_a_logit_beyond_all_floats_is_refused():
    p, batch = initial(Settings(), rng()), Settings().draw(rng())
    with np.errstate(over="ignore", invalid="ignore"):
        says = refusal(
            ValueError, forward, {name: 1e20 * w for name, w in p.items()}, Settings(), batch
        )
    assert says.startswith("q @ k.T * scale grows beyond 3.4e+38")
