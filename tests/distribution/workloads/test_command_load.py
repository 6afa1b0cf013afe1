# SPDX-License-Identifier: GPL-3.0-or-later
"""A user's command as the background load: steady, with its speed; whatever it does, it gets a sentence and leaves
nothing.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.workloads.test_command_load import FOREVER
from tests.unit.workloads.test_own import PROBE, STAY, living
from tests.waiting import until

from disktuner.results.definition import Definition
from disktuner.workloads import command_load
from disktuner.workloads.command_load import OwnWithBackgroundLoad
from disktuner.workloads.own import OwnCommand
from disktuner.workloads.starts import OwnStart
from disktuner.workloads.workload import Measurement, Scratch


def test_nothing_is_left_where_the_program_itself_is_killed(tmp_path: Path) -> None:
    code = f"""
import sys
sys.path.insert(0, {str(Path(command_load.__file__).parents[2])!r})
from pathlib import Path
from disktuner.workloads.processes import Control, Processes
from disktuner.results.definition import Definition
from disktuner.workloads.command_load import CommandLoad
from disktuner.workloads.source import Source
from disktuner.workloads.workload import Scratch
with Processes(Control()) as processes, Source(0, 0) as source:
    folder = Path({str(tmp_path)!r})
    definition = Definition("true", beside="trap '' TERM; (setsid {STAY} &); {STAY}")
    CommandLoad(definition, Scratch(folder, 0, source, processes)).start()
"""
    program = subprocess.Popen([sys.executable, "-c", code])
    until(lambda: len(living()) == 2)
    program.kill()
    program.wait()
    until(lambda: not living())


@pytest.mark.parametrize("program", [False, True], ids=["command", "program"])
def test_a_program_is_measured_beside_it(program: bool, scratch: Scratch) -> None:
    definition = Definition(beside=FOREVER, **({"program": "true"} if program else {"command": "true"}))
    workload: OwnWithBackgroundLoad = OwnStart(definition) if program else OwnCommand(definition)
    workload = workload.tried(scratch)  # type: ignore[assignment]
    spec = workload.plan(PROBE, 1.0)
    workload.prepare(scratch, spec)
    measurement: Measurement = workload.run(scratch, spec)
    declared = {metric.name for metric in workload.facts.metrics}
    assert set(measurement.values) == declared == {"wall_s", "load_bytes_per_s"}
