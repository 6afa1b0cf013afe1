# SPDX-License-Identifier: GPL-3.0-or-later
"""By a screen reader's means alone: list, comparison, change, back, export, on a real disk with the real helper."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from pathlib import Path

from disktuner.vocabulary.messages import text
from tests.conftest import LoopDisk
from tests.gui.conftest import by_script


def test_all_of_it_by_accessible_actions_and_keys_and_spoken_by_orca(
    loop_disk: Callable[..., LoopDisk], tmp_path: Path
) -> None:
    """The window, Orca and the one who presses are separate processes, on their own screen and session bus."""
    loop, logs, saved = loop_disk(size_mb=512), tmp_path / "logs", tmp_path / "saved.csv"
    logs.mkdir()
    report = by_script("walk.py", tmp_path / "home", loop.name, loop.folder, logs, saved)
    assert report["nameless"] == {}, "each control has a name and a role, in every state"
    assert report["schedulers"] == ["none", "bfq", "none"], "the disk's own scheduler, changed and put back"
    assert [path.name for path in loop.folder.iterdir()] == ["lost+found"], "and no scratch left"
    assert "dd-write" in saved.read_text()
    verdict = text("answer-switch", winner="bfq")
    # On a busy machine who hears of a sentence reads the next one already: twice then.
    compared = [sentence for sentence, _ in groupby(report["announced"][: report["compared"]])]
    assert [sentence.startswith(verdict) for sentence in compared].count(True) == 1, "the verdict, and once"
    assert any(verdict in sentence for sentence in report["spoken"]), "Orca says it"
    begun = text("spoken-begun", left=0).partition(",")[0]
    assert any(f"notification {begun}" in sentence for sentence in report["spoken"]), "and that it has begun"
    assert len(report["announced"]) < 30, f"no chatter: {report['announced']}"
    assert not [sentence for sentence in report["announced"] if "dd-write" in sentence], "no ids"
    assert not [sentence for sentence in report["spoken"] if "layered pane" in sentence], "nothing but what is there"
