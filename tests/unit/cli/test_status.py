# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner status`` says whether a choice holds, and names who overrode it."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from tests.unit.block.test_writers import OWN_RULE, WWN, own_rule
from tests.unit.block.trees import MQ, Tree, sata

from disktuner.block.system import System
from disktuner.cli.screen import Screen
from disktuner.cli.status import Standing, show, standing
from disktuner.helper_client.calls import Snapshot, State
from disktuner.vocabulary.messages import message, say, text


def stands(
    root: Path,
    scheduler: str,
    others: str = "",
    state: State | None = None,
    hold: str = "",
    rule: str = OWN_RULE,
    files: Mapping[str, str] = MappingProxyType({}),
) -> Standing:
    tree = Tree(root)
    tree.kernel("6.1.0")
    tree.disk("sda", "8:0", sata(1), scheduler, 1, {"device/vendor": "ATA", "device/model": "ST4", **files},
              {"ID_WWN": WWN})  # fmt: skip
    tree.write("etc/udev/rules.d/90-disktuner.rules", rule)
    if hold:
        tree.write("run/disktuner/hold/8:0--until-restart", hold)
    if others:
        tree.write("etc/udev/rules.d/99-other.rules", others)
    system = System(root)
    return standing(system, system.disk("sda"), state)


def shown(*standings: Standing) -> str:
    stream = io.StringIO()
    show(Screen(stream), standings)
    return stream.getvalue()


def test_it_holds(tmp_path: Path) -> None:
    one = stands(tmp_path, "none mq-deadline [bfq]")
    assert (one.holds, one.finding) == (True, message("status-holds"))


def test_the_culprit_is_named(tmp_path: Path) -> None:
    one = stands(tmp_path, MQ, '# x\nKERNEL=="sd*", ATTR{queue/scheduler}="mq-deadline"')
    assert one.holds is False
    assert say(one.finding) == "overridden by /etc/udev/rules.d/99-other.rules:2"
    assert one.to_json()["overridden_by"] == "/etc/udev/rules.d/99-other.rules:2"
    assert "sda: /etc/udev/rules.d/99-other.rules:2 (udev) sets queue/scheduler to mq-deadline.\n" in shown(one)


def test_nobody_left_a_trace(tmp_path: Path) -> None:
    assert stands(tmp_path, MQ).finding == message("status-changed")


def test_since_and_before_come_from_the_helper(tmp_path: Path) -> None:
    held = Snapshot("sda", 0, "none", {}, "2026-11-21T02:00:00Z")
    one = stands(tmp_path, "none mq-deadline [bfq]", state=State("1", (held,), (), ()))
    assert (one.since, one.before) == ("2026-11-21T02:00:00Z", "none")


SET = "none 2026-11-22T03:00:00Z"


def test_what_was_set_until_the_restart_is_nobody_elses_doing(tmp_path: Path) -> None:
    one = stands(tmp_path, "[none] mq-deadline bfq", hold=SET)
    assert (one.chosen, one.until_restart, one.holds, one.since) == ("bfq", "none", True, "2026-11-22T03:00:00Z")
    assert one.finding == message("status-set-then", scheduler="bfq, low_latency 1")
    assert one.to_json()["until_restart"] == "none"


def test_what_somebody_changed_after_that_does_not_hold(tmp_path: Path) -> None:
    one = stands(tmp_path, "none [mq-deadline] bfq", hold=SET)
    assert one.holds is False and one.finding == message("status-changed")
    # A rule before ours can have done it: ours is held back.
    early = 'KERNEL=="sd*", ATTR{queue/scheduler}="mq-deadline"'
    (tmp_path / "etc/udev/rules.d/60-io.rules").write_text(early)
    assert standing(System(tmp_path), one.disk, None).finding == message(
        "status-overridden", place="/etc/udev/rules.d/60-io.rules:1"
    )


def test_a_choice_until_the_restart_alone(tmp_path: Path) -> None:
    one = stands(tmp_path, "[none] mq-deadline bfq", hold=SET, rule="")
    assert (one.chosen, one.holds, one.finding) == (None, True, message("status-set"))


def test_the_hold_of_another_disk_with_the_same_number_says_nothing(tmp_path: Path) -> None:
    stands(tmp_path, "[none] mq-deadline bfq", hold=SET)
    (tmp_path / "sys/block/sda/diskseq").write_text("9")
    system = System(tmp_path)
    assert standing(system, system.disk("sda"), None).until_restart is None


def test_who_sets_something_else_is_not_who_overrode_it(tmp_path: Path) -> None:
    """Neither a rule that comes before ours, nor one that sets a third scheduler."""
    one = stands(tmp_path, MQ, 'KERNEL=="sd*", ATTR{queue/scheduler}="kyber"')
    assert one.culprit is None and one.finding == message("status-changed")
    (tmp_path / "etc/udev/rules.d/60-io.rules").write_text('KERNEL=="sd*", ATTR{queue/scheduler}="mq-deadline"')
    assert standing(System(tmp_path), one.disk, None).culprit is None


def test_what_will_not_outlast_the_restart_is_said(tmp_path: Path) -> None:
    one = stands(tmp_path, "none mq-deadline [bfq]", 'KERNEL=="sd*", ATTR{queue/scheduler}="none"')
    assert one.holds is True
    assert one.finding == message("status-then-rival", scheduler="none", place="/etc/udev/rules.d/99-other.rules:1")


def test_a_disk_known_by_its_port(tmp_path: Path) -> None:
    rule = OWN_RULE.replace("ID_WWN", "ID_PATH").replace(WWN, "pci-0000:00:05.0")
    one = stands(tmp_path, MQ, rule=rule)
    (tmp_path / "run/udev/data/b8:0").write_text("E:ID_PATH=pci-0000:00:05.0\n")
    system = System(tmp_path)
    one = standing(system, system.disk("sda"), None)
    assert one.chosen == "bfq" and one.to_json()["by_port"] is True
    assert text("known-by-port", disk="sda") in shown(one)


def test_what_a_disk_of_the_same_name_had_before_is_not_this_ones(tmp_path: Path) -> None:
    held = Snapshot("sda", 5, "none", {}, "2026-11-21T02:00:00Z")
    assert stands(tmp_path, "none mq-deadline [bfq]", state=State("1", (held,), (), ())).before is None


def test_what_is_about_the_computer_is_said_once(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.kernel("6.1.0", "quiet elevator=noop")
    for number, name in enumerate(("sda", "sdb", "sdc")):
        tree.disk(name, f"8:{number * 16}", sata(number + 1))
    system = System(tmp_path)
    said = shown(*(standing(system, disk, None) for disk in system.disks()))
    assert said.count("elevator=") == 1
    assert "\n/proc/cmdline:1 (kernel command line) names noop for queue/scheduler but does not set it." in said


def test_how_it_is_ended_is_told_where_to_look(tmp_path: Path) -> None:
    one = stands(tmp_path, MQ, 'KERNEL=="sd*", ATTR{queue/scheduler}="mq-deadline"')
    said = shown(one)
    assert "sda: /etc/udev/rules.d/99-other.rules:1 sets back what was chosen." in said
    assert "disktuner check sda" in said
    mending = one.to_json()["mending"]
    assert mending["commands"] and mending["undo"] and "99-zz-disktuner.rules" in mending["difference"]
    (tmp_path / "etc/udev/rules.d/99-zz-disktuner.rules").symlink_to("90-disktuner.rules")
    system = System(tmp_path)
    mended = standing(system, one.disk, None)
    assert mended.to_json()["mending"] is None and mended.culprit is None
    assert mended.finding == message("status-changed"), "our rule comes after it now"


def test_a_setting_holds_with_all_its_tunables(tmp_path: Path) -> None:
    """What the disk has of them is told beside what was chosen, and who sets one of them to something else."""
    rule = own_rule({"queue/read_ahead_kb": 256})
    for has, holds in (("256", True), ("128", False)):
        one = stands(tmp_path / has, "none mq-deadline [bfq]", rule=rule, files={"queue/read_ahead_kb": has})
        assert (one.holds, one.chosen) == (holds, "bfq")
        assert one.finding == message("status-holds" if holds else "status-changed")
        told = one.to_json()
        assert (told["chosen_tunables"], told["actual_tunables"]) == (
            {"queue/read_ahead_kb": 256}, {"queue/read_ahead_kb": int(has)}
        )  # fmt: skip
        assert "bfq, read_ahead_kb 256" in shown(one) and f"bfq, read_ahead_kb {has}" in shown(one)
    later = 'KERNEL=="sd*", ATTR{queue/read_ahead_kb}="128"'
    one = stands(tmp_path / "rule", "none mq-deadline [bfq]", later, rule=rule, files={"queue/read_ahead_kb": "128"})
    assert one.finding == message("status-overridden", place="/etc/udev/rules.d/99-other.rules:1")


def test_nothing_is_said_of_tunables_until_the_restart(tmp_path: Path) -> None:
    rule = own_rule({"queue/read_ahead_kb": 256})
    one = stands(tmp_path, "[none] mq-deadline bfq", hold=SET, rule=rule, files={"queue/read_ahead_kb": "128"})
    assert one.holds is True and "then bfq, read_ahead_kb 256" in say(one.finding)
