"""A learner in a real JupyterLab hunts for heads, types a sentence, and cuts a wire."""

from lab import fresh_views, view_of

from mhalib.chapters import ch12
from mhalib.real_models import load

CHAPTER_12 = "12_reading_real_heads.ipynb"
START = ("induction", "given twice", 16, 3)

test_every_view_is_drawn_and_fits_a_wide_page_and_a_phone = fresh_views(CHAPTER_12)


hunt = view_of(CHAPTER_12, "ch12.HeadHunt(smol", lambda: ch12.HeadHunt(load("SmolLM2"), START))


def test_it_opens_with_two_pictures_two_sliders_and_nine_switches(hunt):
    assert hunt.pictures.count() == 2 and hunt.sliders.count() == 2
    assert hunt.output.locator(".widget-toggle-button:visible").count() == 9
    assert "All heads on: loss 2.8 on tokens given twice" in hunt.agrees()


def test_dragging_the_head_changes_pictures_and_sentence_to_what_mhalib_computes(hunt):
    assert hunt.drag(hunt.mirror.head, 60) > 3


def test_a_poster_is_found_by_typed_numbers(hunt):
    hunt.set(hunt.mirror.layer, 18)
    assert ", found;" not in hunt.agrees()
    hunt.set(hunt.mirror.head, 6)
    assert ", found;" in hunt.agrees()
    hunt.goal_says("induction")


def test_a_sentence_of_ones_own_is_read_whatever_it_holds(hunt):
    box = hunt.at_rest(hunt.output.locator("input[type=text]:visible").first)
    for text in ("a cat saw a dog", "猫 😀 $x_$ <b>", ""):
        box.fill(text)
        box.press("Enter")
        hunt.mirror.own.value = text
        hunt.agrees()
    assert "Nothing was typed" in hunt.agrees()


def test_goal_3_is_reached_by_one_real_click_and_undone_by_another(hunt):
    hunt.reach(3, (hunt.press, "0"))
    assert "Muted: (16, 0)." in hunt.agrees()
    hunt.press("0")
    hunt.goal_says("0 heads are muted")
    hunt.agrees()
