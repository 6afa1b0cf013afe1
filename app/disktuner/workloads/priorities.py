# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``priorities``: a reader beside a copy at normal, idle and low I/O priority: is ionice(1) honoured?"""

from __future__ import annotations

from typing import ClassVar

from disktuner.workloads.cold import make_cold
from disktuner.workloads.fio import START_S, fio, parse_job
from disktuner.workloads.spec import SHORTEST_S, Cost, Count, Seconds, Spec
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch, Workload

EQUAL = ("ionice", "-c", "2", "-n", "3")
IDLE = ("ionice", "-c", "3")
LOW = ("ionice", "-c", "2", "-n", "7")
FILES = ("reader", "source", "target")
WRITE_BYTES_PER_S = 128 * MIB  # at most, so that a fast disk is not worn for a question
SETTLE_S = 0.5


class PrioritiesSpec(Spec, frozen=True):
    """Each phase lasts ``duration_s``, with files of ``file_bytes``; the copy writes at most ``write_bytes_per_s``."""

    WORK: ClassVar = {"duration_s": SHORTEST_S}

    duration_s: Seconds
    file_bytes: Count
    write_bytes_per_s: Count

    @property
    def cost(self) -> Cost:
        """Three files, and three copies of which each goes on for longer than it is read beside it."""
        written = int(3 * (self.duration_s + 3 * SETTLE_S) * self.write_bytes_per_s) + MIB
        return Cost(written, 3 * self.file_bytes, 3 * self.file_bytes)


class Priorities(Workload):
    """Is a priority honoured?

    The reader reads 4 KiB after 4 KiB, each from another place. The copy is fio with O_DIRECT, so that its requests
    carry its own priority (those of a writeback are the kernel's), scattered and many at once, so that there is
    something to hold back. Reader and normal copy have the same priority, one above the default: with the default bfq
    gives whatever has just started more than its share (low_latency), sometimes one and sometimes the other.
    Mq-deadline lets a request of idle priority wait for 10 s at most (prio_aging_expire): the phases are shorter.
    """

    id = "priorities"
    spec_type = PrioritiesSpec

    def plan(self, probe: Probe, seconds: float, *_: float) -> PrioritiesSpec:
        """Four phases; the file is read from all over, so it need not be large."""
        besides_s = 4 * START_S + 6 * SETTLE_S
        duration_s = max(SHORTEST_S, min(5.0, (seconds - besides_s) / 4))
        file_mib = max(16, min(256, int(1.5 * probe.write_bytes_per_s / MIB)))
        rate = int(min(1.5 * probe.write_bytes_per_s, WRITE_BYTES_PER_S))
        return PrioritiesSpec(4 * duration_s + besides_s, duration_s, file_mib * MIB, rate)

    def prepare(self, scratch: Scratch, spec: PrioritiesSpec) -> None:
        """Write what is read, what is copied, and the file that the copy overwrites."""
        for name in FILES:
            scratch.write(f"{self.id}-{name}", spec.file_bytes)

    def run(self, scratch: Scratch, spec: PrioritiesSpec, *_: float) -> Measurement:
        """Read alone, then beside a copy at each of the three priorities; each phase at other places."""
        processes = scratch.processes
        for name in FILES:
            make_cold(scratch.folder / f"{self.id}-{name}")
        reads_per_s, read_bytes, written_bytes = list[float](), 0, 0
        for phase, priority in enumerate((None, EQUAL, IDLE, LOW)):
            copying = 0
            if priority:
                copying = processes.start([*priority, *self._copy(scratch, spec, phase)], scratch.folder)
                processes.pause(SETTLE_S)
            read = parse_job(scratch.run([*EQUAL, *self._read(scratch, spec, phase)], spec.timeout_s))[0]
            reads_per_s.append(max(0.5, read.ios) / max(read.runtime_s, spec.duration_s))
            read_bytes += read.total_bytes
            if copying:
                copied, written = parse_job(processes.wait(copying, spec.timeout_s).out)  # as one group
                read_bytes, written_bytes = read_bytes + copied.total_bytes, written_bytes + written.total_bytes
        alone, normal, idle, low = reads_per_s
        values = {"idle_gain": idle / normal, "low_gain": low / normal, "slowdown": alone / normal}
        return Measurement(values, 4 * spec.duration_s, read_bytes, written_bytes, direct=True)

    def _read(self, scratch: Scratch, spec: PrioritiesSpec, phase: int) -> list[str]:
        options = ["--rw=randread", "--bs=4k", "--ioengine=psync", *_lasting(spec, spec.duration_s)]
        return fio(scratch.folder / f"{self.id}-reader", options, scratch.seed + 10 + phase)

    def _copy(self, scratch: Scratch, spec: PrioritiesSpec, phase: int) -> list[str]:
        """Read the source here and there and write the target, as two jobs whose figures come as those of one."""
        lasting = _lasting(spec, spec.duration_s + SETTLE_S + START_S)
        both = ["--bs=64k", "--ioengine=libaio", "--refill_buffers", *lasting]
        reading = [*both, "--rw=randread", "--iodepth=16"]
        writing = [*both, "--rw=write", "--iodepth=4", f"--rate=,{spec.write_bytes_per_s}"]
        argv = fio(scratch.folder / f"{self.id}-source", reading, scratch.seed + phase)
        return [*argv, "--name=written", f"--filename={self.id}-target", *writing]


def _lasting(spec: PrioritiesSpec, seconds: float) -> list[str]:
    """Return the options of requests around the page cache, anywhere in the file, for so long."""
    anywhere = ["--direct=1", f"--size={spec.file_bytes}", "--norandommap"]
    return [*anywhere, "--time_based", f"--runtime={1000 * seconds:.0f}ms"]


RUNNERS = (Priorities(),)
