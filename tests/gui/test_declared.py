# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind, a goal and a workload appear once they are declared; the rest is in tests/unit/vocabulary."""

from __future__ import annotations

from dataclasses import replace

import pytest

from disktuner.block.queue import suggest
from disktuner.gui.state import State, in_order
from disktuner.gui.widgets.complaints import Complaints
from disktuner.gui.widgets.disk_card import DiskCard
from disktuner.vocabulary.goals import GOALS, Goal
from tests.gui.conftest import Nobody, Show
from tests.gui.person import words
from tests.gui.stand_ins import disk
from tests.unit.block.test_kinds import TOY


def test_a_goal_and_a_kind_are_a_card(show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    gaming = Goal(
        "gaming",
        "Games load slowly",
        "Games",
        "Levels load at once.",
        "playing",
        "A player waits.",
        1.3,
        "Seen.",
    )
    monkeypatch.setitem(GOALS, "gaming", gaming)
    plain = disk(kind=TOY, model="")
    page, card = Complaints(), DiskCard(plain, Nobody())
    card.show_state(replace(plain, suggestion=suggest(plain, "desktop")), State())
    for widget in (page, card):
        show(widget)
    assert "Games load slowly" in words(page).splitlines()
    assert page.buttons["gaming"].toolTip() == "Levels load at once."
    assert "Toy disk" in words(card).splitlines()
    assert "A toy squeaks less with bfq. Source: the toymaker." in words(card)


def test_tunable_disks_come_first_and_each_group_in_the_order_of_the_kernels_names() -> None:
    names = ("dm-10", "dm-2", "sdaa", "sdz", "sdb")
    disks = in_order(disk(name, tunable=not name.startswith("dm-")) for name in names)
    assert [disk.name for disk in disks] == ["sdb", "sdz", "sdaa", "dm-2", "dm-10"]
