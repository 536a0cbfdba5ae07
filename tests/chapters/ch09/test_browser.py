"""Chapter 09's clock and masks, moved by a learner in a real JupyterLab."""

from lab import fresh_views, view_of

from mhalib.chapters import ch09

CHAPTER_9 = "09_masks_and_positions.ipynb"

test_every_view_is_drawn_and_fits_a_wide_page_and_a_phone = fresh_views(CHAPTER_9)


KEEP = "Keep a ghost"


def moved(clocked, *places):
    """Query and key, moved to these places."""
    return [(clocked.set, *to) for to in zip(clocked.mirror.positions, places, strict=True)]


clocked = view_of(CHAPTER_9, "ch09.RopeClock()", ch09.RopeClock)


def test_the_clock_opens_with_a_curve_and_three_sliders(clocked):
    assert clocked.pictures.count() == 2 and clocked.sliders.count() == 3


def test_dragging_the_query_turns_its_hand_and_changes_the_sentence(clocked):
    assert clocked.drag(clocked.mirror.positions[0], 60) > 8


def test_the_clocks_goal_1_is_reached_with_a_ghost_and_both_moved_on_by_4(clocked):
    assert "Keep a ghost” first" in clocked.goal()
    clocked.reach(1, (clocked.press, KEEP), *moved(clocked, 9, 7))


def test_the_clocks_goal_2_is_reached_seven_turns_away(clocked):
    far = moved(clocked, 9, 3) + moved(clocked, 48, 2)
    clocked.reach(2, (clocked.press, KEEP), *far)


def test_the_clocks_goal_3_is_reached_with_four_clocks(clocked):
    four = clocked.choose, clocked.mirror.pairs, "4 pairs"
    clocked.reach(3, *moved(clocked, 44, 0), four)


masked = view_of(CHAPTER_9, "ch09.WhoSeesWhom()", ch09.WhoSeesWhom)


def test_the_mask_opens_with_weights_and_no_slider(masked):
    assert masked.pictures.count() == 2 and masked.sliders.count() == 0


def test_every_setting_shows_what_mhalib_computes(masked):
    seen = [masked.shown()]
    for setting in masked.mirror.setting.options[1:]:
        masked.choose(masked.mirror.setting, setting)
        masked.agrees()
        assert masked.shown() not in seen
        seen.append(masked.shown())


def test_the_masks_goal_1_is_reached_by_a_causal_decoder(masked):
    masked.reach(1, (masked.choose, masked.mirror.setting, "causal decoder"))


def test_the_masks_goal_2_is_reached_by_padding_at_the_start(masked):
    padded = masked.choose, masked.mirror.padding, "2 at the start"
    masked.reach(2, padded, (masked.choose, masked.mirror.setting, "causal decoder"))
    assert "2 rows see nothing" in masked.agrees()


def test_the_masks_goal_3_is_reached_by_a_mask_that_comes_too_late(masked):
    causal = masked.choose, masked.mirror.setting, "causal decoder"
    masked.reach(3, causal, (masked.choose, masked.mirror.hidden, "after softmax"))
