"""A learner in a real JupyterLab makes a cache fit."""

import pytest
from lab import fresh_views, view_of

from mhalib.chapters import ch11
from mhalib.chapters.ch11.make_it_fit import COSTS

CHAPTER_11 = "11_what_heads_cost.ipynb"

test_every_view_is_drawn_and_fits_a_wide_page_and_a_phone = fresh_views(CHAPTER_11)


fit = view_of(CHAPTER_11, "fit = ch11.MakeItFit()", ch11.MakeItFit)


def test_it_opens_with_two_pictures_and_six_controls_at_160_gib(fit):
    assert fit.pictures.count() == 2
    assert fit.sliders.count() + fit.choosers.count() == 6
    assert "take 160 GiB of cache" in fit.agrees()
    assert "not yet" in fit.goal()


def test_dragging_the_texts_changes_pictures_and_sentence_to_what_mhalib_computes(fit):
    assert fit.drag(fit.mirror.texts, 60) > 20


def test_the_goal_is_reached_by_one_change_and_not_by_two(fit):
    fit.choose(fit.mirror.bits, "8")
    fit.goal_says("reached")
    assert f"The price: {COSTS['bits']}." in fit.agrees()
    fit.set(fit.mirror.texts, 8)
    fit.goal_says("These are 2 changes")
    fit.agrees()
    fit.choose(fit.mirror.bits, "16")
    fit.goal_says("reached")


def test_four_ways_are_found_by_real_clicks(fit):
    for control, start, way in (
        (fit.mirror.bits, "16", "8"),
        (fit.mirror.sharing, "as published", "GQA: 4 blocks"),
        (fit.mirror.window, "as published", "4096 tokens, every layer"),
    ):
        fit.choose(control, way)
        fit.agrees()
        fit.choose(control, start)
    fit.set(fit.mirror.tokens, 16)
    fit.show_goal(2)
    fit.goal_says("reached")


def test_heads_that_cannot_share_so_many_blocks_are_told_so(fit):
    fit.choose(fit.mirror.example, "SmolLM2-135M")
    fit.choose(fit.mirror.sharing, "GQA: 8 blocks")
    assert "n_kv = 8 blocks" in fit.agrees()


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_jumps_when_models_are_chosen(width, fit):
    fit.resize(width)
    places, height = fit.places(), fit.output.bounding_box()["height"]
    fit.choose(fit.mirror.example, "Mistral-7B v0.1")
    fit.choose(fit.mirror.sharing, "MLA: 512 + 64 numbers")
    fit.choose(fit.mirror.bits, "4")
    fit.choose(fit.mirror.window, "4096 tokens, every layer")
    fit.agrees()
    assert (fit.places(), fit.output.bounding_box()["height"]) == (places, height)
