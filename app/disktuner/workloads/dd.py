# SPDX-License-Identifier: GPL-3.0-or-later
"""GNU dd: its output, and the workloads ``dd-write``, ``dd-read``, ``raw-read`` and ``copy-then-unplug``."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from disktuner.vocabulary.messages import Message
from disktuner.vocabulary.metrics import INSTANT_S
from disktuner.vocabulary.tunables import BYTE_LIMIT, WRITE_LIMIT
from disktuner.workloads.cold import make_cold
from disktuner.workloads.errors import Aborted, NotUnderstood, RunFailed
from disktuner.workloads.processes import Deadline
from disktuner.workloads.raw_disk import unknown
from disktuner.workloads.source import discard
from disktuner.workloads.spec import Cost, Count, ReadSpec, Spec
from disktuner.workloads.workload import MIB, SHORT_S, Measurement, Probe, Scratch, Workload, missing, plan_reading

LEAST_MIB = 8
MOST_WRITTEN_MIB, FASTEST_WRITTEN_MIB = 1024, 8192
SHIFTS = 65536
MOST_RAW_MIB, RAW_BLOCK_MIB = 16 * 1024, 2
"""The most read from a raw disk, and the size of one read (as hdparm's TIMING_BUF_MB)."""
TIMES_THE_LIMIT = 5
"""The size of a copy in units of the first limit to be tried, so that little of it can wait in memory."""
LONGEST_S = 11.0
"""The quick budget has room for a dozen such copies."""
FASTER = 3
"""How many times faster than the probe, which waits for each piece, a stick may write a big file."""

_COPIED = re.compile(r"(\d+) bytes.* copied, ([0-9.e+-]+) s,")


class WriteSpec(Spec, frozen=True):
    """A run writes a file of ``written_bytes``."""

    WORK: ClassVar = {"written_bytes": LEAST_MIB * MIB}

    written_bytes: Count

    @property
    def cost(self) -> Cost:
        """The file, and the data in memory."""
        size = self.written_bytes
        return Cost(size, bytes_kept=size, bytes_source=size + SHIFTS)


class CopiedSpec(WriteSpec, frozen=True):
    """Shortened only if far too long: a copy that hardly exceeds what may wait in memory shows no effect of a limit."""

    MAY_LAST_S: ClassVar = LONGEST_S


class RawSpec(Spec, frozen=True):
    """A run reads the first ``read_bytes`` of the disk, repeatedly if the disk is smaller."""

    WORK: ClassVar = {"read_bytes": LEAST_MIB * MIB}

    read_bytes: Count


def run_dd(argv: Sequence[str], scratch: Scratch, abort_after_s: float, stdin: int | None = None) -> tuple[int, float]:
    """Run dd and return the bytes copied and the seconds taken. Raises ``Aborted``."""
    return parse_dd(scratch.processes.run(["dd", *argv], scratch.folder, math.inf, stdin, abort_after_s).err)


def parse_dd(text: str) -> tuple[int, float]:
    """Read dd's last line on stderr (``… bytes (…) copied, 1.23 s, …``). Raises ``NotUnderstood``."""
    match = _COPIED.search(text)
    if not match:
        raise NotUnderstood("dd", text)
    return int(match[1]), float(match[2])


class DdWrite(Workload):
    """Each round starts at another byte of random data in memory, so that no block equals the one it replaces."""

    id = "dd-write"
    spec_type = WriteSpec

    def plan(self, probe: Probe, seconds: float, *_: float) -> WriteSpec:
        """At most 1 GiB (or 2 s of writing, if more) and an eighth of the memory."""
        most = max(MOST_WRITTEN_MIB, min(FASTEST_WRITTEN_MIB, int(probe.write_bytes_per_s * SHORT_S / MIB)))
        most = min(most, probe.memory_bytes // 8 // MIB)
        mib = max(LEAST_MIB, min(most, int(probe.write_bytes_per_s * seconds / MIB)))
        return WriteSpec(mib * MIB / probe.write_bytes_per_s + 0.1, mib * MIB)

    def run(self, scratch: Scratch, spec: WriteSpec, abort_after_s: float = math.inf) -> Measurement:
        target = self.file(scratch, "out")
        try:
            written, took_s = _write(scratch, target, spec, abort_after_s, "conv=fdatasync")
        except Aborted as slow:
            return _at_most(spec.written_bytes, slow.took_s)
        finally:
            discard(target)
        return Measurement({"bytes_per_s": written / took_s}, took_s, 0, written)


class CopyThenUnplug(Workload):
    """A copy through the page cache that waits for nothing, as cp and file managers do.

    The data come from memory, so that only the disk is waited for. Unplugging is safe once syncfs(2) has returned: all
    the file system's requests have completed, and the disk has flushed its cache.
    """

    id = "copy-then-unplug"
    spec_type = CopiedSpec

    def plan(self, probe: Probe, seconds: float, most_bytes: float = math.inf) -> CopiedSpec:
        """As much as is written in ``seconds``, or several times the limit, within memory and free space."""
        rate = probe.write_bytes_per_s / MIB
        shows = min(TIMES_THE_LIMIT * WRITE_LIMIT[BYTE_LIMIT] / MIB, FASTER * rate * LONGEST_S)
        room = min(probe.memory_bytes / 8, probe.free_bytes / 2, most_bytes) / MIB
        most = min(max(MOST_WRITTEN_MIB, rate * SHORT_S), room)
        mib = max(LEAST_MIB, int(min(max(rate * seconds, shows), most)))
        return CopiedSpec(min(mib / rate, LONGEST_S) + 0.3, mib * MIB)

    def run(self, scratch: Scratch, spec: CopiedSpec, abort_after_s: float = math.inf) -> Measurement:
        """Copy, wait until unplugging is safe, remove the file."""
        target, began, copied = self.file(scratch, "out"), Deadline(scratch.processes, math.inf), None
        try:
            with suppress(Aborted):
                copied, _ = _write(scratch, target, spec, abort_after_s)
            done_s = began.spent_s
            scratch.sync(spec.timeout_s)
            safe_s = began.spent_s
        finally:
            discard(target)
        # People do not notice a shorter wait, and starting sync(1) takes a part of it.
        values = {"gap_s": max(INSTANT_S, safe_s - done_s), "safe_s": safe_s, "done_s": done_s}
        return Measurement(values, safe_s, 0, copied, cut_short=copied is None)


class DdRead(Workload):
    """All schedulers read the same blocks of a file; on a fast disk several times, as reading wears nothing."""

    id = "dd-read"
    spec_type = ReadSpec

    def plan(self, probe: Probe, seconds: float, *_: float) -> ReadSpec:
        return plan_reading(probe, seconds, each_s=0.1)

    def run(self, scratch: Scratch, spec: ReadSpec, abort_after_s: float = math.inf) -> Measurement:
        path = self.file(scratch)

        def read(left_bytes: int, most_s: float) -> tuple[int, float]:
            make_cold(path)
            blocks = -(-min(spec.file_bytes, left_bytes) // MIB)
            return run_dd([f"if={path.name}", "of=/dev/null", "bs=1M", f"count={blocks}"], scratch, most_s)

        return _read_all(spec.read_bytes, abort_after_s, read)


class RawRead(Workload):
    """Reads below partitions and file systems, so that only the disk and the scheduler count."""

    id = "raw-read"
    spec_type = RawSpec

    def unavailable(self, disks: Sequence[str] | None = None) -> Message | None:
        """Require udisks, and a single disk below the folder that udisks knows."""
        return missing("udisksctl", self.facts.package) or (None if disks is None else unknown(disks))

    def plan(self, probe: Probe, seconds: float, *_: float) -> RawSpec:
        mib = max(LEAST_MIB, min(MOST_RAW_MIB, int(probe.read_bytes_per_s * seconds / MIB)))
        return RawSpec(mib * MIB / probe.read_bytes_per_s + 0.1, (mib - mib % RAW_BLOCK_MIB) * MIB)

    def prepare(self, scratch: Scratch, _spec: RawSpec) -> None:
        """Open the disk: this is when polkit asks."""
        scratch.raw.open(scratch.processes)

    def run(self, scratch: Scratch, spec: RawSpec, abort_after_s: float = math.inf) -> Measurement:
        fd = scratch.raw.open(scratch.processes)

        def read(left_bytes: int, most_s: float) -> tuple[int, float]:
            os.lseek(fd, 0, os.SEEK_SET)
            blocks = -(-left_bytes // (RAW_BLOCK_MIB * MIB))
            argv = ["of=/dev/null", f"bs={RAW_BLOCK_MIB}M", f"count={blocks}", "iflag=fullblock"]
            return run_dd(argv, scratch, most_s, fd)

        return _read_all(spec.read_bytes, abort_after_s, read)


def _write(scratch: Scratch, target: Path, spec: WriteSpec, abort_after_s: float, *options: str) -> tuple[int, float]:
    """Write a file from memory. Raises ``Aborted``."""
    argv = [f"of={target.name}", "bs=1M", f"count={spec.written_bytes // MIB}", *options, "iflag=fullblock"]
    with scratch.source.opened(scratch.seed % SHIFTS) as stdin:
        return run_dd(argv, scratch, abort_after_s, stdin)


def _read_all(wanted_bytes: int, abort_after_s: float, read: Callable[[int, float], tuple[int, float]]) -> Measurement:
    """Repeat ``read`` until all bytes are read; its arguments are the bytes left and the seconds left."""
    moved, spent_s = 0, 0.0
    try:
        while moved < wanted_bytes:
            moved_bytes, took_s = read(wanted_bytes - moved, abort_after_s - spent_s)
            if not moved_bytes:
                raise RunFailed("raw-disk-empty")
            moved, spent_s = moved + moved_bytes, spent_s + took_s
    except Aborted as slow:
        return _at_most(wanted_bytes, spent_s + slow.took_s)
    return Measurement({"bytes_per_s": moved / spent_s}, spent_s, moved, 0)


def _at_most(moved_bytes: int, took_s: float) -> Measurement:
    """Return an upper bound of the speed: not all of the bytes were moved in that time."""
    return Measurement({"bytes_per_s": moved_bytes / took_s}, took_s, cut_short=True)


RUNNERS = (DdWrite(), CopyThenUnplug(), DdRead(), RawRead())
