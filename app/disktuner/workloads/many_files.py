# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads ``unpack``, ``small-files`` and ``many-clients``: many files made, read and deleted."""

from __future__ import annotations

import io
import math
import os
import random
import re
import shutil
import tarfile
from pathlib import Path
from typing import ClassVar

from disktuner.opening import opened
from disktuner.workloads.cold import make_cold
from disktuner.workloads.errors import Aborted, NotUnderstood
from disktuner.workloads.processes import Deadline
from disktuner.workloads.spec import Cost, Count, Rate, Spec, WholeSeconds
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch, Workload

ARCHIVES = 8
MEAN_BYTES = 14_000  # Linux 6.x: 1.3 GB in 80,000 files, most of them small
BLOCK_BYTES = 4096
LARGEST_BYTES = 16384
MOST_CLIENTS = 50  # of the original
CLIENT_BYTES = 24 * MIB  # the files of one client of dbench's load file
MEMORY_SHARE = 8  # all clients' files take at most this fraction of the memory
SHORTEST_S = 2  # after one second dbench has nothing to report
MOST_MIB_PER_S = 600  # of all clients, half of it written: more than five gigabit lines carry, and enough wear
_WARM_UP, _AROUND_S = 0.2, 0.5  # dbench 4 runs a fifth of its time before it counts


class UnpackSpec(Spec, frozen=True):
    """A run unpacks ``archives`` of ``files`` each, one after the other."""

    WORK: ClassVar = {"archives": 1}

    archives: Count
    files: Count

    @property
    def cost(self) -> Cost:
        files = self.archives * self.files
        most = files * (MEAN_BYTES * 2 + BLOCK_BYTES) + 8 * MIB
        archives = files * (MEAN_BYTES * 3 // 2 + 1024) + MIB
        return Cost(most, archives, most + archives)


class Unpack(Workload):
    """The files' sizes follow those of a kernel tree (median 5 kB, some of 100 kB)."""

    id = "unpack"
    spec_type = UnpackSpec

    def plan(self, probe: Probe, seconds: float, *_: float) -> UnpackSpec:
        """Assumes a third of a scattered access per file."""
        per_file_s = MEAN_BYTES * 2 / probe.write_bytes_per_s + probe.random_read_s / 3 + 0.0002
        files = max(50, min(10_000, int(seconds / per_file_s))) // ARCHIVES
        return UnpackSpec(ARCHIVES * files * per_file_s + 0.3, ARCHIVES, files)

    def prepare(self, scratch: Scratch, spec: UnpackSpec) -> None:
        """Make archives of random content, the same for all runs."""
        source = random.Random(f"{self.id} {scratch.seed}")  # noqa: S311 - repeatable data, not a secret
        for at in range(spec.archives):
            left = spec.files * MEAN_BYTES
            with tarfile.open(self.file(scratch, f"{at}.tar"), "x") as archive:
                for number in range(at * spec.files, (at + 1) * spec.files):
                    scratch.processes.check()
                    length = min(left, int(source.lognormvariate(8.6, 1.3)) + 1, 200_000)
                    left -= length
                    entry = tarfile.TarInfo(f"{self.id}.out/{number // 25:04d}/{number:06d}.c")
                    entry.size = length
                    archive.addfile(entry, io.BytesIO(source.randbytes(length)))

    def run(self, scratch: Scratch, spec: UnpackSpec, abort_after_s: float = math.inf) -> Measurement:
        """Unpack the cold archives and sync the file system; then remove the tree."""
        processes, archives = scratch.processes, [self.file(scratch, f"{at}.tar") for at in range(spec.archives)]
        for archive in archives:
            make_cold(archive)
        deadline = Deadline(processes, abort_after_s)
        try:
            for archive in archives:
                argv = ["tar", "-xf", archive.name]
                processes.run(argv, scratch.folder, spec.timeout_s, abort_after_s=deadline.left_s)
            scratch.sync(spec.timeout_s)
            wall_s = deadline.spent_s
        except Aborted:
            wall_s = deadline.spent_s
            return Measurement({"wall_s": wall_s}, wall_s, cut_short=True)
        finally:
            shutil.rmtree(self.file(scratch, "out"), ignore_errors=True)
            scratch.sync(spec.timeout_s)
        return Measurement({"wall_s": wall_s}, wall_s, sum(archive.stat().st_size for archive in archives))


class SmallFilesSpec(Spec, frozen=True):
    """A run makes ``files``."""

    WORK: ClassVar = {"files": 50}
    CAN_GROW: ClassVar = True

    files: Count

    @property
    def cost(self) -> Cost:
        """The files, and their metadata."""
        most = self.files * (LARGEST_BYTES + 2 * BLOCK_BYTES) + 8 * MIB
        return Cost(most, bytes_kept=most)


class SmallFiles(Workload):
    """Files of 1 byte to 16 KiB, by plain system calls as in Bonnie++; creation and deletion are synced."""

    id = "small-files"
    spec_type = SmallFilesSpec

    def plan(self, probe: Probe, seconds: float, *_: float) -> SmallFilesSpec:
        per_file_s = LARGEST_BYTES / probe.write_bytes_per_s + probe.random_read_s + 0.0003
        files = max(100, min(5000, int(seconds / per_file_s)))
        return SmallFilesSpec(files * per_file_s + 0.3, files)

    def run(self, scratch: Scratch, spec: SmallFilesSpec, abort_after_s: float = math.inf) -> Measurement:
        """Create, make cold, read in another order, delete; only these three are timed."""
        source = random.Random(f"{self.id} {scratch.seed}")  # noqa: S311 - repeatable data, not a secret
        folder = scratch.folder / self.id
        paths = [folder / f"{number // 100:03d}" / f"{number:06d}" for number in range(spec.files)]
        data = [source.randbytes(source.randint(1, LARGEST_BYTES)) for _ in paths]
        create_s = read_s = 0.0
        try:
            part = Deadline(scratch.processes, abort_after_s)
            _create(paths, data, part)
            scratch.sync(spec.timeout_s)
            create_s = part.spent_s
            for path in paths:
                scratch.processes.check()
                make_cold(path)
            source.shuffle(paths)
            part = Deadline(scratch.processes, abort_after_s - create_s)
            read_bytes = _read(paths, part)
            read_s = part.spent_s
            part = Deadline(scratch.processes, abort_after_s - create_s - read_s)
            for path in paths:
                part.check()
                path.unlink()
            scratch.sync(spec.timeout_s)
            delete_s = part.spent_s
        except Aborted as slow:
            spent_s = create_s + read_s + slow.took_s
            return Measurement({"wall_s": spent_s}, spent_s, cut_short=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        count, wall_s = len(paths), create_s + read_s + delete_s
        speeds = {"create_per_s": count / create_s, "read_per_s": count / read_s, "delete_per_s": count / delete_s}
        return Measurement({"wall_s": wall_s, **speeds}, wall_s, read_bytes=read_bytes)


def _create(paths: list[Path], data: list[bytes], deadline: Deadline) -> None:
    for parent in sorted({path.parent for path in paths}):
        parent.mkdir(0o700, parents=True)
    for path, content in zip(paths, data, strict=True):
        deadline.check()
        with opened(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as fd:
            os.write(fd, content)


def _read(paths: list[Path], deadline: Deadline) -> int:
    total = 0
    for path in paths:
        deadline.check()
        total += len(path.read_bytes())
    return total


class ClientsSpec(Spec, frozen=True):
    """``clients`` work for ``duration_s`` whole seconds; the disk writes about ``bytes_per_s`` meanwhile."""

    WORK: ClassVar = {"duration_s": SHORTEST_S}
    ESTIMATES: ClassVar = frozenset({"expected_s", "bytes_per_s"})

    duration_s: WholeSeconds
    clients: Count
    bytes_per_s: Rate

    @property
    def cost(self) -> Cost:
        """What is written meanwhile, and the clients' files."""
        files = self.clients * CLIENT_BYTES
        written = int(self.bytes_per_s * ((1 + _WARM_UP) * self.duration_s + _AROUND_S)) + files // 2
        return Cost(written, bytes_kept=files)


class ManyClients(Workload):
    """dbench's own load (``client.txt``) at 600 MiB/s at most; the system writes out what dbench does not flush."""

    id = "many-clients"
    spec_type = ClientsSpec

    def plan(self, probe: Probe, seconds: float, *_: float) -> ClientsSpec:
        """As many clients as fit an eighth of the memory, a third of the free space, and two seconds of writing."""
        bears = min(probe.memory_bytes // MEMORY_SHARE, probe.free_bytes // 3) // CLIENT_BYTES
        busy = int(probe.write_bytes_per_s / (2 * MIB))
        clients = max(2, min(MOST_CLIENTS, bears, busy))
        duration_s = max(SHORTEST_S, int((seconds - _AROUND_S) / (1 + _WARM_UP)))
        fastest = min(1.5 * probe.write_bytes_per_s, MOST_MIB_PER_S * MIB / 2)
        return ClientsSpec((1 + _WARM_UP) * duration_s + _AROUND_S, duration_s, clients, fastest)

    def run(self, scratch: Scratch, spec: ClientsSpec, *_: float) -> Measurement:
        """Run it in a new folder, remove the folder, and sync."""
        folder = scratch.folder / self.id
        folder.mkdir(0o700)
        try:
            client_rate = f"{MOST_MIB_PER_S / spec.clients:.1f}"
            argv = ["dbench", "-t", str(spec.duration_s), "-R", client_rate, "-D", folder.name, str(spec.clients)]
            text = scratch.run(argv, spec.timeout_s)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        scratch.sync(spec.timeout_s)
        return parse_dbench(text, spec.duration_s)


def parse_dbench(text: str, seconds: float) -> Measurement:
    """Parse the last line; dbench's MB are MiB (it divides by 1024 × 1024). Raises ``NotUnderstood``."""
    match = re.search(r"Throughput ([0-9.]+) MB/sec.*?max_latency=([0-9.]+) ms", text)
    if not match:
        raise NotUnderstood("dbench", text)
    values = {"bytes_per_s": float(match[1]) * MIB, "worst_s": float(match[2]) / 1000}
    return Measurement(values, float(seconds))


RUNNERS = (Unpack(), SmallFiles(), ManyClients())
