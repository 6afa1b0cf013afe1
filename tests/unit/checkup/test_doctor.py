# SPDX-License-Identifier: GPL-3.0-or-later
"""Each line is reported with its effect and reason, and the distribution's choice with what would be tried first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.block.trees import Tree, sata

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.block.writers import LineState, Writer
from disktuner.checkup.doctor import distribution, line, sentences_on
from disktuner.vocabulary.messages import message

VENDOR = Writer("udev", "/usr/lib/udev/rules.d/60-block-scheduler.rules", 5, "queue/scheduler", "bfq")


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    tree = Tree(tmp_path)
    tree.kernel("6.1.0")
    tree.disk("sda", "8:0", sata(1), "none [mq-deadline] kyber bfq")
    return System(tmp_path).disk("sda")


@pytest.mark.parametrize("state", LineState)
def test_every_state_has_its_sentence(state: LineState) -> None:
    lines = list(sentences_on([replace(VENDOR, state=state)]))
    assert (len(lines) == 1 and VENDOR.place in lines[0] and "bfq" in lines[0]) or state is LineState.OTHER_DISKS
    assert not list(sentences_on([replace(VENDOR, state=state, ours=True)]))


def test_why_and_how_it_would_act_are_told() -> None:
    dead = replace(VENDOR, state=LineState.DEAD, why=message("dead-after-exit"), corrected="BETTER")
    assert line(dead) == (
        f"{VENDOR.place} (udev) names bfq for queue/scheduler, but never sets it. "
        "The script ends before this line. Corrected line: BETTER"
    )


def test_what_the_distribution_chooses_stands_beside_the_suggestion(disk: Disk) -> None:
    sentence = distribution(disk, [VENDOR, replace(VENDOR, file="/etc/udev/rules.d/60-io.rules", value="kyber")])
    assert disk.suggestion is not None
    assert (
        "bfq" in sentence
        and VENDOR.place in sentence
        and disk.suggestion.scheduler in sentence
        and "kyber" not in sentence
    )
    assert distribution(disk, [replace(VENDOR, state=LineState.OTHER_DISKS)]) == ""
