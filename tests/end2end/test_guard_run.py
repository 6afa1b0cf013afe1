# SPDX-License-Identifier: GPL-3.0-or-later
"""The guard's conditions, produced for real in the middle of a run: each marks the sample with its reason."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from disktuner.experiment.events import Event, RunStarted
from disktuner.experiment.exhaustion import Exhaustion, UsedUp
from disktuner.vocabulary.settings import Setting
from disktuner.workloads.processes import Processes
from disktuner.workloads.workload import MIB, Measurement
from tests.conftest import LoopDisk, Sudo
from tests.end2end.comparing import left_in, processes_in, written_bytes
from tests.end2end.guarded import SMALL, Doing, measure, small
from tests.waiting import until


def test_a_warm_file_is_the_page_cache(loop_disk: Callable[..., LoopDisk]) -> None:
    def warm(folder: Path, _: Processes) -> Measurement:
        (folder / "in").read_bytes()
        return Measurement({"wall_s": 1.0}, 1.0, len((folder / "in").read_bytes()), 0)

    assert "page-cache" in measure(loop_disk(), Doing(warm), SMALL).reasons


def test_a_reflink_copy_moved_nothing(loop_disk: Callable[..., LoopDisk]) -> None:
    def reflink(folder: Path, processes: Processes) -> Measurement:
        processes.run(["cp", "--reflink=always", "in", "out"], folder, 30)
        processes.run(["sync", "out"], folder, 30)
        (folder / "out").unlink()
        return Measurement({"wall_s": 1.0}, 1.0, 0, 32 * MIB)

    assert "not-written" in measure(loop_disk(size_mb=512, fs="xfs"), Doing(reflink), SMALL).reasons


def test_a_file_system_that_compresses_is_noticed_and_our_own_data_are_incompressible(
    loop_disk: Callable[..., LoopDisk],
) -> None:
    def zeros(folder: Path, processes: Processes) -> Measurement:
        processes.run(["dd", "if=/dev/zero", "of=out", "bs=1M", "count=64", "conv=fsync"], folder, 30)
        return Measurement({"wall_s": 1.0}, 1.0, 0, 64 * MIB)

    disk = loop_disk(size_mb=512, fs="btrfs", options="compress-force=zstd")
    assert "not-written" in measure(disk, Doing(zeros), SMALL).reasons
    assert "not-written" not in measure(disk, *small("dd-write")).reasons


def test_another_writer_is_noticed(loop_disk: Callable[..., LoopDisk]) -> None:
    disk = loop_disk(size_mb=256)

    def beside(_folder: Path, _processes: Processes) -> Measurement:
        target = f"of={disk.folder}/other"
        argv = ["dd", "if=/dev/urandom", target, "bs=1M", "count=48", "oflag=direct"]
        subprocess.run(argv, check=True, capture_output=True)
        return Measurement({"wall_s": 1.0}, 1.0, 0, 0)

    assert "other-io" in measure(disk, Doing(beside), SMALL).reasons


@pytest.mark.parametrize(
    ("file", "value", "reason"),
    [("scheduler", "bfq", "scheduler-changed"), ("read_ahead_kb", "64", "tunable-changed")],
)
def test_what_is_changed_behind_our_back_is_noticed(
    file: str, value: str, reason: str, loop_disk: Callable[..., LoopDisk], sudo: Sudo
) -> None:
    disk = loop_disk(size_mb=128)

    def change(_folder: Path, _processes: Processes) -> Measurement:
        sudo("tee", disk.queue / file, stdin=value)
        return Measurement({"wall_s": 1.0}, 1.0, 0, 0)

    result = measure(disk, Doing(_second(change)), SMALL)
    assert reason in result.reasons and (file == "scheduler" or f"queue/{file}" in result.said)


def test_a_tunable_that_others_change_between_two_runs_is_noticed(
    loop_disk: Callable[..., LoopDisk], sudo: Sudo
) -> None:
    disk = loop_disk(size_mb=128)

    def heard(event: Event) -> None:
        if isinstance(event, RunStarted) and event.round == 1:
            sudo("tee", disk.queue / "read_ahead_kb", stdin="64")

    still = Doing(lambda *_: Measurement({"wall_s": 1.0}, 1.0, 0, 0))
    result = measure(disk, still, SMALL, heard, rounds=2)
    assert result.samples[0].valid, "although a host may have taken time from it"
    assert result.reasons[1] == "tunable-changed" and "queue/read_ahead_kb" in result.said


def _second(act: Callable[[Path, Processes], Measurement]) -> Callable[[Path, Processes], Measurement]:
    """Return a function that acts in the second run, as the first only warms up."""
    runs: list[Path] = []

    def do(folder: Path, processes: Processes) -> Measurement:
        runs.append(folder)
        return act(folder, processes) if len(runs) == 2 else Measurement({"wall_s": 1.0}, 1.0, 0, 0)

    return do


@pytest.mark.parametrize(("fast", "reason"), [(1e25, ""), (2.0, "state-left")])
def test_a_run_counts_only_while_the_writer_that_goes_on_is_slow(
    fast: float, reason: str, loop_disk: Callable[..., LoopDisk], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any disk is slower than the mean of both speeds, or faster."""
    disk = loop_disk(size_mb=512)

    def beside(folder: Path, _processes: Processes) -> Measurement:
        before = written_bytes(disk)
        until(lambda: written_bytes(disk) > before + MIB)
        assert (folder / "steady.out").exists()
        return Measurement({"wall_s": 1.0}, 1.0)

    monkeypatch.setattr(UsedUp, "bring_about", lambda held: held.go_on(Setting("none")))
    measured = measure(disk, Doing(beside), SMALL, rounds=2, exhaustion=Exhaustion(32 * MIB, fast, 1.0))
    seen = zip(measured.samples, measured.reasons, strict=True)
    assert {(sample.valid, why == "state-left") for sample, why in seen} == {(not reason, bool(reason))}
    assert left_in(disk.folder) == [] and processes_in(disk.folder) == []
