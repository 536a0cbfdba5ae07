"""Predict, commit, see: with no front end, and with nobody's answers but the test's own."""

import json
import subprocess
import sys
from pathlib import Path

import ipywidgets as widgets
import pytest

from mhalib import pictures
from mhalib.live import WIDGET_VIEW, Prediction, predictions
from mhalib.pictures import decimals
from tools.home import ROOT

RULES = {"add & normalise": 0.5, "let A decide": 1.0, "let B decide": 0.0}


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MHALIB_HOME", str(tmp_path / "home"))


def made(**style):
    return Prediction("key", "What is <i>merged</i>?", RULES, "Since it adds.", **style)


def drawn(calls):
    def picture(guess, revealed):
        calls.append((guess, revealed))
        merged = [0.5, 0.5] if revealed else None
        return pictures.Lanes(["a", "b"], [], [], parts=[[1, 0], [0, 1]], merged=merged)

    return picture


def test_options_are_sorted_so_that_the_first_is_not_always_right():
    assert [label for label, _ in made().choice.options] == [".00", ".50", "1.00"]
    assert made().choice.value is None


@pytest.mark.parametrize(
    "labels",
    [
        ["53", "70", "132", "901"],
        ["-.122", "-.061", ".000", ".5"],
        ["−10", "−9", "8.5", "1,024", "2,359,296"],
        ["4 5 6 7", "8 9 10 11", "8 10 12 14", "12 13 14 15"],
        ["(0.5, 4)", "(1, −8)", "(1, 3)", "(6, 10)"],
        ["3 KiB", "18 KiB", "432 KiB"],
        ["by nothing", "to both", "to 2"],
    ],
)
def test_options_are_sorted_by_their_numbers(labels):
    options = {label: label for label in reversed(labels)}
    prediction = Prediction("key", "?", dict([*options.items()][:4]), "", show=str)
    assert [label for label, _ in prediction.choice.options] == labels[-4:]


def test_a_wrong_guess_is_named_by_the_rule_that_gives_it():
    prediction = made()
    prediction.choice.value = "let A decide"
    prediction.commit()
    assert "<b>.50</b>, which you get if you add &amp; normalise." in prediction.said.value
    assert "Your 1.00 is what you get if you let A decide." in prediction.said.value


def test_a_right_guess_is_confirmed():
    prediction = made()
    prediction.choice.value = "add & normalise"
    prediction.commit()
    assert "✓" in prediction.said.value and "Your" not in prediction.said.value


def test_the_answer_is_shown_to_anyone_who_asks_and_nothing_is_kept():
    prediction = made()
    prediction.reveal()
    assert "<b>.50</b>" in prediction.said.value and "Your" not in prediction.said.value
    assert predictions.load_answers() == {}


def test_committing_to_nothing_asks_for_a_choice_and_reveals_nothing():
    prediction = made()
    prediction.commit()
    assert "Choose an option" in prediction.said.value and not prediction.revealed


def test_what_is_kept_is_the_guess_whether_it_was_right_and_how_sure():
    prediction = made()
    prediction.choice.value, prediction.sure.value = "let B decide", "certain"
    prediction.commit()
    kept = predictions.load_answers()
    assert kept == {"key": {"rule": "let B decide", "right": False, "sure": 2}}


def test_only_what_was_said_before_the_answer_counts():
    prediction = made()
    prediction.reveal()
    prediction.choice.value = "add & normalise"
    prediction.commit()
    assert predictions.load_answers() == {}


def test_a_kept_answer_is_shown_again_when_the_cell_is_run_again():
    first = made()
    first.choice.value = "let A decide"
    first.commit()
    again = made()
    assert again.revealed and again.choice.value == "let A decide"
    assert again.said.value == first.said.value


def test_a_kept_answer_to_options_that_have_changed_is_ignored():
    predictions.save_answers({"key": {"rule": "an old rule", "right": False, "sure": 0}})
    assert not made().revealed


def test_the_picture_shows_a_question_mark_until_the_answer_and_then_the_guess_as_a_ghost():
    calls = []
    prediction = made(picture=drawn(calls))
    assert calls == [(None, False)]
    before = prediction.frame.value
    prediction.choice.value = "let A decide"
    assert prediction.frame.value == before
    prediction.commit()
    assert calls[-1] == (1.0, True) and prediction.frame.value != before


def test_a_viewer_without_a_kernel_gets_the_question_and_a_folded_answer():
    bundle = made()._repr_mimebundle_()
    question, answer = bundle["text/html"].split("<details>")
    assert "What is <i>merged</i>?" in question and "Since it adds" not in question
    assert "Since it adds" in answer and "add &amp; normalise" in answer
    assert ".50" not in bundle["text/plain"] and WIDGET_VIEW in bundle


def test_the_committed_output_does_not_change_with_the_readers_answers():
    neutral = made()._repr_mimebundle_()["text/html"]
    prediction = made()
    prediction.choice.value = "let A decide"
    prediction.commit()
    assert made()._repr_mimebundle_()["text/html"] == neutral


def test_two_rules_that_give_the_same_option_are_refused():
    with pytest.raises(ValueError, match="two rules give the same option"):
        Prediction("key", "?", {"one": 0.501, "other": 0.502}, "")


def test_one_option_or_five_are_refused():
    for count in (1, 5):
        with pytest.raises(ValueError, match="2 to 4 options"):
            Prediction("key", "?", {str(n): n for n in range(count)}, "")


def test_answers_travel_as_one_line_of_text(tmp_path, monkeypatch):
    predictions.save_answers({"key": {"rule": "let A decide", "right": False, "sure": 1}})
    line = predictions.export_answers()
    monkeypatch.setenv("MHALIB_HOME", str(tmp_path / "another machine"))
    assert predictions.load_answers() == {}
    assert predictions.import_answers(line) == 1
    assert predictions.load_answers()["key"]["sure"] == 1


@pytest.mark.parametrize("line", ["", "{", "[]", '{"key": 1}', '{"key": {"rule": "x"}}', "null"])
def test_a_broken_line_is_refused_in_one_sentence_and_nothing_is_lost(line):
    predictions.save_answers({"old": {"rule": "r", "right": True, "sure": 0}})
    with pytest.raises(ValueError, match="copy all of it"):
        predictions.import_answers(line)
    assert list(predictions.load_answers()) == ["old"]


GIVEN = {"old": {"rule": "r", "right": True, "sure": 0}}


def given(*names):
    return {name: {"rule": name, "right": False, "sure": 1} for name in names}


@pytest.mark.parametrize("damage", ["{ not json", "[1, 2]", '"text"', "\x00", "[" * 99_999])
def test_a_line_that_cannot_be_read_takes_no_other_answer_away(damage):
    predictions.save_answers(GIVEN)
    with predictions.answers_file().open("a", encoding="utf-8") as file:
        file.write(damage)  # and no end of a line, as after a cut
    assert predictions.load_answers() == GIVEN
    assert predictions.save_answers(given("new"))
    assert predictions.load_answers() == GIVEN | given("new")
    assert not made().revealed


def test_a_file_with_a_byte_order_mark_is_read_and_one_cut_short_loses_its_last_line():
    for name in ("a", "b"):
        predictions.save_answers(given(name))
    path = predictions.answers_file()
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().lstrip())
    assert predictions.load_answers() == given("a", "b")
    path.write_bytes(path.read_bytes()[:-3])
    assert predictions.load_answers() == given("a")


@pytest.mark.parametrize(
    "entry",
    [None, 5, [], ["rule", "right", "sure"], {"rule": ["a"], "right": True, "sure": 0}]
    + [{"rule": "a", "right": 1, "sure": 0}, {"rule": "a", "right": True, "sure": 3}]
    + [{"rule": "a", "right": True, "sure": True}],
)
def test_an_entry_of_another_type_counts_as_not_answered_and_is_not_imported(entry):
    predictions.save_answers(GIVEN | {"key": entry})
    assert predictions.load_answers() == GIVEN
    assert not made().revealed
    with pytest.raises(ValueError, match="copy all of it"):
        predictions.import_answers(json.dumps({"key": entry}))


def test_a_full_disk_keeps_what_was_kept(monkeypatch):
    predictions.save_answers(GIVEN)
    opened = Path.open

    class Full:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def __exit__(self, *error):
            self.file.close()

        def write(self, line):
            self.file.write(line[:9])
            raise OSError(28, "No space left on device")

    prediction = made()
    prediction.choice.value = "let A decide"
    with monkeypatch.context() as disk:
        disk.setattr(Path, "open", lambda *given, **named: Full(opened(*given, **named)))
        prediction.commit()
    assert "could not be kept" in prediction.said.value
    assert predictions.load_answers() == GIVEN


def test_two_processes_that_save_at_once_lose_nothing():
    code = (
        "import sys; from mhalib.live.predictions import save_answers\n"
        "for n in range(100): assert save_answers({f'{sys.argv[1]} {n}': "
        "{'rule': 'r', 'right': True, 'sure': 2}})"
    )
    both = [subprocess.Popen([sys.executable, "-c", code, name], cwd=ROOT) for name in "ab"]
    assert [process.wait(60) for process in both] == [0, 0]
    assert len(predictions.load_answers()) == 200


def test_without_a_home_everything_runs_and_says_that_answers_are_not_kept(monkeypatch):
    monkeypatch.delenv("MHALIB_HOME")

    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    assert predictions.load_answers() == {} and not predictions.save_answers(GIVEN)
    prediction = made()
    prediction.choice.value = "let A decide"
    prediction.commit()
    assert "could not be kept in a home folder: there is none" in prediction.said.value
    with pytest.raises(ValueError, match="could not be kept"):
        predictions.import_answers(json.dumps(GIVEN))


def test_a_folder_that_cannot_be_written_to_is_said_and_gates_nothing(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MHALIB_HOME", str(tmp_path / "file" / "folder"))
    prediction = made()
    prediction.choice.value = "let A decide"
    prediction.commit()
    assert "could not be kept" in prediction.said.value and "<b>.50</b>" in prediction.said.value


def test_both_buttons_work_on_the_page():
    prediction = made()
    buttons = {}

    def walk(widget):
        if isinstance(widget, widgets.Button):
            buttons[widget.description] = widget
        for child in getattr(widget, "children", ()):
            walk(child)

    walk(prediction.view)
    buttons["Show me"].click()
    assert prediction.revealed
    assert set(buttons) == {"Commit", "Show me"}


def test_a_result_is_written_as_in_the_pictures():
    written = [decimals(2)(result) for result in (0.666, -0.666, 1, -1.5, 10.25, -10.25, 0)]
    assert written == [".67", "−.67", "1.00", "−1.50", "10.25", "−10.25", ".00"]
