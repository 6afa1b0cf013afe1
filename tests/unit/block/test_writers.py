# SPDX-License-Identifier: GPL-3.0-or-later
"""Everybody who sets a queue is named with file and line."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.unit.block.trees import Tree, sata
from tests.unit.helper.fake import FILE, make_root

from disktuner.block.system import System
from disktuner_helper.persist import Choice, Persistent

WWN = "0x5000c500aabbccdd"


def own_rule(tunables: Mapping[str, int]) -> str:
    """What the helper writes of bfq with tunables."""
    choice = Choice("bfq", tunables, "ID_WWN", WWN, "sda", "ST4000DM004", "2026-11-21T02:00:00Z")
    with tempfile.TemporaryDirectory() as folder:
        root = make_root(Path(folder))
        Persistent(root).write([choice])
        return (root / FILE).read_text()


OWN_RULE = own_rule({"iosched/low_latency": 1})


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path)
    tree.kernel("6.1.0")
    for number, name in enumerate(("sda", "sdb")):
        tree.disk(name, f"8:{number * 16}", sata(number + 1), rotational=1, files={"device/vendor": "ATA",
                  "device/model": "ST4000DM004"}, udev={"ID_WWN": WWN if name == "sda" else "0x1"})  # fmt: skip
    return tree


def found(tree: Tree, disk: str = "sda") -> list[tuple[str, str, str, str, bool | None]]:
    system = System(tree.root)
    return [
        (writer.who, writer.place, writer.attribute, writer.value, writer.applies)
        for writer in system.writers(system.disk(disk))
    ]


def test_our_own_rule_is_ours_and_read_as_the_choice(tree: Tree) -> None:
    tree.write("etc/udev/rules.d/90-disktuner.rules", OWN_RULE)
    system = System(tree.root)
    writers = system.writers(system.disk("sda"))
    assert [(writer.ours, writer.applies, writer.line) for writer in writers] == [(True, True, 4), (True, True, 5)]
    choice = system.disk("sda").persistent
    assert choice is not None
    assert (choice.scheduler, choice.tunables) == ("bfq", {"iosched/low_latency": 1})
    assert system.disk("sdb").persistent is None
    assert [writer.applies for writer in system.writers(system.disk("sdb"))] == [False, False]


@pytest.mark.parametrize(
    "folder", ["etc/udev/rules.d", "run/udev/rules.d", "usr/local/lib/udev/rules.d", "usr/lib/udev/rules.d"]
)
def test_a_rule_in_each_folder(tree: Tree, folder: str) -> None:
    rule = '# by hand\nACTION=="add|change", KERNEL=="sd[a-z]*", ATTR{queue/rotational}=="1", '
    rule += '\\\n  ATTR{queue/scheduler}="bfq"'
    tree.write(f"{folder}/60-io.rules", rule)
    assert found(tree) == [("udev", f"/{folder}/60-io.rules:2", "queue/scheduler", "bfq", True)]


def test_conditions_decide(tree: Tree) -> None:
    rules = """KERNEL=="nvme*", ATTR{queue/scheduler}="none"
KERNEL=="sd*", ATTR{queue/rotational}!="1", ATTR{queue/scheduler}="kyber"
SUBSYSTEM!="block", GOTO="end"
KERNEL=="sd*|vd*", ENV{ID_WWN}=="0x5000*", ATTR{queue/read_ahead_kb}="4096"
KERNEL=="sd*", PROGRAM="/bin/x", ATTR{queue/iosched/slice_idle}="0"
KERNEL=="sda", GOTO="end"
KERNEL=="sd*", ATTR{queue/scheduler}="mq-deadline"
LABEL="end"
KERNEL=="sd*", RUN+="/bin/sh -c 'echo bfq > /sys/block/%k/queue/scheduler'"
"""
    tree.write("etc/udev/rules.d/61-x.rules", rules)
    assert [(place.rpartition(":")[2], name, value, applies) for _, place, name, value, applies in found(tree)] == [
        ("1", "queue/scheduler", "none", False),
        ("2", "queue/scheduler", "kyber", False),
        ("4", "queue/read_ahead_kb", "4096", True),
        ("5", "iosched/slice_idle", "0", None),
        ("7", "queue/scheduler", "mq-deadline", False),
        ("9", "queue/scheduler", "bfq", True),
    ]
    assert found(tree, "sdb")[4][-1] is True


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("etc/tmpfiles.d/io.conf", "#x\nw /sys/block/sda/queue/scheduler - - - - bfq",
         ("tmpfiles.d", "/etc/tmpfiles.d/io.conf:2", "queue/scheduler", "bfq", True)),
        ("etc/sysfs.conf", "mode block/sda/queue/scheduler = 0660\nblock/sda/queue/scheduler = bfq",
         ("sysfs.conf", "/etc/sysfs.conf:2", "queue/scheduler", "bfq", True)),
        ("etc/tlp.conf", 'DISK_DEVICES="nvme0n1 sda"\nDISK_IOSCHED="keep bfq"',
         ("tlp", "/etc/tlp.conf:2", "queue/scheduler", "bfq", True)),
        ("etc/rc.local", "#!/bin/sh\necho noop > /sys/block/sda/queue/scheduler\nexit 0",
         ("rc.local", "/etc/rc.local:2", "queue/scheduler", "noop", True)),
        ("etc/rc.d/rc.local", "for d in a b; do\necho bfq > /sys/block/sd$d/queue/scheduler\ndone",
         ("rc.local", "/etc/rc.d/rc.local:2", "queue/scheduler", "bfq", None)),
        ("etc/cloud/cloud.cfg.d/10-io.cfg", "bootcmd:\n  - echo none > /sys/block/sda/queue/scheduler",
         ("cloud agent", "/etc/cloud/cloud.cfg.d/10-io.cfg:2", "queue/scheduler", "none", True)),
        ("etc/systemd/system/io.service", '[Service]\nExecStart=/bin/sh -c "echo bfq > /sys/block/sd?/queue/scheduler"',
         ("systemd unit", "/etc/systemd/system/io.service:2", "queue/scheduler", "bfq", True)),
        ("proc/cmdline", "BOOT_IMAGE=/vmlinuz elevator=noop quiet",
         ("kernel command line", "/proc/cmdline:1", "queue/scheduler", "noop", False)),
        ("etc/default/grub", 'GRUB_TIMEOUT=5\nGRUB_CMDLINE_LINUX_DEFAULT="quiet elevator=deadline"',
         ("boot loader", "/etc/default/grub:2", "queue/scheduler", "deadline", False)),
    ],
)  # fmt: skip
def test_each_other_writer(tree: Tree, path: str, text: str, expected: tuple[str, str, str, str, bool | None]) -> None:
    starts(tree, "tlp.service")
    tree.write(path, text)
    assert found(tree) == [expected]


def starts(tree: Tree, *services: str) -> None:
    """The links that systemctl enable makes; a computer has others in any case."""
    for service in ("cron.service", *services):
        wanted = f"etc/systemd/system/multi-user.target.wants/{service}"
        if not (tree.root / wanted).is_symlink():
            tree.link(wanted, f"/usr/lib/systemd/system/{service}")


def profile(tree: Tree, text: str, *, enabled: bool = True) -> None:
    """A profile of TuneD's that is active."""
    starts(tree, *(["tuned.service"] if enabled else []))
    tree.write("etc/tuned/active_profile", "mine\n")
    tree.write("etc/tuned/profiles/mine/tuned.conf", text)


def settings(tree: Tree, disk: str = "sda") -> list[tuple[str, bool | None]]:
    return [(value, applies) for *_, value, applies in found(tree, disk)]


@pytest.mark.parametrize("state", ["switched off", "masked", "of another init"])
def test_a_tuned_that_nobody_starts_sets_nothing(tree: Tree, state: str) -> None:
    profile(tree, "[disk]\nelevator=bfq", enabled=state == "masked")
    if state == "masked":
        tree.link("etc/systemd/system/tuned.service", "/dev/null")
    elif state == "of another init":
        shutil.rmtree(tree.root / "etc/systemd")
    assert settings(tree) == [("bfq", None if state == "of another init" else False)]


@pytest.mark.parametrize(
    ("section", "sda", "sdb"),
    [
        ("devices_udev_regex=^ID_WWN=0x5000c500", True, None),
        ("devices_udev_regex=(", False, False),
        ("devices=!sdb", True, False),
        ("devices=${mine}", None, None),
        ("enabled=false", False, False),
        ("# elevator=kyber", True, True),
    ],
)
def test_what_a_section_of_tuned_is_for(tree: Tree, section: str, sda: bool | None, sdb: bool | None) -> None:
    """The regular expression is sought in all properties; what a recording lacks might hold it."""
    profile(tree, f"[disk]\n{section}\nelevator=bfq  # the best")
    assert settings(tree) == ([] if sda is False else [("bfq", sda)])
    assert settings(tree, "sdb") == ([] if sdb is False else [("bfq", sdb)])


@pytest.mark.parametrize("bus", ["scsi", "usb"])
def test_tuned_leaves_some_disks_alone(tree: Tree, bus: str) -> None:
    """Source: _device_is_supported of plugin_disk.py."""
    profile(tree, "[disk]\nelevator=bfq")
    tree.link(f"sys/devices/{sata(1)}/subsystem", f"../../../../bus/{bus}")
    assert settings(tree) == ([("bfq", True)] if bus == "scsi" else [])
    tree.write(f"sys/devices/{sata(2)}/block/sdb/removable", "1")
    assert settings(tree, "sdb") == []


def line_verdicts(tree: Tree, rules: str) -> list[bool | None]:
    tree.write("etc/udev/rules.d/61-x.rules", rules)
    return [applies for *_, applies in found(tree)]


def test_what_can_only_be_known_when_the_rules_run_is_left_open(tree: Tree) -> None:
    rules = ['RESULT=="1"', 'PROGRAM=="/bin/true"', 'ENV{.mine}=="1"', 'CONST{virt}=="kvm"', 'TEST=="/etc/fast"',
             'ATTR{queue/scheduler}!="bfq"', 'IMPORT{program}="x"', 'TAG=="slow"']  # fmt: skip
    assert line_verdicts(tree, "\n".join(f'{rule}, ATTR{{queue/scheduler}}="bfq"' for rule in rules)) == [None] * 8


def test_what_the_disk_itself_answers_is_decided(tree: Tree) -> None:
    tree.write("proc/sys/vm/swappiness", "60")
    rules = ['TEST=="queue/rotational"', 'SYSCTL{vm.swappiness}=="60"', 'SYSCTL{vm.swappiness}!="60"',
             'ENV{DEVTYPE}=="partition"', 'ENV{MAJOR}=="8"', 'KERNEL==i"SDA"', 'DRIVER=="sd"']  # fmt: skip
    verdicts = line_verdicts(tree, "\n".join(f'{rule}, ATTR{{queue/scheduler}}="bfq"' for rule in rules))
    assert verdicts == [True, True, False, False, True, True, False]
