# SPDX-License-Identifier: GPL-3.0-or-later
"""What is declared once is everywhere: a workload, metric, goal and export format made up here.

Kinds of disks are in tests/unit/block/test_kinds.py, the wizard in tests/gui/test_declared.py.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tests import docs_tables

from disktuner.cli.main import main
from disktuner.presentation import present
from disktuner.report import exporting, picture
from disktuner.report.exporting import Format, export
from disktuner.report.page import html
from disktuner.report.tables import markdown
from disktuner.results.codec import encode
from disktuner.results.model import FileSystem, Machine, PlanRecord, Result, Sample
from disktuner.verdict.judge import judge
from disktuner.vocabulary.metrics import higher
from disktuner.vocabulary.workloads import WORKLOADS, WorkloadFacts, decides, metrics_of

Command = Callable[..., str]


def toy(goal: str = "desktop") -> WorkloadFacts:
    """A workload that decides a goal by a metric of its own."""
    metrics = (higher("levels_per_s", "per_s", "Levels loaded beside a patch"),)
    return WorkloadFacts(
        "toy", "Loads levels while a patch is written", "loading levels", "toy-game", "toys", metrics, "levels_per_s",
        (decides(goal),), "a shop",
    )  # fmt: skip


def measured(workload: str, goal: str) -> Result:
    """A result of one workload in which bfq is twice as good."""
    facts, chance = WORKLOADS[workload], random.Random(1)
    name = f"{workload}.{facts.deciding}"
    samples = tuple(
        Sample(name, scheduler, number, number * 2 + at, (1 + at) * math.exp(chance.gauss(0, 0.02)), duration_s=5.0)
        for number in range(8)
        for at, scheduler in enumerate(("mq-deadline", "bfq"))
    )
    return Result(
        "made", "2026-11-21T02:00:00Z", "0.1", Machine("6.1", "Debian", "AMD", 2**34, ""),
        {"name": "sda", "model": "Disk", "kind": "hdd", "size_bytes": 10**12}, FileSystem("/srv", "ext4", (), ()),
        PlanRecord(goal, "quick", ("mq-deadline", "bfq"), "mq-deadline", (workload,), 1, 8),
        {name: metrics_of(facts)[name]}, samples,
    )  # fmt: skip


def everywhere(result: Result) -> list[str]:
    """The texts of all that is drawn or written of a result."""
    presented = present(result)
    drawn = [each.get_text() for each in picture.whole_picture(presented, "light").figure.texts]
    return ["\n".join(drawn), picture.svg(presented, "light"), html(presented), markdown(presented).replace("\\", "")]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command and returns what it prints."""
    monkeypatch.setenv("COLUMNS", "250")

    def run(*words: object) -> str:
        assert main([str(word) for word in words]) == 0
        return capsys.readouterr().out

    return run


def test_a_workload(monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    monkeypatch.setitem(WORKLOADS, "toy", toy())

    assert "Loads levels while a patch is written" in command("workloads")
    found = {each["id"]: each for each in json.loads(command("workloads", "--json"))["workloads"]}["toy"]
    assert found["goals"] == ["desktop"] and found["deciding"] == "toy.levels_per_s" and not found["available"]
    result = measured("toy", "desktop")
    assert judge(result).winner == "bfq"
    assert all("Levels loaded beside a patch" in text for text in everywhere(result))
    assert "`toy`" in docs_tables.goals() and "| `toy` | Loads levels" in docs_tables.workloads()


def test_an_export_format(monkeypatch: pytest.MonkeyPatch, command: Command, tmp_path: Path) -> None:
    shouted = Format(".txt", "Only the answer", lambda presented, _: presented.title.upper().encode())
    monkeypatch.setattr(exporting, "FORMATS", (*exporting.FORMATS, shouted))

    result, path = measured("copy-contended", "copying"), tmp_path / "answer.txt"
    assert export(result, path).read_text() == present(result).title.upper()
    (tmp_path / "result.json").write_text(encode(result))
    command("export", tmp_path / "result.json", "--to", tmp_path / "other.txt")
    assert (tmp_path / "other.txt").read_text() == path.read_text()
