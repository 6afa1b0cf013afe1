# SPDX-License-Identifier: GPL-3.0-or-later
"""GNU dd: what it prints, and the workloads ``dd-write``, ``dd-read`` and ``raw-read``."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from disktuner.vocabulary.messages import Message
from disktuner.workloads.cold import make_cold
from disktuner.workloads.errors import NotUnderstood, RunFailed
from disktuner.workloads.raw_disk import not_there, unknown
from disktuner.workloads.workload import MIB, SHORT_S, Measurement, Probe, Processes, Scratch, Size, Workload, missing

MOST_WRITTEN_MIB, FASTEST_WRITTEN_MIB = 1024, 8192
SHIFTS = 65536
MOST_READ_MIB, MOST_TIMES = 1024, 20
MOST_RAW_MIB = 16 * 1024
RAW_BLOCK_MIB = 2
"""What hdparm reads at once (TIMING_BUF_MB)."""

_COPIED = re.compile(r"(\d+) bytes.* copied, ([0-9.e+-]+) s,")


@dataclass(frozen=True, slots=True)
class Copied:
    """What dd reports."""

    size_bytes: int
    seconds: float


def parse_dd(text: str) -> Copied:
    """Read dd's last line (``… bytes (…) copied, 1.23 s, …``), printed on stderr under ``LC_ALL=C``.

    Raises ``NotUnderstood``.
    """
    found = _COPIED.search(text)
    if not found:
        raise NotUnderstood("dd", text)
    return Copied(int(found[1]), float(found[2]))


class DdWrite(Workload):
    """``scale`` is the file's size in MiB; the data come from memory and are incompressible.

    Each round begins at another byte of the data, so that no block of the disk is written twice with the same content.
    """

    id = "dd-write"

    def size(self, probe: Probe, seconds: float) -> Size:
        """As much as the disk writes in that time, at most 1 GiB (or 2 s of it) and an eighth of the memory."""
        most = max(MOST_WRITTEN_MIB, min(FASTEST_WRITTEN_MIB, int(probe.write_bytes_per_s * SHORT_S / MIB)))
        most = min(most, probe.memory_bytes // 8 // MIB)
        mib = max(8, min(most, int(probe.write_bytes_per_s * seconds / MIB)))
        expected_s = mib * MIB / probe.write_bytes_per_s + 0.1
        kept = mib * MIB
        return Size(mib, kept, 0, expected_s, bytes_kept=kept, bytes_source=kept + SHIFTS)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Write, take dd's own figure, remove the file."""
        target = self.file(scratch, "out")
        stdin = scratch.source.open(scratch.seed % SHIFTS)
        try:
            argv = ["dd", f"of={target.name}", "bs=1M", f"count={size.scale}", "conv=fdatasync", "iflag=fullblock"]
            copied = parse_dd(processes.run(argv, scratch.folder, size.timeout_s, stdin=stdin).err)
        finally:
            os.close(stdin)
            target.unlink(missing_ok=True)
        rate = copied.size_bytes / copied.seconds
        return Measurement({"bytes_per_s": rate}, copied.seconds, read_bytes=0, written_bytes=copied.size_bytes)


class DdRead(Workload):
    """``scale`` is the file's size in MiB, ``extra`` how often it is read, each time cold.

    It is written once, so all schedulers read the same blocks; on a fast disk it is read several times, because reading
    wears nothing.
    """

    id = "dd-read"

    def size(self, probe: Probe, seconds: float) -> Size:
        """As much as the disk reads in that time, but not more than it writes in twice that time, at most 1 GiB."""
        wanted = min(probe.read_bytes_per_s, 2 * probe.write_bytes_per_s) * seconds
        mib = max(8, min(MOST_READ_MIB, int(wanted / MIB)))
        once_s = mib * MIB / probe.read_bytes_per_s + 0.1
        times = max(1, min(MOST_TIMES, int(seconds / once_s)))
        return Size(mib, 0, mib * MIB, times * once_s, bytes_kept=mib * MIB, extra=times)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write the file."""
        self.write(scratch, size.scale * MIB, processes)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Make the file cold, read it, take dd's own figure; as often as planned."""
        path = self.file(scratch)
        argv = ["dd", f"if={path.name}", "of=/dev/null", "bs=1M"]
        size_bytes, spent_s = 0, 0.0
        for _ in range(size.extra):
            make_cold(path)
            copied = parse_dd(processes.run(argv, scratch.folder, size.timeout_s).err)
            size_bytes, spent_s = size_bytes + copied.size_bytes, spent_s + copied.seconds
        return Measurement({"bytes_per_s": size_bytes / spent_s}, spent_s, read_bytes=size_bytes, written_bytes=0)


class RawRead(Workload):
    """``scale`` is how many MiB are read, always from the disk's beginning: once more where the disk is smaller.

    It goes around partitions and file systems, so it shows what disk and scheduler do alone.
    """

    id = "raw-read"

    def unavailable(self) -> Message | None:
        """dd is part of coreutils; udisks opens the disk."""
        return missing(self.facts.program, "coreutils") or not_there()

    def unavailable_on(self, disks: Sequence[str]) -> Message | None:
        """Udisks has to know the one disk below the folder."""
        return self.unavailable() or unknown(disks)

    def size(self, probe: Probe, seconds: float) -> Size:
        """As much as files are read in that time: reading wears nothing."""
        mib = max(8, min(MOST_RAW_MIB, int(probe.read_bytes_per_s * seconds / MIB)))
        return Size(mib - mib % RAW_BLOCK_MIB, 0, 0, mib * MIB / probe.read_bytes_per_s + 0.1)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:  # noqa: ARG002 - read as it is
        """Have the disk opened: polkit asks now."""
        scratch.raw.open(processes)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Read, take dd's own figure."""
        fd = scratch.raw.open(processes)
        size_bytes, spent_s, wanted = 0, 0.0, size.scale * MIB
        while size_bytes < wanted:
            os.lseek(fd, 0, os.SEEK_SET)
            blocks = -(-(wanted - size_bytes) // (RAW_BLOCK_MIB * MIB))
            argv = ["dd", "of=/dev/null", f"bs={RAW_BLOCK_MIB}M", f"count={blocks}", "iflag=fullblock"]
            copied = parse_dd(processes.run(argv, scratch.folder, size.timeout_s, stdin=fd).err)
            if not copied.size_bytes:
                raise RunFailed("raw-disk-empty")
            size_bytes, spent_s = size_bytes + copied.size_bytes, spent_s + copied.seconds
        return Measurement({"bytes_per_s": size_bytes / spent_s}, spent_s, read_bytes=size_bytes, written_bytes=0)


RUNNERS = (DdWrite(), DdRead(), RawRead())
