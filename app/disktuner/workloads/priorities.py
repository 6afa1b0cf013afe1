# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``priorities``: a reader beside a copy at normal, idle and low I/O priority: is ionice(1) honoured?"""

from __future__ import annotations

from dataclasses import dataclass

from disktuner.vocabulary.messages import Message
from disktuner.workloads.cold import make_cold
from disktuner.workloads.fio import COMMON, parse_job
from disktuner.workloads.source import write_file
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size, Workload, missing

EQUAL = ("ionice", "-c", "2", "-n", "3")
IDLE = ("ionice", "-c", "3")
LOW = ("ionice", "-c", "2", "-n", "7")
COPY_DEPTH, WRITE_DEPTH = 16, 4
WRITE_BYTES_PER_S = 128 * MIB  # at most, so that a fast disk is not worn for a question
SHORTEST_MS = 300
SETTLE_S = 0.5
STARTS_S = 0.4  # fio, per phase
MOST_MIB = 256


@dataclass(frozen=True, slots=True)
class _Phase:
    """What the reader did beside a copy: reads per second, and the bytes that reader and copy read and wrote."""

    reads_per_s: float
    read_bytes: int
    written_bytes: int


class Priorities(Workload):
    """``scale`` is the length of each phase in milliseconds, ``extra`` the size of each file in MiB.

    The reader reads 4 KiB after 4 KiB, each from another place. The copy is fio with O_DIRECT, so that its requests
    carry its own priority (those of a writeback are the kernel's), scattered and many at once, so that there is
    something to hold back. Reader and normal copy have the same priority, one above the default: with the default bfq
    gives whatever has just started more than its share (low_latency), sometimes one and sometimes the other.
    Mq-deadline lets a request of idle priority wait for 10 s at most (prio_aging_expire): the phases are shorter.
    """

    id = "priorities"

    def unavailable(self) -> Message | None:
        """Fio has to be installed; ionice is part of util-linux, which every system has."""
        return super().unavailable() or missing("ionice", "util-linux")

    def size(self, probe: Probe, seconds: float) -> Size:
        """Four phases; the file is read from all over, so it need not be large."""
        besides_s = 4 * STARTS_S + 6 * SETTLE_S
        length_s = max(SHORTEST_MS / 1000, min(5.0, (seconds - besides_s) / 4))
        file_mib = max(16, min(MOST_MIB, int(1.5 * probe.write_bytes_per_s / MIB)))
        kept = 3 * file_mib * MIB
        written = int(3 * (length_s + 3 * SETTLE_S) * min(1.5 * probe.write_bytes_per_s, WRITE_BYTES_PER_S)) + MIB
        return Size(int(length_s * 1000), written, kept, 4 * length_s + besides_s, bytes_kept=kept, extra=file_mib)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write what is read, what is copied, and the file that the copy overwrites."""
        for name in ("reader", "source", "target"):
            write_file(scratch.folder / f"{self.id}-{name}", size.extra * MIB, scratch.seed, processes.check)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Read alone, then beside a copy at each of the three priorities; each phase at other places."""
        for name in ("reader", "source", "target"):
            make_cold(scratch.folder / f"{self.id}-{name}")
        alone = self._read(scratch, size, processes, 0)
        phases = [
            self._beside(scratch, size, processes, priority, number)
            for number, priority in enumerate((EQUAL, IDLE, LOW), 1)
        ]
        normal, idle, low = phases
        values = {
            "idle_gain": idle.reads_per_s / normal.reads_per_s,
            "low_gain": low.reads_per_s / normal.reads_per_s,
            "slowdown": alone.reads_per_s / normal.reads_per_s,
        }
        read_bytes = sum(each.read_bytes for each in (alone, *phases))
        written_bytes = sum(each.written_bytes for each in phases)
        return Measurement(values, 4 * size.scale / 1000, read_bytes, written_bytes, direct=True)

    def _beside(
        self, scratch: Scratch, size: Size, processes: Processes, priority: tuple[str, ...], number: int
    ) -> _Phase:
        copying = processes.start([*priority, *self._copy(scratch, size, number)], scratch.folder)
        processes.pause(SETTLE_S)
        read = self._read(scratch, size, processes, number)
        text = processes.wait(copying, 60 + size.scale / 100).out
        copied, written = parse_job(text, "copy", "read"), parse_job(text, "copy", "write")  # as one group
        return _Phase(read.reads_per_s, read.read_bytes + copied.total_bytes, written.total_bytes)

    def _read(self, scratch: Scratch, size: Size, processes: Processes, number: int) -> _Phase:
        argv = [*EQUAL, "fio", *COMMON, "--name=reads", f"--filename={self.id}-reader", "--rw=randread", "--bs=4k"]
        argv += ["--direct=1", "--ioengine=psync", "--time_based", f"--runtime={size.scale}ms", "--norandommap"]
        argv += [f"--size={size.extra}m", f"--randseed={scratch.seed + 10 + number}"]
        text = processes.run(argv, scratch.folder, 60 + size.scale / 100).out
        reads = parse_job(text, "reads", "read")
        return _Phase(max(0.5, reads.ios) / max(reads.runtime_s, size.scale / 1000), reads.total_bytes, 0)

    def _copy(self, scratch: Scratch, size: Size, number: int) -> list[str]:
        length_ms = size.scale + int(1000 * (SETTLE_S + STARTS_S))
        argv = ["fio", *COMMON, "--direct=1", "--ioengine=libaio", "--bs=64k", f"--size={size.extra}m", "--time_based"]
        argv += [f"--runtime={length_ms}ms", "--norandommap", "--refill_buffers", f"--randseed={scratch.seed + number}"]
        argv += ["--name=copy", f"--filename={self.id}-source", "--rw=randread", f"--iodepth={COPY_DEPTH}"]
        announced = int(size.bytes_written / (3 * (size.scale / 1000 + 3 * SETTLE_S)))
        argv += ["--name=written", f"--filename={self.id}-target", "--rw=write", f"--iodepth={WRITE_DEPTH}"]
        return [*argv, f"--rate=,{min(WRITE_BYTES_PER_S, announced)}"]  # of this job: it stands behind its name


RUNNERS = (Priorities(),)
