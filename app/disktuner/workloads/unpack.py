# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``unpack``: a source tree unpacked with tar, until all of it is on the disk."""

from __future__ import annotations

import io
import random
import shutil
import tarfile
import time

from disktuner.results.model import Goal
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.workloads.cold import make_cold
from disktuner.workloads.programs import missing
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size

FILES_PER_FOLDER = 25
MEAN_BYTES = 14_000  # Linux 6.x: 1.3 GB in 80,000 files, most of them small
FULL_BLOCK = 4096


class Unpack:
    """``scale`` is the number of files; their sizes follow those of a kernel tree (median 5 kB, some of 100 kB)."""

    id = "unpack"
    summary = "Unpacks a source tree with tar until all of it is on the disk"
    program = "tar"
    package: str | None = "tar"
    metrics = (Metric("wall_s", "s", Better.LOWER, "Unpacking a source tree"),)
    deciding = "wall_s"
    goals = frozenset({Goal.DESKTOP, Goal.COPYING})
    source = "a kernel tarball unpacked (E)"

    def unavailable(self) -> str | None:
        """Tar and sync are in every base system."""
        return missing(self.program, self.package)

    def size(self, probe: Probe, seconds: float) -> Size:
        """As many files as are unpacked in that time, taking a third of a scattered access per file."""
        per_file_s = MEAN_BYTES * 2 / probe.write_bytes_per_s + probe.random_read_s / 3 + 0.0002
        files = max(50, min(10_000, int(seconds / per_file_s)))
        most = files * (MEAN_BYTES * 2 + FULL_BLOCK) + 8 * MIB
        archive = files * (MEAN_BYTES * 3 // 2 + 1024) + MIB
        return Size(files, most, archive, files * per_file_s + 0.3, bytes_kept=most + archive)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Make the archive: random content, the same for all runs."""
        source = random.Random(f"{self.id} {scratch.seed}")  # noqa: S311 - repeatable data, not a secret
        with tarfile.open(scratch.folder / f"{self.id}.tar", "x") as archive:
            left = size.scale * MEAN_BYTES
            for number in range(size.scale):
                processes.check()
                length = min(left, int(source.lognormvariate(8.6, 1.3)) + 1, 200_000)
                left -= length
                entry = tarfile.TarInfo(f"{self.id}.out/{number // FILES_PER_FOLDER:04d}/{number:06d}.c")
                entry.size = length
                archive.addfile(entry, io.BytesIO(source.randbytes(length)))

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Make the archive cold, unpack it, make the file system durable with sync(1) -f, remove the tree."""
        archive = scratch.folder / f"{self.id}.tar"
        make_cold(archive)
        began = time.monotonic()
        timeout_s = 20 * size.expected_s + 60
        try:
            processes.run(["tar", "--extract", f"--file={archive.name}"], scratch.folder, timeout_s)
            processes.run(["sync", "--file-system", archive.name], scratch.folder, timeout_s)
            wall_s = time.monotonic() - began
        finally:
            shutil.rmtree(scratch.folder / f"{self.id}.out", ignore_errors=True)
            processes.run(["sync", "--file-system", archive.name], scratch.folder, timeout_s)
        return Measurement({"wall_s": wall_s}, wall_s, read_bytes=archive.stat().st_size)


WORKLOADS = (Unpack(),)
