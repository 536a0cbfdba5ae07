"""Chapter 13's statements: the reader's verdict first, ours with its condition at the end."""

import html
from types import SimpleNamespace

import ipywidgets as widgets

from mhalib.live.controls import button, chooser, column, live_view, paragraph, row
from mhalib.live.predictions import NEUTRAL, SURE, load_answers, save_answers

VERDICTS = ("true", "false", "depends")
STATEMENTS = {  # the statement, its verdict, and what it depends on or why
    "Multi-head attention is one big matrix, cut into blocks.": (
        "depends",
        "True of the matrices. Not of what they do: each block gets a softmax, a row of weights "
        "and an output of its own.",
    ),
    "The parameter count is the same, so the functions are.": (
        "false",
        "One head's numbers move its function in 2d² independent directions, h heads' in "
        "4d² − 2d²/h.",
    ),
    "More heads are always better.": (
        "false",
        "At the same width each gets narrower, and a too narrow query cannot tell keys apart.",
    ),
    "Each head has a fixed meaning.": (
        "depends",
        "Its criterion W_Q W_Kᵀ is fixed; what that looks like depends on the text.",
    ),
    "Heads are a jury: take one away, and the rest still answer.": (
        "depends",
        "True of spare heads. Not where each brings a part of the answer that no other brings.",
    ),
    "Chapter 08's trained model needs its separate rows every time it reads.": (
        "true",
        "With merged rows it fails. (Many layers of chapter 12's model hardly notice.)",
    ),
    "MQA and GQA are only an implementation trick.": (
        "false",
        "Shared keys can express less. Whether that costs depends on how narrow the shared key is.",
    ),
    "A head's channels of Q are made from all channels of x.": (
        "true",
        "Unless W_Q is 0 outside its diagonal blocks.",
    ),
    "Through W_O a head can write into another head's block.": (
        "true",
        "With one head W_O can be folded into W_V; with several it cannot, in general.",
    ),
    "The average of the weights is the merged head.": (
        "false",
        "Apart from special cases: heads that agree, and partners such as opposites with equal "
        "gaps.",
    ),
    "Without softmax it would be one big head.": (
        "depends",
        "True, exactly, if all heads share one path. Not with a path each, as in a transformer.",
    ),
}


class Verdicts:
    """Every statement with a verdict to choose and how sure; `table` sets ours beside it."""

    def __init__(self):
        kept, self.asked = load_answers(), []
        for number, statement in enumerate(STATEMENTS, 1):
            verdict = chooser("verdict", ["not yet", *VERDICTS], width="230px")
            sure = chooser("How sure?", list(SURE), width="230px")
            answer = kept.get(_key(number), {})
            if answer.get("rule") in VERDICTS and answer.get("sure") in range(len(SURE)):
                verdict.value, sure.value = answer["rule"], SURE[answer["sure"]]
            self.asked.append(SimpleNamespace(statement=statement, verdict=verdict, sure=sure))
        self.said = widgets.HTML(layout={"width": "98%"})
        rows = [
            row(
                widgets.HTML(
                    paragraph(f"{n}. {html.escape(x.statement)}"), layout={"width": "98%"}
                ),
                x.verdict,
                x.sure,
            )
            for n, x in enumerate(self.asked, 1)
        ]
        self.view = column(*rows, button("Keep my verdicts", self.keep), self.said, width="640px")

    def keep(self):
        """Keep every verdict that was given in the reader's file of answers."""
        given = {
            _key(number): {
                "rule": x.verdict.value,
                "right": x.verdict.value == STATEMENTS[x.statement][0],
                "sure": SURE.index(x.sure.value),
            }
            for number, x in enumerate(self.asked, 1)
            if x.verdict.value in VERDICTS
        }
        kept = save_answers(given)
        much = f"{len(given)} of {len(self.asked)} verdicts are kept; they are compared at the end."
        self.said.value = paragraph(much if kept else "They could not be written to a file.")

    def table(self):
        """Our verdicts and conditions beside the reader's, as a table."""
        return VerdictTable([x.verdict.value for x in self.asked])

    def _repr_mimebundle_(self, include=None, exclude=None):
        items = "".join(f"<li>{html.escape(statement)}</li>" for statement in STATEMENTS)
        listed = f"<p><b>True, false, or under which condition?</b></p><ol>{items}</ol>"
        return live_view(self.view) | {"text/html": listed, "text/plain": NEUTRAL}


class VerdictTable:
    """One page: each statement, the reader's verdict, ours, and the condition."""

    def __init__(self, given):
        self.given = given

    @property
    def right(self):
        """How many of the reader's verdicts are ours."""
        ours = (verdict for verdict, _ in STATEMENTS.values())
        return sum(mine == verdict for mine, verdict in zip(self.given, ours, strict=True))

    def _repr_html_(self):
        def line(*parts, cell="td"):
            left = f"<{cell} style='text-align:left;vertical-align:top'>"
            return f"<tr>{''.join(f'{left}{part}</{cell}>' for part in parts)}</tr>"

        rows = [line("statement", "you", "the chapter", cell="th")]
        ours = zip(self.given, STATEMENTS.items(), strict=True)
        for number, (mine, (statement, (verdict, why))) in enumerate(ours, 1):
            said = f"<b>{verdict}.</b> {html.escape(why)}"
            rows.append(line(f"{number}. {html.escape(statement)}", mine, said))
        return f"<table>{''.join(rows)}</table>"

    def __repr__(self):
        return f"{self.right} of {len(self.given)} verdicts agree with the chapter's."


def _key(number):
    return f"13 verdict {number}"
