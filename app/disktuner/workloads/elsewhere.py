# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``use-elsewhere``: what is felt on another disk while a file is copied to the one that is measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from disktuner.vocabulary.background import NO_LOAD
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.workloads import open_program
from disktuner.workloads.errors import Aborted
from disktuner.workloads.load import SOURCE_BYTES, Background, Beside, Copying, CopyLoad, LoadedSpec, plan_copy
from disktuner.workloads.processes import Deadline
from disktuner.workloads.spec import Cost, Count
from disktuner.workloads.starts import LEAST_READS, Launch, make_start_cold, start, write_start
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch, own_program

OPEN_BYTES = 32 * MIB
"""What an open program has in memory and uses at once."""
SAVES, OPEN = 10, "open"


class ElsewhereSpec(LoadedSpec, frozen=True):
    """The start is the first ``reads`` of its pattern; ``prepared_bytes`` lie on the other disk."""

    WORK: ClassVar = {"reads": LEAST_READS}

    load: CopyLoad
    reads: Count

    @property
    def cost(self) -> Cost:
        """The copy."""
        written, expected = self.load.bytes_written, self.load.bytes_expected
        return Cost(written, 0, written, SOURCE_BYTES, expected, self.prepared_bytes)


class UseElsewhere(Beside):
    """An open program is used again, which takes long where the copy pushed it out of memory; it saves small files;
    another program starts cold.
    """

    id = "use-elsewhere"
    spec_type = ElsewhereSpec
    is_elsewhere = True

    def __init__(self) -> None:
        self._launch = Launch("launch-office", NO_LOAD)

    def plan(self, probe: Probe, seconds: float, *_: float) -> ElsewhereSpec:
        """As much of the start as fits. Raises ``MeasurementImpossible`` where room lacks on the other disk."""
        there = probe.elsewhere
        if there is None:
            raise MeasurementImpossible("felt-needs-folder")
        part = self._launch.part(there, seconds)
        needed = part.prepared_bytes + OPEN_BYTES
        if needed > there.free_bytes:
            raise MeasurementImpossible("pattern-needs-room", needed=needed, free=there.free_bytes)
        used_s = part.start_s(there, NO_LOAD) + OPEN_BYTES / there.read_bytes_per_s + SAVES * there.durable_write_s
        load = plan_copy(probe, used_s)
        return ElsewhereSpec(used_s + load.around_s, needed, load, part.reads)

    def here(self, scratch: Scratch) -> Scratch:
        """Return a folder on the other disk."""
        assert scratch.elsewhere, "which other disk is felt was named when it was planned"
        return replace(scratch, folder=scratch.elsewhere / self.id)

    def prepare(self, scratch: Scratch, spec: ElsewhereSpec) -> None:
        """Write what is used, on the other disk."""
        there = self.here(scratch)
        write_start(there, self._launch.pattern.beginning(spec.reads))
        there.write(OPEN, OPEN_BYTES)

    def background(self, scratch: Scratch, spec: LoadedSpec) -> Background:
        """The copy."""
        return Copying(spec.load, scratch)

    def measured(self, there: Scratch, spec: ElsewhereSpec, load: Background, abort_after_s: float) -> Measurement:
        """Use the open program, save, start the other one."""
        pattern = self._launch.pattern.beginning(spec.reads)
        program = own_program(Path(open_program.__file__), OPEN, "log", SAVES)
        make_start_cold(there, pattern)
        with there.processes.held([program], there.folder) as (pid,):
            load.start()
        deadline = Deadline(there.processes, abort_after_s)
        try:
            used = there.processes.wait(pid, spec.timeout_s, abort_after_s).out
            start_s = start(pattern, there, None, deadline.left_s)
        except Aborted:
            return Measurement({"wall_s": deadline.spent_s}, deadline.spent_s, cut_short=True)
        return_s, save_s = map(float, used.split()[-2:])
        values = {"return_s": return_s, "save_s": save_s, "start_s": start_s}
        return Measurement({"wall_s": return_s + SAVES * save_s + start_s, **values}, deadline.spent_s)


RUNNERS = (UseElsewhere(),)
