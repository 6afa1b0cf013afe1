# SPDX-License-Identifier: GPL-3.0-or-later
"""``compare --state exhausted`` asks where that wears the disk, and lists say in which state was measured."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from tests.unit.verdict.making import LAUNCH, made

from disktuner.cli import measuring
from disktuner.cli.main import main
from disktuner.comparison.request import Announcement
from disktuner.results.store import Store
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.kinds import HDD, SD_CARD
from disktuner.vocabulary.states import DiskState

Output = pytest.CaptureFixture[str]


def announced(kind: Any = SD_CARD, exhaustion: Any = "known", refused: Any = None) -> Any:
    disk = SimpleNamespace(title="Card (mmcblk0)", kind=kind, size_bytes=10**10)
    plan = SimpleNamespace(exhaustion=exhaustion, bytes_written=3 * 10**9)
    return Announcement(SimpleNamespace(disk=disk), plan, refused=refused)  # type: ignore[arg-type]


def test_only_where_a_cache_is_used_up_on_what_wears_somebody_is_asked(
    capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    with pytest.raises(UsageError, match="Repeat the command with --yes to let it write up to 3 GB"):
        measuring.ask_to_exhaust(announced(), may_write=False)
    assert "up to 30 %" in capsys.readouterr().err
    measuring.ask_to_exhaust(announced(), may_write=True)
    for harmless in (announced(HDD), announced(exhaustion=None), announced(refused="no room")):
        measuring.ask_to_exhaust(harmless, may_write=False)
    assert not capsys.readouterr().err


class Asked:
    """A comparison that only notes what it is asked for."""

    request: Any = None

    def __init__(self, request: Any, _: object) -> None:
        type(self).request = request
        raise UsageError("name-a-target")


def test_the_state_travels_in_the_request(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    monkeypatch.setattr(measuring, "Comparison", Asked)
    monkeypatch.setattr(measuring, "environment", lambda: None)
    for words, state in (((), None), (("--state", "rested"), "rested"), (("--state", "exhausted"), "exhausted")):
        assert main(["compare", "/home", *words]) == 2
        assert Asked.request.state == (DiskState(state) if state else None)
    with pytest.raises(SystemExit):
        main(["compare", "/home", "--state", "tired"])
    error = capsys.readouterr().err
    assert "exhausted" in error and "DiskState" not in error


@pytest.mark.parametrize("state", DiskState)
def test_lists_and_verdicts_say_it(state: DiskState, capsys: Output) -> None:
    result = made({(LAUNCH, "bfq"): 0.2})
    file = Store().save(replace(result, plan=replace(result.plan, state=state)))
    assert main(["history", "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)["results"]
    assert entry["state"] == state
    assert ("used up" in entry["headline"]) == (state is DiskState.EXHAUSTED)
    assert main(["verdict", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["state"] == state
