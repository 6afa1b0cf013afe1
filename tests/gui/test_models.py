# SPDX-License-Identifier: GPL-3.0-or-later
"""The disks that all pages share, and their order."""

from __future__ import annotations

from disktuner.gui.models import DisksModel
from tests.gui.stand_ins import disk


def test_tunable_disks_come_first_and_each_group_in_the_order_of_the_kernels_names() -> None:
    model = DisksModel()
    names = ("dm-10", "dm-2", "sdaa", "sdz", "sdb")
    model.show(disk(name, tunable=not name.startswith("dm-")) for name in names)
    assert [each.name for each in model.disks] == ["sdb", "sdz", "sdaa", "dm-2", "dm-10"]
