# SPDX-License-Identifier: GPL-3.0-or-later
"""A recorded machine has the findings of the machine itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.recording.tree import record
from tests.unit.block.trees import Tree
from tests.unit.checkup.test_machines import SICK, findings

NOT_RECORDED = {
    "stuck",
    "stuck-emmc",
    "reset",
    "reset-hard-disk",
    "array",
    "pool",
    "without-uas",
    "no-queue",
    "cache-off",
    "discard",
    "usb-2",
}
"""Their origin stands in a file of which a recording keeps no line, or in what might tell one device from another."""


@pytest.mark.parametrize("name", [name for name in SICK if name not in NOT_RECORDED and SICK[name].health is None])
def test_a_sick_machine(name: str, tmp_path: Path) -> None:
    sick, root = SICK[name], tmp_path / "real"
    tree = Tree(root)
    tree.kernel(sick.kernel, sick.command_line)
    sick.build(tree)
    record(root, tmp_path / "recorded")
    described = [
        (disk, finding.check.id, finding.value, finding.set_by.id) for disk, finding in findings(tmp_path / "recorded")
    ]
    assert described == [(sick.disk, sick.check, sick.value, sick.by.id)]
