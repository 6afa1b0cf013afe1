# SPDX-License-Identifier: GPL-3.0-or-later
"""After a measurement that was cut off: what it left is named and removed, and its result says that it was cut off."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from disktuner.workloads.private_folder import PrivateFolder
from tests.conftest import LoopDisk
from tests.end2end.conftest import COMMAND, Run
from tests.waiting import until


def cut_off(disk: LoopDisk) -> None:
    """Compare, and die as by a power cut when the first runs are kept."""
    kept = Path(os.environ["XDG_DATA_HOME"], "disktuner")
    argv = [COMMAND, "compare", disk.folder or "", "--goal", "copying", "--workloads", "dd-read"]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        assert until(lambda: bool(list(kept.glob("*.json.journal"))))
        time.sleep(0.3)
        process.kill()
    assert until(lambda: disk.scheduler == "none")


@pytest.mark.timeout(120)
def test_what_a_cut_off_comparison_left_is_named_and_removed(
    loop_disk: Callable[..., LoopDisk], disktuner: Run
) -> None:
    disk = loop_disk(size_mb=1024)
    assert disk.folder
    cut_off(disk)
    (left,) = disk.folder.glob(".disktuner-*")

    status, history = disktuner("status", "--json"), disktuner("history")
    for told in (status, history):
        assert f"MB in {left}." in told.stderr
        assert "disktuner history --tidy" in told.stderr
    assert "    Interrupted in round 1" in history.stdout
    assert "baseline" not in history.stdout
    assert left.exists()

    assert f"Removed {left}" in disktuner("history", "--tidy").stderr
    assert not left.exists()
    assert "interrupted" not in disktuner("history").stderr
    assert "No interrupted measurement left anything" in disktuner("history", "--tidy").stderr


def test_the_next_measurement_in_the_same_place_says_what_it_removes(
    loop_disk: Callable[..., LoopDisk], disktuner: Run
) -> None:
    disk = loop_disk(size_mb=1024)
    assert disk.folder
    left = PrivateFolder.make(disk.folder)
    (left.path / "big").write_bytes(b"x" * 5_000_000)
    left.close()
    done = disktuner("bench", disk.folder, "--workload", "dd-read", "--rounds", "1", "--seconds", "0.1")
    assert f"Removing 5 MB that an interrupted measurement left in {disk.folder / left.name}" in done.stderr
    assert list(disk.folder.glob(".disktuner-*")) == []
