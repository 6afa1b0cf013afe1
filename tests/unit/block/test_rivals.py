# SPDX-License-Identifier: GPL-3.0-or-later
"""Who gives a disk another scheduler after Disktuner has set one is known before it is set."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.block.test_writers import OWN_RULE, WWN
from tests.unit.block.trees import Tree, sata

from disktuner.block.system import System
from disktuner.block.writers.rivals import rivals

BFQ = 'KERNEL=="sd*", ATTR{queue/scheduler}="bfq"'
NONE = 'KERNEL=="sd*", ATTR{queue/scheduler}="none"'


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path)
    tree.kernel("6.1.0")
    tree.disk("sda", "8:0", sata(1), "none [mq-deadline] kyber bfq", udev={"ID_WWN": WWN})
    return tree


def found(tree: Tree, scheduler: str = "bfq", *, for_good: bool = True) -> list[str]:
    system = System(tree.root)
    disk = system.disk("sda")
    return [one.place for one in rivals(disk, system.writers(disk), scheduler, for_good=for_good)]


def test_rules_that_come_after_ours_and_commands_of_any(tree: Tree) -> None:
    tree.write("etc/udev/rules.d/60-io.rules", NONE)
    assert found(tree) == []
    tree.write("etc/udev/rules.d/90-disktuner.rules", OWN_RULE)
    tree.write("etc/udev/rules.d/99-io.rules", f"#\n{NONE}")
    run = "RUN+=\"/bin/sh -c 'echo kyber > /sys/block/%k/queue/scheduler'\""
    tree.write("usr/lib/udev/rules.d/50-run.rules", f'KERNEL=="sd*", {run}')
    assert found(tree) == ["/etc/udev/rules.d/99-io.rules:2", "/usr/lib/udev/rules.d/50-run.rules:1"]
    assert found(tree, "none") == ["/usr/lib/udev/rules.d/50-run.rules:1"]
    assert found(tree, "kyber") == []


def test_until_the_next_restart_what_acts_at_each_change_counts(tree: Tree) -> None:
    tree.write("etc/udev/rules.d/60-io.rules", f'ACTION=="add", {NONE}\nACTION=="add|change", {NONE}')
    tree.write("etc/udev/rules.d/90-disktuner.rules", OWN_RULE)
    assert found(tree, "kyber", for_good=False) == ["/etc/udev/rules.d/60-io.rules:2"]
    assert found(tree, "none", for_good=False) == []
