# SPDX-License-Identifier: GPL-3.0-or-later
"""The options for a user's own program: what they mean together, and contradictions."""

from __future__ import annotations

from pathlib import Path

import pytest

from disktuner.cli.arguments import Parser
from disktuner.cli.main import main
from disktuner.cli.own import add_own, definition_of
from disktuner.cli.tuning import add_tune
from disktuner.results.definition import Definition
from disktuner.vocabulary.background import COMMAND
from disktuner.vocabulary.errors import NoSuchThing, UsageError


def parsed(*words: str) -> Definition | None:
    parser = Parser()
    add_own(parser)
    parser.set_defaults(goal=None, workloads=None)
    return definition_of(parser.parse_args(words))


def test_without_a_command_there_is_none() -> None:
    assert parsed() is None


def test_a_command_runs_in_the_current_folder_beside_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert parsed("--command", "make") == Definition(command="make", folder=str(tmp_path))


def test_in_a_folder_that_somebody_removed_no_command_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    monkeypatch.setenv("PWD", str(gone))
    gone.rmdir()
    with pytest.raises(NoSuchThing, match=f"There is no folder {gone}"):
        parsed("--command", "make")


def test_all_that_belongs_to_a_command() -> None:
    definition = parsed(
        "--command", "a {scratch}", "--prepare", "b", "--cleanup", "c", "--cold", "d", "e", "--beside", "both",
        "--shell", "none", "-i", "--timeout", "7",
    )  # fmt: skip
    assert definition == Definition("a {scratch}", "b", "c", ("d", "e"), "both", None, True, 7.0, str(Path.cwd()))


def test_a_program_starts_beside_writers() -> None:
    assert parsed("--program", "firefox") == Definition(program="firefox", beside="writes")


def test_a_command_may_be_what_runs_beside() -> None:
    definition = parsed("--command", "make", "--beside", "cp -r a b")
    assert definition is not None and definition.beside == "cp -r a b" and definition.load is COMMAND


@pytest.mark.parametrize(
    ("words", "id_"),
    [
        (("--cold", "/x"), "own-needs-command"),
        (("--beside", "reads"), "own-needs-command"),
        (("--program", "x", "--prepare", "y"), "own-program-alone"),
        (("--command", " "), "own-empty"),
        (("--program", ""), "own-empty"),
        (("--command", "make", "--beside", " "), "own-empty"),
    ],
)
def test_contradictions_are_refused(words: tuple[str, ...], id_: str) -> None:
    with pytest.raises(UsageError) as refused:
        parsed(*words)
    assert refused.value.message.id == id_


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--cold", ""), "--cold: name at least one"),
        (("--timeout", "soon"), "--timeout: invalid number value: 'soon'"),
        (("--timeout", "0"), "--timeout: must be between 0.001 and 1,000,000"),
    ],
)
def test_what_an_option_cannot_mean_is_refused_in_plain_words(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parsed("--command", "make", *words)
    assert said in capsys.readouterr().err


def test_a_program_of_ones_own_is_tuned_unless_a_result_says_what_it_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = Parser()
    add_tune(parser)
    definition = definition_of(parser.parse_args([str(tmp_path), "--command", "make", "--beside", "cp -r a b"]))
    assert definition is not None and definition.load is COMMAND
    (tmp_path / "result.json").write_text("{}")
    assert main(["tune", "--after", str(tmp_path / "result.json"), "--command", "make"]) == 2
    assert "omit --command and --program" in capsys.readouterr().err
