# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists on a terminal of 80 columns: a line for each disk, workload and result; and an unknown command."""

from __future__ import annotations

from tests.unit.cli.test_glance import Terminal
from tests.unit.cli.test_lists import lines


def test_a_workload_is_a_line(terminal: Terminal) -> None:
    output = lines(terminal, "workloads")
    assert len({line.split()[0] for line in output if line}) == len([line for line in output if line])
