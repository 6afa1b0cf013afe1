# SPDX-License-Identifier: GPL-3.0-or-later
"""The live figures against ``iostat -x`` over the same interval, on a disk under a steady mixed load."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import pytest

from disktuner.block.system import System
from disktuner.experiment.events import LivePoint
from disktuner.experiment.sampler import Sampler
from disktuner.vocabulary.messages import text
from tests.conftest import LoopDisk, Sudo
from tests.end2end.conftest import COMMAND
from tests.simdisk.simulated import simulated_disk

INTERVAL_S = 4
TOLERANCE = 0.02
# What iostat prints: kB are 1024 bytes, times milliseconds, utilisation per cent; with what rounding.
COLUMNS: Mapping[str, tuple[str, float, float]] = {
    "reads_per_s": ("r/s", 1.0, 0.01),
    "writes_per_s": ("w/s", 1.0, 0.01),
    "read_bytes_per_s": ("rkB/s", 1024.0, 10.24),
    "write_bytes_per_s": ("wkB/s", 1024.0, 10.24),
    "read_merges_per_s": ("rrqm/s", 1.0, 0.01),
    "write_merges_per_s": ("wrqm/s", 1.0, 0.01),
    "read_latency_s": ("r_await", 0.001, 1e-5),
    "write_latency_s": ("w_await", 0.001, 1e-5),
    "in_flight": ("aqu-sz", 1.0, 0.01),
    "utilisation": ("util", 0.01, 1e-4),
}
REQUESTS = {"read_latency_s": "reads_per_s", "write_latency_s": "writes_per_s"}


def load(folder: Path, seconds: float) -> None:
    """Scattered reads and writes at fixed rates, and writes in a row that are merged; all durable at the end."""
    argv = [
        "fio",
        "--thread",
        "--directory=.",
        "--size=2m",
        "--bs=4k",
        "--direct=1",
        "--overwrite=1",
        "--ioengine=libaio",
    ]
    argv += ["--time_based", f"--runtime={seconds}", "--iodepth=8", "--fallocate=none"]
    argv += ["--name=scattered", "--rw=randrw", "--rate_iops=150,100"]
    argv += ["--name=merged", "--rw=write", "--iodepth_batch=8", "--iodepth_batch_complete_min=8"]
    argv += ["--thinktime=50ms", "--thinktime_blocks=8"]
    subprocess.run(argv, cwd=folder, check=True, capture_output=True)
    subprocess.run(["sync", "--file-system", "."], cwd=folder, check=True)


def total(parts: Sequence[tuple[float, Mapping[str, float | None]]]) -> dict[str, float]:
    """Add up intervals (seconds, figures): amounts from rates, and latencies weighted by requests."""
    found = {
        name: sum(seconds * (figures[name] or 0.0) for seconds, figures in parts)
        for name in COLUMNS
        if name not in REQUESTS
    }
    for name, requests in REQUESTS.items():
        spent = sum(seconds * (figures[requests] or 0.0) * (figures[name] or 0.0) for seconds, figures in parts)
        found[name] = spent / found[requests]
    return found


def iostat_says(printed: str) -> dict[str, float]:
    (found,) = json.loads(printed)["sysstat"]["hosts"][0]["statistics"][0]["disk"]
    figures = {name: float(found[column]) * unit for name, (column, unit, _) in COLUMNS.items()}
    return total([(INTERVAL_S, figures)])


def differences(ours: Mapping[str, float], theirs: Mapping[str, float]) -> dict[str, str]:
    """The figures that differ by more than the tolerance and iostat's rounding."""
    return {
        name: f"{ours[name]:.6g} and iostat {value:.6g}"
        for name, value in theirs.items()
        if abs(ours[name] - value) > TOLERANCE * value + COLUMNS[name][2] * (1 if name in REQUESTS else INTERVAL_S)
    }


@pytest.fixture
def disk(sudo: Sudo, tmp_path: Path) -> Iterator[LoopDisk]:
    with simulated_disk(sudo, tmp_path, 600, "flash", "read_us=1500", "write_us=1000", depth="32") as made:
        sudo("tee", made.queue / "scheduler", stdin="mq-deadline")  # merges need one
        yield made


def test_live_figures_are_those_of_iostat(disk: LoopDisk) -> None:
    """The experiment's sampler at ten points a second, the command at two, and iostat, all around the same work.

    They don't begin and end in the same millisecond, so the disk rests then, and what they saw is compared, not
    what they divided it by.
    """
    assert disk.folder
    load(disk.folder, 0.1)  # makes its files
    points: list[LivePoint] = []
    sampler = Sampler(System(), [disk.name], points.append)
    command = [COMMAND, "monitor", disk.name, "--interval", "0.5", "--json"]
    theirs = ["iostat", "-x", "-y", "-o", "JSON", str(INTERVAL_S), "1", disk.name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as monitor:
        assert monitor.stdout
        monitor.stdout.readline()
        with subprocess.Popen(theirs, stdout=subprocess.PIPE, text=True, env={**os.environ, "LC_ALL": "C"}) as iostat:
            sampler.begin(0, "mq-deadline")
            began = time.monotonic()
            time.sleep(0.1)
            worker = threading.Thread(target=load, args=(disk.folder, INTERVAL_S / 2))
            worker.start()
            while iostat.poll() is None:
                time.sleep(0.1)
                sampler.tick()
            worker.join()
            printed, _ = iostat.communicate()
        time.sleep(0.6)
        monitor.send_signal(signal.SIGINT)
        lines = [next(iter(json.loads(line).values())) for line in monitor.communicate(timeout=20)[0].splitlines()]

    truth = iostat_says(printed)
    ends = [began, *(each.time_s for each in points)]
    graph = [(end - start, asdict(each)) for start, end, each in zip(ends, ends[1:], points, strict=False)]
    assert len(points) > 6 * INTERVAL_S
    assert differences(total(graph), truth) == {}
    assert differences(total([(each["elapsed_s"], each) for each in lines]), truth) == {}
    assert truth["reads_per_s"] > 100
    assert truth["write_latency_s"] > 0.0005
    assert truth["write_merges_per_s"] > 50
    assert any(each["cpu_s_per_gib"] for each in lines)
    assert any(each.cpu_s_per_gib for each in points)


def test_the_monitors_table_has_a_line_per_disk(loop_disk: Callable[..., LoopDisk]) -> None:
    name = loop_disk(size_mb=64, fs=None).name
    argv = [COMMAND, "monitor", name, "--interval", "0.2", "--count", "2"]
    lines = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()
    assert [line.split()[0] for line in lines if line] == ["DISK", name, "DISK", name]
    assert text("head-cpu-per-gib") in lines[0]
