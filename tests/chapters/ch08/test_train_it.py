"""Chapter 08 trains while one looks: its worker thread, its buttons, its goals, a real kernel.

This file also runs in Colab's environment (ipywidgets 7.7.1, ipykernel 6).
"""

import asyncio
import json
import re
import sys
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import ipywidgets as widgets
import numpy as np
import pytest
from drive import controls, shown

from mhalib import training
from mhalib.chapters.ch08 import TrainIt
from mhalib.chapters.ch08.train_it import measured
from mhalib.live.explorer import ONE_AT_A_TIME
from mhalib.training import stored_results


class Short(TrainIt):
    """Sixty steps, as fast as they go."""

    STEPS, EVERY, PACE = 60, 10, 0


class Slow(TrainIt):
    """Minutes, unless it is stopped."""

    STEPS, EVERY, PACE = 3000, 1, 0.1


class Full(TrainIt):
    """As in the chapter, but not spread over five seconds."""

    PACE, EVERY = 0, 300


@pytest.fixture
def short():
    return Short()


@pytest.fixture
def slow():
    made = Slow()
    yield made
    made.stop()
    made.wait()


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def choose(made, k, heads, seed=0):
    with made.one_redraw():
        made.k.value, made.n_heads.value, made.seed.value = k, heads, seed
    made.reset()


def straight(made):
    """What `train` gives, with no explorer and no thread."""
    settings = made.run.settings
    assert (settings.k, settings.n_heads) == (made.k.value, made.n_heads.value)
    return training.train(settings, np.random.default_rng(made.seed.value), made.STEPS)


def same(one, other):
    return all(np.array_equal(one[name], other[name]) for name in other)


# Train and stop, with no front end and no loop


@pytest.mark.parametrize("k, heads, seed", [(2, 2, 0), (3, 1, 4), (4, 3, 1), (4, 8, 9)])
def test_what_it_trains_is_what_train_gives_to_the_last_digit(short, k, heads, seed):
    choose(short, k, heads, seed)
    short.train_button.click()
    short.wait()
    right = straight(short)
    assert same(short.trained.parameters, right.parameters)
    assert np.array_equal(short.trained.losses, right.losses)
    assert short.state.step == short.bar.value == 60 and not short.state.running
    assert short.sentence.startswith("Trained, after 60 of 60 steps")


def test_stop_ends_it_at_once_and_keeps_what_is_there(slow):
    slow.train_button.click()
    until(lambda: slow.state.step >= 3)
    assert slow.sentence.startswith("Training, after")
    assert slow.train_button.disabled and not slow.stop_button.disabled
    asked = time.monotonic()
    slow.stop_button.click()
    slow.wait()
    assert time.monotonic() - asked < 2, "it did not wait for its next look"
    step = len(slow.trained.losses)
    assert 3 <= step < slow.STEPS
    assert slow.state.step == step and slow.sentence.startswith(f"Stopped, after {step} of 3,000")
    assert not slow.train_button.disabled and slow.stop_button.disabled
    assert slow.frames[0].value == slow.pictures[0].png()
    time.sleep(0.25)
    assert len(slow.trained.losses) == step, "nothing goes on behind the scenes"


def test_after_a_stop_train_goes_on_to_where_an_unbroken_run_would_have_come(short):
    short.EVERY, short.PACE = 1, 0.02
    for step in (5, 20, 40):
        short.train()
        until(lambda step=step: short.state.step >= step)
        short.stop()
    short.train()
    short.wait()
    assert short.state.step == 60
    assert same(short.trained.parameters, straight(short).parameters)


def test_once_trained_train_begins_again(short):
    short.train()
    short.wait()
    before = short.trained.parameters
    short.train()
    short.wait()
    assert short.state.step == 60 and same(short.trained.parameters, before)


def test_a_second_press_while_it_runs_changes_nothing(slow):
    slow.train()
    until(lambda: slow.state.step >= 2)
    run, thread, threads = slow.run, slow.run.thread, threading.active_count()
    for _ in range(5):
        slow.train()
    assert (slow.run, slow.run.thread) == (run, thread)
    assert threading.active_count() == threads


@pytest.mark.parametrize("name, value", [("k", 4), ("n_heads", 8), ("seed", 7)])
def test_another_choice_while_it_runs_stops_it_and_begins_a_new_model(slow, name, value):
    slow.train()
    until(lambda: slow.state.step >= 2)
    old = slow.run
    getattr(slow, name).value = value
    assert slow.state.step == 0 and not slow.state.running
    assert slow.sentence.startswith("Not trained yet") and slow.bar.value == 0
    old.thread.join(5)
    assert not old.thread.is_alive()
    assert slow.run is not old and slow.state.step == 0, "the old run painted nothing"
    slow.train()
    until(lambda: slow.state.step >= 2)
    assert slow.run.settings.k == slow.k.value and slow.run.settings.n_heads == slow.n_heads.value


def test_an_example_while_it_runs_stops_it_as_well(slow):
    slow.train()
    until(lambda: slow.state.step >= 1)
    old = slow.run
    slow.next_button.click()
    old.thread.join(5)
    assert not old.thread.is_alive() and slow.state.step == 0
    assert (slow.k.value, slow.n_heads.value) == (2, 2)


def test_clicks_from_many_threads_at_once_end_with_one_run_that_can_be_stopped():
    """As in JupyterLab, where every widget's messages come on a thread of their own."""
    made = Slow()
    acts = [made.train, made.stop, made.train, made.reset, made.train, made.stop, made.train]
    threads = [threading.Thread(target=act) for act in acts * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made.stop()
    made.wait()
    assert not made.state.running
    step = made.state.step
    time.sleep(0.25)
    assert made.state.step == step


def test_what_goes_wrong_is_said_and_the_last_good_weights_are_kept(short, monkeypatch):
    good = {}

    def broken(settings, rng, n_steps, parameters=None):
        for step in range(1, 4):
            good["last"] = {name: w + step for name, w in parameters.items()}
            yield training.Progress(step, 2.0, good["last"])
        raise training.Diverged(4, 1e9, parameters)

    monkeypatch.setattr(training, "steps", broken)
    short.n_heads.value = 2
    first = short.run.now.parameters
    short.train()
    short.wait()
    assert short.sentence.startswith("Training broke off after 3 of 60 steps: The loss ")
    assert "What is kept: 2 heads answer" in short.sentence
    assert same(short.trained.parameters, first), "those that the exception carries"
    assert short.trained.stopped.startswith("The loss ")
    assert not short.train_button.disabled and short.stop_button.disabled


def test_it_does_not_wait_for_whoever_holds_the_lock_forever(slow):
    """A callback paints under the lock; the worker waits for it, and it never for the worker."""
    slow.train()
    until(lambda: slow.state.step >= 1)
    with ONE_AT_A_TIME:
        slow.stop()
        slow.seed.value = 3
    slow.wait()


def test_in_a_running_loop_clicks_return_at_once_and_the_loop_lives_on(slow):
    async def clicked():
        slow.train_button.click()
        beats = 0
        while slow.state.step < 4:
            await asyncio.sleep(0.01)
            beats += 1
        slow.stop_button.click()
        return beats

    with ThreadPoolExecutor(1) as other:  # here a browser test's loop may be running
        assert other.submit(asyncio.run, clicked()).result() >= 4
    slow.wait()
    assert 4 <= slow.state.step < slow.STEPS


def test_painting_takes_at_most_about_a_fifth_of_the_time_even_if_it_is_slow(monkeypatch):
    made = Short()
    made.STEPS, made.EVERY, made.PACE = 600, 5, 0.004
    made.reset()
    draw, spent = made.draw, []

    def slow_draw(state):
        started = time.monotonic()
        time.sleep(0.02)
        drawn = draw(state)
        spent.append(time.monotonic() - started)
        return drawn

    monkeypatch.setattr(made, "draw", slow_draw)
    started = time.monotonic()
    made.train()
    made.wait()
    inner = spent[1:-1]  # not the first look, at the click, and the last
    assert inner and sum(inner) < 0.27 * (time.monotonic() - started)


# State, pictures, sentence


def by_loops(parameters, settings, batch):
    """Weight on each asked token, right answers and loss, example by example."""
    logits, weights = training.forward(parameters, settings, batch)
    n, k = batch.asked.shape
    asked = np.zeros((settings.n_heads, k))
    right, losses = np.zeros(k), np.zeros(k)
    for i in range(n):
        for j in range(k):
            place = list(batch.keys[i]).index(batch.asked[i, j])
            asked[:, j] += weights[i, :, place] / n
            scores = [float(x) for x in logits[i, j]]
            answer = batch.values[i, place]
            right[j] += (scores.index(max(scores)) == answer) / n
            losses[j] += (np.log(sum(np.exp(x) for x in scores)) - scores[answer]) / n
    return asked, right, losses


@pytest.mark.parametrize("k, heads", [(1, 1), (3, 4), (4, 8)])
def test_what_is_measured_is_what_loops_count(k, heads):
    settings = training.Settings(k=k, n_heads=heads)
    trained = training.train(settings, np.random.default_rng(5), 40)
    batch = settings.draw(np.random.default_rng(6), 53)
    ours = measured(trained.parameters, settings, batch)
    for one, other in zip(ours, by_loops(trained.parameters, settings, batch), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


def test_the_pictures_and_the_sentence_show_the_state(short):
    choose(short, 3, 4, 2)
    short.train()
    short.wait()
    state, (curves, table) = short.state, short.pictures
    assert state.steps[0] == 0 and state.steps[-1] == 60 and (np.diff(state.steps) > 0).all()
    for line, losses in zip(curves.lines, state.losses, strict=True):
        assert np.array_equal(line.get_xdata(), state.steps)
        assert np.array_equal(line.get_ydata(), losses)
    cells = [[cell.artists[1].get_text() for cell in row[1:]] for row in table.rows]
    for shown_row, asked in zip(cells[:4], state.asked, strict=True):
        numbers = [float(number) for number in shown_row[:4]]
        assert numbers == pytest.approx([*asked, 1 - asked.sum()], abs=0.0051)
        assert shown_row[4] == ""
    assert cells[4:] == [[""] * 5] * 4
    said = [float(number) / 100 for number in re.findall(r"([\d.]+)%", short.sentence)]
    assert said[:3] == pytest.approx(state.right, abs=0.0051)
    assert said[3] == 0.125
    assert said[4:] == pytest.approx(state.asked.max(axis=0), abs=0.0051)
    letters = re.findall(r"head ([A-H])", short.sentence)
    assert letters == ["ABCDEFGH"[r] for r in state.asked.argmax(axis=0)]


def test_no_loss_leaves_the_plane(short):
    for k in (1, 2, 3, 4):
        for heads in (1, 2, 4, 8):
            choose(short, k, heads, k)
            short.train()
            short.wait()
            low, high = short.pictures[0].axes.get_ylim()
            assert low <= short.state.losses.min() and short.state.losses.max() <= high


def test_it_opens_with_four_choosers_two_buttons_and_a_bar(short):
    assert [c.description for c in controls(short)] == ["Example", "Questions", "Heads", "Seed"]
    names = {w.description for w in shown(short.view) if isinstance(w, widgets.Button)}
    assert {"Train", "Stop", "Next", "Back to example"} <= names
    assert sum(isinstance(w, widgets.FloatProgress) for w in shown(short.view)) == 1
    assert short.stop_button.disabled and not short.train_button.disabled


def test_a_run_of_the_chapter_takes_about_five_seconds_and_looks_ten_times_in_each():
    assert TrainIt.STEPS / TrainIt.EVERY * TrainIt.PACE == pytest.approx(5)
    assert TrainIt.PACE >= 0.1 and TrainIt.DRAWN <= 0.2


# Goals


@pytest.fixture(scope="module")
def full():
    return Full()


def trained(made, k, heads, seed):
    choose(made, k, heads, seed)
    made.train()
    made.wait()
    return made.verdicts


def test_three_heads_answer_four_questions_in_95_percent_and_more_are_more_than_it_takes(full):
    assert "four questions" in trained(full, 2, 2, 0)[0].why
    assert trained(full, 4, 2, 0)[0].status == "not yet"
    assert trained(full, 4, 3, 0)[0].status == "reached" and full.state.right.min() < 1
    for heads in (4, 8):
        status, why = trained(full, 4, heads, 0)[0]
        assert status == "not yet" and "more than it takes for that" in why


def test_with_two_heads_no_seed_answers_four_questions():
    """The first seeds are those of the stored runs, which begin alike; the others are trained."""
    settings = training.Settings(k=4, n_heads=2)
    stored = stored_results.right(k=4, n_heads=2)
    assert (stored.min(axis=1) < 0.93).all()
    held_out = settings.draw(np.random.default_rng(4), 1000)
    for _, seed in TrainIt().seed.options[len(stored) :]:
        parameters = training.train(settings, np.random.default_rng(seed)).parameters
        assert training.accuracy(parameters, settings, held_out).min() < 0.93


def test_one_head_gives_up_the_first_question_with_one_seed_and_the_second_with_another(full):
    full.found.clear()
    given_up = set()
    for _, seed in full.seed.options:
        status = trained(full, 2, 1, seed)[1].status
        given_up.add(int(full.state.right.argmin()))
        assert (status == "reached") == (len(given_up) == 2)
        if status == "reached":
            return
    raise AssertionError("no seed gives up the other question")


def test_five_hundred_steps_are_enough_for_two_questions_but_two_hundred_are_not():
    made = Full()
    for steps, status in ((500, "reached"), (200, "not yet")):
        made.STEPS = steps
        assert trained(made, 2, 2, 0)[2].status == status
    made.STEPS = 501
    assert trained(made, 2, 2, 0)[2].status == "not yet"
    made.STEPS = 300
    assert "two questions or more" in trained(made, 1, 1, 0)[2].why


# A real kernel, of whatever version this environment has

MADE = """
import json
from mhalib.chapters.ch08 import TrainIt
made = TrainIt()
print(json.dumps({"train": made.train_button.model_id, "stop": made.stop_button.model_id,
                  "seed": made.seed.model_id, "bar": made.bar.model_id,
                  "sentence": made.sentence_line.model_id, "curves": made.frames[0].model_id}))
"""


@pytest.fixture(scope="module")
def live(kernel):
    """A `TrainIt` in a kernel: its widgets' names, and a list of what was heard of each."""
    return SimpleNamespace(ids=json.loads(kernel.run(MADE)), heard=defaultdict(list))


def listen(kernel, live, enough):
    """Note the values that the kernel gives to widgets, until `enough()`."""
    names = {model: name for name, model in live.ids.items()}
    for message in kernel.listen(enough):
        content = message["content"]
        if content.get("comm_id") in names and content["data"].get("method") == "update":
            state = content["data"]["state"]
            live.heard[names[content["comm_id"]]].append(state.get("value", 0))


def choose_and_train(kernel, live, seed):
    """Choose a seed and wait until it is heard; press “Train” and wait until the bar moves."""
    kernel.set(live.ids["seed"], index=seed)
    listen(kernel, live, lambda: "Not trained yet" in str(live.heard["sentence"][-1:]))
    live.heard.clear()
    kernel.click(live.ids["train"])
    listen(kernel, live, lambda: len([step for step in live.heard["bar"] if step >= 30]) >= 3)


def train_and_stop(kernel, live):
    kernel.run("made.seed.value = 0")
    choose_and_train(kernel, live, 3)
    assert live.heard["curves"], "the picture comes while it trains"
    kernel.click(live.ids["stop"])
    listen(kernel, live, lambda: "Stopped, after" in str(live.heard["sentence"][-1:]))
    assert 90 <= int(float(kernel.run("made.wait(); print(made.state.step)"))) < 1500
    assert kernel.run("print(made.run.running, made.seed.value)").split() == ["False", "3"]


def test_stop_is_heard_in_a_real_kernel_while_training_runs(kernel, live):
    train_and_stop(kernel, live)


def test_a_cell_runs_while_it_trains(kernel, live):
    choose_and_train(kernel, live, 2)
    assert kernel.run("print(made.run.running)").strip() == "True"
    kernel.run("made.stop(); made.wait()")


@pytest.mark.skipif(
    int(sys.modules["ipywidgets"].__version__.split(".")[0]) < 8, reason="no subshells in Colab"
)
def test_stop_is_heard_on_a_thread_of_its_own(kernel, live):
    kernel.open_subshell()
    assert kernel.subshell
    train_and_stop(kernel, live)
