"""Texts that the packages bring: reactions with the answer, and prose."""

import re
from dataclasses import dataclass

from mhalib.real_models.packages import find

# From rxnmapper 0.4.3, tests/test_mapper.py (MIT): what the complete program answers.
MAPPED = (
    "[CH3:1][CH:2]([CH3:3])[SH:4].CN(C)C=O.F[c:5]1[n:6][cH:7][cH:8][cH:9][c:10]1[F:11]"
    ".O=C([O-])[O-].[K+].[K+]"
    ">>[CH3:1][CH:2]([CH3:3])[S:4][c:5]1[n:6][cH:7][cH:8][cH:9][c:10]1[F:11]",
    "C1COCCO1.CC(C)(C)[O:3][C:2](=[O:1])[CH2:4][O:5][NH:6][C:7](=[O:8])[NH:9][CH2:10][c:11]1"
    "[cH:12][cH:13][cH:14][c:15]2[cH:16][cH:17][cH:18][cH:19][c:20]12.Cl"
    ">>[O:1]=[C:2]([OH:3])[CH2:4][O:5][NH:6][C:7](=[O:8])[NH:9][CH2:10][c:11]1[cH:12][cH:13]"
    "[cH:14][c:15]2[cH:16][cH:17][cH:18][cH:19][c:20]12",
    "S=[C:17]=[N:4][CH2:3][CH:2]=[CH2:1].[NH:18]([CH3:19])[CH2:20][c:21]1[cH:22][cH:23][c:24]"
    "([C:25]#[N:26])[cH:27][cH:28]1.O=[C:5]([c:6]1[cH:7][n:8]2[c:9]([n:10]1)[CH2:11][CH2:12]"
    "[CH2:13][CH2:14]2)[NH:15][NH2:16]"
    ">>[CH2:1]=[CH:2][CH2:3][n:4]1[c:5](-[c:6]2[cH:7][n:8]3[c:9]([n:10]2)[CH2:11][CH2:12][CH2:13]"
    "[CH2:14]3)[n:15][n:16][c:17]1[N:18]([CH3:19])[CH2:20][c:21]1[cH:22][cH:23][c:24]"
    "([C:25]#[N:26])[cH:27][cH:28]1",
)
NUMBERED = r"\[([A-Za-z][a-z]?)H?\d?:(\d+)\]"
ATOM = re.compile(rf"{NUMBERED}|\[[^\]]+]|Br|Cl|[NOSPFIBCbcnosp]")
SYMBOL = re.compile(r"\[[^\]]+]|Br|Cl|[A-Za-z]")  # of a token: an atom, unless [CLS] or [SEP]


@dataclass(frozen=True)
class Reaction:
    """A reaction, and where its numbered product atoms come from.

    text : what the model reads; came : tokens (counted with [CLS]) of the numbered product atoms;
    went : tokens of all atoms that went in; right : for each of `came` its place in `went`.
    """

    text: str
    came: list
    went: list
    right: list


def reactions(model):
    """The three `Reaction`s whose answer comes with RXNMapper; `model` cuts them into tokens."""
    return [_reaction(model, mapped) for mapped in MAPPED]


def _reaction(model, mapped):
    text = re.sub(NUMBERED, r"\1", mapped)
    words = model.words_of(model.tokens(text))
    arrow = words.index(">>")
    special = ("[CLS]", "[SEP]")
    atoms = [i for i, w in enumerate(words) if SYMBOL.fullmatch(w) and w not in special]
    numbers = dict(zip(atoms, (found[2] for found in ATOM.finditer(mapped)), strict=True))
    went = [i for i in atoms if i < arrow]
    came = [i for i in atoms if i > arrow and numbers[i]]
    order = [numbers[i] for i in went]
    return Reaction(text, came, went, [order.index(numbers[i]) for i in came])


def card():
    """The sentences of MiniLM's model card (Apache-2.0), without its code and tables."""
    text = find("MiniLM", "card").read_text(encoding="utf-8")
    prose = text.split("## Background")[1].split("| Dataset")[0]
    prose = re.sub(r"```.*?```", "", prose, flags=re.DOTALL)
    prose = re.sub(r"^#.*$", "", prose, flags=re.MULTILINE)
    prose = re.sub(r"\[`?([^\]`]*)`?\]\([^)]*\)", r"\1", prose)  # links, without their addresses
    sentences = re.split(r"(?<=[.!?:])\s+", " ".join(prose.split()))
    return [sentence for sentence in sentences if len(sentence.split()) > 4]
