"""Chapter 02's look-up of published layers, driven through its controls."""

import functools
import itertools

import pytest
from drive import judged, lines, start_again, undrawn

from mhalib.chapters.ch02 import PublishedLayers, published_layers
from mhalib.published_models import CONFIGURATIONS, dimension_flow, sizes

SHARED = functools.cache(PublishedLayers)  # drawn once


@pytest.fixture
def layers():
    """The look-up at its first model, with nothing found yet."""
    return start_again(SHARED())


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_every_model_shows_its_file_and_the_steps_of_its_layer(name, layers):
    layers.example.value = name
    layers.n_words.value = 7
    file, flow = layers.pictures
    assert lines(file) == [[field, str(value)] for field, value in CONFIGURATIONS[name].items()]
    steps = dimension_flow(CONFIGURATIONS[name], 7)
    assert lines(flow) == [[step, str(shape)] for step, shape in steps]
    for slot, (_, shape) in zip(flow.lines, steps, strict=False):
        assert slot.key[2] == (len(shape) == 3)
    assert layers.sentence.startswith(f"{name}: a stream of {steps[0][1][1]} channels")


def test_a_layer_with_values_of_their_own_width():
    said = published_layers.layer("DeepSeek-V2", sizes(CONFIGURATIONS["DeepSeek-V2"]))
    assert "128 heads of 192 channels (values 128); side by side they have 16384" in said
    assert said.endswith("so W_O is 16384 × 5120.")


def test_a_long_step_never_touches_its_shape(layers):
    for name in CONFIGURATIONS:
        layers.example.value = name
        for picture in layers.pictures:
            renderer = picture.canvas.get_renderer()
            for slot in picture.lines:
                left, right = (text.get_window_extent(renderer) for text in slot.artists[1:])
                assert not left.width or not right.width or left.x1 + 4 < right.x0
                assert right.x1 <= 2 * picture.width


def test_other_heads_replace_the_files_own_field(layers):
    layers.example.value = "T5-11B"
    layers.heads.value = "8"
    assert ["num_heads", "8"] in lines(layers.pictures[0])
    assert ["concatenate", "(6, 1024)"] in lines(layers.pictures[1])
    assert layers.sentence.startswith("T5-11B, changed:")


def test_goal_1_the_refusal_is_provoked_and_says_why(layers):
    assert layers.verdicts[0].status == "not yet"
    layers.heads.value = "10"
    assert layers.verdicts[0].status == "reached"
    assert layers.sentence.startswith("n_embd = 768 cannot be cut into n_head = 10 equal blocks")
    assert lines(layers.pictures[1]) == [["refused: no such layer", ""]]
    layers.heads.value = "12"
    assert layers.verdicts[0].status == "not yet"


def test_goal_1_is_not_reached_by_another_refusal(layers):
    layers.example.value = "Gemma-7B"
    layers.heads.value = "10"  # 16 blocks of keys and values do not serve 10 heads
    assert "another reason" in layers.verdicts[0].why


def test_goal_2_takes_a_file_that_says_how_wide_a_head_is(layers):
    reached = set()
    with undrawn(layers):
        for name, heads in itertools.product(CONFIGURATIONS, ("1", "8", "10", "12", "24")):
            layers.example.value, layers.heads.value = name, heads
            state, verdicts = judged(layers)
            if verdicts[1].status == "reached":
                reached.add(name)
                assert state.size.d_model % int(heads)
    assert reached == {"T5-11B", "Mistral-Nemo", "Qwen3-0.6B", "DeepSeek-V2"}


def test_goal_3_collects_three_models(layers):
    for name, status in (
        ("T5-11B", "not yet"),
        ("Llama-2-7B", "not yet"),
        ("Gemma-7B", "not yet"),
        ("Qwen3-0.6B", "reached"),
    ):
        layers.example.value = name
        assert layers.verdicts[2].status == status
    assert layers.found[2] == {"T5-11B", "Gemma-7B", "Qwen3-0.6B"}
