# SPDX-License-Identifier: GPL-3.0-or-later
"""A recorded machine has the findings of the machine itself, without a serial number in what is recorded for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.block.trees import Tree
from tests.unit.checkup.test_machines import SICK, findings

from disktuner.block.record import Recorder

NOT_RECORDED = {"without-uas", "no-queue", "cache-off", "discard", "usb-2"}
"""Their origin stands in a file of which a recording keeps no line, or in what might tell one device from another."""


@pytest.mark.parametrize("name", [name for name in SICK if name not in NOT_RECORDED and SICK[name].health is None])
def test_a_sick_machine(name: str, tmp_path: Path) -> None:
    sick, root = SICK[name], tmp_path / "real"
    tree = Tree(root)
    tree.kernel(sick.kernel, sick.command_line)
    sick.build(tree)
    Recorder(root, b"salt").record(tmp_path / "recorded")
    told = [(disk, each.check.id, each.value, each.set_by.id) for disk, each in findings(tmp_path / "recorded")]
    assert told == [(sick.disk, sick.check, sick.value, sick.by.id)]


def test_what_identifies_a_disk_is_left_out(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "real")
    tree.kernel("6.12")
    SICK["cable"].build(tree)
    path = "sys/class/ata_device/dev1.0/id"
    words = (tmp_path / "real" / path).read_text().split()
    words[10:20] = ["5744"] * 10  # the serial number
    tree.write(path, " ".join(words))
    Recorder(tmp_path / "real", b"salt").record(tmp_path / "recorded")
    kept = (tmp_path / "recorded" / path).read_text().split()
    assert set(kept[:76]) == {"0000"} and kept[76] == "850e"
