# SPDX-License-Identifier: GPL-3.0-or-later
"""An answer known without measuring is printed as the answer."""

from __future__ import annotations

import json
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from disktuner.cli import measuring
from disktuner.cli.main import main
from disktuner.vocabulary.errors import Answered


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    def announce(_listener: object) -> None:
        raise Answered("felt-not-there", felt="sda", folder="/home/anna", disk="sdb", memory=8 << 30)

    comparison = SimpleNamespace(announce=announce, cancel=lambda: None)
    monkeypatch.setattr(measuring, "Comparison", lambda *_: nullcontext(comparison))
    monkeypatch.setattr(measuring, "environment", lambda: None)


def test_its_commands_stand_on_lines_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "/media/stick", "--felt", "/home/anna"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("= The other disk is not the cause: with 8.59 GB of free memory") and not err
    assert "  disktuner compare /home/anna --goal desktop" in out.splitlines()


def test_for_programs_there_is_no_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "/media/stick", "--felt", "/home/anna", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] is None and "/home/anna" in document["answer"]
