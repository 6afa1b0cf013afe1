# SPDX-License-Identifier: GPL-3.0-or-later
"""What is reported about a rule is what a real udevd then does with it, and reporting changes nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from disktuner.block.asking import ask
from disktuner.block.system import System
from disktuner.block.writers import LineState
from disktuner.block.writers.udevadm import events
from disktuner.remedies import remedy_of
from disktuner_helper.persist import PersistentRule
from tests.bus.conftest import CHECKOUT, RULES, RulesOfUdevd, reload_rules
from tests.bus.drawn_rules import contradictions, drawn
from tests.conftest import Sudo

BFQ = 'ATTR{queue/scheduler}="bfq"'
SHELL = "RUN+=\"/bin/sh -c 'echo {} > /sys/block/%k/queue/{}'\""
ACTS, DEAD, OTHER, OPEN = LineState.ACTS, LineState.DEAD, LineState.OTHER_DISKS, LineState.OPEN

KINDS: dict[str, tuple[str, LineState]] = {
    "single =": (f'KERNEL="loop*", {BFQ}', DEAD),
    "[^…] is a glob of udev's": (f'KERNEL=="loop[^a]*", {BFQ}', ACTS),
    "trailing comment": (f'KERNEL=="loop*", {BFQ} # faster', DEAD),
    "&&": (f'KERNEL=="loop*" && ACTION!="remove", {BFQ}', DEAD),
    "unquoted condition": (f"KERNEL==loop*, {BFQ}", DEAD),
    "unquoted value": ('KERNEL=="loop*", ATTR{queue/scheduler}=bfq', DEAD),
    "BUS": (f'BUS=="scsi", {BFQ}', DEAD),
    "SYSFS": (f'SYSFS{{removable}}=="0", {BFQ}', DEAD),
    "lower case": (f'kernel=="loop*", {BFQ}', DEAD),
    "assigned for good": ('ATTR{queue/scheduler}:="bfq"', ACTS),
    "only compared": ('KERNEL=="loop*", ATTR{queue/scheduler}=="bfq"', DEAD),
    "continued": (f'KERNEL=="loop*", \\\n# why\n  {BFQ}', ACTS),
    "a GOTO forward": (f'KERNEL=="loop*", GOTO="end"\n{BFQ}\nLABEL="end"', OTHER),
    "a GOTO backward": (f'LABEL="end"\n{BFQ}\nKERNEL=="loop*", GOTO="end"', ACTS),
    "a GOTO to nowhere": (f'KERNEL=="loop*", GOTO="nowhere"\n{BFQ}', ACTS),
    "an absent attribute": (f'ATTR{{absent}}!="x", {BFQ}', OTHER),
    "a virtual disk has no device": (f'KERNELS=="?*", SUBSYSTEMS=="scsi", {BFQ}', OTHER),
    "KERNELS is the disk itself, too": (f'KERNELS=="loop*", {BFQ}', ACTS),
    "the event as a property": (f'ENV{{ACTION}}=="change", {BFQ}', ACTS),
    "at another event": (f'ACTION=="remove", {BFQ}', OTHER),
    "several writes": (f'{SHELL.format("9", "read_ahead_kb")[:-2]}; echo bfq > /sys%p/queue/scheduler\'"', ACTS),
    "no shell": ('RUN+="/bin/echo bfq > /sys/block/%k/queue/scheduler"', DEAD),
    "RUN thrown away": (f'{SHELL.format("bfq", "scheduler")}\nRUN="/bin/true"', DEAD),
    "RUN of another disk": ("RUN+=\"/bin/sh -c 'echo bfq > /sys/block/sdzz/queue/scheduler; true'\"", OTHER),
    "no such scheduler": ('ATTR{queue/scheduler}="cfq"', DEAD),
    "an alias": ('ATTR{queue/scheduler}="deadline"', ACTS),
    "a slip of the pen": ('ATTR{queue/shceduler}="bfq"', DEAD),
    "a program that says yes": (f'PROGRAM=="/bin/echo yes", RESULT=="no|y*", {BFQ}', ACTS),
    "a program that says no": (f'PROGRAM=="/bin/echo no", RESULT=="yes", {BFQ}', OTHER),
    "a program that fails": (f'PROGRAM=="/bin/false", {BFQ}', OPEN),
    "a program's answer": ('PROGRAM="/bin/echo bfq", ATTR{queue/scheduler}="%c"', ACTS),
    "what only root sees": (f'IMPORT{{builtin}}="blkid", {BFQ}', OPEN),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_rule(kind: str, asked: RulesOfUdevd) -> None:
    rules, expected = KINDS[kind]
    asked.given(rules)
    lines = [writer for writer in asked.reported() if writer.sets_scheduler or "shceduler" in writer.attribute]
    happened = asked.happens()
    assert ({line.state for line in lines} or {OTHER}) == {expected}
    assert bool(happened) == (expected is ACTS) or expected is OPEN
    assert all(line.why for line in lines if line.state in (DEAD, OPEN))


@pytest.mark.parametrize("kind", [kind for kind, (_, state) in KINDS.items() if state is DEAD])
def test_a_corrected_line_acts_where_one_is_given(kind: str, asked: RulesOfUdevd) -> None:
    """Except for rules for another bus, or for another attribute on a disk that is not SCSI."""
    asked.given(KINDS[kind][0])
    (line,) = {writer.corrected for writer in asked.reported() if writer.file.endswith("drawn.rules")}
    assert bool(line) == (kind in ("single =", "trailing comment", "&&", "unquoted condition", "unquoted value", "BUS",
                                   "SYSFS", "lower case", "no such scheduler"))  # fmt: skip
    if line and kind != "BUS":
        asked.given(line)
        assert {writer.state for writer in asked.reported()} == {ACTS} and asked.happens() == {"bfq"}


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ('ATTR{bdi/read_ahead_kb}="768"', "768"),
        ('RUN+="/sbin/blockdev --setra 1536 /dev/%k"', "768"),
        ('RUN+="/sbin/blockdev --setra 1536 $devnode"', "768"),
        (SHELL.format("768", "read_ahead_kb"), "768"),
    ],
)
def test_read_ahead_has_several_names(rule: str, value: str, asked: RulesOfUdevd, sudo: Sudo) -> None:
    asked.given(rule)
    (writer,) = asked.reported()
    assert (writer.attribute, writer.value, writer.state) == ("queue/read_ahead_kb", value, ACTS)
    sudo("tee", asked.disk.queue / "read_ahead_kb", stdin="128")
    asked.happens()
    assert (asked.disk.queue / "read_ahead_kb").read_text().strip() == value


def test_limits_of_write_back_have_their_writers(asked: RulesOfUdevd) -> None:
    asked.given('ATTR{bdi/max_bytes}="16777216", ATTR{bdi/strict_limit}="1"\nATTR{bdi/max_tribbles}="1"')
    assert [(writer.attribute, writer.value, writer.state) for writer in asked.reported()] == [
        ("bdi/max_bytes", "16777216", ACTS), ("bdi/strict_limit", "1", ACTS), ("bdi/max_tribbles", "1", DEAD),
    ]  # fmt: skip
    asked.happens()
    folder = asked.disk.queue.parent / "bdi"
    assert (folder / "strict_limit").read_text() == "1\n"
    assert 8 << 20 < int((folder / "max_bytes").read_text()) < 32 << 20, "it follows the free memory"


def test_the_last_word_counts_and_a_hidden_file_has_none(asked: RulesOfUdevd, sudo: Sudo) -> None:
    sudo("tee", "/usr/lib/udev/rules.d/60-drawn.rules", stdin=f"{BFQ}\n")
    asked.given('ATTR{queue/scheduler}="kyber"')
    assert [(writer.value, writer.state) for writer in asked.reported()] == [("kyber", ACTS)]
    asked.given(
        'ATTR{queue/scheduler}="kyber"\nATTR{queue/scheduler}="mq-deadline"\n' + SHELL.format("bfq", "scheduler")
    )
    first, second, third = [writer for writer in asked.reported() if writer.file == f"{RULES}/60-drawn.rules"]
    assert [writer.state for writer in (first, second, third)] == [LineState.OVERRIDDEN, LineState.OVERRIDDEN, ACTS]
    assert first.why and first.why.values["place"] == third.place and third.on_change
    assert asked.happens() == {"bfq"}


def test_a_link_to_our_own_rule_has_the_last_word(asked: RulesOfUdevd, sudo: Sudo) -> None:
    """udev is asked again whether it had the last word."""
    asked.given('ENV{ID_SERIAL}="Mine"\nATTR{queue/scheduler}="kyber"', file="99-fast.rules")
    choice = PersistentRule("bfq", {}, "ID_SERIAL", "Mine", asked.disk.name, "", "2026-11-21T02:00:00Z")
    sudo("tee", RULES / "90-disktuner-ID_SERIAL-Mine.rules", stdin=str(choice))
    rival = next(writer for writer in asked.reported() if not writer.ours)
    assert rival.state is ACTS
    system = System()
    remedy = remedy_of(system.subject(system.disk(asked.disk.name)), rival)
    assert remedy and remedy.commands[0] == (
        f"sudo ln -s 90-disktuner-ID_SERIAL-Mine.rules {RULES}/99-zz-disktuner-ID_SERIAL-Mine.rules"
    )
    sudo(*remedy.commands[0].split()[1:])
    assert [(writer.ours, writer.state) for writer in asked.reported()] == [
        (True, LineState.OVERRIDDEN), (False, LineState.OVERRIDDEN), (True, ACTS)]  # fmt: skip
    reload_rules(sudo)
    assert asked.happens() == {"bfq"}
    sudo(*remedy.undo[0].split()[1:])


def test_rules_drawn_at_random(asked: RulesOfUdevd) -> None:
    random = Random(38)
    for _ in range(25):
        rules = drawn(random, asked.disk.name)
        asked.given(rules)
        writers = asked.reported()
        assert not contradictions(writers, asked.happens()), rules


@pytest.fixture
def writable(asked: RulesOfUdevd, sudo: Sudo) -> Iterator[Path]:
    """A disk whose scheduler can be set without root, as sysfsutils can arrange."""
    file = asked.disk.queue / "scheduler"
    sudo("chmod", "666", file)
    yield file
    sudo("chmod", "644", file)


def test_udev_is_not_asked_where_the_answer_would_write(asked: RulesOfUdevd, writable: Path) -> None:
    asked.given(BFQ)
    assert [writer.state for writer in asked.reported()] == [LineState.MENTIONS], "and none is still none"
    system = System()
    assert events(ask, ["x"], system.subject(system.disk(asked.disk.name))) is None


def test_asking_writes_no_file_and_needs_no_rights(asked: RulesOfUdevd, sudo: Sudo) -> None:
    """Neither our process nor those that it asks, anywhere: the kernel reports it."""
    user = os.environ["DISKTUNER_TEST_USER"]
    asked.given(BFQ)

    def watched(*command: str) -> Any:
        as_user = ("setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", *command)
        apart = ("unshare", "--mount", "/usr/bin/python3", CHECKOUT / "tests/bus/written.py", "--", *as_user)
        return json.loads(sudo(*apart))

    assert watched("sh", "-c", "echo >/dev/shm/seen; rm /dev/shm/seen")["written"] == ["/dev/shm/seen (deleted)"]
    for command in ("status", "check"):
        run = watched(str(CHECKOUT / "packaging/bin/disktuner"), command, "--json")
        assert run["code"] == 0 and run["written"] == []
        if command == "status":
            disk = next(entry for entry in json.loads(run["said"])["disks"] if entry["name"] == asked.disk.name)
            assert [writer["state"] for writer in disk["writers"]] == ["acts"], "udev was asked"
