# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner status`` says whether a choice holds, and names who overrode it."""

from __future__ import annotations

from pathlib import Path

from tests.unit.block.test_writers import OWN_RULE, WWN
from tests.unit.block.trees import MQ, Tree, sata

from disktuner.block.system import System
from disktuner.cli.status import Standing, human, standing
from disktuner.helper_client.state import Snapshot, State


def stands(root: Path, scheduler: str, others: str = "", state: State | None = None) -> Standing:
    tree = Tree(root)
    tree.kernel("6.1.0")
    tree.disk("sda", "8:0", sata(1), scheduler, 1, {"device/vendor": "ATA", "device/model": "ST4"}, {"ID_WWN": WWN})
    tree.write("etc/udev/rules.d/90-disktuner.rules", OWN_RULE)
    if others:
        tree.write("etc/udev/rules.d/99-other.rules", others)
    system = System(root)
    return standing(system, system.disk("sda"), state)


def test_it_holds(tmp_path: Path) -> None:
    one = stands(tmp_path, "none mq-deadline [bfq]")
    assert (one.holds, one.sentence) == (True, "holds")


def test_the_culprit_is_named(tmp_path: Path) -> None:
    one = stands(tmp_path, MQ, '# x\nKERNEL=="sd*", ATTR{queue/scheduler}="mq-deadline"')
    assert one.holds is False
    assert one.sentence == "overridden by /etc/udev/rules.d/99-other.rules:2"
    assert one.to_json()["overridden_by"] == "/etc/udev/rules.d/99-other.rules:2"
    assert "99-other.rules:2 (udev) sets the scheduler" in human([one], 100)


def test_nobody_left_a_trace(tmp_path: Path) -> None:
    assert "no trace" in stands(tmp_path, MQ).sentence


def test_since_and_before_come_from_the_helper(tmp_path: Path) -> None:
    held = Snapshot("sda", 0, "none", {}, "2026-11-21T02:00:00Z")
    one = stands(tmp_path, "none mq-deadline [bfq]", state=State("1", (held,), (), ()))
    assert (one.since, one.before) == ("2026-11-21T02:00:00Z", "none")
