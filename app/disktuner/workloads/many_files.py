# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads ``unpack``, ``small-files`` and ``many-clients``: many files made, read and deleted."""

from __future__ import annotations

import io
import os
import random
import re
import shutil
import tarfile
import time
from pathlib import Path

from disktuner.workloads.cold import make_cold
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.server import length_s
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size, Workload

FILES_PER_TREE_FOLDER = 25
MEAN_BYTES = 14_000  # Linux 6.x: 1.3 GB in 80,000 files, most of them small
BLOCK_BYTES = 4096

FILES_PER_FOLDER = 100
LARGEST_BYTES = 16384

MOST_CLIENTS = 50  # of the original
CLIENT_BYTES = 24 * MIB  # the files of one client of dbench's load file
MEMORY_SHARE = 8  # of the memory is what all clients' files may fill
SHORTEST_S = 2  # in one second dbench has nothing to report yet
MOST_MIB_PER_S = 600  # read and written by all clients: more than five gigabit lines carry, and enough wear
_WARM_UP = 0.2  # dbench 4 runs a fifth of its time before it counts
_WRITTEN_SHARE = 0.5  # of what all clients move
_REPORT = re.compile(r"Throughput ([0-9.]+) MB/sec.*?max_latency=([0-9.]+) ms")


class Unpack(Workload):
    """``scale`` is the number of files; their sizes follow those of a kernel tree (median 5 kB, some of 100 kB)."""

    id = "unpack"

    def size(self, probe: Probe, seconds: float) -> Size:
        """As many files as are unpacked in that time, taking a third of a scattered access per file."""
        per_file_s = MEAN_BYTES * 2 / probe.write_bytes_per_s + probe.random_read_s / 3 + 0.0002
        files = max(50, min(10_000, int(seconds / per_file_s)))
        most = files * (MEAN_BYTES * 2 + BLOCK_BYTES) + 8 * MIB
        archive = files * (MEAN_BYTES * 3 // 2 + 1024) + MIB
        return Size(files, most, archive, files * per_file_s + 0.3, bytes_kept=most + archive)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Make the archive: random content, the same for all runs."""
        source = random.Random(f"{self.id} {scratch.seed}")  # noqa: S311 - repeatable data, not a secret
        with tarfile.open(self.file(scratch, "tar"), "x") as archive:
            left = size.scale * MEAN_BYTES
            for number in range(size.scale):
                processes.check()
                length = min(left, int(source.lognormvariate(8.6, 1.3)) + 1, 200_000)
                left -= length
                entry = tarfile.TarInfo(f"{self.id}.out/{number // FILES_PER_TREE_FOLDER:04d}/{number:06d}.c")
                entry.size = length
                archive.addfile(entry, io.BytesIO(source.randbytes(length)))

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Make the archive cold, unpack it, make the file system durable with sync(1) -f, remove the tree."""
        archive = self.file(scratch, "tar")
        make_cold(archive)
        began = time.monotonic()
        try:
            processes.run(["tar", "--extract", f"--file={archive.name}"], scratch.folder, size.timeout_s)
            processes.run(["sync", "--file-system", archive.name], scratch.folder, size.timeout_s)
            wall_s = time.monotonic() - began
        finally:
            shutil.rmtree(self.file(scratch, "out"), ignore_errors=True)
            processes.run(["sync", "--file-system", archive.name], scratch.folder, size.timeout_s)
        return Measurement({"wall_s": wall_s}, wall_s, read_bytes=archive.stat().st_size)


class SmallFiles(Workload):
    """``scale`` is the number of files of 1 byte to 16 KiB. Creating and deleting end with a sync of the file system.

    There is no common program that does just this, so it is done here with the system's own calls, as Bonnie++ does.
    """

    id = "small-files"

    def size(self, probe: Probe, seconds: float) -> Size:
        """As many files as are written and read back in that time."""
        per_file_s = LARGEST_BYTES / probe.write_bytes_per_s + probe.random_read_s + 0.0003
        files = max(100, min(5000, int(seconds / per_file_s)))
        most = files * (LARGEST_BYTES + 2 * BLOCK_BYTES) + 8 * MIB
        return Size(files, most, 0, files * per_file_s + 0.3, bytes_kept=most)

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
    _sync(folder, processes, 120)
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
    _sync(folder, processes, 120)
    return time.monotonic() - began


def _sync(folder: Path, processes: Processes, timeout_s: float) -> None:
    """Make everything of this file system durable with sync(1), which a cancel can end."""
    processes.run(["sync", "--file-system", "."], folder, timeout_s)


class ManyClients(Workload):
    """``scale`` is the length of a run in seconds, ``extra`` the number of clients: as many as memory and disk bear.

    The load is dbench's own (``client.txt``), with its flushes; what it writes besides stays in memory until the
    system writes it, as on a file server. All clients together are held back at 600 MiB/s.
    """

    id = "many-clients"

    def size(self, probe: Probe, seconds: float) -> Size:
        """As many clients as an eighth of the memory and a third of the room hold, and a slow disk in two seconds."""
        bears = min(probe.memory_bytes // MEMORY_SHARE, probe.free_bytes // 3) // CLIENT_BYTES
        busy = int(probe.write_bytes_per_s / (2 * MIB))
        clients = max(2, min(MOST_CLIENTS, bears, busy))
        files = clients * CLIENT_BYTES

        def besides_s(length: int) -> float:
            return _WARM_UP * length + 1.5 + files / 4 / probe.write_bytes_per_s

        length = max(SHORTEST_S, length_s(seconds, besides_s))
        fastest = min(1.5 * probe.write_bytes_per_s, _WRITTEN_SHARE * MOST_MIB_PER_S * MIB)
        written = int(fastest * (length + _WARM_UP * length + 0.5)) + files // 2
        return Size(length, written, 0, length + besides_s(length), bytes_kept=files, extra=clients)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Run it in a new folder, remove that, and wait until nothing of it is left to write."""
        folder = scratch.folder / self.id
        folder.mkdir(0o700)
        try:
            each = f"{MOST_MIB_PER_S / size.extra:.1f}"
            argv = ["dbench", "-t", str(size.scale), "-R", each, "-D", folder.name, str(size.extra)]
            text = processes.run(argv, scratch.folder, size.timeout_s).out
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        _sync(scratch.folder, processes, size.timeout_s)
        return parse_dbench(text, size.scale)


def parse_dbench(text: str, seconds: float) -> Measurement:
    """Read the last line; dbench's MB are MiB (it divides by 1024 × 1024). Raises ``NotUnderstood``."""
    found = _REPORT.search(text)
    if not found:
        raise NotUnderstood("dbench", text)
    values = {"bytes_per_s": float(found[1]) * MIB, "worst_s": float(found[2]) / 1000}
    return Measurement(values, float(seconds))


RUNNERS = (Unpack(), SmallFiles(), ManyClients())
