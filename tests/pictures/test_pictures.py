"""Pictures, by their artists and by their pixels."""

import io

import numpy as np
import pytest
from drive import arrows, decoded
from matplotlib.colors import to_rgb, to_rgba

from mhalib import pictures
from mhalib.attention import softmax
from mhalib.chapters.ch02 import Blocks
from mhalib.chapters.ch03 import Pairs
from mhalib.chapters.ch04 import Field
from mhalib.chapters.ch05 import Graph
from mhalib.chapters.ch06 import PaintedPlane, Stream, WriteTable
from mhalib.chapters.ch07 import Jacobian, Ropes
from mhalib.chapters.ch08 import HeadTable
from mhalib.chapters.ch09 import Clock, Differences, Mask
from mhalib.chapters.ch10 import Photo, RouteMaps
from mhalib.chapters.ch11 import MemoryRuler, memory_ruler
from mhalib.chapters.ch12 import HeadMaps, TokenMap
from mhalib.chapters.ch13 import ConfidencePicture
from mhalib.merging import merge_logits
from mhalib.pictures import Curves, Heatmap, Lanes, Listing, OutputPlane, Panels, Sheet
from mhalib.pictures.raster import DENSITY
from mhalib.pictures.style import CELL, CELL_COLOURS, FAINT, PAPER, contrast, luminance

LOGITS = np.array([[10.0, 0.0, -8.0], [-3.5, 10.0, 8.0]])
WORDS = ["cat", "mat", "sat"]
VALUES = np.array([[1.0, 5.0, 3.0], [2.0, 8.0, 4.0]])


def lanes_arrays(logits=LOGITS, ghost=None):
    merged = softmax(merge_logits(logits))
    carried = np.vstack([np.diag((softmax(logits) * VALUES).sum(axis=1)), VALUES @ merged])
    return {
        "logits": logits,
        "weights": softmax(logits),
        "parts": logits,
        "merged": merged,
        "carried": carried,
        "ghost": ghost,
    }


def lanes(**changes):
    return Lanes(WORDS, **(lanes_arrays() | changes))


def plane(**changes):
    places = {"words_at": VALUES.T, "star": (1, 8), "square": (3, 5), "diamond": (3, 4.5)}
    return OutputPlane(
        ["cat", "mat", "sat"], ["who", "where"], pictures.HEAD_COLOURS, **places, **changes
    )


def table(seed):
    return softmax(np.random.default_rng(seed).normal(size=(2, 5)) * 3)


CORNERS = np.array([[1, 2], [1, 8], [5, 2], [5, 8]])


def painted(seed=0):
    """A painted plane and what its `update` was given."""
    rng = np.random.default_rng(seed)
    shown = {
        "paint": rng.integers(0, 3, size=(40, 40)),
        "star": rng.uniform(1, 8, size=2),
        "visited": rng.integers(0, 2, size=4).astype(bool),
        "reach": [None, VALUES.T[:2], CORNERS][seed % 3],
    }
    names = ["who", "where"]
    return PaintedPlane(["cat", "mat"], VALUES.T[:2], CORNERS, names, **shown), shown


def stream(seed=0):
    rng = np.random.default_rng(seed)
    writes = rng.uniform(-4, 4, size=(3, 2)) * [[1], [seed % 2], [1]]  # now and then a muted head
    shown = {"start": rng.uniform(1, 8, size=2), "writes": writes}
    shown["ghost"] = rng.uniform(1, 8, size=2) if seed % 2 else None
    return Stream(["who", "where"], **shown), shown


def write_table(seed=0):
    rng = np.random.default_rng(seed)
    shown = {"writes": rng.uniform(-9, 9, size=(3, 2)), "cosines": rng.uniform(-1, 1, size=(3, 3))}
    shown["cosines"][0, 1] *= np.nan if seed % 2 else 1
    return WriteTable(["who", "where"], **shown), shown


def heatmap(seed=0, **style):
    return Heatmap("a title", list("pq"), list("abcde"), table(seed), **style)


def ropes(weights=((0.7, 0.3), (0.2, 0.8)), pulls=(0.3, 0.2), n_rows=2):
    pullers = [[0, 1]] if n_rows == 1 else [[0], [1]]
    names, colours = ["A", "B"][:n_rows], pictures.HEAD_COLOURS[:n_rows]
    arrays = {"weights": weights[:n_rows], "pulls": pulls}
    return Ropes(["cat", "mat"], names, colours, pullers, **arrays)


def answers(seed=0):
    table = np.random.default_rng(seed).uniform(-0.25, 0.25, size=(2, 3))
    return Jacobian("a title", list("pq"), list("abc"), table)


XS = np.array([0.1, 1.0, 2.0, 8.0])
HEIGHTS = np.array([[0.0, 0.0, 0.0, 0.0], [0.1, 0.2, 0.6, 0.9], [0.7, np.nan, 0.5, 0.4]])


def curves(ys=HEIGHTS, at=None, **style):
    limits = ((0.1, 8), (0, 1))
    names, labels = ["first", "second", "third"], ("loudness", "difference")
    style = {"references": {"a bound": 0.8}} | style
    return Curves("a title", names, labels, limits, XS[: ys.shape[1]], ys, at, **style)


def lights(seed, n_heads=2, n_words=3):
    rng = np.random.default_rng(seed)
    shapes = (n_words, 8), (n_heads, n_words, 8 // n_heads)
    return [rng.random(shape) < 0.5 for shape in shapes]


def blocks(seed, n_heads=2, n_words=3):
    return Blocks("a code", list("pqrs")[:n_words], *lights(seed, n_heads, n_words))


LINES = [("n_embd", "768", False), ("split Q", "(12, 6, 64)", True), ("$x_$ + Y", "6", False)]


def routes(seed, left_out=()):
    """Weights of 5 words, every second one small; NaN for words that are left out."""
    weights = softmax(np.random.default_rng(seed).normal(size=(5, 5)) * 2)
    weights[list(left_out)] = weights[:, list(left_out)] = np.nan
    return weights


def graph(seed=0, threshold=0.1, left_out=(), **style):
    return Graph("a title", list("abcde"), routes(seed, left_out), threshold, **style)


def pairs(across=((0.1, -0.5), (1.0, 0.3)), up=((0.2, -0.5), (0.4, -1.0)), **style):
    style = {"names": ["p", "q"], "colours": pictures.HEAD_COLOURS[:2]} | style
    return Pairs("a title", ["one side", "the other"], across, up, **style)


def head_table(seed=0, n_heads=8, k=4, muted=()):
    rng = np.random.default_rng(seed)
    shown = rng.dirichlet(np.full(k + 1, 0.4), n_heads)[:, :k], rng.random(k), muted
    return HeadTable("a title", *shown), shown


def runs(*shape):
    return np.random.default_rng(shape).random(shape)


SERIES = {"first": (pictures.INK, "-"), "second": (pictures.HEAD_COLOURS[0], "--")}


def panels(n=3, **style):
    named = {f"panel {i}": runs(2, 5, 4) + 0 * i for i in range(n)}
    style = {"reference": ("chance", 0.125), "marks": {"panel 1": 1.5}} | style
    return Panels("a title", named, SERIES, [1, 2, 4, 8], ("heads", "right"), **style)


HANDS = {  # one to four clocks, with and without a ghost
    1: ([0.3], [2.0], None),
    2: ([5.0, 0.05], [3.0, 0.03], [[1.0, 0.2], [4.0, 2.2]]),
    4: ([44.0, 4.4, 0.44, 0.044], [0.5, 0.5, 0.5, 0.5], None),
}


def clock(n_pairs=1):
    queries, keys, ghost = HANDS[n_pairs]
    return Clock("a title", queries, keys, [f"clock {i}" for i in range(n_pairs)], ghost)


def waves(speed):
    return {"logit_at": lambda d: np.cos(speed * np.asarray(d)), "key": (speed,)}


def differences(speed=1.0, now=2, ghost=None):
    return Differences("a title", 20, now=now, ghost=ghost, **waves(speed))


def mask(table):
    return Mask("a title", list("pq"), list("abc"), table)


def photo(seed=0, **style):
    """A photo and what its `update` was given: now with a mark, now with weights over it."""
    rng = np.random.default_rng(seed)
    shown = {
        "values": rng.normal(size=(6, 8)),
        "limits": [(0, 1), (-2, 2), (-0.5, 0.5)][seed % 3],
        "mark": [None, (1, 2, 4, 5), (-1, 6, 2, 9)][seed % 3],
        "weights": None if seed % 2 else softmax(rng.normal(size=12)).reshape(3, 4),
    }
    return Photo("a title", **shown, **style), shown


def route_maps(seed=0):
    """Maps of `seed + 1` heads, one of them idle, at the border of a picture."""
    rng = np.random.default_rng(seed)
    windows = rng.random((seed + 1, 5, 5))
    windows[:, :, : seed % 3] = np.nan
    shown = {"windows": windows, "sizes": np.append(rng.normal(size=seed) * 3, 0.0)}
    return RouteMaps("a title", **shown), shown


def token_map(seed=0):
    """A few tokens or many, strange ones among them, now and then with cells that are wanted."""
    rng = np.random.default_rng(seed)
    n, m = [(3, 5), (24, 24), (7, 32)][seed % 3]
    words = ["cat", "[CLS]", "\n", "猫😀", "$x_$", "incomprehensibility", " "]
    table = softmax(3 * rng.normal(size=(n, m)))
    shown = {
        "title": f"head {seed}",
        "queries": [words[i % 7] for i in range(n)],
        "keys": [words[j * seed % 7] for j in range(m)],
        "table": table,
        "wanted": None if seed % 2 else table > 0.2,
    }
    return TokenMap(**shown), shown


def head_maps(seed=0):
    """Five heads and the merged one, for more or fewer tokens, some heads muted."""
    rng, n = np.random.default_rng(seed), [2, 24, 11][seed % 3]
    shown = {
        "title": f"layer {seed}",
        "tables": softmax(4 * rng.normal(size=(6, n, n))),
        "scores": np.where(rng.random(6) < 0.3, np.nan, rng.random(6)),
        "chosen": [0, 5, None][seed % 3],
        "muted": [r for r in range(5) if rng.random() < 0.3],
    }
    return HeadMaps(**shown), shown


def drawn_in_full(picture):
    """The pixels that Matplotlib's own savefig gives for the same artists, none left out."""
    for slot in picture.slots:
        for artist in slot.artists:
            artist.set_animated(False)
    file = io.BytesIO()
    picture.figure.savefig(file, format="raw", dpi=100 * DENSITY)
    pixels = np.frombuffer(file.getvalue(), np.uint8)
    return pixels.reshape(DENSITY * picture.height, DENSITY * picture.width, 4)


def ruler(amounts):
    sizes = {"24 GB": 24e9, "80 GB": 80e9}
    return MemoryRuler("memory", ("p", "q", "r"), sizes, pictures.HEAD_COLOURS[:3], amounts=amounts)


def states():
    """Pictures that were moved, and fresh ones that were made in the state they moved to."""
    moved = lanes()
    ghost = softmax(-LOGITS)
    for logits in (LOGITS / 3, -LOGITS, LOGITS * 0, LOGITS * 1.9):
        moved.update(**lanes_arrays(logits))
        moved.png()
        yield moved, lanes(**lanes_arrays(logits))
    kept = np.vstack([ghost, [0.2, 0.3, 0.5]])
    moved.update(**lanes_arrays(LOGITS, ghost=kept))
    yield moved, lanes(ghost=kept)
    moved = plane()
    for star, square in (((4, 2), (5, 8)), ((10, 10), (0, 0)), ((0, 10), (10, 0))):
        moved.png()
        moved.update(words_at=VALUES.T + 1, star=star, square=square, diamond=star, ghost=None)
        fresh = {"words_at": VALUES.T + 1, "star": star, "square": square, "diamond": star}
        yield (
            moved,
            OutputPlane(["cat", "mat", "sat"], ["who", "where"], pictures.HEAD_COLOURS, **fresh),
        )
    for signed in (False, True):
        moved = heatmap(signed=signed)
        for seed in (1, 2, 1):
            moved.png()
            moved.update(table(seed) - 0.4 * signed)
            fresh = heatmap(seed, signed=signed)
            fresh.update(table(seed) - 0.4 * signed)
            yield moved, fresh
    for make in (painted, stream, write_table):
        moved, _ = make()
        for seed in (1, 2, 3):
            moved.png()
            fresh, shown = make(seed)
            moved.update(**shown)
            yield moved, fresh
    for make in (
        photo,
        lambda seed=0: photo(seed, size_of="difference"),
        route_maps,
        token_map,
        head_maps,
    ):
        moved, _ = make()
        for seed in (1, 2, 4, 8):
            moved.png()
            fresh, shown = make(seed)
            moved.update(**shown)
            yield moved, fresh
    moved = curves(log=True)
    for n, at, chosen in ((4, 1.0, None), (3, 2.0, 1), (4, 8.0, 2), (0, None, None)):
        moved.png()
        moved.update(XS[:n], HEIGHTS[:, :n], at, chosen)
        yield moved, curves(HEIGHTS[:, :n], at, chosen=chosen, log=True)
    moved = ropes()
    for p, q in ((0.0, 1.0), (1.0, 0.0), (0.35, 0.99)):
        moved.png()
        arrays = {"weights": [[p, 1 - p], [q, 1 - q]], "pulls": (1 - p, q)}
        moved.update(**arrays)
        yield moved, ropes(**arrays)
    moved = ropes(n_rows=1)
    moved.png()
    moved.update([[0.1, 0.9]], (0.9, 0.1))
    yield moved, ropes([[0.1, 0.9]], (0.9, 0.1), n_rows=1)
    moved = answers(0)
    moved.png()
    moved.update([[0.25, -0.25, 0], [0.1, -0.1, 4.5e-5]])
    fresh = answers(2)
    fresh.update([[0.25, -0.25, 0], [0.1, -0.1, 4.5e-5]])
    yield moved, fresh
    for n_heads, n_words in ((2, 3), (4, 4)):
        moved = blocks(0, n_heads, n_words)
        for seed in (1, 2):
            moved.png()
            moved.update(*lights(seed, n_heads, n_words))
            yield moved, blocks(seed, n_heads, n_words)
    moved = Listing("a title", 5, LINES)
    for lines in (LINES[:1], [("gp", "7", True)] * 5, []):
        moved.png()
        moved.update(lines)
        yield moved, Listing("a title", 5, lines)
    moved = heatmap()
    for column in (3, 1):
        moved.png()
        empty = table(1)
        empty[:, column] = np.nan
        moved.update(empty)
        fresh = heatmap(0)
        fresh.update(empty)
        yield moved, fresh
    moved = graph()
    for seed, threshold, left_out, colour in (
        (1, 0.05, (), "#0072b2"),
        (1, 0.4, (2,), "#0072b2"),
        (2, 0, (), "#b84e00"),
        (2, 0.95, (1, 4), "#b84e00"),
    ):
        moved.png()
        moved.update(routes(seed, left_out), threshold, "other", colour)
        fresh = graph(seed, threshold, left_out, colour=colour)
        fresh.update(routes(seed, left_out), threshold, "other")
        yield moved, fresh
    moved, there = pairs(), {"across": [[1, 0], [0, 1]], "up": [[0, 0], [-1, 1]]}
    for style in ({}, {"names": ["all", ""], "colours": [pictures.INK] * 2}):
        moved.png()
        moved.update(
            **({"names": ["p", "q"], "colours": pictures.HEAD_COLOURS[:2]} | there | style)
        )
        yield moved, pairs(**there, **style)
    moved, _ = head_table()
    for seed, n_heads, k, muted in (
        (1, 8, 4, (2, 7)),
        (2, 1, 1, ()),
        (3, 4, 3, (0,)),
        (4, 2, 2, ()),
    ):
        moved.png()
        fresh, shown = head_table(seed, n_heads, k, muted)
        moved.update(*shown)
        yield moved, fresh
    for n_pairs, (queries, keys, ghost) in HANDS.items():
        moved = Clock("a title", keys, queries, ["before"] * n_pairs)
        moved.png()
        moved.update(queries, keys, [f"clock {i}" for i in range(n_pairs)], ghost)
        yield moved, clock(n_pairs)
    moved = differences()
    for speed, now, ghost in ((1.0, -20, None), (0.1, 20, (3, 0.5)), (0.3, 20, (3, 0.5))):
        moved.png()
        moved.update(now=now, ghost=ghost, **waves(speed))
        yield moved, differences(speed, now, ghost)
    moved = mask([[1, 1, 1], [1, 0, 1]])
    for shown in ([[0, 0, 0], [1, 1, 0]], [[np.nan] * 3, [0, 1, 1]]):
        moved.png()
        moved.update(shown)
        yield moved, mask(shown)
    moved = ruler((2**37, 2**36, 2**35))
    for amounts, ghost in (((2**20, 2**45, 2**33), (2**30, 2**31, None)), ((None,) * 3, None)):
        moved.png()
        moved.update(amounts, ghost)
        fresh = ruler(amounts)
        fresh.update(amounts, ghost)
        yield moved, fresh
    moved = heatmap(1)
    for hidden in (table(1) < 0.1, None, table(2) < 0.1):
        moved.png()
        moved.update(table(0), hidden=hidden)
        yield moved, heatmap(hidden=hidden)


def test_a_moved_picture_has_the_pixels_of_one_drawn_anew_in_full_by_matplotlib():
    for number, (moved, fresh) in enumerate(states()):
        assert np.array_equal(moved.pixels(), drawn_in_full(fresh)[..., :3]), number
    assert number == 83


def test_the_png_holds_exactly_the_pixels(tmp_path):
    picture = lanes()
    pixels = decoded(picture.png())
    assert np.array_equal(pixels, picture.pixels())
    assert pixels.shape == (DENSITY * picture.height, DENSITY * picture.width, 3)


def test_nothing_is_encoded_again_while_nothing_changes():
    picture = lanes()
    png = picture.png()
    picture.update(**lanes_arrays())
    assert picture.png() is png
    picture.update(**lanes_arrays(LOGITS + np.array([[0, 1, 0], [0, 0, 0]])))
    assert picture.png() != png


def test_the_file_is_that_of_the_last_state_whoever_looked_first():
    picture, other = heatmap(0), heatmap(0)
    sheet = Sheet([[picture], [other]])
    for look in (picture.pixels, picture.png, sheet.pixels, sheet.png):
        for seed in (1, 0):
            picture.update(table(seed))
            look()
            fresh, both = heatmap(seed), Sheet([[heatmap(seed)], [heatmap(0)]])
            assert np.array_equal(decoded(picture.png()), fresh.pixels())
            assert np.array_equal(decoded(sheet.png()), both.pixels())


def test_only_what_changes_is_painted(monkeypatch):
    picture = heatmap()
    picture.png()
    painted = []
    paint = picture._paint
    monkeypatch.setattr(picture, "_paint", lambda slot: painted.append(slot) or paint(slot))
    changed = table(0)
    changed[1, 2], changed[1, 3] = changed[1, 3], changed[1, 2]
    picture.update(changed)
    picture.png()
    assert painted == [picture.cells[7], picture.cells[8]]


def test_a_picture_is_opaque_so_that_it_reads_on_a_dark_page():
    made = [lanes(), plane(), heatmap(), blocks(0), Listing("t", 3, LINES)]
    made += [painted()[0], stream()[0], write_table()[0], curves(), ropes(), answers()]
    made += [pairs(), head_table()[0], panels()]
    made += [clock(4), differences(ghost=(3, 0.5)), mask([[1, 0, 1], [0, 0, 1]])]
    made += [photo()[0], route_maps(3)[0], ConfidencePicture(["unsure", "sure"], [1, 3], [2, 3])]
    for picture in made:
        assert (drawn_in_full(picture)[..., 3] == 255).all()


# Lanes


def test_lanes_show_logits_as_labels_and_weights_as_cells():
    picture = lanes()
    labels = [slot.artists[-1].get_text() for slot in picture.columns]
    assert labels == ["10", "0", "−8", "−3.5", "10", "8", "6.5", "10", "0"]
    weights = np.vstack([softmax(LOGITS), softmax(LOGITS.sum(axis=0))])
    cells = [float(slot.artists[-1].get_text()) for slot in picture.cells]
    assert cells == pytest.approx(weights.ravel(), abs=0.0051)
    fills = [slot.artists[0].get_height() for slot in picture.cells]
    assert fills == pytest.approx(-46 * weights.ravel(), abs=0.25)


def test_merged_bars_stack_the_heads_parts_in_their_colours():
    picture = lanes()
    for j, slot in enumerate(picture.columns[6:]):
        bars = slot.artists[:2]
        scale = picture.columns[0].artists[0].get_height() / -10  # head A's "cat" is 10
        assert [-bar.get_height() / scale for bar in bars] == pytest.approx(LOGITS[:, j])
        colours = [to_rgba(colour) for colour in pictures.HEAD_COLOURS[:2]]
        assert [bar.get_facecolor() for bar in bars] == colours


def test_no_bar_or_label_leaves_its_lane():
    for factor in (1, -2, 8, 0.01):
        picture = lanes(**lanes_arrays(LOGITS * factor))
        for slot in picture.columns:
            *bars, base, label = slot.artists
            low, high = slot.rows.start / DENSITY, slot.rows.stop / DENSITY
            for bar in bars:
                assert low <= min(bar.get_y(), bar.get_y() + bar.get_height())
                assert max(bar.get_y(), bar.get_y() + bar.get_height()) <= high
            assert low + 5 <= label.get_position()[1] <= high - 5


def test_unknown_weights_are_question_marks_and_unknown_ghosts_are_not_drawn():
    picture = lanes(merged=None)
    assert [slot.artists[-1].get_text() for slot in picture.cells[6:]] == ["?"] * 3
    assert not any(slot.artists[1].get_visible() for slot in picture.cells)


def test_a_ghost_is_an_unfilled_outline():
    picture = lanes(ghost=np.full((3, 3), 0.4))
    for slot in picture.cells:
        outline = slot.artists[1]
        assert outline.get_visible() and not outline.get_fill()
        assert outline.get_height() == pytest.approx(-46 * 0.4)


def test_the_last_column_is_what_each_lane_carries():
    picture = lanes()
    carried = lanes_arrays()["carried"]
    texts = [[label.get_text() for label in slot.artists] for slot in picture.carried]
    assert texts == [
        [f"{carried[0, 0]:.2f}"],
        [f"{carried[1, 1]:.2f}"],
        [f"{carried[2, 0]:.2f}", f"{carried[2, 1]:.2f}"],
    ]


def test_numbers_on_cells_can_be_read_on_their_fill():
    picture = lanes()
    for slot in picture.cells:
        fill = np.array(slot.artists[0].get_facecolor())
        seen = fill[3] * fill[:3] + (1 - fill[3]) * np.array(to_rgb(CELL))
        assert contrast(seen, slot.artists[-1].get_color()) >= 4.5


@pytest.mark.parametrize("colour", [*pictures.HEAD_COLOURS, pictures.INK, FAINT])
def test_every_colour_of_text_can_be_read_on_paper(colour):
    assert contrast(colour, PAPER) >= 4.5


# The output plane


def test_the_plane_sets_each_mark_where_its_output_is():
    picture = plane(ghost=((2, 2), (6, 7)))
    marks = {
        "star": (1, 8),
        "square": (3, 5),
        "diamond": (3, 4.5),
        "ghost_star": (2, 2),
        "ghost_square": (6, 7),
    }
    for name, place in marks.items():
        assert np.ravel(getattr(picture, name).get_data()).tolist() == list(place)
    assert np.array_equal(np.transpose(picture.points.get_data()), VALUES.T)
    assert picture.ghost_star.get_markerfacecolor() == "none"


def test_limits_of_the_plane_never_move():
    picture = plane()
    before = picture.axes.get_xlim(), picture.axes.get_ylim()
    picture.update(words_at=VALUES.T, star=(0, 0), square=(10, 10), diamond=(5, 5))
    assert (picture.axes.get_xlim(), picture.axes.get_ylim()) == before == ((0, 10), (0, 10))


# The painted plane, the stream and the table of writes


def test_a_painted_plane_shows_paint_star_rings_and_the_outline_of_what_can_be_reached():
    picture, shown = painted(2)
    colours = picture.paint.get_array()
    assert np.array_equal(colours[..., 3] > 0, shown["paint"] > 0)
    one, two = (np.unique(colours[shown["paint"] == k], axis=0) for k in (1, 2))
    assert len(one) == len(two) == 1 and not np.array_equal(one, two)
    assert picture.paint.get_extent() == [0, 10, 0, 10] and picture.paint.origin == "lower"
    assert np.ravel(picture.star.get_data()).tolist() == list(shown["star"])
    assert np.array_equal(np.transpose(picture.filled.get_data()), CORNERS[shown["visited"]])
    assert np.array_equal(np.transpose(picture.rings.get_data()), CORNERS[~shown["visited"]])
    assert set(map(tuple, picture.reach.get_xy())) == set(map(tuple, CORNERS))
    assert not painted(0)[0].reach.get_visible()
    picture.update(**shown | {"visited": ~shown["visited"]})  # nothing else has changed
    assert np.array_equal(np.transpose(picture.rings.get_data()), CORNERS[shown["visited"]])


def test_a_painted_plane_without_a_star_and_a_name_above_its_point():
    _, shown = painted(2)
    words, named = ["cat", "mat"], {"names": ["who", "where"], "title": "outlined"}
    shown["star"] = None
    picture = PaintedPlane(words, VALUES.T[:2], CORNERS, above=["cat"], **named, **shown)
    assert len(picture.star.get_xdata()) == 0 and picture.alt == "outlined."
    heights = [label.get_position()[1] for label in picture.labels]
    assert heights[0] > VALUES[1, 0] and heights[1] < VALUES[1, 1]
    picture.update(**shown | {"star": (1, 8)})
    assert np.ravel(picture.star.get_data()).tolist() == [1, 8]
    assert picture.alt == "outlined; the star is at (1.00, 8.00)."


def test_arrows_of_writes_stand_head_to_tail_and_a_muted_head_has_none():
    picture, shown = stream(2)
    stops = np.cumsum([shown["start"], *shown["writes"]], axis=0)
    for r, arrow in enumerate(picture.arrows):
        assert np.array(arrow._posA_posB) == pytest.approx(stops[r : r + 2])
        assert arrow.get_edgecolor() == to_rgba(pictures.HEAD_COLOURS[r])
    assert [arrow.get_visible() for arrow in picture.arrows] == [True, False, True]
    assert np.ravel(picture.start.get_data()) == pytest.approx(stops[0])
    assert np.ravel(picture.star.get_data()) == pytest.approx(stops[-1])


def test_bars_of_writes_follow_their_numbers_and_the_last_row_is_their_sum():
    picture, shown = write_table()
    rows = np.vstack([shown["writes"], shown["writes"].sum(axis=0)])
    for slot, write in zip(picture.rows, rows, strict=True):
        bars, numbers = slot.artists[0:6:3], slot.artists[2:6:3]
        limit = picture.MOST / picture.UNIT
        assert [bar.get_width() / picture.UNIT for bar in bars] == pytest.approx(
            np.clip(write, -limit, limit)
        )
        told = [float(number.get_text().replace("−", "-")) for number in numbers]
        assert told == pytest.approx(write, abs=0.0051)
        assert float(slot.artists[-1].get_text()) == pytest.approx(np.hypot(*write), abs=0.0051)


@pytest.mark.parametrize("cosine", np.linspace(-1, 1, 21))
def test_how_alike_two_writes_are_is_a_bar_to_the_right_or_to_the_left_and_a_number(cosine):
    picture = WriteTable(["x", "y"], np.ones((2, 2)), np.full((2, 2), cosine))
    bar, line, number = picture.alike[0].artists
    assert bar.get_width() == pytest.approx(picture.HALF * cosine, abs=0.13)
    assert bar.get_x() == line.get_x() + line.get_width() / 2
    assert contrast(CELL, number.get_color()) >= 4.5
    assert float(number.get_text().replace("−", "-")) == pytest.approx(cosine, abs=0.0051)


# Heat maps


def test_queries_run_down_and_keys_across():
    picture = heatmap()
    assert [label.get_text() for label in picture.query_labels] == ["p", "q"]
    assert [label.get_text() for label in picture.key_labels] == list("abcde")
    y = [label.get_position()[1] for label in picture.query_labels]
    x = [label.get_position()[0] for label in picture.key_labels]
    assert y == sorted(y) and x == sorted(x)
    numbers = np.array([float(slot.artists[1].get_text()) for slot in picture.cells])
    assert numbers.reshape(2, 5) == pytest.approx(table(0), abs=0.0051)


def test_the_colour_of_a_cell_says_what_its_number_says_whatever_else_is_in_the_table():
    for value in (0.0, 0.25, 0.5, 1.0):
        picture = Heatmap("t", ["p"], ["a", "b"], [[value, 1 - value]])
        assert picture.cells[0].artists[0].get_facecolor() == CELL_COLOURS(value)


def test_the_colours_grow_lighter_from_0_to_1():
    lightness = [luminance(CELL_COLOURS(value)[:3]) for value in np.linspace(0, 1, 101)]
    assert (np.diff(lightness) > 0).all()


@pytest.mark.parametrize("value", np.linspace(0, 1, 21))
def test_the_number_of_a_cell_can_be_read_on_its_colour(value):
    square, number = Heatmap("t", ["p"], ["a"], [[value]]).cells[0].artists
    assert contrast(square.get_facecolor()[:3], number.get_color()) >= 4.5


def test_a_difference_shows_its_size_as_colour_and_its_sign_in_the_number():
    picture = Heatmap("t", ["p"], ["a", "b", "c"], [[0.4, -0.4, 0.001]], signed=True)
    assert [slot.artists[1].get_text() for slot in picture.cells] == ["+.40", "−.40", ".00"]
    plus, minus, _ = (slot.artists[0].get_facecolor() for slot in picture.cells)
    assert plus == minus


def test_words_are_never_read_as_mathematics():
    picture = Heatmap("t", ["$x_$"], ["\\frac", "a"], [[0.4, 0.6]])
    assert picture.query_labels[0].get_text() == "$x_$"
    assert picture.png()


def test_a_heat_map_says_in_words_where_each_row_looks():
    assert "“q” to “c”" in Heatmap("t", ["p", "q"], list("abc"), [[1, 0, 0], [0, 0.2, 0.8]]).alt


def test_what_is_nan_stays_empty_and_its_word_is_not_written():
    empty = softmax(np.random.default_rng(0).normal(size=(3, 3)))
    empty[1] = empty[:, 1] = np.nan
    picture = Heatmap("t", list("abc"), list("abc"), empty)
    assert [label.get_visible() for label in picture.query_labels] == [True, False, True]
    assert [label.get_visible() for label in picture.key_labels] == [True, False, True]
    texts = [slot.artists[1].get_text() for slot in picture.cells]
    assert [bool(text) for text in texts] == [
        True,
        False,
        True,
        False,
        False,
        False,
        True,
        False,
        True,
    ]
    fills = [to_rgb(slot.artists[0].get_facecolor()) for slot in picture.cells]
    assert [fill == to_rgb(PAPER) for fill in fills] == [not text for text in texts]
    assert "nan" not in picture.alt and "“b”" not in picture.alt


# Graphs


@pytest.mark.parametrize("threshold", [0.05, 0.1, 0.5])
def test_a_graph_draws_each_weight_from_the_threshold_on_thicker_the_larger(threshold):
    picture, weights = graph(3, threshold), routes(3).round(2)
    shown = arrows(picture)
    assert set(shown) == {(i, j) for i in range(5) for j in range(5) if weights[i, j] >= threshold}
    for pair, (number, _) in shown.items():
        assert number == pytest.approx(weights[pair])
    by_number = sorted(shown.values())
    assert [width for _, width in by_number] == sorted(width for _, width in by_number)


def test_a_move_of_the_threshold_shows_and_hides_arrows():
    picture = graph(3, 0.05)
    many = set(arrows(picture))
    picture.update(routes(3), 0.6)
    few = set(arrows(picture))
    assert few < many
    picture.update(routes(3), 0.05)
    assert set(arrows(picture)) == many


def test_an_arrow_starts_at_who_looks_and_its_tip_is_at_who_is_looked_at():
    picture = graph()
    for (i, j), (line, head, _) in picture.edges.items():
        (start, y), *_, (end, _) = line.get_path().vertices
        tip = head.get_xy()[0]
        pitch = picture.places[1] - picture.places[0]
        assert abs(start - picture.places[i]) < pitch / 2
        assert abs(tip[0] - picture.places[j]) < pitch / 2 and tip[0] == end
        assert y == (picture.top if j < i else picture.bottom) == tip[1]


def test_no_two_arrows_touch_a_word_at_the_same_point_and_longer_ones_are_higher():
    picture = Graph("t", list("abcdefgh"), np.eye(8))
    for above in (True, False):
        pairs = [(i, j) for i in range(8) for j in range(8) if i != j]
        ports = [picture.port(i, j, above) for i, j in pairs]
        assert np.diff(sorted(ports)).min() > 0.9
        spans = {abs(i - j): picture._arc(*sorted((i, j), reverse=above))[2][1] for i, j in pairs}
        heights = [abs(spans[span] - (picture.top if above else picture.bottom)) for span in spans]
        assert heights == sorted(heights) and len(set(heights)) == 7
        assert all(24 < y < picture.height - 20 for y in spans.values())


def test_numbers_of_a_full_graph_do_not_cover_each_other():
    picture = Graph("t", list("abcdefgh"), np.full((8, 8), 1 / 8), 0)
    renderer = picture.canvas.get_renderer()
    boxes = [n.get_window_extent(renderer) for _, _, n in picture.edges.values()]
    for k, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:k])


def test_a_number_covers_nothing_of_its_own_arc():
    picture = Graph("t", list("abcdefgh"), np.ones((8, 8)))
    renderer = picture.canvas.get_renderer()
    for line, _, number in picture.edges.values():
        box = number.get_window_extent(renderer)
        pixel = renderer.points_to_pixels(1)
        ends = line.get_path().interpolated(1).to_polygons(closed_only=False)[0]
        for x, y in picture.page.transData.transform(ends):
            away = max(box.x0 - x, x - box.x1, box.y0 - y, y - box.y1)
            assert away > pixel * line.get_linewidth() / 2


def test_a_word_that_is_left_out_leaves_its_place_empty_and_has_no_arrow():
    picture = graph(0, 0, left_out=(2,))
    assert [label.get_text() for label in picture.labels] == ["a", "b", "·", "d", "e"]
    assert not any(2 in pair for pair in arrows(picture))
    there = routes(0, (2,)).round(2) > 0
    assert len(arrows(picture)) == there.sum() > 10 and "nan" not in picture.alt


def test_a_graph_names_its_arrows_in_words_and_says_when_there_are_none():
    picture = Graph("t", ["p", "$q_$"], [[0.25, 0.75], [0.96, 0.04]], 0.1)
    assert picture.alt == "t: “p” to “p” 0.25, “p” to “$q_$” 0.75, “$q_$” to “p” 0.96."
    picture.update([[0.5, 0.5], [0.5, 0.5]], 0.6)
    assert picture.alt == "t: no weight reaches 0.60." and arrows(picture) == {}


# Fields


def test_a_field_lays_x_across_and_y_up_with_fixed_limits():
    xs, ys = np.linspace(-2, 2, 5), np.linspace(0, 3, 4)
    values = ys[:, None] * 0.1 + 0 * xs
    picture = Field("t", xs, ys, values, ["x", "y"], (0, 0.35), {"here": (1, 2)})
    assert picture.image.get_clim() == (0, 0.35)
    assert picture.image.origin == "lower" and np.array_equal(picture.image.get_array(), values)
    assert "from 0.00 to 0.30" in picture.alt


def test_the_first_drag_of_a_heat_map_paints_no_number_that_is_not_there_already(monkeypatch):
    words = list("abcde")
    drawn = Heatmap("five words", words, words, np.eye(5))
    drawn.pixels()
    painted = []
    monkeypatch.setattr(drawn.figure, "draw_artist", painted.append)
    for weight in np.linspace(0, 1, 101):
        drawn.update(np.full((5, 5), weight))
        drawn.pixels()
    assert painted == []


# Curves


def test_curves_are_drawn_through_their_points_on_limits_that_never_move():
    picture = curves()
    limits = picture.axes.get_xlim(), picture.axes.get_ylim()
    picture.update(XS[:3], HEIGHTS[:, :3] * 50, at=2.0)
    for line, heights in zip(picture.lines, HEIGHTS, strict=True):
        assert np.array_equal(line.get_xdata(), XS[:3])
        assert np.array_equal(line.get_ydata(), 50 * heights[:3], equal_nan=True)
    assert (picture.axes.get_xlim(), picture.axes.get_ylim()) == limits == ((0.1, 8), (0, 1))


def test_the_cursor_marks_each_curve_and_writes_its_value_beside_its_name():
    picture = curves(at=2.0)
    assert [mark.get_xydata().tolist() for mark in picture.marks] == [
        [[2, 0]],
        [[2, 0.6]],
        [[2, 0.5]],
    ]
    assert [value.get_text() for value in picture.values] == [".000", ".600", ".500"]
    picture.update(XS, 20 * HEIGHTS, at=1.0)
    assert [value.get_text() for value in picture.values] == [".000", "4.00", ""]
    assert picture.cursor.get_visible() and picture.cursor.get_xdata() == [1, 1]
    assert (
        picture.alt == "a title: difference over loudness. At loudness 1: first .000, second 4.00."
    )


def test_without_a_place_there_is_no_cursor_and_no_value():
    picture = curves(at=2.0)
    picture.update(XS, HEIGHTS)
    assert not picture.cursor.get_visible()
    assert [value.get_text() for value in picture.values] == [""] * 3
    assert not any(mark.get_xydata().size for mark in picture.marks)


@pytest.mark.parametrize(("log", "between"), [(False, 5.0), (True, 4.0)])
def test_between_points_the_mark_stands_on_the_line_that_is_drawn(log, between):
    """Half way from 2 to 8 is 5 on a plain axis and 4 on a logarithmic one."""
    picture = curves(at=between, log=log)
    assert picture.marks[1].get_ydata() == pytest.approx([0.75])


def test_the_chosen_curve_is_thick_and_alone_marked_but_every_value_stays():
    picture = curves(at=2.0, chosen=1)
    assert [line.get_linewidth() for line in picture.lines] == [1.8, 3, 1.8]
    assert [mark.get_xydata().size for mark in picture.marks] == [0, 2, 0]
    assert [value.get_text() for value in picture.values] == [".000", ".600", ".500"]


def test_a_reference_stands_at_its_height_with_its_name_where_there_is_room():
    for height, va in ((0.8, "top"), (0.02, "bottom")):
        picture = curves(references={"bound": height})
        assert any(np.array_equal(line.get_ydata(), [height] * 2) for line in picture.axes.lines)
        label = next(text for text in picture.axes.texts if text.get_text() == "bound")
        assert label.get_va() == va


def test_a_logarithmic_axis_is_written_in_plain_numbers():
    picture = curves(log=True, ticks=(0.1, 1, 8))
    picture.png()
    assert [tick.get_text() for tick in picture.axes.get_xticklabels()] == [".1", "1", "8"]
    up = [tick.get_text() for tick in picture.axes.get_yticklabels()]
    assert up == ["0", ".2", ".4", ".6", ".8", "1"], "as across"


# Ropes


def test_a_row_is_cut_where_the_first_words_share_ends():
    picture = ropes()
    for (_, _, fill, cut, *_), p in zip(picture.lanes, (0.7, 0.2), strict=True):
        end = picture.LEFT + p * picture.WIDE
        assert fill.get_x() + fill.get_width() == pytest.approx(end, abs=1.5)
        assert cut.get_x() <= end <= cut.get_x() + cut.get_width()


def test_loss_a_pulls_the_cut_to_the_right_and_loss_b_to_the_left_as_hard_as_they_say():
    picture = ropes(weights=[[0.7, 0.3]], pulls=(0.3, 0.7), n_rows=1)
    [(_, _, _, _, arrows, _, texts)] = picture.lanes
    cut = picture.LEFT + 0.7 * picture.WIDE
    right, left = (arrow.get_xy()[:, 0] for arrow in arrows)
    assert (right.min(), right.max()) == pytest.approx((cut, cut + 0.15 * picture.WIDE))
    assert (left.min(), left.max()) == pytest.approx((cut - 0.35 * picture.WIDE, cut))
    assert [text.get_text() for text in texts] == ["loss A pulls .30 →", "← loss B pulls .70"]
    colours = [to_rgba(colour) for colour in pictures.HEAD_COLOURS[:2]]
    assert [arrow.get_facecolor() for arrow in arrows] == colours


def test_each_row_says_its_shares_and_only_its_own_losses_pull_at_it():
    picture = ropes()
    shares = [[text.get_text() for text in lane[5]] for lane in picture.lanes]
    assert shares == [["cat .70", "mat .30"], ["cat .20", "mat .80"]]
    pulls = [[text.get_text() for text in lane[6]] for lane in picture.lanes]
    assert pulls == [["loss A pulls .30 →"], ["← loss B pulls .20"]]
    assert picture.alt == "A: cat .70, mat .30; B: cat .20, mat .80."


@pytest.mark.parametrize("p", [0, 1e-5, 0.5, 1])
def test_no_arrow_leaves_its_bar(p):
    picture = ropes(weights=[[p, 1 - p]], pulls=(1 - p, p), n_rows=1)
    [(_, bar, _, _, arrows, *_)] = picture.lanes
    for arrow in arrows:
        (left, top), (right, bottom) = arrow.get_xy().min(axis=0), arrow.get_xy().max(axis=0)
        assert picture.LEFT <= left <= right <= picture.LEFT + picture.WIDE
        assert bar <= top <= bottom <= bar + picture.TALL


# Jacobians


def test_a_jacobian_has_signed_numbers_and_is_brightest_at_a_quarter():
    picture = Jacobian("t", ["p"], ["a", "b", "c"], [[0.25, -0.125, 0.1]])
    assert [slot.artists[1].get_text() for slot in picture.cells] == ["+.25", "−.12", "+.10"]
    colours = [slot.artists[0].get_facecolor() for slot in picture.cells]
    assert colours == [CELL_COLOURS(1.0), CELL_COLOURS(0.48), CELL_COLOURS(0.4)]
    assert picture.alt == "t: entries from −.12 to +.25."


def test_a_jacobian_writes_0_only_where_there_is_nothing_at_all():
    picture = Jacobian("t", ["p"], ["a", "b", "c", "d"], [[4.5e-5, -4.5e-5, 0.0, -0.0]])
    assert [slot.artists[1].get_text() for slot in picture.cells] == ["+.00", "−.00", "0", "0"]
    assert {slot.artists[0].get_facecolor() for slot in picture.cells} == {CELL_COLOURS(0.0)}


def test_blocks_stand_apart_and_their_labels_with_them():
    table = np.random.default_rng(0).uniform(-0.25, 0.25, size=(2, 4))
    whole, parted = (Jacobian("t", list("pq"), list("abcd"), table, block=n) for n in (None, 2))
    apart = [0, 0, parted.GAP, parted.GAP]
    lefts, parted_lefts = (
        [slot.artists[0].get_x() for slot in picture.cells] for picture in (whole, parted)
    )
    assert np.subtract(parted_lefts, lefts) == pytest.approx(apart * 2)
    names, parted_names = (
        [label.get_position()[0] for label in picture.key_labels] for picture in (whole, parted)
    )
    assert np.subtract(parted_names, names) == pytest.approx(apart)
    assert (parted.width, parted.height) == (whole.width + parted.GAP, whole.height)
    assert np.array_equal(parted.pixels(), drawn_in_full(parted)[..., :3])


def test_the_cells_of_a_jacobian_are_not_taken_for_those_of_a_heat_map():
    arrays = ("t", ["p"], ["a"], [[0.2]])
    before, signed = Heatmap(*arrays, signed=True).pixels(), Jacobian(*arrays)
    assert signed.tiles is not Heatmap.tiles
    assert not np.array_equal(signed.pixels(), before)
    assert np.array_equal(Heatmap(*arrays, signed=True).pixels(), before)


@pytest.mark.parametrize("value", np.linspace(-0.25, 0.25, 21))
def test_the_number_of_a_jacobians_cell_can_be_read_on_its_colour(value):
    square, number = Jacobian("t", ["p"], ["a"], [[value]]).cells[0].artists
    assert contrast(square.get_facecolor()[:3], number.get_color()) >= 4.5


# Blocks


def place(slot):
    return slot.columns.start, slot.columns.stop, slot.rows.start, slot.rows.stop


@pytest.mark.parametrize("n_heads, n_words", [(1, 3), (2, 3), (4, 4), (4, 1)])
def test_a_cell_of_the_blocks_is_lit_exactly_where_something_changed(n_heads, n_words):
    picture, (before, after) = blocks(3, n_heads, n_words), lights(3, n_heads, n_words)
    shown = [slot.artists[0].get_visible() for slot in picture.before]
    assert shown == before.ravel().tolist()
    for r, slots in enumerate(picture.after):
        assert [slot.artists[0].get_visible() for slot in slots] == after[r].ravel().tolist()
        colours = {slot.artists[0].get_facecolor() for slot in slots}
        assert colours == {to_rgba(pictures.HEAD_COLOURS[r])}


@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_rows_of_the_blocks_are_words_and_heads_stand_side_by_side(n_heads):
    picture, (before, after) = blocks(3, n_heads, 4), lights(3, n_heads, 4)
    tables = [(picture.before, before), *zip(picture.after, after, strict=True)]
    edge = 0
    for slots, table in tables:
        places = np.array([place(slot) for slot in slots]).reshape(*table.shape, 4)
        assert (np.diff(places[:, :, 2], axis=0) > 0).all(), "words run down"
        assert (np.diff(places[:, :, 0], axis=1) > 0).all(), "channels run across"
        assert (places[:, :, 2] == places[:, :1, 2]).all()
        if slots is not picture.before:
            assert places[0, 0, 0] >= edge + 8 * DENSITY
            edge = places[0, -1, 1]
    assert edge < DENSITY * picture.width


def test_a_light_stands_out_from_a_dark_cell():
    for colour in (*pictures.HEAD_COLOURS, pictures.INK):
        assert contrast(colour, CELL) >= 3


# Listings


def test_a_listing_shows_its_lines_in_order_and_nothing_below_them():
    picture = Listing("a title", 5, LINES)
    texts = [[text.get_text() for text in slot.artists[1:]] for slot in picture.lines]
    assert texts == [[left, right] for left, right, _ in LINES] + [["", ""]] * 2
    marked = [slot.artists[0].get_facecolor() == to_rgba(CELL) for slot in picture.lines]
    assert marked == [False, True, False, False, False]
    assert contrast(FAINT, CELL) >= 4.5


def test_a_listing_refuses_more_lines_than_it_has_room_for():
    with pytest.raises(ValueError):
        Listing("a title", 2, LINES)


# Pairs


def test_pairs_stand_across_and_up_and_equal_ones_on_the_diagonal():
    picture = pairs()
    dots = [dots.get_xydata().tolist() for dots in picture.dots]
    assert dots == [[[0.1, 0.2], [-0.5, -0.5]], [[1, 0.4], [0.3, -1]]]
    x, y = picture.axes.lines[0].get_data()
    assert list(x) == list(y) and picture.axes.get_xlim() == picture.axes.get_ylim()
    extent = picture.axes.get_window_extent()
    assert extent.width == pytest.approx(extent.height)
    assert "differs by 1.30" in picture.alt


def test_a_group_of_pairs_has_its_colour_and_name():
    picture = pairs()
    assert [dots.get_color() for dots in picture.dots] == list(pictures.HEAD_COLOURS[:2])
    assert [label.get_text() for label in picture.legend] == ["● p", "● q"]
    picture.update([[0], [0]], [[0], [0]], ["all", ""], [pictures.INK] * 2)
    assert [label.get_text() for label in picture.legend] == ["● all", ""]


@pytest.mark.parametrize(
    ("number", "decimals", "label"),
    [(-0.001, 2, "0.00"), (-0.04, 1, "0"), (-0.06, 1, "−0.1"), (2.0, 1, "2"), (10.0, 0, "10")],
)
def test_a_short_number_has_a_minus_sign_only_where_a_digit_is_left(number, decimals, label):
    assert pictures.short(number, decimals) == label


@pytest.mark.parametrize("height", [57, 58, 69, 82, 115, 116, 139, 229, 410])
def test_a_picture_is_exactly_as_large_as_it_says(height):
    """57 / 100 · 100 is a little below 57 for a computer, and Matplotlib cuts the rest off."""
    assert pictures.Picture(height, height).pixels().shape == (
        DENSITY * height,
        DENSITY * height,
        3,
    )


def test_equal_ratios_are_equally_far_on_a_logarithmic_axis():
    for log, xs in ((True, (0.2, 1, 5)), (False, (1, 3, 5))):
        place = curves(log=log).axes.transData.transform
        left, middle, right = (place((x, 0.5))[0] for x in xs)
        assert middle - left == pytest.approx(right - middle)


def test_one_head_paints_grey_and_two_paint_gold():
    picture, shown = painted(2)
    colours = picture.paint.get_array()
    one, two = (colours[shown["paint"] == k][0, :3] / 255 for k in (1, 2))
    assert np.ptp(one) < 0.1 < np.ptp(two)


def test_an_axis_has_the_colour_of_its_head():
    field = Field("t", [0, 1], [0, 1], np.eye(2), ["x", "y"], (0, 1), {})
    for axes in (field.image.axes, plane().axes, painted()[0].axes):
        labels = axes.xaxis.label, axes.yaxis.label
        assert tuple(label.get_color() for label in labels) == pictures.HEAD_COLOURS[:2]


def test_queries_and_answering_weights_are_named_down_the_side():
    jacobian = Jacobian("t", ["p"], ["a", "b"], [[0.1, -0.1]])
    for picture, side in ((heatmap(), "query: looks"), (jacobian, "weight that answers")):
        down = [text.get_text() for text in picture.page.texts if text.get_rotation() == 90]
        assert down == [side]


def test_a_marked_line_stands_on_a_grey_strip():
    picture = Listing("t", 3, [("a", "1", True), ("b", "2", False)])
    strips = [slot.artists[0].get_facecolor() for slot in picture.lines]
    assert strips == [to_rgba(colour) for colour in (CELL, PAPER, PAPER)]


def test_the_legend_shows_the_marks_of_the_plane():
    picture = plane()
    marks = [line.get_marker() for line in picture.page.lines]
    names = [text.get_text() for text in picture.page.texts[-3:]]
    shown = [mark.get_marker() for mark in (picture.star, picture.square, picture.diamond)]
    assert marks == shown and names == ["multi-head", "merged", "average of weights"]


def test_each_heads_lights_have_its_colour():
    picture = blocks(0, 4, 4)
    for slots, colour in zip(picture.after, pictures.HEAD_COLOURS, strict=True):
        assert {slot.artists[0].get_facecolor() for slot in slots} == {to_rgba(colour)}


def test_head_a_is_blue_and_head_b_orange():
    (_, _, blue), (red, green, less) = (to_rgba(c)[:3] for c in pictures.HEAD_COLOURS[:2])
    assert blue == max(to_rgba(pictures.HEAD_COLOURS[0])[:3]) and red > green > less


def test_what_a_loss_pulls_is_written_in_its_colour():
    [(*_, texts)] = ropes(weights=[[0.7, 0.3]], n_rows=1).lanes
    assert tuple(text.get_color() for text in texts) == pictures.HEAD_COLOURS[:2]


# Trained heads


def test_a_head_table_shows_looks_right_answers_and_who_is_muted():
    asked, right = np.array([[0.5, 0.2], [0.1, 0.86], [0.03, 0.0]]), np.array([1.0, 0.337])
    picture = HeadTable("a title", asked, right, (1,))
    cells = [[cell.artists[1].get_text() for cell in row[1:]] for row in picture.rows]
    assert cells[0] == [".50", ".20", ".30", "", ""]
    assert cells[1] == [".10", ".86", ".04", "", ""]
    assert cells[2] == [".03", ".00", ".97", "", ""]
    assert cells[3:] == [[""] * 5] * 5
    names = [row[0].artists[0].get_text() for row in picture.rows]
    assert names == ["head A", "head B ✕", "head C", "", "", "", "", ""]
    assert [slot.artists[0].get_text() for slot in picture.tokens] == [
        "1st token",
        "2nd token",
        "others",
        "",
        "",
    ]
    bars = [slot.artists[2].get_height() / -picture.BAR for slot in picture.columns[:2]]
    assert bars == pytest.approx([1.0, 0.34]), "a bar is as long as its number says"
    assert [slot.artists[4].get_text() for slot in picture.columns[:2]] == ["1.00", ".34"]
    seen = [slot.artists[0].get_visible() for slot in picture.columns]
    assert seen == [True, True, False, False]
    assert "head B looks most at question 2's (86%)" in picture.alt
    assert "by question: 100%, 34%." in picture.alt


def test_a_head_tables_line_of_chance_stands_at_an_eighth_of_its_bars():
    picture = head_table()[0]
    for slot in picture.columns:
        ground, line = slot.artists[1], slot.artists[3]
        middle = line.get_y() + line.get_height() / 2
        share = (ground.get_y() + ground.get_height() - middle) / ground.get_height()
        assert share == pytest.approx(1 / 8)


def test_numbers_of_a_head_table_are_readable_muted_or_not():
    for muted in ((), tuple(range(8))):
        for row in head_table(3, muted=muted)[0].rows:
            for cell in row[1:]:
                square, label = cell.artists
                if label.get_text():
                    assert contrast(label.get_color(), square.get_facecolor()[:3]) >= 4.5


def test_panels_show_every_run_and_the_middle_of_the_runs():
    picture = panels()
    for axes in picture.planes.values():
        dots = [line for line in axes.lines if line.get_marker() == "o"]
        middles = [line for line in axes.lines if len(line.get_xdata()) == 4]
        for values, drawn, middle in zip(runs(2, 5, 4), dots, middles, strict=True):
            assert np.array_equal(drawn.get_ydata(), values.ravel())
            assert np.array_equal(np.round(drawn.get_xdata()).astype(int), np.tile(range(4), 5))
            assert np.array_equal(middle.get_ydata(), np.median(values, axis=0))
    (label,) = picture.planes["panel 0"].texts
    assert label.get_position()[1] == 0.125 and label.get_va() == "bottom", "it stands on its line"
    assert "panel 2: first 1 " in picture.alt


def test_equal_runs_of_a_panel_stand_beside_each_other():
    same = Panels("t", {"a": np.ones((1, 5, 2))}, {"": (pictures.INK, "-")}, "pq", ("x", "y"))
    [dots] = [line for line in same.planes["a"].lines if line.get_marker() == "o"]
    assert len(set(dots.get_xdata().round(6))) == 10


def test_a_heat_map_says_what_it_is_told_runs_down_and_across():
    picture = heatmap(captions=("head", "and head"))
    written = [text.get_text() for text in picture.page.texts]
    assert "head" in written and "and head" in written and Heatmap.DOWN not in written


# Chapter 09's pictures


def test_a_masks_cells_say_1_and_0_in_the_brightest_and_the_darkest_colour():
    picture = mask([[1, 0, 1], [0, 0, 0]])
    assert [slot.key for slot in picture.cells] == list("101000")
    faces = [to_rgb(slot.artists[0].get_facecolor()) for slot in picture.cells]
    assert faces[0] == pytest.approx(to_rgb(CELL_COLOURS(1.0)))
    assert faces[1] == pytest.approx(to_rgb(CELL_COLOURS(0.0)))
    assert picture.alt == "a title: how many keys each may see, “p” 2, “q” 0."
    assert (
        Heatmap("a title", list("pq"), list("abc"), [[1, 0, 1], [0, 0, 1]]).cells[0].key == "1.00"
    )


def test_a_hidden_cell_is_pale_without_a_number_and_a_seen_one_of_next_to_nothing_is_not():
    hidden = np.array([[True, False, False], [True, True, True]])
    weights = [[0, 0.004, 0.996], [0, 0, 0]]
    picture = Heatmap("a title", list("pq"), list("abc"), weights, hidden=hidden)
    squares, labels = zip(*(slot.artists for slot in picture.cells), strict=True)
    assert [label.get_text() for label in labels] == ["", ".00", "1.00", "", "", ""]
    pale = [to_rgb(square.get_facecolor()) == to_rgb(CELL) for square in squares]
    assert pale == list(hidden.ravel())
    assert [label.get_visible() for label in picture.query_labels] == [True, True]


def test_the_letters_of_a_clock_are_not_written_on_each_other():
    for apart in (0.0, 0.03, -0.03, 0.14, -0.14, 1.0, np.pi):
        picture = Clock("a title", [2.0 + apart], [2.0], ["one"])
        q, k = (np.array(letter.get_position()) for letter in picture.dials[0].artists[8:10])
        assert np.hypot(*(q - k)) > 14
        x, y, _ = picture.places[0]
        turned = np.angle(complex(*(q - (x, y))) / complex(*(k - (x, y))))  # the page counts down
        assert apart in (0, np.pi) or np.sign(turned) == -np.sign(apart)


def test_a_clocks_arc_lies_between_its_hands_on_the_shorter_side():
    for q, k in ((0.3, 2.0), (2.0, 0.3), (6.0, 0.2), (0.2, 6.0), (-3.0, 3.0), (44.0, 0.5)):
        picture = Clock("a title", [q], [k], ["one"])
        arc = picture.dials[0].artists[1]
        assert 0 <= arc.theta2 - arc.theta1 <= 180
        ends = np.exp(-1j * np.radians([arc.theta1, arc.theta2]))  # the page counts downwards
        hands = np.exp(1j * np.array([q, k]))
        assert sorted(ends, key=lambda z: z.real + 2 * z.imag) == pytest.approx(
            sorted(hands, key=lambda z: z.real + 2 * z.imag)
        )
        assert f"stand {np.degrees(abs(np.angle(hands[0] / hands[1]))):.0f}° apart" in picture.alt


def test_a_picture_of_differences_says_where_it_is():
    picture = differences(now=3)
    assert picture.alt == "a title: at a difference of 3 the logit is −0.990."
    assert picture.level.get_ydata() == pytest.approx([np.cos(3)] * 2)


# A picture's pixels, and where one of them looks


def test_a_photo_is_black_at_its_lower_limit_and_white_at_its_upper_and_cut_beyond():
    values = [[-1.0, 0.0], [0.5, 7.0]]
    shown = Photo("t", values, limits=(0, 1))
    assert shown.colours[..., 0].tolist() == [[0, 0], [128, 255]]
    assert shown.note.get_text() == "black 0, white 1" and shown.alt == "t: from −1 to 7."
    shown.update(values, limits=(-1, 7))
    assert shown.colours[..., 1].tolist() == [[0, 32], [48, 255]]
    assert shown.note.get_text() == "black −1, white 7"


def test_a_difference_is_shown_by_its_size():
    shown = Photo("t", [[-0.25, 0.25], [0.0, 0.1]], size_of="difference", limits=(0, 0.25))
    assert (shown.colours[0, 0] == shown.colours[0, 1]).all()
    assert shown.note.get_text() == "largest .25; brightest from .25"
    assert Photo("t", [[1e-4]], size_of="gap").note.get_text().startswith("largest under .001;")
    brightness = [luminance(colour / 255) for colour in shown.colours.reshape(-1, 3)]
    assert brightness[2] < brightness[3] < brightness[0]


def test_weights_lie_over_their_patches_the_largest_covers_its_own():
    weights = [[0.5, 0.25, 0.25, 0.0], [0.0] * 4, [0.0] * 4]
    shown = Photo("t", np.full((6, 8), 0.5), weights=weights, colour="#0072b2")
    assert shown.note.get_text() == "full colour: a weight of .50"
    assert shown.alt == "t: from .5 to .5. Full colour: patch (0, 0)."
    blue = np.array(to_rgb("#0072b2")) * 255
    assert shown.colours[1, 1] == pytest.approx(blue, abs=1)
    assert shown.colours[0, 2] == pytest.approx((blue + 128) / 2, abs=1)
    assert shown.colours[5, 7].tolist() == [128, 128, 128]


def test_the_mark_of_a_photo_runs_round_its_pixels_and_can_go():
    shown = Photo("t", np.zeros((6, 8)), mark=(1, 2, 4, 5))
    for line in shown.marks:
        assert set(zip(*line.get_data(), strict=True)) == {(2, 1), (5, 1), (5, 4), (2, 4)}
    shown.update(np.zeros((6, 8)))
    assert not any(line.get_visible() for line in shown.marks)


def test_route_maps_show_each_heads_weights_their_size_and_the_signed_sum():
    windows = np.zeros((2, 5, 5))
    windows[0, 2, 2] = windows[1, 1, 2] = 1
    shown = RouteMaps("t", windows, [5, -4])
    assert [label.get_text() for label in shown.labels[:3]] == ["A × 5", "B × −4", ""]
    assert shown.labels[9].get_text() == "together"
    brightest = np.array(CELL_COLOURS(1.0)[:3]) * 255
    assert shown.colours[0][2, 2] == pytest.approx(brightest, abs=1)
    assert shown.colours[1][1, 2] == pytest.approx(brightest, abs=1)
    assert (shown.colours[5] == 255).all()  # no head, no map
    halves = RouteMaps("t", windows / [[[2]], [[4]]], [5, -4])  # brightest: the largest of all
    assert (halves.colours[0] == shown.colours[0]).all()
    half = np.array(CELL_COLOURS(0.5)[:3]) * 255
    assert halves.colours[1][1, 2] == pytest.approx(half, abs=1)
    signs = np.reshape([sign.get_text() for sign in shown.signs], (5, 5))
    assert signs[2, 2] == "+" and signs[1, 2] == "−" and (signs != "").sum() == 2


def test_route_maps_tell_an_idle_head_and_what_is_outside_the_picture():
    windows = np.full((2, 5, 5), 0.04)
    windows[:, :2] = np.nan
    shown = RouteMaps("t", windows, [1, 0])
    assert shown.labels[1].get_text() == "B idle" and (shown.colours[1] == 255).all()
    assert (shown.colours[0][:2] == [236, 239, 242]).all()
    assert not any(sign.get_text() for sign in shown.signs[:10])
    for sign, colour in zip(shown.signs[10:], shown.colours[9].reshape(-1, 3)[10:], strict=True):
        assert sign.get_text() == "+" and contrast(sign.get_color(), colour / 255) >= 4.5


def test_a_ruler_puts_four_times_as_much_one_line_further_and_names_what_it_shows():
    picture = ruler((2**30, 2**32, 2**34))
    lines, dots, _, values = zip(*(slot.artists for _, slot in picture.rows), strict=True)
    x = [dot.get_xdata()[0] for dot in dots]
    assert x[1] - x[0] == pytest.approx(x[2] - x[1]) and x[1] > x[0]
    assert [value.get_text() for value in values] == ["1 GiB", "4 GiB", "16 GiB"]
    assert all(line.get_xdata()[1] == at for line, at in zip(lines, x, strict=True))
    assert picture.alt == "memory: p 1 GiB, q 4 GiB, r 16 GiB."
    picture.update((2**20, 2**50, None))
    assert [dot.get_marker() for dot in dots[:2]] == ["<", ">"]
    assert [value.get_text() for value in values] == ["1 MiB", "1024 TiB", ""]


def test_the_names_of_sizes_on_a_ruler_touch_no_line_and_no_other_name():
    picture = MemoryRuler("m", ("p",), {"24": 24e9, "80": 80e9, "141": 141e9}, ["#0072b2"])
    renderer = picture.canvas.get_renderer()
    names = [t for t in picture.page.texts if t.get_text() in ("24", "80", "141")]
    lines = [line for line in picture.page.lines if line.get_linestyle() == "--"]
    assert len(names) == len(lines) == 3
    for name in names:
        box = name.get_window_extent(renderer)
        assert not any(box.overlaps(line.get_window_extent(renderer)) for line in lines)
        assert sum(box.overlaps(other.get_window_extent(renderer)) for other in names) == 1


@pytest.mark.parametrize(
    "size, text",
    [
        (2**30, "1 GiB"),
        (1.5 * 2**30, "1.5 GiB"),
        (2**20 * 0.5, "0.5 MiB"),
        (2**40, "1 TiB"),
        (22.5 * 2**30, "22.5 GiB"),
        (160.4 * 2**30, "160 GiB"),
        (100 * 2**20, "100 MiB"),
    ],
)
def test_memory_is_written_with_three_digits(size, text):
    assert memory_ruler.memory(size) == text


def test_a_picture_of_differences_has_room_for_a_sum_of_logits():
    picture = Differences("a title", 20, lambda d: 4 * np.cos(np.asarray(d)), 0, top=4)
    assert list(picture.axes.get_yticks()) == [-4, 0, 4]
    low, high = picture.axes.get_ylim()
    assert low < -4 and 4 < high


# Tokens


def test_a_map_of_tokens_shows_every_weight_in_its_cell():
    picture, shown = token_map(1)
    pixels = picture.pixels()
    cell = TokenMap.SIDE / 24
    for i, j in [(0, 0), (5, 11), (23, 23)]:
        y, x = (DENSITY * (start + (k + 0.5) * cell) for start, k in ((92, i), (78, j)))
        expected = np.round(np.array(CELL_COLOURS(shown["table"][i, j])[:3]) * 255)
        assert np.array_equal(pixels[int(y), int(x)], expected)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "word, label",
    [
        (" cat", "cat"),
        ("\n", "⏎"),
        ("", "␣"),
        ("   ", "␣"),
        ("猫🧬", "▯▯"),
        ("$x_$", "$x_$"),
        ("a" * 50, "aaaaaa…"),
        ("\x00\u202e", "␣"),
        ("naïve", "naïve"),
    ],
)
def test_any_token_becomes_a_label_that_fits_and_can_be_drawn(word, label):
    picture = TokenMap("a title", [word], [word, "b"], [[0.5, 0.5]])
    down, across = (labels[0].get_text() for labels in picture.labels)
    assert down == label and across in (label, label[:-2] + "…")
    picture.canvas.draw()
    down, across = (labels[0].get_window_extent() for labels in picture.labels)
    assert down.width <= DENSITY * 62 and across.height <= DENSITY * 54


def test_labels_of_many_tokens_do_not_touch():
    picture, _ = token_map(1)
    picture.canvas.draw()
    for labels, side in zip(picture.labels, ("height", "width"), strict=True):
        boxes = [text.get_window_extent() for text in labels[:24]]
        assert max(getattr(box, side) for box in boxes) <= DENSITY * TokenMap.SIDE / 24 * 1.15


def test_the_wanted_cells_are_marked_and_no_others():
    picture, shown = token_map(0)
    x, y = picture.marks[0].get_data()
    wide, high = TokenMap.SIDE / 5, TokenMap.SIDE / 3
    marked = {(int(b // high), int(a // wide)) for a, b in zip(x, y, strict=True)}
    assert marked == set(map(tuple, np.argwhere(shown["wanted"])))


def test_head_maps_say_scores_frame_the_chosen_and_cross_the_muted():
    picture = HeadMaps("a title", np.full((4, 3, 3), 1 / 3), [0.5, np.nan, 1, 0.004], 2, [1])
    assert [label.get_text() for label in picture.labels] == [
        "0: .50",
        "1",
        "2: 1.00",
        "merged .00",
    ]
    assert [frame.get_visible() for frame in picture.frames] == [False, False, True, False]
    assert [cross.get_visible() for cross in picture.crosses] == [False, True, False, False]
