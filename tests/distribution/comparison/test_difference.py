# SPDX-License-Identifier: GPL-3.0-or-later
"""*Show the difference*: each side gets its time, and the new setting is restored."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gui.stand_ins import disk, result

from disktuner.comparison import comparison
from disktuner.comparison.difference import SIDE_S, WORKLOAD, Difference, HeldSwitch, sides
from disktuner.comparison.request import Environment
from disktuner.experiment.run import SchedulerSwitch
from disktuner.vocabulary.errors import Cancelled
from disktuner.vocabulary.settings import Setting, setting_of

OLD, NEW = Setting("mq-deadline"), setting_of("bfq:slice_idle=0")


def test_each_side_has_its_time_from_its_first_turn_on() -> None:
    now_s, schedulers_seen = 100.0, []
    next_turn = sides((OLD, NEW), lambda: now_s)
    while (turn := next_turn(result(1))).runs:
        schedulers_seen.append(turn.runs[WORKLOAD][0])
        now_s += SIDE_S / 4
    assert schedulers_seen == [OLD] * 4 + [NEW] * 4


def test_every_disk_has_its_own_old_way() -> None:
    disks, settings = (disk("sda"), disk("sdb", scheduler="kyber")), []
    switch = HeldSwitch(disks, NEW, lambda name, setting: settings.append((name, setting)))
    switch.set(OLD)
    switch.set(NEW)
    assert settings == [("sda", OLD), ("sdb", Setting("kyber")), ("sda", NEW), ("sdb", NEW)]


def test_the_new_setting_is_set_again_when_it_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Set(SchedulerSwitch):
        def set(self, setting: Setting) -> None:
            settings.append(setting)

    def stopped(*_: object) -> None:
        raise Cancelled("cancelled")

    settings: list[Setting] = []
    monkeypatch.setattr(comparison, "find_target", stopped)
    monkeypatch.setattr(comparison, "refuse_root", lambda: None)
    environment = Environment(None, None, None)  # type: ignore[arg-type]  # never reached
    with Difference("sda", (OLD, NEW), Set(), environment) as difference, pytest.raises(Cancelled):
        difference.run(lambda _: None)
    assert settings == [NEW]
