"""Predict, commit, see: a question whose wrong answers are the results of named rules.

Nothing is gated: a notebook runs to its end with no answer given. Answers are kept in a small
file in the reader's own folder (`MHALIB_HOME`, else `~/.mhalib`), never in the notebook.
"""

import contextlib
import html
import json
import os
import re
from pathlib import Path

import ipywidgets as widgets

from mhalib.live.controls import COLUMN, button, chooser, column, frame, live_view, paragraph, row
from mhalib.pictures import decimals

SURE = ("just a guess", "fairly sure", "certain")
NEUTRAL = "A prediction: run the cell to answer it."
NO_HOME = "a home folder: there is none (MHALIB_HOME can name another)"


def answers_file():
    """Where this reader's answers are kept, one a line; None where there is no home folder."""
    given = os.environ.get("MHALIB_HOME")
    try:
        return (Path(given) if given else Path.home() / ".mhalib") / "predictions.jsonl"
    except RuntimeError:  # an unknown user, as in some containers
        return None


def readable(answers):
    """Those of a dict's entries that are answers: {key: {"rule", "right", "sure"}}."""
    return {
        key: answer
        for key, answer in (answers.items() if isinstance(answers, dict) else ())
        if isinstance(answer, dict)
        and isinstance(answer.get("rule"), str)
        and isinstance(answer.get("right"), bool)
        and type(answer.get("sure")) is int
        and answer["sure"] in range(len(SURE))
    }


def load_answers():
    """All answers given so far, the last one to each question; what cannot be read is left out."""
    try:
        text = answers_file().read_bytes().decode("utf-8-sig", errors="replace")
    except (OSError, AttributeError):
        return {}
    answers = {}
    for line in text.splitlines():
        with contextlib.suppress(ValueError, RecursionError):
            answers |= readable(json.loads(line))
    return answers


def save_answers(answers):
    """Add answers, as `load_answers` returns them, to the file; say whether that worked.

    Nothing that is there is ever written over, and each call is a single write, so that a full
    disk, a damaged line or another kernel takes no earlier answer away.
    """
    path = answers_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab", buffering=0) as file:
            line = f"\n{json.dumps(answers)}\n".encode()
            return file.write(line) == len(line)
    except (OSError, AttributeError):
        return False


def export_answers():
    """All answers as one line of text, to take to another machine."""
    return json.dumps(load_answers())


def import_answers(text):
    """Add answers from a line that `export_answers` gave; return how many there were."""
    try:
        answers = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        answers = None
    if not isinstance(answers, dict) or readable(answers) != answers:
        raise ValueError("this is not a line that export_answers() gave; copy all of it.")
    if not save_answers(answers):
        raise ValueError(f"the answers could not be kept in {answers_file() or NO_HOME}.")
    return len(answers)


def numbers(label):
    """The numbers in a label, in order: '(1,024, −.5)' gives [1024.0, -0.5]."""
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", label.replace("−", "-"))
    return [float(number) for number in re.findall(r"-?\d*\.?\d+", plain)]


class Prediction:
    """A question with 2 to 4 options, each the result of a named rule.

    Parameters
    ----------
    key : str
        Its name in the file of answers.
    question : str
    options : dict
        Rule (an order that completes "what you get if you ...") to its result. The first rule
        is the right one; on the page the options are sorted, by the numbers in them.
    why : str
        One or two sentences after the answer.
    show : callable, optional
        Turns a result into the text of its option; two decimals unless given.
    picture : callable, optional
        ``picture(None, False)`` draws the question with "?"; ``picture(guess, True)`` the
        answer with the guess (or None) as a ghost.
    """

    def __init__(self, key, question, options, why, *, show=None, picture=None):
        show = show or decimals(2)
        labels = {rule: show(result) for rule, result in options.items()}
        if not 2 <= len(options) <= 4:
            raise ValueError(f"a prediction offers 2 to 4 options, not {len(options)}.")
        if len(set(labels.values())) < len(labels):
            raise ValueError(f"two rules give the same option: {labels}.")

        def by_number(rule):
            return numbers(labels[rule]), labels[rule]

        self.key, self.question, self.why = key, question, why
        self.options, self.labels, self.answer = options, labels, next(iter(options))
        self.revealed = False
        self._draw = picture
        self.choice = widgets.RadioButtons(
            options=[(labels[rule], rule) for rule in sorted(labels, key=by_number)],
            index=None,
            layout={"width": "98%"},
        )
        self.sure = chooser("How sure?", list(SURE), width="230px")
        self.said = widgets.HTML(layout={"width": "98%"})
        self.frame = frame(picture(None, False)) if picture else None
        kept = load_answers().get(key, {}).get("rule")
        if kept in options:
            self.choice.value = kept
            self.reveal()
        self.view = row(
            *([self.frame] if picture else []),
            column(
                widgets.HTML(paragraph(f"<b>Predict.</b> {question}", "#0072b2")),
                self.choice,
                self.sure,
                row(button("Commit", self.commit, "90px"), button("Show me", self.reveal, "90px")),
                self.said,
                width=COLUMN if picture else "640px",
            ),
        )

    def commit(self):
        """Keep the chosen option and how sure the reader is, then show the answer."""
        if self.revealed:  # only what was said before the answer counts
            return
        rule = self.choice.value
        if rule is None:
            self.said.value = paragraph("Choose an option first, or press Show me.")
            return
        entry = {"rule": rule, "right": rule == self.answer, "sure": SURE.index(self.sure.value)}
        self.reveal()
        if not save_answers({self.key: entry}):
            self.said.value += paragraph(f"(It could not be kept in {answers_file() or NO_HOME}.)")

    def reveal(self):
        """Show the answer beside the guess, with the rule that gives the guess."""
        self.revealed = True
        guess = self.choice.value
        if self.frame:
            result = None if guess is None else self.options[guess]
            self.frame.value = self._draw(result, True).png()
        said = self._answer()
        if guess == self.answer:
            said = f"✓ As you said. {said}"
        elif guess is not None:
            said += f"<br>Your {self.labels[guess]} is what you get if you {html.escape(guess)}."
        self.said.value = paragraph(said, "#00785a")

    def _answer(self):
        right, rule = self.labels[self.answer], html.escape(self.answer)
        return f"<b>{right}</b>, which you get if you {rule}. {self.why}"

    def folded(self):
        """The question with its answer folded, for viewers without a kernel."""
        items = "".join(f"<li>{label}</li>" for label, _ in self.choice.options)
        rules = "".join(
            f"<li>{self.labels[rule]}: {html.escape(rule)}</li>"
            for rule in self.options
            if rule != self.answer
        )
        return (
            f"<p><b>Predict.</b> {self.question}</p><ul>{items}</ul>"
            f"<details><summary>The answer</summary><p>{self._answer()}</p>"
            f"<p>The other options are what you get if you</p><ul>{rules}</ul></details>"
        )

    def _repr_mimebundle_(self, include=None, exclude=None):
        return live_view(self.view) | {"text/html": self.folded(), "text/plain": NEUTRAL}
