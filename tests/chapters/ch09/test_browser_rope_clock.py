"""Chapter 09's clock, moved by a learner in a real JupyterLab."""

import pytest
from lab import View, until, wait_for_pictures

from mhalib.chapters import ch09

CHAPTER_9 = "09_masks_and_positions.ipynb"


class Clocked(View):
    """The explorer in chapter 9: the query's and the key's position, the key's own angle."""

    def __init__(self, lab):
        super().__init__(lab, CHAPTER_9, "ch09.RopeClock()", ch09.RopeClock())

    def start(self):
        """Query at 5, key at 3, one clock, no ghost, goal 1 on show."""
        if self.output.get_by_role("button", name="Drop the ghost").count():
            self.press("Drop the ghost")
        self.show_goal(1)
        self.press("Back to example")
        until(lambda: self.values() == [5, 3, 0], "query at 5, key at 3, own angle 0")

    def goal(self):
        return self.output.locator(".widget-html", has_text=" of 3:").inner_text()

    def set(self, query_at, key_at):
        for number, at in enumerate((query_at, key_at)):
            self.type(self.sliders.nth(number), str(at))
        until(lambda: self.values()[:2] == [query_at, key_at], f"{query_at} and {key_at}")
        for control, at in zip(self.mirror.positions, (query_at, key_at), strict=True):
            control.value = at

    def keep(self):
        self.press("Keep a ghost")
        self.mirror.keep_ghost()
        until(self.output.get_by_role("button", name="Drop the ghost").count, "a ghost is kept")


@pytest.fixture
def clocked(quiet):
    clocked = Clocked(quiet)
    clocked.start()
    return clocked


def test_it_opens_with_a_clock_and_a_curve(clocked):
    assert clocked.pictures.count() == 2 and clocked.sliders.count() == 3
    wait_for_pictures(clocked.output)
    clocked.shows_what_its_mirror_shows()


def test_dragging_the_query_turns_its_hand_and_changes_the_sentence(clocked):
    said, before = clocked.shows_what_its_mirror_shows(), clocked.shown()
    with clocked.dragged(clocked.sliders.nth(0), 60):
        clocked.mirror.positions[0].value = clocked.values()[0]
        assert clocked.mirror.positions[0].value > 8
        assert clocked.shows_what_its_mirror_shows() != said, "before the mouse lets go"
        assert all(a != b for a, b in zip(clocked.shown(), before, strict=True))


def test_goal_1_is_reached_with_a_ghost_and_both_moved_on_by_4(clocked):
    assert "Keep a ghost” first" in clocked.goal()
    clocked.keep()
    clocked.set(9, 7)
    until(lambda: "reached" in clocked.goal(), "goal 1 is reached")
    clocked.shows_what_its_mirror_shows()


def test_goal_2_is_reached_seven_turns_away(clocked):
    clocked.show_goal(2)
    clocked.keep()
    clocked.set(9, 3)
    assert "reached" not in clocked.goal()
    clocked.set(48, 2)
    until(lambda: "reached" in clocked.goal(), "goal 2 is reached")


def test_goal_3_is_reached_with_four_clocks(clocked):
    clocked.show_goal(3)
    clocked.set(44, 0)
    assert "reached" not in clocked.goal()
    clocked.chooser(clocked.mirror.pairs).select_option(index=2)
    clocked.mirror.pairs.value = 4
    until(lambda: "reached" in clocked.goal(), "goal 3 is reached")
    clocked.shows_what_its_mirror_shows()
