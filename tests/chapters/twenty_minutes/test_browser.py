"""The express notebook in a real JupyterLab: run all, then the first goals by hand."""

import pytest
from lab import View, fresh_views, wait_for_pictures

from mhalib.chapters import ch04

EXPRESS = "twenty_minutes.ipynb"

test_every_view_is_drawn_and_fits_a_wide_page_and_a_phone = fresh_views(EXPRESS)


@pytest.fixture
def stop(quiet):
    """One of the flagship's stops, by the number of the goal that it opens at."""

    def stop(goal):
        source = f"ch04.TwoLanes().at(goal={goal})"
        return View(quiet, EXPRESS, source, ch04.TwoLanes().at(goal))

    return stop


@pytest.fixture
def louder(stop):
    louder = stop(goal=2)
    louder.press("Back to example")
    louder.agrees()
    return louder


def test_the_second_stop_opens_at_its_goal_not_yet_reached(louder):
    wait_for_pictures(louder.output)
    assert "Goal 2 of 5" in louder.goal() and "not yet" in louder.goal()


def test_head_b_is_silenced_by_dragging_head_a_alone(louder):
    with louder.dragged(louder.mirror.slider("logit", 0, 0), 60):
        louder.goal_says("reached")  # before the mouse lets go
        assert louder.mirror.state.logits[0, 0] > 14.6
        assert "head B puts over 99.9% on “mat”" in louder.agrees()


def test_the_third_stop_reaches_a_compromise_with_a_third_word(stop):
    compromise = stop(goal=3)
    assert "With two words it cannot be" in compromise.goal()
    compromise.choose(compromise.mirror.example, "4  The compromise")
    compromise.goal_says("reached")
    compromise.agrees()
