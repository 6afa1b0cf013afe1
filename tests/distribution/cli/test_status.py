# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner status`` says whether a choice holds, and names who overrode it."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from tests.unit.block.test_writers import OWN_FILE, OWN_RULE, WWN, own_rule
from tests.unit.block.trees import MQ, Tree, sata

from disktuner.block.system import System
from disktuner.block.writers import LineState, Writer
from disktuner.block.writers.owners import writers_of
from disktuner.cli.screen import Screen
from disktuner.cli.status import show, standing_to_json
from disktuner.helper_client.calls import HelperState, Running, Snapshot
from disktuner.standing import Standing, standing
from disktuner.vocabulary import kinds
from disktuner.vocabulary.messages import message, say, text

LATER, EARLIER = "/etc/udev/rules.d/99-other.rules", "/etc/udev/rules.d/60-io.rules"


def sets(scheduler: str, file: str = LATER, attribute: str = "queue/scheduler") -> Writer:
    """A line of another writer, as udev reports it."""
    return Writer("udev", file, 2, attribute, scheduler, on_change=True)


def stands(
    root: Path,
    scheduler: str,
    *more: Writer,
    hold: str = "",
    rule: str = OWN_RULE,
    files: Mapping[str, str] = MappingProxyType({}),
) -> Standing:
    tree = Tree(root)
    tree.kernel("6.1.0")
    tree.disk("sda", "8:0", sata(1), scheduler, 1, {"device/vendor": "ATA", "device/model": "ST4", **files},
              {"ID_WWN": WWN})  # fmt: skip
    tree.write(OWN_FILE, rule)
    if hold:
        tree.write("run/disktuner/hold/8:0--until-restart", hold)
    return again(root, *more)


def again(root: Path, *more: Writer) -> Standing:
    """The same disk with other lines, sorted by file."""
    system = System(root)
    disk = system.disk("sda")
    writers = sorted((*writers_of(system, disk), *more), key=lambda writer: writer.file)
    return standing(system, disk, None, tuple(writers))


def shown(*standings: Standing) -> str:
    stream = io.StringIO()
    show(Screen(stream), standings)
    return stream.getvalue()


def test_the_culprit_is_named(tmp_path: Path) -> None:
    standing = stands(tmp_path, MQ, sets("mq-deadline"))
    assert standing.holds is False
    assert say(standing.finding) == "overridden by /etc/udev/rules.d/99-other.rules:2"
    assert standing_to_json(standing)["overridden_by"] == "/etc/udev/rules.d/99-other.rules:2"
    assert "sda: /etc/udev/rules.d/99-other.rules:2 (udev) sets queue/scheduler to mq-deadline.\n" in shown(standing)


def test_who_tries_something_with_a_disk_since_when_is_said(tmp_path: Path) -> None:
    standing = replace(stands(tmp_path, MQ), trial=Running("2026-11-22T03:00:00Z", 0))
    line = shown(standing).splitlines()[0].rstrip()
    assert standing.in_trial and re.fullmatch(r"sda +mq-deadline +on trial or being measured since .*, by root", line)


def test_disks_of_which_nothing_is_to_be_said_are_counted(tmp_path: Path) -> None:
    standing = replace(stands(tmp_path, MQ, rule=""), chosen=None)
    idle = [
        replace(standing, disk=replace(standing.disk, name=f"loop{number}", kind=kinds.LOOP)) for number in range(12)
    ]
    first, last = shown(*idle, standing).splitlines()
    assert first.split() == ["sda", "mq-deadline", "not", "chosen", "by", "Disktuner"]
    assert last == text("disks-more", count=12)
    stream = io.StringIO()
    show(Screen(stream), [*idle, standing], whole=True)
    assert len(stream.getvalue().splitlines()) == 14 and "SINCE" in stream.getvalue()


SET = "none 2026-11-22T03:00:00Z"


@pytest.mark.parametrize(("rule", "chosen"), [(OWN_RULE, "bfq"), ("", None)])
def test_what_was_set_until_the_restart_holds_and_is_nobody_elses_doing(
    tmp_path: Path, rule: str, chosen: str | None
) -> None:
    standing = stands(tmp_path, "[none] mq-deadline bfq", hold=SET, rule=rule)
    assert (standing.chosen, standing.until_restart, standing.holds, standing.since) == (
        chosen,
        "none",
        True,
        "2026-11-22T03:00:00Z",
    )
    then = message("status-set-then", scheduler="bfq, low_latency 1")
    assert standing.finding == (then if chosen else message("status-set"))


def test_what_somebody_changed_after_that_does_not_hold(tmp_path: Path) -> None:
    standing = stands(tmp_path, "none [mq-deadline] bfq", hold=SET)
    assert standing.holds is False and standing.finding == message("status-changed")
    # A rule before ours can have done it: ours is held back.
    early = again(tmp_path, sets("mq-deadline", EARLIER))
    assert early.finding == message("status-overridden", place=f"{EARLIER}:2")


def test_what_is_chosen_no_more_but_still_set_is_not_called_nobodys_choice(tmp_path: Path) -> None:
    forgotten = replace(stands(tmp_path, "none mq-deadline [bfq]", rule=""), before="none")
    assert forgotten.finding == message("way-back-now", disk="sda", scheduler="none")
    assert replace(forgotten, before="bfq").finding == message("status-nothing-chosen")


def test_the_hold_of_another_disk_with_the_same_number_says_nothing(tmp_path: Path) -> None:
    stands(tmp_path, "[none] mq-deadline bfq", hold=SET)
    (tmp_path / "sys/block/sda/diskseq").write_text("9")
    assert again(tmp_path).until_restart is None


def test_who_sets_something_else_is_not_who_overrode_it(tmp_path: Path) -> None:
    """Neither a rule before ours, nor one that sets a third scheduler."""
    standing = stands(tmp_path, MQ, sets("kyber"))
    assert standing.culprit is None and standing.finding == message("status-changed")
    assert again(tmp_path, sets("mq-deadline", EARLIER)).culprit is None


def test_what_will_not_outlast_the_restart_is_said(tmp_path: Path) -> None:
    standing = stands(tmp_path, "none mq-deadline [bfq]", sets("none"))
    assert standing.holds is True
    assert standing.finding == message("status-then-rival", scheduler="none", place=f"{LATER}:2")


def test_how_it_is_ended_is_told_where_to_look(tmp_path: Path) -> None:
    standing = stands(tmp_path, MQ, sets("mq-deadline"))
    text = shown(standing)
    assert f"sda: {LATER}:2 overrides the permanent choice." in text and "disktuner check sda" in text
    remedy = standing_to_json(standing)["remedy"]
    assert remedy["undo"] and "99-zz-disktuner-ID_WWN" in remedy["commands"][0]
    link = replace(sets("bfq", "/etc/udev/rules.d/99-zz-disktuner.rules"), ours=True)
    remedied = again(tmp_path, replace(sets("mq-deadline"), state=LineState.OVERRIDDEN), link)
    assert standing_to_json(remedied)["remedy"] is None and remedied.culprit is None
    assert remedied.finding == message("status-changed"), "our rule comes after it now"


def test_a_dead_line_is_told_with_the_line_as_it_would_act(tmp_path: Path) -> None:
    why = message("dead-dropped", said="Invalid operator for KERNEL.")
    dead = replace(sets("none"), state=LineState.DEAD, why=why, corrected='KERNEL=="sd*", ATTR{queue/scheduler}="none"')
    standing = stands(
        tmp_path, "none mq-deadline [bfq]", dead, replace(dead, state=LineState.OTHER_DISKS, value="kyber")
    )
    text = " ".join(shown(standing).split())
    assert "never sets it. udev ignores it: Invalid operator for KERNEL. Corrected line: KERNEL==" in text
    assert "kyber" not in text
    assert standing.holds is True and standing.finding == message("status-holds")
    (line,) = [row for row in standing_to_json(standing)["writers"] if row["state"] == "dead"]
    assert line == {"who": "udev", "file": LATER, "line": 2, "attribute": "queue/scheduler", "value": "none",
                    "state": "dead", "why": say(why), "ours": False, "corrected": dead.corrected}  # fmt: skip


def test_a_setting_holds_with_all_its_tunables(tmp_path: Path) -> None:
    """The disk's current values are shown with what was chosen, and so is whatever sets one of them differently."""
    rule = own_rule({"queue/read_ahead_kb": 256})
    for has, finding in (("256", "status-holds"), ("128", "status-changed")):
        standing = stands(tmp_path / has, "none mq-deadline [bfq]", rule=rule, files={"queue/read_ahead_kb": has})
        assert (standing.holds, standing.chosen, standing.finding) == (has == "256", "bfq", message(finding))
        assert standing_to_json(standing)["actual_tunables"] == {"queue/read_ahead_kb": int(has)}
        assert "bfq, read_ahead_kb 256" in shown(standing) and f"bfq, read_ahead_kb {has}" in shown(standing)
    later = sets("128", attribute="queue/read_ahead_kb")
    standing = stands(
        tmp_path / "rule", "none mq-deadline [bfq]", later, rule=rule, files={"queue/read_ahead_kb": "128"}
    )
    assert standing.finding == message("status-overridden", place=f"{LATER}:2")


def test_tunables_that_were_set_until_the_restart_are_named(tmp_path: Path) -> None:
    files = {"queue/read_ahead_kb": "512", "queue/nomerges": "0"}
    disk = stands(tmp_path, "[none] mq-deadline bfq", hold=SET, rule="", files=files).disk
    before = {"queue/read_ahead_kb": 128, "queue/nomerges": 0}
    state = HelperState((Snapshot("sda", disk.diskseq, "mq-deadline", before, "2026-11-22T03:00:00Z"),), (), ())
    status = standing(System(tmp_path), disk, state, ())
    assert re.match(r"sda +none, read_ahead_kb 512 +until the next restart", shown(status))
    assert standing_to_json(status)["actual_tunables"] == {}, "what was chosen permanently"


@pytest.mark.parametrize(("has", "holds"), [("32", True), ("17", True), ("1", False), ("64", False)])
def test_a_depth_that_the_kernel_lowered_is_still_what_was_chosen(tmp_path: Path, has: str, holds: bool) -> None:
    rule, depth = own_rule({"device/queue_depth": 32}), {"device/queue_depth": has}
    assert stands(tmp_path, "none mq-deadline [bfq]", rule=rule, files=depth).holds is holds
