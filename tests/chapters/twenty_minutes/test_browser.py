"""The express notebook in a real JupyterLab: run all, then the first goals by hand."""

import pytest
from lab import View, until, wait_for_pictures

from mhalib.chapters import ch04

EXPRESS = "twenty_minutes.ipynb"


class Stop(View):
    """One of the flagship's two stops, opened at its goal."""

    def __init__(self, lab, goal):
        source = f"ch04.TwoLanes().at(goal={goal})"
        super().__init__(lab, EXPRESS, source, ch04.TwoLanes().at(goal))

    def goal(self):
        return self.output.locator(".widget-html", has_text=" of 5:").inner_text()

    def agrees(self, logits):
        with self.mirror.one_redraw():
            self.mirror.apply(logits)
        return self.shows_what_its_mirror_shows()


@pytest.fixture
def louder(quiet):
    quiet.show(EXPRESS)
    stop = Stop(quiet, goal=2)
    stop.press("Back to example")
    until(lambda: stop.values() == [10, 0, 0, 10], "example 1 is back")
    return stop


def test_run_all_ends_with_no_error(louder, lab):
    outputs = [output for outputs in lab.outputs() for output in outputs]
    assert len(outputs) > 10
    assert [output for output in outputs if output["output_type"] == "error"] == []


def test_the_second_stop_opens_at_its_goal_not_yet_reached(louder):
    wait_for_pictures(louder.output)
    assert "Goal 2 of 5" in louder.goal() and "not yet" in louder.goal()
    louder.agrees([[10, 0], [0, 10]])


def test_head_b_is_silenced_by_dragging_head_a_alone(louder):
    with louder.dragged(louder.sliders.nth(0), 60):
        until(lambda: "reached" in louder.goal(), "the goal, before the mouse lets go")
        assert louder.values()[0] > 14.6 and louder.values()[1:] == [0, 0, 10]
    said = louder.agrees([[louder.values()[0], 0], [0, 10]])
    assert "head B puts over 99.9% on “mat”" in said


def test_the_third_stop_reaches_a_compromise_with_a_third_word(louder, quiet):
    stop = Stop(quiet, goal=3)
    assert "With two words it cannot be" in stop.goal()
    stop.chooser(stop.mirror.example).select_option(label="4  The compromise")
    until(lambda: "reached" in stop.goal(), "the goal, by example 4")
    stop.agrees([[10, 0, 8], [0, 10, 8]])
