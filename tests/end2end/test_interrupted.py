# SPDX-License-Identifier: GPL-3.0-or-later
"""Early ends: terminated, killed, stopped. Nothing stays changed or behind, or it is named and removed."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from disktuner.private_folder import PrivateFolder
from disktuner.results.codec import load
from disktuner.results.store import Store
from tests.conftest import LoopDisk
from tests.end2end.comparing import WHAT, begun, command_of, descendants, left_in, processes_in, values
from tests.end2end.conftest import COMMAND, Run
from tests.waiting import until

WHICH = (*WHAT, "--schedulers", "bfq")


@pytest.fixture
def disk(loop_disk: Callable[..., LoopDisk]) -> LoopDisk:
    return loop_disk(size_mb=4096)  # a fast one needs room


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_polite_end_in_the_middle_of_a_run_cleans_up(sent: signal.Signals, disk: LoopDisk) -> None:
    """During background writers, which are processes too."""
    folder = disk.folder
    argv = [COMMAND, "bench", folder, "--workload", "launch-office", "--rounds", "20", "--seconds", "0.5"]
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        until(lambda: process.poll() is not None or len(processes_in(folder)) > 1)
        process.send_signal(sent)
        _, output = process.communicate()
        assert process.returncode == 130, output
    assert processes_in(folder) == [] and left_in(folder) == []


def test_a_killed_comparison_is_restored_and_what_it_left_is_named_and_removed(disk: LoopDisk, disktuner: Run) -> None:
    folder, before = disk.folder, values(disk)
    with begun(disk, *WHICH) as process:
        until(lambda: any(load(journal).samples for journal in Store().folder.glob("*.json.journal")))
        process.kill()
    until(lambda: values(disk) == before)
    until(lambda: processes_in(folder) == [])
    (left,) = left_in(folder)

    status, history = disktuner("status", "--json"), disktuner("history")
    for output in (status, history):
        assert f"B in {left}." in output.stderr and "disktuner history --tidy" in output.stderr
    assert "Not decided yet" in history.stdout and "baseline" not in history.stdout
    assert left.exists()
    assert f"Removed {left}" in disktuner("history", "--tidy").stderr
    assert not left.exists()
    assert "interrupted" not in disktuner("history").stderr
    assert "No files of interrupted measurements were found" in disktuner("history", "--tidy").stderr


def test_the_next_measurement_in_the_same_place_says_what_it_removes(disk: LoopDisk, disktuner: Run) -> None:
    """It is named by its disk."""
    left = PrivateFolder.make(disk.folder)
    (left.path / "big").write_bytes(b"x" * 5_000_000)
    left.close()
    completed = disktuner("bench", disk.name, "--workload", "dd-read", "--rounds", "1", "--seconds", "0.1")
    assert completed.returncode == 0 and f"in {disk.folder}" in completed.stderr, completed.stderr
    assert f"Removing 5 MB left in {disk.folder / left.name}" in completed.stderr
    assert left_in(disk.folder) == []


def test_who_is_stopped_in_the_middle_of_a_run_does_not_blame_the_disk(disk: LoopDisk, tmp_path: Path) -> None:
    """Like Ctrl+Z in a terminal: what was begun goes on, and is looked at late."""
    out = tmp_path / "result.json"
    with begun(disk, *WHICH, "--out", str(out)) as process:

        def stopped_in_a_run() -> bool:
            process.send_signal(signal.SIGSTOP)
            running = [pid for pid in descendants(process.pid) if "dd" in command_of(pid)]
            if not running:
                process.send_signal(signal.SIGCONT)
            return bool(running)

        until(lambda: any(load(journal).samples for journal in Store().folder.glob("*.json.journal")))
        until(stopped_in_a_run)
        subprocess.run(["dd", "if=/dev/urandom", "of=/dev/null", "bs=1M", "count=500"], check=True, capture_output=True)
        process.send_signal(signal.SIGCONT)
        output = process.communicate()[0]
    assert process.returncode == 0, output
    reasons = {sample.reason.id for sample in load(out).samples if sample.reason and not sample.valid}
    assert "stopped" in reasons and "Disktuner was suspended for" in output
