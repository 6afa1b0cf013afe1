# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparisons on simulated disks with their fast cache used up: the answer, and that nothing stays behind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from disktuner.results.codec import load
from disktuner.results.store import Store
from tests.conftest import LoopDisk, Sudo
from tests.end2end.comparing import BRIEF, left_in, processes_in, values, written_bytes
from tests.simdisk.simulated import simulated_disk
from tests.simdisk.states import SIZE_MB, Drawn, draw, keep_portrait, member
from tests.simdisk.test_portrait import ENDS, end, folder_of, nothing_stays
from tests.waiting import until

SEED = 0
EXHAUSTED = ("--state", "exhausted", "--seed", "1")
ONE = ("--workloads", "read-latency-under-writes", "--schedulers", "bfq")


@pytest.fixture
def drawn() -> Drawn:
    """An SSD whose writing falls to a twentieth, so that reads wait behind writes."""
    return draw(SEED)


@pytest.fixture
def disk(sudo: Sudo, tmp_path: Path, drawn: Drawn) -> Iterator[LoopDisk]:
    with member(sudo, tmp_path, drawn) as disk:
        yield disk


def compare(disk: LoopDisk, *options: str) -> subprocess.Popen[str]:
    argv = [sys.executable, str(BRIEF), "compare", str(disk.folder), *EXHAUSTED, *options]
    return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_comparison_stays_in_the_state_and_names_it(
    disk: LoopDisk, drawn: Drawn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIEF_S", "40")  # a round is half a minute where the computer is busy
    portrait, out = keep_portrait(disk, drawn), tmp_path / "result.json"
    files_before, before, scheduler = set(folder_of(disk).rglob("*")), written_bytes(disk), values(disk)
    with compare(disk, *ONE, "--out", str(out), "--json") as process:
        answer, errors = process.communicate()
    assert process.returncode == 0, errors
    assert json.loads(answer)["state"] == "exhausted"
    result = load(out)
    counted = [sample for sample in result.samples if sample.valid]
    assert {sample.setting.name for sample in counted} == {drawn.baseline, "bfq"}
    assert len(counted) > len(result.samples) / 2  # where its writer waits for a processor, this disk recovers
    assert median(sample.value for sample in counted if sample.metric.endswith(".write_bytes_per_s")) < 2 * drawn.slow
    assert written_bytes(disk) - before > drawn.cache_bytes
    assert set(folder_of(disk).rglob("*")) == files_before and values(disk) == scheduler
    assert portrait.disk["name"] == disk.name and "Writing until the fast cache is used up" in errors


def test_where_the_cache_does_not_end_nothing_is_compared(sudo: Sudo, tmp_path: Path, drawn: Drawn) -> None:
    """The portrait is of a disk that it no longer is."""
    with simulated_disk(sudo, tmp_path, SIZE_MB, "flash", "rate_mb=250", "read_us=100", "forgets=yes") as disk:
        keep_portrait(disk, drawn)
        with compare(disk, *ONE) as process:
            _, errors = process.communicate()
        assert process.returncode == 5 and "fast cache does not end where its portrait shows" in errors, errors
        assert left_in(folder_of(disk)) == [] and processes_in(folder_of(disk)) == []


@ENDS
def test_nothing_stays_behind_whatever_ends_it(
    how: str, disk: LoopDisk, drawn: Drawn, sudo: Sudo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIEF_S", "120")
    keep_portrait(disk, drawn)
    files_before, before = set(folder_of(disk).iterdir()), values(disk)
    with compare(disk, *ONE) as process:
        until(lambda: process.poll() is not None or any(map(_has_samples, Store().folder.glob("*.json.journal"))))
        end(how, process, disk, sudo, tmp_path)
        if how == "full":  # what is written lies in its file already
            process.send_signal(signal.SIGINT)
        errors = process.communicate()[1]
    assert process.returncode == {"killed": -signal.SIGKILL, "pulled out": 5}.get(how, 130), errors
    until(lambda: how == "pulled out" or values(disk) == before)
    nothing_stays(how, folder_of(disk), files_before)


def _has_samples(journal: Path) -> bool:
    return bool(load(journal.with_suffix("")).samples)
