# SPDX-License-Identifier: GPL-3.0-or-later
"""What is declared once appears everywhere: a made-up workload with its metric; and the documents' tables agree.

Kinds of disks are in tests/unit/block/test_kinds.py, the measurement in tests/gui/test_declared.py.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests import docs_tables
from tests.unit.verdict.making import WRITE, made

from disktuner.cli.main import main
from disktuner.presentation import present
from disktuner.report.lines import as_text
from disktuner.report.page import html
from disktuner.report.tables import markdown
from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.vocabulary.metrics import higher
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import WORKLOADS, WorkloadFacts, decides, metrics_of
from disktuner.workloads import dd
from disktuner.workloads.catalogue import catalogue
from disktuner.workloads.dd import DdWrite

DOCUMENTS = sorted(docs_tables.DOCS.glob("*.md"))


TOY = WorkloadFacts(
    "toy", "Loads levels while a patch is written", "loading levels", "levels", "toy-game", "toys",
    (higher("levels_per_s", "per_s", "Levels loaded beside a patch"),), "levels_per_s", (decides("desktop"),), "a shop",
)  # fmt: skip
"""A workload that decides a goal by a metric of its own."""


def everywhere(result: Result) -> list[str]:
    """Return the texts of everything drawn or written about a result."""
    presented = present(result)
    return [as_text(presented), html(presented), markdown(presented).replace("\\", "")]


def test_a_workload(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    runner = DdWrite()
    runner.id = "toy"
    monkeypatch.setitem(WORKLOADS, "toy", TOY)
    monkeypatch.setattr(dd, "RUNNERS", (*dd.RUNNERS, runner))
    catalogue.cache_clear()
    request.addfinalizer(catalogue.cache_clear)
    monkeypatch.setenv("COLUMNS", "250")

    assert main(["workloads"]) == 0 and "loading levels" in capsys.readouterr().out
    assert main(["workloads", "--json"]) == 0
    workload = {workload["id"]: workload for workload in json.loads(capsys.readouterr().out)["workloads"]}["toy"]
    assert workload["goals"] == ["desktop"] and workload["deciding"] == "toy.levels_per_s" and not workload["available"]

    bfq = made({(WRITE, "bfq"): 2.0}, metrics=(WRITE,))
    samples = tuple(replace(sample, metric="toy.levels_per_s") for sample in bfq.samples)
    plan = replace(bfq.plan, question=None)
    result = replace(bfq, plan=plan, metrics=metrics_of(TOY), samples=samples)
    assert judge(result).winner == Setting("bfq")
    assert all("Levels loaded beside a patch" in text for text in everywhere(result))
    assert "`toy`" in docs_tables.goals() and "| `toy` | Loads levels" in docs_tables.workloads()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_tables_are_those_of_the_vocabulary(document: Path) -> None:
    text = document.read_text()
    assert docs_tables.renewed(text) == text, "run ./dev docs"


def test_every_table_stands_somewhere() -> None:
    tables = [match["name"] for path in DOCUMENTS for match in docs_tables.BLOCK.finditer(path.read_text())]
    assert sorted(tables) == sorted(docs_tables.TABLES)
