# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``priorities``: a reader during copies at normal, idle and low I/O priority: is ionice(1) honoured?"""

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
WRITE_BYTES_PER_S = 128 * MIB  # at most, so as not to wear a fast disk
SETTLE_S = 0.5


class PrioritiesSpec(Spec, frozen=True):
    """Each phase lasts ``duration_s``, with files of ``file_bytes``; the copy writes at most ``write_bytes_per_s``."""

    WORK: ClassVar = {"duration_s": SHORTEST_S}

    duration_s: Seconds
    file_bytes: Count
    write_bytes_per_s: Count

    @property
    def cost(self) -> Cost:
        """Three files, and three copies, each longer than the reading."""
        written = int(3 * (self.duration_s + 3 * SETTLE_S) * self.write_bytes_per_s) + MIB
        return Cost(written, 3 * self.file_bytes, 3 * self.file_bytes)


class Priorities(Workload):
    """Is a priority honoured?

    The reader reads 4 KiB at a time from scattered places. The copy is fio with O_DIRECT, so that its requests carry
    its own priority (writeback has the kernel's), scattered and deep, so that there is something to hold back. The
    reader and the normal copy share a priority above the default, at which bfq would favour whichever started last
    (low_latency). Phases are shorter than the 10 s that mq-deadline lets idle requests wait (prio_aging_expire).
    """

    id = "priorities"
    spec_type = PrioritiesSpec

    def plan(self, probe: Probe, seconds: float, *_: float) -> PrioritiesSpec:
        """Four phases; scattered reads need no large file."""
        besides_s = 4 * START_S + 6 * SETTLE_S
        duration_s = max(SHORTEST_S, min(5.0, (seconds - besides_s) / 4))
        file_mib = max(16, min(256, int(1.5 * probe.write_bytes_per_s / MIB)))
        rate = int(min(1.5 * probe.write_bytes_per_s, WRITE_BYTES_PER_S))
        return PrioritiesSpec(4 * duration_s + besides_s, duration_s, file_mib * MIB, rate)

    def prepare(self, scratch: Scratch, spec: PrioritiesSpec) -> None:
        for name in FILES:
            scratch.write(f"{self.id}-{name}", spec.file_bytes)

    def run(self, scratch: Scratch, spec: PrioritiesSpec, *_: float) -> Measurement:
        """Read alone, then during a copy at each of the three priorities; each phase reads other places."""
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
        """Read scattered parts of the source and write the target, as two jobs reported as one group."""
        lasting = _lasting(spec, spec.duration_s + SETTLE_S + START_S)
        both = ["--bs=64k", "--ioengine=libaio", "--refill_buffers", *lasting]
        reading = [*both, "--rw=randread", "--iodepth=16"]
        writing = [*both, "--rw=write", "--iodepth=4", f"--rate=,{spec.write_bytes_per_s}"]
        argv = fio(scratch.folder / f"{self.id}-source", reading, scratch.seed + phase)
        return [*argv, "--name=written", f"--filename={self.id}-target", *writing]


def _lasting(spec: PrioritiesSpec, seconds: float) -> list[str]:
    """Return the options for direct requests anywhere in the file for ``seconds``."""
    anywhere = ["--direct=1", f"--size={spec.file_bytes}", "--norandommap"]
    return [*anywhere, "--time_based", f"--runtime={1000 * seconds:.0f}ms"]


RUNNERS = (Priorities(),)
