# SPDX-License-Identifier: GPL-3.0-or-later
"""``verdict``, ``export`` and ``history`` show what was presented, and report what they did."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from tests.unit.cli.test_results import Command

from disktuner.cli.main import COMMANDS, main, parser_for
from disktuner.presentation import present_between
from disktuner.report.exporting import export
from disktuner.results.model import Result
from disktuner.results.store import Store
from disktuner.vocabulary.goals import BUDGETS, GOALS
from disktuner.vocabulary.languages import LANGUAGES, language_of
from disktuner.vocabulary.messages import speaking, text


def test_history_adds_notes_compares_and_removes(result: Result, command: Command, tmp_path: Path) -> None:
    assert command("history") == text("no-results") + "\n"
    picture = export(result, tmp_path / "a.png", personal=True)
    assert command("history", "--add", picture) == text("result-kept", result=result.id) + "\n"
    Store().save(replace(result, id="afterwards"))
    command("history", "--note", "afterwards", "after the new cable")
    assert command("history", "cable").splitlines() == [
        "afterwards  WD10EZEX sda  bfq: 5× faster",
        "afterwards: after the new cable",
        "Open: disktuner verdict afterwards        Share: disktuner export afterwards --to card.png",
    ]
    compared = command("history", "--compare", "afterwards", picture)
    between = present_between(replace(result, id="afterwards"), result)
    assert compared.startswith(between.why) and between.caveat in compared
    lines = [line.split() for line in compared.splitlines()]
    rows = [pair for figure in between.shared for pair in figure.rows]
    assert all([first.name, *first.value.split(), *second.value.split()] in lines for first, second in rows)
    document = json.loads(command("history", "--compare", "afterwards", result.id, "--json"))
    assert len(document["verdicts"]) == 2 and len(document["values"]) == len(rows)
    assert document["values"][0] == {
        "metric": between.shared[0].panel.metric.name, "scheduler": rows[0][0].setting.name,
        "first": rows[0][0].typical, "second": rows[0][1].typical,
    }  # fmt: skip
    assert command("history", "--remove", "afterwards") == text("result-removed", result="afterwards") + "\n"
    assert command("history", "cable") == text("nothing-found") + "\n"
    assert "afterwards" in command("history", "--remove", "afterwards", code=2)


@pytest.mark.parametrize("words", ["verdict", "export --to a.png", "compare --continue", "tune --after"])
def test_a_result_that_is_not_there_is_called_unknown_by_every_command(words: str, command: Command) -> None:
    assert text("no-such-result", result="0758") in command(*words.split(), "0758", code=2)


@pytest.mark.parametrize("language", LANGUAGES)
def test_help_fits_a_terminal_of_80_columns(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chinese characters take two each, and have no spaces between them."""
    monkeypatch.setenv("COLUMNS", "80")
    with speaking(language_of(language)):
        helps = [command.format_help() for command in parser_for(COMMANDS).commands.values()]
    assert [line for page in helps for line in page.splitlines() if cell_len(line) > 80] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    output = capsys.readouterr().out
    assert ended.value.code == 0 and output.startswith(f"usage: disktuner {name}")
    if name == "compare":
        assert all(f"{id_}" in output for id_ in (*GOALS, *BUDGETS))
