"""Chapter 12's runs, over other texts, seeds and layers: what a model loses with other rows.

`python -m mhalib.chapters.ch12.repeats` runs them all and stores them in `repeats.json`.
"""

import functools
import itertools
import json
from importlib.resources import files

import numpy as np

from mhalib.attention import softmax
from mhalib.chapters.ch12.head_hunt import ORDINARY
from mhalib.chapters.ch12.patterns import given_twice
from mhalib.merging import merge_logits
from mhalib.real_models import Layer, card, load, reactions, surprisal

REACTIONS = (  # well-known ones, beside the three that come with RXNMapper
    "CC(=O)OC(C)=O.O=C(O)c1ccccc1O>>CC(=O)Oc1ccccc1C(=O)O",  # aspirin
    "CC(=O)OC(C)=O.Nc1ccc(O)cc1>>CC(=O)Nc1ccc(O)cc1",  # paracetamol
    "Brc1ccccc1.Cc1ccc(B(O)O)cc1>>Cc1ccc(-c2ccccc2)cc1",  # Suzuki
    "C=CC=C.C=CC(=O)OC>>COC(=O)C1CC=CCC1",  # Diels-Alder
    "CC(=O)c1ccccc1.C[Mg]Br>>CC(C)(O)c1ccccc1",  # Grignard
    "Nc1ccccc1.O=[N+]([O-])c1ccc(F)cc1>>O=[N+]([O-])c1ccc(Nc2ccccc2)cc1",  # aromatic substitution
)
TWO = [3, 4]  # at each depth of RXNMapper: one head looks back, one ahead
SPECIALISTS = {16: 0, 17: 3, 18: 6}  # of SmolLM2: previous word, induction, induction
SEEDS = range(5)


def averaged(layer):
    """The average of weights, (T, T): one row for all heads, without merging logits."""
    return layer.weights.mean(axis=0)


def instead(heads, row):
    """Rows for `Model.run`: these heads use ``row(layer)``, (T, T), the others their own."""

    def rows(layer):
        weights = layer.weights.copy()
        weights[heads] = row(layer)
        return weights

    return rows


def only(heads, how):
    """The row, (T, T), of these heads alone: merged by a rule, or their "weights" averaged."""
    if how == "weights":
        return lambda layer: layer.weights[heads].mean(axis=0)
    return lambda layer: softmax(merge_logits(layer.logits[heads], how))


def awake(layer):
    """Each head keeps its own weight on the first token; the rest of its row is merged.

    ``w_r = [w_r0, (1 - w_r0) softmax(sum_r S_r / sqrt(h), without the first token)]``
    """
    own = layer.weights.copy()
    merged = softmax(merge_logits(layer.logits[..., 1:, 1:], "big_head"))
    own[:, 1:, 1:] = (1 - own[:, 1:, :1]) * merged
    return own


TWO_ROWS = {  # what RXNMapper's two heads get in place of their rows
    "merged, big_head": only(TWO, "big_head"),
    "merged, add": only(TWO, "add"),
    "merged, average": only(TWO, "average"),
    "average of weights": only(TWO, "weights"),
    "both on head 3's": lambda layer: layer.weights[3],
    "both on head 4's": lambda layer: layer.weights[4],
}
ALL_ROWS = {"merged": Layer.merged, "average of weights": averaged, "sink kept": awake}


def covered_loss(mapper, text, changes, every=8):
    """RXNMapper's mean loss on covered tokens, each token covered once, every 8th at a time."""
    ids, losses = np.array(mapper.tokens(text)), []
    for first in range(1, every + 1):
        places = np.arange(first, len(ids) - 1, every)
        run = mapper.run(mapper.covered(text, places), **changes)
        losses.append(surprisal(mapper.guesses(run)[places], ids[places]))
    return np.concatenate(losses).mean()


def two_specialists(mapper, text):
    """The loss on one reaction, unchanged, with each of `TWO_ROWS`, and with both heads muted."""
    depths = range(mapper.n_layers)
    changes = {"unchanged": {}} | {
        name: {"rows": dict.fromkeys(depths, instead(TWO, row))} for name, row in TWO_ROWS.items()
    }
    changes["both muted"] = {"muted": {(depth, head) for depth in depths for head in TWO}}
    return {name: float(covered_loss(mapper, text, change)) for name, change in changes.items()}


def pairs(mapper, text):
    """The loss on one reaction for every pair of heads: [[a, b], merged, averaged, muted]."""
    depths, found = range(mapper.n_layers), []
    for pair in itertools.combinations(range(mapper.n_heads), 2):
        rows = (instead(list(pair), only(list(pair), how)) for how in ("big_head", "weights"))
        changes = [{"rows": dict.fromkeys(depths, row)} for row in rows]
        changes.append({"muted": {(depth, head) for depth in depths for head in pair}})
        losses = [float(covered_loss(mapper, text, change)) for change in changes]
        found.append([pair, *losses])
    return found


def layer_by_layer(model, text, cost, layers=None):
    """What each layer costs with each of `ALL_ROWS`, all muted, and with a specialist spared.

    `cost` turns a `Run` into a number; {name: [a number a layer]}, "unchanged" a single one.
    """
    whole, found = model.run(text), {}
    found["unchanged"] = float(cost(whole))
    layers = range(model.n_layers) if layers is None else layers
    for name, row in ALL_ROWS.items():
        runs = [model.run(text, rows={n: row}, after=whole) for n in layers]
        found[name] = [float(cost(run)) for run in runs]
    heads = range(model.n_heads)
    runs = [model.run(text, muted={(n, head) for head in heads}, after=whole) for n in layers]
    return found | {"all muted": [float(cost(run)) for run in runs]}


def spared(model, text, cost):
    """For each of `SPECIALISTS` and its layer: the rest merged, and all heads on its row."""
    whole, found = model.run(text), {"the rest merged": [], "all heads on its row": []}
    for layer, head in SPECIALISTS.items():
        others = [n for n in range(model.n_heads) if n != head]
        rows = instead(others, Layer.merged), lambda x, head=head: x.weights[head]
        for costs, row in zip(found.values(), rows, strict=True):
            costs.append(float(cost(model.run(text, rows={layer: row}, after=whole))))
    return found


def one_muted(model, text, cost):
    """The cost with one head muted: each of layer 16, and the induction head (18, 6)."""
    whole = model.run(text)
    heads = [(16, head) for head in range(model.n_heads)] + [(18, 6)]
    runs = [model.run(text, muted={head}, after=whole) for head in heads]
    found = {str(head): float(cost(run)) for head, run in zip(heads, runs, strict=True)}
    return {"unchanged": float(cost(whole))} | found


def second_half(smol):
    """The cost of a run on tokens given twice: the mean loss on the second half."""
    return lambda run: smol.losses(run)[len(run.ids) // 2 :].mean()


def turned(minilm, text):
    """The cost of a run of MiniLM: 1 - cosine of its sentence vector to the unchanged one's."""
    sentence = minilm.run(text).stream[-1].mean(axis=0)

    def cost(run):
        other = run.stream[-1].mean(axis=0)
        return 1 - other @ sentence / np.linalg.norm(other) / np.linalg.norm(sentence)

    return cost


def prose():
    """Five texts: MiniLM's model card in four parts, and the chapter's own."""
    return [ORDINARY, *(" ".join(part) for part in np.array_split(np.array(card()), 4))]


@functools.cache
def stored_runs():
    """The stored runs: {experiment: [one result a text or seed]}; losses in nats."""
    return json.loads(files(__package__).joinpath("repeats.json").read_text(encoding="utf-8"))


def run_all():
    mapper, minilm, smol = (load(name) for name in ("RXNMapper", "MiniLM", "SmolLM2"))
    texts = [x.text for x in reactions(mapper)] + list(REACTIONS)
    twice, cost = [given_twice(25, seed) for seed in SEEDS], second_half(smol)
    pages = [np.array(smol.tokens(text))[:120] for text in prose()]

    def mean(run):
        return smol.losses(run).mean()

    return {
        "two specialists": [two_specialists(mapper, text) for text in texts],
        "pairs": [pairs(mapper, text) for text in texts[3:5]],
        "given twice": [layer_by_layer(smol, ids, cost) for ids in twice],
        "specialist spared": [spared(smol, ids, cost) for ids in twice],
        "one muted, given twice": [one_muted(smol, ids, cost) for ids in twice],
        "one muted, prose": [one_muted(smol, ids, mean) for ids in pages],
        "prose": [layer_by_layer(smol, ids, mean) for ids in pages],
        "sentences": [layer_by_layer(minilm, s, turned(minilm, s)) for s in card()[:10]],
    }


if __name__ == "__main__":
    stored = json.loads(json.dumps(run_all()), parse_float=lambda number: round(float(number), 4))
    files(__package__).joinpath("repeats.json").write_text(json.dumps(stored) + "\n")
