# SPDX-License-Identifier: GPL-3.0-or-later
"""``revert`` and ``forget`` know a disk by what people call it, also where its name has a slash."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.unit.block.trees import Tree, sata

from disktuner.block.system import System
from disktuner.cli import changes
from disktuner.cli.main import main
from disktuner.helper_client.calls import Call, Chosen, HelperState, Snapshot

NAME = "cciss!c0d0"
"""As sysfs and the helper write it: /dev/cciss/c0d0."""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Call[object]]:
    """What a helper that remembers the disk and a choice for it is asked for."""
    asked: list[Call[object]] = []
    snapshot = Snapshot(NAME, 0, "none", {}, "2026-11-30T12:00:00Z")
    chosen = Chosen(NAME, "", "2026-11-30T12:00:00Z", "bfq", {}, (NAME,))
    state = HelperState((snapshot,), (), (chosen,))

    def wait(call: Call[object]) -> HelperState:
        asked.append(call)
        return state

    @contextmanager
    def helper() -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(wait=wait)

    Tree(tmp_path).disk(NAME, "104:0", sata(1), "[none] bfq")
    monkeypatch.setattr(changes, "helper", helper)
    monkeypatch.setattr(changes, "System", lambda: System(tmp_path))
    return asked


@pytest.mark.parametrize("command", ["revert", "forget"])
@pytest.mark.parametrize("typed", ["/dev/cciss/c0d0", "cciss/c0d0", NAME])
def test_a_disk_is_found_by_its_device_node(
    command: str, typed: str, calls: list[Call[object]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, typed]) == 0, capsys.readouterr()
    assert [call.method for call in calls] == ["GetState", command.capitalize()]
    assert calls[1].arguments == ([(NAME, 0)],)
