# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture that was asked for is saved, whatever becomes of the answer's output."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.unit.verdict.making import made

from disktuner.cli import measuring, tuning
from disktuner.cli.main import main
from disktuner.comparison.request import JudgedResult
from disktuner.comparison.stages import Tuned
from disktuner.results.store import Store
from disktuner.verdict.judge import judge


@pytest.mark.parametrize("command", ["compare", "tune"])
def test_the_picture_is_saved_although_the_answer_cannot_be_printed(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = made({})
    judged = JudgedResult(result, judge(result), Store().save(result))
    outcomes = {measuring: judged, tuning: Tuned(None, judged)}
    for module, outcome in outcomes.items():
        monkeypatch.setattr(module, "environment", lambda: None)
        monkeypatch.setattr(module, "run_cancellable", lambda *_, outcome=outcome: outcome)
    monkeypatch.setattr(measuring, "ask_to_exhaust", lambda *_, **__: None)
    picture = tmp_path / "card.svg"
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit) as ended:
            main([command, str(tmp_path), "--image", str(picture)])
    assert ended.value.code == 5 and picture.read_text().startswith("<")
