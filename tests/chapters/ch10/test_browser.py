"""Chapter 10's explorer, moved by a learner in a real JupyterLab."""

from lab import View, fresh_views, until, view_of

from mhalib.chapters import ch10

CHAPTER_10 = "10_heads_on_pictures.ipynb"

test_every_view_is_drawn_and_fits_a_wide_page_and_a_phone = fresh_views(CHAPTER_10)


class Fewest(View):
    def give(self, heads, alpha=10):
        self.set(self.mirror.heads, heads)
        self.set(self.mirror.alpha, alpha)


fewest = view_of(CHAPTER_10, "ch10.FewestHeads()", ch10.FewestHeads, Fewest)


def test_it_opens_with_its_pictures_its_sentence_and_its_goal(fewest):
    assert fewest.pictures.count() == 2
    assert "Sharpen by 2 heads" in fewest.agrees()
    assert "not yet" in fewest.goal()


def test_dragging_alpha_changes_pictures_and_sentence_while_the_button_is_down(fewest):
    before = fewest.shown()
    with fewest.dragged(fewest.mirror.alpha, 60):
        until(lambda: fewest.shown() != before, "rows that grow sharper")
        assert fewest.mirror.alpha.value > 1
        fewest.agrees()
    fewest.agrees()


def test_goal_1_counts_kernels_that_are_made_with_the_fewest_heads(fewest):
    fewest.give(2)
    fewest.goal_says("Sharpen takes 2")
    fewest.choose(fewest.mirror.kernel, "blur")
    fewest.goal_says("more heads than it takes")
    fewest.give(1)
    fewest.goal_says("Blur takes 1. Done: ")
    fewest.agrees()


def test_sobel_with_one_head_unfolds_why_it_is_impossible(fewest):
    fewest.show_goal(2)
    fewest.choose(fewest.mirror.kernel, "Sobel")
    fewest.give(1)
    fewest.goal_says("Can it be reached")
    assert "one sign" not in fewest.goal()
    fewest.goal_line.locator("summary").click()
    fewest.goal_says("one sign")
    fewest.agrees()


def test_five_heads_of_one_place_make_the_laplacian(fewest):
    made, choose = fewest.mirror, fewest.choose
    chosen = {made.kernel: "Laplacian", made.kind: "looks at one place", made.pixel: "corner"}
    moves = [(choose, *move) for move in chosen.items()]
    fewest.reach(3, *moves, (fewest.set, made.heads, 5), (fewest.set, made.alpha, 10))


def test_a_typed_number_makes_the_kernel_the_readers_own(fewest):
    fewest.output.get_by_text("The kernel's nine numbers").click()
    box = fewest.output.locator("input[type=number]").nth(4)
    box.fill("9")
    box.press("Enter")
    fewest.mirror.numbers[4].value = 9
    assert "A kernel of your own" in fewest.agrees()
    fewest.output.get_by_text("The kernel's nine numbers").click()
