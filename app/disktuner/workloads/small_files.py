# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``small-files``: thousands of small files created, read cold and deleted."""

from __future__ import annotations

import os
import random
import shutil
import time
from pathlib import Path

from disktuner.results.model import Goal
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.workloads.cold import make_cold
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size

FILES_PER_FOLDER = 100
LARGEST_BYTES = 16384
BLOCK_BYTES = 4096


class SmallFiles:
    """``scale`` is the number of files of 1 byte to 16 KiB. Creating and deleting end with a sync of the file system.

    There is no common program that does just this, so it is done here with the system's own calls, as Bonnie++ does.
    """

    id = "small-files"
    summary = "Creates, reads and deletes thousands of small files"
    program = "python3"
    package: str | None = None
    metrics = (
        Metric("wall_s", "s", Better.LOWER, "Creating, reading and deleting small files"),
        Metric("create_per_s", "per_s", Better.HIGHER, "Creating small files"),
        Metric("read_per_s", "per_s", Better.HIGHER, "Reading small files"),
        Metric("delete_per_s", "per_s", Better.HIGHER, "Deleting small files"),
    )
    deciding = "wall_s"
    goals = frozenset({Goal.DESKTOP, Goal.SERVER})
    source = "Bonnie++ -n and dbench (E)"

    def unavailable(self) -> str | None:
        """Always available."""
        return None

    def size(self, probe: Probe, seconds: float) -> Size:
        """As many files as are written and read back in that time."""
        per_file_s = LARGEST_BYTES / probe.write_bytes_per_s + probe.random_read_s + 0.0003
        files = max(100, min(5000, int(seconds / per_file_s)))
        most = files * (LARGEST_BYTES + 2 * BLOCK_BYTES) + 8 * MIB
        return Size(files, most, 0, files * per_file_s + 0.3, bytes_kept=most)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Nothing to prepare."""

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Create, make cold, read in another order, delete; only these three are timed."""
        source = random.Random(f"{self.id} {scratch.seed}")  # noqa: S311 - repeatable data, not a secret
        folder = scratch.folder / self.id
        paths = [folder / f"{number // FILES_PER_FOLDER:03d}" / f"{number:06d}" for number in range(size.scale)]
        try:
            create_s = _create(folder, paths, source, processes)
            for path in paths:
                processes.check()
                make_cold(path)
            source.shuffle(paths)
            read_s, read_bytes = _read(paths, processes)
            delete_s = _delete(folder, paths, processes)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        wall_s = create_s + read_s + delete_s
        values = {
            "wall_s": wall_s,
            "create_per_s": len(paths) / create_s,
            "read_per_s": len(paths) / read_s,
            "delete_per_s": len(paths) / delete_s,
        }
        return Measurement(values, wall_s, read_bytes=read_bytes)


def _create(folder: Path, paths: list[Path], source: random.Random, processes: Processes) -> float:
    data = [source.randbytes(source.randint(1, LARGEST_BYTES)) for _ in paths]
    began = time.monotonic()
    for parent in sorted({path.parent for path in paths}):
        parent.mkdir(0o700, parents=True)
    for path, content in zip(paths, data, strict=True):
        processes.check()
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        os.write(fd, content)
        os.close(fd)
    _sync(folder, processes)
    return time.monotonic() - began


def _read(paths: list[Path], processes: Processes) -> tuple[float, int]:
    began, total = time.monotonic(), 0
    for path in paths:
        processes.check()
        total += len(path.read_bytes())
    return time.monotonic() - began, total


def _delete(folder: Path, paths: list[Path], processes: Processes) -> float:
    began = time.monotonic()
    for path in paths:
        processes.check()
        path.unlink()
    _sync(folder, processes)
    return time.monotonic() - began


def _sync(folder: Path, processes: Processes) -> None:
    """Make everything of this file system durable with sync(1), which a cancel can end."""
    processes.run(["sync", "--file-system", "."], folder, 120)


WORKLOADS = (SmallFiles(),)
