"""A learner in a real browser turns chapter 03's switches and its dial."""

from lab import fresh_views, view_of

from mhalib.chapters.ch03 import FourCorners

CHAPTER_3 = "03_take_the_softmax_away.ipynb"

test_every_view_is_drawn_and_fits_a_wide_page_and_a_phone = fresh_views(CHAPTER_3)


corners = view_of(CHAPTER_3, "corners = ch03.FourCorners()", FourCorners)


def test_it_opens_with_two_pictures_two_switches_and_a_dial(corners):
    assert corners.pictures.count() == 2 and corners.sliders.count() == 1
    assert corners.chooser(corners.mirror.own).input_value() == "one each"
    assert corners.chooser(corners.mirror.rows).input_value() == "on"
    corners.agrees()


def test_dragging_the_dial_changes_pictures_and_sentence_to_what_mhalib_computes(corners):
    assert corners.drag(corners.mirror.loudness, 60) > 1.5


def test_goal_1_is_reached_by_a_choice_and_a_typed_number(corners):
    shared = corners.choose, corners.mirror.own, "one for all"
    corners.reach(1, shared, (corners.set, corners.mirror.loudness, 0.15))


def test_goal_2_is_said_to_be_impossible_behind_a_fold(corners):
    corners.show_goal(2)
    corners.choose(corners.mirror.rows, "off")
    corners.goal_says("Can it be reached at all?")
    assert "twice as loud" not in corners.goal()
    corners.goal_line.locator("summary").click()
    corners.goal_says("twice as loud")
    corners.agrees()


def test_on_a_phone_the_dial_stands_between_the_curves_and_the_sentence(corners):
    corners.resize(400)
    curves, dots = corners.places()
    dial = corners.sliders.nth(0).bounding_box()
    assert curves["y"] + curves["height"] <= dial["y"] < dots["y"]
    assert dial["y"] + dial["height"] - curves["y"] < 600, "both are seen at once"


def test_another_draw_changes_the_dots(corners):  # last: no button leads back
    before = corners.shown()
    corners.press("Another draw")
    corners.agrees()
    assert corners.shown()[0] == before[0] and corners.shown()[1] != before[1]
