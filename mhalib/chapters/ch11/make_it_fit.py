"""Chapter 11: a model, its readers and their texts, and the memory that their cache takes."""

from functools import partial
from types import SimpleNamespace

from mhalib.chapters.ch11.cache_sizes import (
    DECODERS,
    PARAMETERS,
    bytes_per_token,
    cache_bytes,
    kept,
    n_parameters,
)
from mhalib.chapters.ch11.memory_ruler import GIB, MemoryRuler, memory
from mhalib.live.controls import chooser, column, heading, row, slider
from mhalib.live.explorer import Explorer, goal, impossible, not_yet, reached, reached_if
from mhalib.pictures import HEAD_COLOURS, INK, Listing, three_digits
from mhalib.published_models import sizes

MEMORIES = {f"{size} GB": size * 10**9 for size in (24, 80, 141)}
PUBLISHED = "as published"
SHARING = {
    PUBLISHED: {},
    "MHA: a block for each head": {"n_kv": "all"},
    "GQA: 8 blocks": {"n_kv": 8},
    "GQA: 4 blocks": {"n_kv": 4},
    "MQA: 1 block": {"n_kv": 1},
    "MLA: 512 + 64 numbers": {"latent": (512, 64)},
}
WINDOWS = {PUBLISHED: PUBLISHED, "4096 tokens, every layer": 4096, "none: all tokens": None}
K = 1024
START = {"tokens": 32, "texts": 16, "bits": 16, "sharing": PUBLISHED, "window": PUBLISHED}
COSTS = {  # what is given up by a change that saves memory
    "tokens": "longer texts do not fit",
    "texts": "fewer readers are served at once",
    "bits": "keys and values are rounded, so outputs change",
    "sharing": "this is another model, to be trained for it",
    "window": "layers no longer see what lies further back, and are to be trained for it",
}
MODEL = "Llama-2-70B"


@goal(f"{MODEL}, 16 texts of 32 thousand tokens: cache to at most 80 GiB by ONE change.")
def by_one_change(state, found):
    one = _one_change(state)
    if one is None:
        return not_yet(_where(state))
    if state.cache == state.before:
        return not_yet(f"This changes nothing: {memory(state.cache)} are too much.")
    if state.cache > 80 * GIB:
        return not_yet(f"One change, and {memory(state.cache)} are too much.")
    return reached(f"{memory(state.cache)}. The price: {COSTS[one]}.")


@goal("find four controls, each of which does it alone.")
def four_ways(state, found):
    one = _one_change(state)
    if one is not None and state.cache <= 80 * GIB:
        found.add(one)
    names = ", ".join(key for key in START if key in found) or "none"
    return reached_if(len(found) >= 4, f"Found: {names}.")


def _one_change(state):
    """The control that alone differs from the start, for the goals' model."""
    if state.name == MODEL and not state.refusal and len(state.changed) == 1:
        return state.changed[0]
    return None


def _where(state):
    if state.name != MODEL:
        return f"Choose {MODEL}."
    if state.refusal:
        return "This is refused."
    if not state.changed:
        return f"The cache takes {memory(state.cache)}."
    return f"These are {len(state.changed)} changes: {', '.join(state.changed)}."


@goal(
    "a model of more than 8 billion parameters and 4 texts of 32 thousand tokens or more: "
    "parameters and cache together in 24 GB."
)
def one_small_card(state, found):
    if state.refusal:
        return not_yet("This is refused.")
    billions = PARAMETERS[state.name] / 1e9
    if billions <= 8:
        return not_yet(f"This model has {billions:.1f} billion parameters.")
    if state.texts < 4 or state.tokens < 32 * K:
        return not_yet("Hold at least 4 texts of 32 thousand tokens each.")
    total = state.cache + state.model
    if total > MEMORIES["24 GB"]:
        return not_yet(f"Together they take {_gb(total)}.")
    return reached(f"{billions:.1f} billion parameters, together {_gb(total)}.")


@goal(f"{MODEL} with parameters and cache in 80 GB.")
def one_large_card(state, found):
    if state.name != MODEL or state.refusal:
        return not_yet(f"Choose {MODEL}.")
    why = (
        f"the parameters alone take {_gb(state.model)} at 16 bits, and none of these controls "
        "changes their precision. A cache that takes nothing would not help."
    )
    return impossible(why)


def _ruler(**arrays):
    colours = (HEAD_COLOURS[0], HEAD_COLOURS[1], INK)
    ruler = MemoryRuler("what it takes", ("cache", "parameters", "both"), MEMORIES, colours)
    ruler.update(**arrays)
    return ruler


class MakeItFit(Explorer):
    """Choose a model, texts and what heads share; see what the cache takes, and from what."""

    sentence_lines = 9
    examples = {MODEL: MODEL} | {name: name for name in DECODERS}
    goals = (by_one_change, four_ways, one_small_card, one_large_card)

    def __init__(self):
        super().__init__()
        self.example.description = "Model"
        self.tokens = self.watch(slider("k tokens", 1, 128, 32, 1, number_format=".0f"))
        self.texts = self.watch(slider("texts", 1, 64, 16, 1, number_format=".0f"))
        self.bits = self.watch(chooser("Bits", [(str(bits), bits) for bits in (16, 8, 4)]))
        self.sharing = self.watch(chooser("Sharing", list(SHARING)))
        self.window = self.watch(chooser("Window", list(WINDOWS)))
        self.refresh()
        buttons = row(*self.goal_buttons, self.back_button, self.ghost_button)
        model = row(self.example, self.next_button)
        tokens = heading("tokens of a text, 1 to 128 thousand (of 1024)"), self.tokens
        texts = heading("texts held at once, 1 to 64"), self.texts
        how = self.bits, self.sharing, self.window
        self.view = row(
            column(model, *tokens, *texts, *how, self.goal_line, buttons),
            column(*self.frames, self.sentence_line),
        )

    def read(self):
        name, config = self.example.value, DECODERS[self.example.value]
        controls = {key: getattr(self, key).value for key in START}
        controls |= {key: round(controls[key]) for key in ("tokens", "texts")}
        changed = [key for key, value in controls.items() if value != START[key]]
        state = SimpleNamespace(name=name, changed=changed, refusal="", kept=None, cache=None)
        state.tokens, state.texts = controls["tokens"] * K, controls["texts"]
        state.bits, state.size = controls["bits"], sizes(config)
        how = dict(SHARING[self.sharing.value])
        if how.get("n_kv") == "all":
            how["n_kv"] = state.size.n_heads
        state.how, window = how, WINDOWS[self.window.value]
        try:
            state.kept = kept(config, **how)
        except ValueError as error:
            state.refusal = str(error)
            return state
        if window != PUBLISHED:
            state.kept = state.kept._replace(windows=(window,) * state.size.n_layers)
        state.cache = cache_bytes(state.kept, state.tokens, state.texts, state.bits)
        state.model = 2 * n_parameters(name, **how)
        state.before = cache_bytes(kept(config), START["tokens"] * K, START["texts"])
        return state

    def draw(self, state):
        amounts = _amounts(state)
        ghost = _amounts(self.keepsake) if self.keepsake else None
        listing = partial(Listing, "where the cache's bytes come from", 9, width=400)
        return self.drawn(
            (_ruler, {"amounts": amounts, "ghost": ghost}), (listing, {"lines": _factors(state)})
        )

    def describe(self, state):
        if state.refusal:
            return f"{state.name}: {state.refusal}"
        several = f"{state.texts} texts" if state.texts > 1 else "one text"
        take = "take" if state.texts > 1 else "takes"
        said = (
            f"{state.name}: {several} of {state.tokens:,} tokens {take} {memory(state.cache)} of "
            f"cache ({_gb(state.cache)}); the parameters at 16 bits take {memory(state.model)} "
            f"({_gb(state.model)}). "
        )
        if not state.changed:
            return said + "This is the start."
        if state.cache > state.before:
            return said + f"At the start it was {memory(state.before)}: it has grown."
        costs = [COSTS[key] for key in state.changed if _saves(key, state)]
        price = f"The price: {'; '.join(costs)}." if costs else "It costs nothing here."
        return said + f"At the start it was {memory(state.before)}. {price}"

    def apply(self, name):
        for key, value in START.items():
            getattr(self, key).value = value


def _saves(key, state):
    """Whether a changed control makes the cache smaller than it is at its start."""
    config = DECODERS[state.name]
    if key == "sharing":
        return state.kept.numbers < kept(config).numbers
    if key == "window":
        now, then = (cache_bytes(_kept, state.tokens) for _kept in (state.kept, _other(state)))
        return now < then
    return {"tokens": state.tokens // K, "texts": state.texts, "bits": state.bits}[key] < START[key]


def _other(state):
    """What is kept with the published windows."""
    return state.kept._replace(windows=kept(DECODERS[state.name]).windows)


def _amounts(state):
    if state.refusal:
        return [None] * 3
    return [state.cache, state.model, state.cache + state.model]


def _gb(size):
    return f"{three_digits(size / 1e9)} GB"


def _factors(state):
    """The product, factor by factor."""
    if state.refusal:
        return [("refused: no such layer", "", False)]
    numbers, windows = state.kept
    seen = sorted({w for w in windows if w is not None and w < state.tokens})
    lines = [
        ("numbers a token, a layer", _numbers(state), False),
        ("layers", f"{len(windows)}", False),
        ("bytes a number", f"{state.bits / 8:g}", False),
        ("a token, together", f"{bytes_per_token(state.kept, state.bits) / K:.4g} KiB", True),
        ("tokens of a text", f"{state.tokens:,}", False),
    ]
    for window in seen:
        layers = sum(w == window for w in windows)
        lines.append((f"kept by {layers} of the layers", f"the last {window:,}", False))
    return [
        *lines,
        ("texts", f"{state.texts}", False),
        ("the cache, together", memory(state.cache), True),
    ]


def _numbers(state):
    size, how = state.size, state.how
    config = DECODERS[state.name]
    if "latent" in how or ("kv_lora_rank" in config and not how):
        c, rope = how.get("latent") or (config["kv_lora_rank"], config["qk_rope_head_dim"])
        return f"{c} + {rope} = {state.kept.numbers}"
    n_kv = how.get("n_kv", size.n_kv)
    if size.d_head == size.d_value:
        return f"2 × {n_kv} × {size.d_head} = {state.kept.numbers:,}"
    return f"{n_kv} × {size.d_head + size.d_value} = {state.kept.numbers:,}"
