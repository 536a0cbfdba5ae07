"""Chapter 11's look-up of memory, driven through its controls."""

import functools
import itertools

import pytest
from drive import choose, lines, start_again, undrawn

from mhalib.chapters.ch11 import DECODERS, MakeItFit, cache_bytes, kept
from mhalib.chapters.ch11.cache_sizes import PARAMETERS
from mhalib.chapters.ch11.make_it_fit import COSTS, SHARING, START, WINDOWS, _factors, memory
from mhalib.pictures import Listing
from mhalib.published_models import sizes

SHARED = functools.cache(MakeItFit)  # drawn once
GIB = 2**30


@pytest.fixture
def fit():
    """The explorer at its start, with nothing found yet."""
    return start_again(SHARED())


def test_it_starts_at_160_gib(fit):
    assert fit.state.cache == 160 * GIB
    assert "take 160 GiB of cache (172 GB)" in fit.sentence
    assert "parameters at 16 bits take 128 GiB (138 GB)" in fit.sentence
    assert fit.verdicts[0] == ("not yet", "The cache takes 160 GiB.")


def by_hand(name, tokens, texts, bits, sharing, window):
    """Bytes of the cache, as a product; None where heads cannot be served."""
    config = DECODERS[name]
    heads, blocks, d_head, d_value = sizes(config)[1:5]
    numbers = {
        "MHA: a block for each head": heads * (d_head + d_value),
        "MLA: 512 + 64 numbers": 576,
    }
    for n_kv in (8, 4, 1):
        label = next(label for label in SHARING if f" {n_kv} block" in label)
        numbers[label] = n_kv * (d_head + d_value) if heads % n_kv == 0 else None
    published = 576 if "DeepSeek" in name else 2 * blocks * d_head
    kept_numbers = numbers.get(sharing, published)
    if kept_numbers is None:
        return None
    rows = 0
    for layer in range(sizes(config).n_layers):
        kinds = config.get("layer_types")
        seen = config.get("sliding_window") if not kinds or "sliding" in kinds[layer] else None
        seen = {"4096 tokens, every layer": 4096, "none: all tokens": None}.get(window, seen)
        rows += tokens if seen is None else min(seen, tokens)
    return texts * rows * kept_numbers * bits / 8


STATES = list(itertools.product((1, 3, 128), (1, 16), (16, 4), SHARING, WINDOWS))


def shows_its_product(fit, right):
    """Both pictures and the sentence tell the cache, or that there is no such layer."""
    value = fit.pictures[0].rows[0][1].artists[-1].get_text()
    assert value == ("" if right is None else memory(right))
    if right is None:
        assert "cannot serve" in fit.sentence
        assert lines(fit.pictures[1]) == [["refused: no such layer", ""]]
    else:
        assert lines(fit.pictures[1])[-1] == ["the cache, together", memory(right)]
        assert memory(right) in fit.sentence


@pytest.mark.parametrize("number, name", list(enumerate(DECODERS)))
def test_every_state_shows_the_product(number, name, fit):
    """All states are checked; of those of a model three are drawn, at other places for each."""
    fit.example.value = name
    drawn = {(number * 31 + n * 73) % len(STATES) for n in range(3)}
    for n, state in enumerate(STATES):
        tokens, *others = state
        right = by_hand(name, tokens * 1024, *others)
        values = dict(zip(START, state, strict=True))
        with fit.one_redraw() if n in drawn else undrawn(fit):
            for key, value in values.items():
                getattr(fit, key).value = value
        assert fit.read().cache == right
        if n in drawn:
            shows_its_product(fit, right)


def test_the_factors_multiply_to_the_cache(fit):
    factors = dict(lines(fit.pictures[1]))
    assert factors["numbers a token, a layer"] == "2 × 8 × 128 = 2,048"
    assert factors["a token, together"] == "320 KiB"
    assert 2048 * int(factors["layers"]) * int(factors["bytes a number"]) == 320 * 1024
    assert 320 * 1024 * 32768 * int(factors["texts"]) == 160 * GIB
    fit.example.value = "gpt-oss-120b"
    factors = dict(lines(fit.pictures[1]))
    assert factors["kept by 18 of the layers"] == "the last 128"
    fit.example.value = "DeepSeek-V2"
    assert ["numbers a token, a layer", "512 + 64 = 576"] in lines(fit.pictures[1])
    fit.sharing.value = "MHA: a block for each head"
    assert ["numbers a token, a layer", "128 × 320 = 40,960"] in lines(fit.pictures[1])


def test_no_line_of_the_factors_touches_another(fit):
    listing = Listing("factors", 9, _factors(fit.state), 400)
    renderer = listing.canvas.get_renderer()
    for name, sharing in itertools.product(DECODERS, SHARING):
        with undrawn(fit):
            fit.example.value, fit.sharing.value = name, sharing
        for slot, line in zip(listing.lines, _factors(fit.read()), strict=False):
            for text, words in zip(slot.artists[1:], line, strict=False):
                text.set_text(words)
            left, right = (text.get_window_extent(renderer) for text in slot.artists[1:])
            assert not left.width or not right.width or left.x1 + 4 < right.x0
            assert right.x1 <= 2 * listing.width


ONE_CHANGE = [
    ("tokens", 16),
    ("texts", 8),
    ("bits", 8),
    ("sharing", "GQA: 4 blocks"),
    ("sharing", "MQA: 1 block"),
    ("sharing", "MLA: 512 + 64 numbers"),
    ("window", "4096 tokens, every layer"),
]


@pytest.mark.parametrize("control, value", ONE_CHANGE, ids=str)
def test_goal_1_is_reached_by_any_of_these_changes_and_by_no_two(control, value, fit):
    choose(fit, **{control: value})
    status, why = fit.verdicts[0]
    assert status == "reached" and why.endswith(f"The price: {COSTS[control]}.")
    assert f"The price: {COSTS[control]}." in fit.sentence
    other = "texts" if control != "texts" else "tokens"
    choose(fit, **{other: 15 if other == "texts" else 31})
    assert fit.verdicts[0].status == "not yet" and "2 changes" in fit.verdicts[0].why


def test_goal_1_is_not_reached_one_step_before(fit):
    for control, value in (("tokens", 17), ("texts", 9), ("sharing", "GQA: 8 blocks")):
        fit.back_button.click()
        choose(fit, **{control: value})
        assert fit.verdicts[0].status == "not yet"
        assert "too much" in fit.verdicts[0].why


@pytest.mark.parametrize(
    "control, value", [("sharing", "GQA: 8 blocks"), ("window", "none: all tokens")]
)
def test_a_choice_that_changes_nothing_is_told_so(control, value, fit):
    choose(fit, **{control: value})
    assert fit.verdicts[0] == ("not yet", "This changes nothing: 160 GiB are too much.")


def test_goal_1_is_about_its_model(fit):
    fit.example.value = "Falcon-7B"
    fit.texts.value = 8
    assert fit.verdicts[0] == ("not yet", "Choose Llama-2-70B.")


def test_goal_2_collects_controls_and_not_choices(fit):
    for control, value in ONE_CHANGE[2:]:
        fit.back_button.click()
        choose(fit, **{control: value})
    assert fit.verdicts[1] == ("not yet", "Found: bits, sharing, window.")
    fit.back_button.click()
    fit.texts.value = 8
    assert fit.verdicts[1].status == "reached"


def test_goal_3_is_reached_with_more_than_one_model(fit):
    ways = {
        "GLM-4-9B": {"bits": 8},
        "Llama-3-8B": {"bits": 4},
        "Gemma-7B": {"sharing": "MQA: 1 block"},
        "Mistral-Nemo": None,
    }
    for name, changes in ways.items():
        fit.example.value = name
        assert fit.verdicts[2].status == "not yet"
        if changes is None:  # its parameters alone are larger
            assert 2 * PARAMETERS[name] > 24e9
            continue
        choose(fit, texts=4, **changes)
        assert fit.verdicts[2].status == "reached", name
        together = 2 * PARAMETERS[name] + fit.state.cache
        assert together <= 24e9


def test_goal_3_wants_all_of_it(fit):
    fit.example.value = "SmolLM3-3B"
    assert "3.1 billion" in fit.verdicts[2].why
    fit.example.value = "GLM-4-9B"
    choose(fit, texts=3)
    assert "at least 4 texts" in fit.verdicts[2].why
    choose(fit, texts=4, tokens=31)
    assert "at least 4 texts" in fit.verdicts[2].why
    choose(fit, texts=4, tokens=32)
    assert fit.verdicts[2] == ("not yet", "Together they take 24.2 GB.")


def test_goal_4_is_impossible_since_parameters_alone_are_larger(fit):
    for sharing in SHARING:
        choose(fit, sharing=sharing, tokens=1, texts=1, bits=4)
        assert fit.state.model > 80e9
        assert fit.verdicts[3].status == "impossible"
    assert 2 * PARAMETERS["Llama-2-70B"] == pytest.approx(138e9, rel=1e-3)


def test_the_price_names_what_saves_and_nothing_else(fit):
    choose(fit, bits=8, texts=20)
    assert COSTS["bits"] in fit.sentence and COSTS["texts"] not in fit.sentence
    choose(fit, bits=16, texts=64)
    assert "it has grown" in fit.sentence and "price" not in fit.sentence
    fit.example.value = "gpt-oss-120b"
    fit.window.value = "4096 tokens, every layer"  # half of its layers saw 128
    now = cache_bytes(kept(DECODERS["gpt-oss-120b"])._replace(windows=(4096,) * 36), 32768, 16)
    assert fit.state.cache == now
    assert (COSTS["window"] in fit.sentence) == (now < fit.state.before)


def test_the_ghost_keeps_the_start(fit):
    fit.ghost_button.click()
    fit.texts.value = 4
    dots = [slot.artists[1].get_xdata()[0] for _, slot in fit.pictures[0].rows]
    ghosts = [slot.artists[2].get_xdata()[0] for _, slot in fit.pictures[0].rows]
    assert dots[0] < ghosts[0] and dots[1] == ghosts[1] and dots[2] < ghosts[2]
    fit.ghost_button.click()
    assert len(fit.pictures[0].rows[0][1].artists[2].get_xdata()) == 0


def test_every_start_is_that_of_the_first_model(fit):
    fit.texts.value = 3
    fit.next_button.click()
    assert {key: getattr(fit, key).value for key in START} == START
    assert "This is the start." in fit.sentence
