# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner watch`` lists and shows incidents, and says whether more will be recorded."""

from __future__ import annotations

import json
import random
from itertools import repeat
from pathlib import Path

import pytest
from tests.unit.watch.planted import QUIET, Machine, write_back, writes

from disktuner.cli.main import main
from disktuner_watch.commands.watch import notify
from disktuner_watch.incidents import Incidents

Output = pytest.CaptureFixture[str]
OFF = "The recorder is off. Turn it on: systemctl --user enable --now disktuner-watch"


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


@pytest.fixture
def kept() -> list[str]:
    machine = Machine()
    for plant in (writes, write_back):
        machine.play(repeat(QUIET, 100))
        machine.play(plant(random.Random(1)))
        machine.play(repeat(QUIET, 70))
    for incident in machine.kept:
        Incidents.of_user().save(incident)
    return [incident.id for incident in machine.kept]


def test_without_incidents_it_says_how_to_get_some(capsys: Output) -> None:
    assert main(["watch"]) == 0
    assert capsys.readouterr() == (f"No incidents.\n{OFF}\n", "")
    assert main(["watch", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"on": False, "incidents": []}


def test_a_line_for_each_the_newest_last(kept: list[str], capsys: Output) -> None:
    assert main(["watch"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["INCIDENT", *kept]
    assert "written by" not in lines[1] and "saturated with writes by cp" in lines[1]
    assert "waited in memory while sdb (Model sdb) wrote" in lines[2] and "for rsync." in lines[2]
    assert lines[-1] == OFF


def test_as_json_it_has_what_a_program_needs(kept: list[str], capsys: Output) -> None:
    assert main(["watch", kept[0], "--json"]) == 0
    (incident,) = json.loads(capsys.readouterr().out)["incidents"]
    assert (incident["cause"], incident["disk"], incident["who"]) == ("writes", "vda", ["cp"])
    assert incident["command"] == ["disktuner", "compare", "vda", "--goal", "desktop"]


def test_what_froze_is_said_as_a_notification(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, message_file = tmp_path / "notify-send", tmp_path / "said"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{message_file}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    machine = Machine()
    machine.play(repeat(QUIET, 100))
    machine.play(writes(random.Random(1)))
    machine.recorder.close()
    notify(machine.kept[0])
    head, body = message_file.read_text().splitlines()[-2:]
    assert head.startswith("Your programs froze for") and body.startswith(
        "vda (Model vda) was saturated with writes by"
    )
    program.unlink()
    notify(machine.kept[0])
