# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever will override a scheduler set by Disktuner is known before it is set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.block.trees import Tree, sata

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.block.writers import LineState, Writer
from disktuner.remedies import rivals

RULES = "/etc/udev/rules.d"
EARLY = Writer("udev", f"{RULES}/60-io.rules", 1, "queue/scheduler", "none", on_change=True)
OURS = Writer("udev", f"{RULES}/90-disktuner-ID_WWN-0x1.rules", 4, "queue/scheduler", "bfq", ours=True)
LATE = Writer("udev", f"{RULES}/99-io.rules", 2, "queue/scheduler", "none")
RUN = Writer("udev", "/usr/lib/udev/rules.d/50-run.rules", 1, "queue/scheduler", "kyber", is_command=True)


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    tree = Tree(tmp_path)
    tree.kernel("6.1.0")
    tree.disk("sda", "8:0", sata(1), "none [mq-deadline] kyber bfq")
    return System(tmp_path).disk("sda")


def test_what_comes_after_ours_counts_and_the_last_one_has_the_last_word(disk: Disk) -> None:
    assert rivals(disk, (EARLY, OURS, LATE), "bfq", for_good=True) == (LATE,)
    assert rivals(disk, (EARLY, OURS, LATE, RUN), "bfq", for_good=True) == (RUN,)
    assert rivals(disk, (EARLY, OURS, LATE, RUN), "kyber", for_good=True) == ()
    link = replace(OURS, file=f"{RULES}/99-zz-disktuner-ID_WWN-0x1.rules")
    assert rivals(disk, (LATE, link), "bfq", for_good=True) == ()
    assert rivals(disk, (LATE, replace(link, state=LineState.OTHER_DISKS)), "bfq", for_good=True) == (LATE,)


@pytest.mark.parametrize("state", LineState)
def test_what_never_acts_is_no_rival_and_what_may_is_one_beside_others(disk: Disk, state: LineState) -> None:
    writers = rivals(disk, (LATE, replace(RUN, state=state)), "bfq", for_good=True)
    assert [writer.value for writer in writers] == {
        LineState.ACTS: ["kyber"], LineState.OVERRIDDEN: ["kyber"], LineState.OPEN: ["none", "kyber"],
        LineState.MENTIONS: ["none", "kyber"]}.get(state, ["none"])  # fmt: skip


def test_until_the_next_restart_what_acts_at_each_change_counts(disk: Disk) -> None:
    assert rivals(disk, (EARLY, OURS, LATE), "kyber", for_good=False) == (EARLY,)
    assert rivals(disk, (EARLY, OURS, LATE), "none", for_good=False) == ()
