"""Chapter 02's explorers in a real JupyterLab: which code is the bug, and real layers."""

from lab import fresh_views, view_of

from mhalib.chapters import ch02

CHAPTER_2 = "02_cutting_into_heads.ipynb"

test_every_view_is_drawn_and_fits_a_wide_page_and_a_phone = fresh_views(CHAPTER_2)


splits = view_of(CHAPTER_2, "splits = ch02.TwoSplits()", ch02.TwoSplits)


layers = view_of(CHAPTER_2, "layers = ch02.PublishedLayers()", ch02.PublishedLayers)


def test_the_two_codes_open_side_by_side_with_five_choosers_and_no_light(splits):
    assert splits.pictures.count() == 2
    assert splits.choosers.count() == 5
    left, right = splits.places()
    assert left["x"] + left["width"] <= right["x"] and left["y"] == right["y"]
    assert splits.agrees() == "No word is changed, so nothing lights up."


def test_a_changed_word_lights_cells_in_both_pictures(splits):
    before = splits.shown()
    splits.choose(splits.mirror.word, "cat")
    said = splits.agrees()
    assert said.startswith("“cat” is changed")
    assert all(a != b for a, b in zip(splits.shown(), before, strict=True))
    splits.choose(splits.mirror.n_heads, "4")
    assert splits.agrees() != said


def test_goal_1_one_word_convicts_the_bug(splits):
    splits.choose(splits.mirror.accused, "code 2")
    splits.goal_says("needs evidence")
    splits.choose(splits.mirror.word, "sat")
    splits.goal_says("reached")
    splits.choose(splits.mirror.accused, "code 1")
    splits.goal_says("not yet")


def test_goal_2_is_reached_with_one_head_and_then_with_one_word(splits):
    heads, words = splits.mirror.n_heads, splits.mirror.n_words
    moves = ((heads, "1"), (heads, "2"), (words, "1"))
    splits.reach(2, *((splits.choose, *move) for move in moves))


def test_dragging_the_words_changes_every_shape_while_the_button_is_down(layers):
    before = layers.shown()
    with layers.dragged(layers.mirror.n_words, 40):
        assert layers.mirror.n_words.value > 6
        layers.agrees()
        assert layers.shown()[1] != before[1]
    layers.agrees()


def test_ten_heads_are_refused_in_one_sentence_on_the_page(layers):
    layers.choose(layers.mirror.heads, "10")
    said = layers.agrees()
    assert said.startswith("n_embd = 768 cannot be cut into n_head = 10 equal blocks")
    layers.goal_says("reached")
