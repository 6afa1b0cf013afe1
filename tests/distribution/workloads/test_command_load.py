# SPDX-License-Identifier: GPL-3.0-or-later
"""A user's command as the background load: steady, with its speed."""

from __future__ import annotations

import pytest
from tests.unit.workloads.test_command_load import FOREVER
from tests.unit.workloads.test_own import PROBE

from disktuner.results.definition import Definition
from disktuner.workloads.command_load import OwnWithBackgroundLoad
from disktuner.workloads.own import OwnCommand
from disktuner.workloads.starts import OwnStart
from disktuner.workloads.workload import Measurement, Scratch


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
