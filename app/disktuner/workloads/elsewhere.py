# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``use-elsewhere``: what is felt on another disk while a file is copied to the tested one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from disktuner.vocabulary.background import NO_LOAD
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.workloads import open_program
from disktuner.workloads.errors import Aborted
from disktuner.workloads.load import (
    SOURCE_BYTES,
    Background,
    Copying,
    CopyLoad,
    LoadedSpec,
    WithBackgroundLoad,
    plan_copy,
)
from disktuner.workloads.processes import Deadline
from disktuner.workloads.spec import Cost, Count
from disktuner.workloads.starts import LEAST_READS, Launch, make_start_cold, start, write_start
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch, own_program

OPEN_BYTES = 32 * MIB
"""The memory of the open program, which it uses again at once."""
SAVES, OPEN = 10, "open"


class ElsewhereSpec(LoadedSpec, frozen=True):
    """The start is the first ``reads`` of its pattern; ``prepared_bytes`` are on the other disk."""

    WORK: ClassVar = {"reads": LEAST_READS}

    load: CopyLoad
    reads: Count

    @property
    def cost(self) -> Cost:
        written, expected = self.load.bytes_written, self.load.bytes_expected
        return Cost(written, 0, written, SOURCE_BYTES, expected, self.prepared_bytes)


class UseElsewhere(WithBackgroundLoad):
    """An open program is used again, which takes long if the copy pushed it out of memory, and saves small files; then
    another program starts cold."""

    id = "use-elsewhere"
    spec_type = ElsewhereSpec
    is_elsewhere = True

    def __init__(self) -> None:
        self._launch = Launch("launch-office", NO_LOAD)

    def plan(self, probe: Probe, seconds: float, *_: float) -> ElsewhereSpec:
        """As much of the start as fits. Raises ``MeasurementImpossible`` if the other disk lacks room."""
        elsewhere = probe.elsewhere
        if elsewhere is None:
            raise MeasurementImpossible("felt-needs-folder")
        part = self._launch.part(elsewhere, seconds)
        needed = part.prepared_bytes + OPEN_BYTES
        if needed > elsewhere.free_bytes:
            raise MeasurementImpossible("pattern-needs-room", needed=needed, free=elsewhere.free_bytes)
        used_s = (
            part.start_s(elsewhere, NO_LOAD)
            + OPEN_BYTES / elsewhere.read_bytes_per_s
            + SAVES * elsewhere.durable_write_s
        )
        load = plan_copy(probe, used_s)
        return ElsewhereSpec(used_s + load.around_s, needed, load, part.reads)

    def workdir(self, scratch: Scratch) -> Scratch:
        """Return the scratch folder on the other disk."""
        assert scratch.elsewhere, "which other disk is felt was named when it was planned"
        return replace(scratch, folder=scratch.elsewhere / self.id)

    def prepare(self, scratch: Scratch, spec: ElsewhereSpec) -> None:
        """Write the files of both programs to the other disk."""
        workdir = self.workdir(scratch)
        write_start(workdir, self._launch.pattern.beginning(spec.reads))
        workdir.write(OPEN, OPEN_BYTES)

    def background(self, scratch: Scratch, spec: LoadedSpec) -> Background:
        return Copying(spec.load, scratch)

    def run_foreground(
        self, scratch: Scratch, spec: ElsewhereSpec, load: Background, abort_after_s: float
    ) -> Measurement:
        pattern = self._launch.pattern.beginning(spec.reads)
        program = own_program(Path(open_program.__file__), OPEN, "log", SAVES)
        make_start_cold(scratch, pattern)
        with scratch.processes.held([program], scratch.folder) as (pid,):
            load.start()
        deadline = Deadline(scratch.processes, abort_after_s)
        try:
            used = scratch.processes.wait(pid, spec.timeout_s, abort_after_s).out
            start_s, _ = start(pattern, scratch, None, deadline.left_s)
        except Aborted:
            return Measurement({"wall_s": deadline.spent_s}, deadline.spent_s, cut_short=True)
        return_s, save_s = map(float, used.split()[-2:])
        values = {"return_s": return_s, "save_s": save_s, "start_s": start_s}
        return Measurement({"wall_s": return_s + SAVES * save_s + start_s, **values}, deadline.spent_s)


RUNNERS = (UseElsewhere(),)
