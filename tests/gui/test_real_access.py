# SPDX-License-Identifier: GPL-3.0-or-later
"""By a screen reader's means alone: list, comparison, change, back, export, on a real disk with the real helper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from disktuner.vocabulary.messages import text
from tests.conftest import LoopDisk
from tests.gui.conftest import by_script


def test_all_of_it_by_accessible_actions_and_keys_and_spoken_by_orca(
    loop_disk: Callable[..., LoopDisk], tmp_path: Path
) -> None:
    """The window, Orca and whoever presses are processes of their own, on a screen and a session bus of their own."""
    loop, logs, saved = loop_disk(size_mb=512), tmp_path / "logs", tmp_path / "saved.csv"
    assert loop.folder is not None
    logs.mkdir()
    seen = by_script("walk.py", tmp_path / "home", loop.name, loop.folder, logs, saved)
    assert seen["nameless"] == {}, "each control has a name and a role, in every state"
    assert seen["schedulers"] == ["none", "bfq", "none"], "the disk's own scheduler, changed and put back"
    assert [path.name for path in loop.folder.iterdir()] == ["lost+found"], "and no scratch left"
    assert "dd-write" in saved.read_text()
    verdict = text("answer-switch", winner="bfq")
    compared = seen["announced"][: seen["compared"]]
    assert [said.startswith(verdict) for said in compared].count(True) == 1, "the verdict, and once"
    assert any(f"notification {verdict}" in said for said in seen["spoken"]), "Orca says it"
    begun = text("spoken-begun", left=0).partition(",")[0]
    assert any(begun in said for said in seen["spoken"]), "and that it has begun"
    assert len(seen["announced"]) < 30, f"no chatter: {seen['announced']}"
    assert not [said for said in seen["announced"] if "dd-write" in said], "no ids"
    assert not [said for said in seen["spoken"] if "layered pane" in said], "nothing but what is there"
