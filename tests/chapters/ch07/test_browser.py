"""Chapter 07's explorers in a real JupyterLab, by real clicks."""

from lab import fresh_views, view_of

from mhalib.chapters import ch07

CHAPTER_7 = "07_competition.ipynb"

test_every_view_is_drawn_and_fits_a_wide_page_and_a_phone = fresh_views(CHAPTER_7)


tug = view_of(CHAPTER_7, "ch07.TugOfWar()", ch07.TugOfWar)
row = view_of(CHAPTER_7, "ch07.RowAnswers()", ch07.RowAnswers)


def test_it_opens_with_its_two_pictures_and_two_sliders(tug):
    assert tug.pictures.count() == 2
    assert [tug.value(control) for control in (tug.mirror.lead, tug.mirror.rate)] == [0.85, 0.5]


def test_each_press_of_step_moves_pictures_and_sentence(tug):
    said, before = tug.agrees(), tug.shown()
    for _ in range(3):
        tug.press("Step")
        now = tug.agrees()
        assert now != said
        assert all(a != b for a, b in zip(tug.shown(), before, strict=True))
        said, before = now, tug.shown()
    assert said.startswith("After 3 steps")
    tug.press("Reset")
    assert tug.agrees().startswith("At the start")


def test_one_row_goes_back_to_the_middle_and_its_goal_is_impossible(tug):
    tug.press("10 steps")
    assert "“cat” 50% and “mat” 50%" in tug.agrees()
    tug.goal_says("Can it be reached at all?")


def test_with_two_rows_the_goal_is_reached_by_two_presses(tug):
    tug.choose(tug.mirror.n_rows, "two, one for each loss")
    tug.agrees()
    assert "reached" not in tug.goal()
    tug.press("10 steps")
    tug.press("10 steps")
    tug.agrees()
    tug.goal_says("✓ reached")


def test_dragging_the_start_moves_the_row_while_the_hand_moves(tug):
    assert tug.drag(tug.mirror.lead, -40) < 0


def test_a_typed_start_is_taken(tug):
    tug.set(tug.mirror.lead, -2.5)
    assert "“mat” 92%" in tug.agrees()


def test_the_row_of_four_falls_asleep_when_a_logit_is_typed(row):
    assert row.pictures.count() == 2
    row.set(row.mirror.logits[0], 10)
    row.agrees()
    row.goal_says("✓ reached")
