# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that sets a queue is named with file and line, in the state that its owner reports; on recorded machines,
it is listed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from threading import Event

import pytest
from tests.unit.block.trees import Tree, sata

from disktuner.block.asking import Ask, ask
from disktuner.block.system import System
from disktuner.block.writers import LineState, Writer
from disktuner.block.writers.owners import Owners
from disktuner.block.writers.rules import rule_writers, rules_that_set
from disktuner.block.writers.texts import effects
from disktuner.block.writers.udevadm import UdevEvent, answers, conflicts, event_of
from disktuner.checkup.doctor import line
from disktuner_helper.persist import PersistentRule

WWN = "0x5000c500aabbccdd"


def own_rule(tunables: Mapping[str, int], scheduler: str = "bfq") -> str:
    """Return what the helper writes for a scheduler with tunables."""
    return str(PersistentRule(scheduler, tunables, "ID_WWN", WWN, "sda", "ST4000DM004", "2026-11-21T02:00:00Z"))


OWN_FILE = f"etc/udev/rules.d/90-disktuner-ID_WWN-{WWN}.rules"
OWN_RULE = own_rule({"iosched/low_latency": 1})


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path)
    tree.kernel("6.1.0")
    for number, name in enumerate(("sda", "sdb")):
        tree.disk(name, f"8:{number * 16}", sata(number + 1), rotational=1, files={"device/vendor": "ATA",
                  "device/model": "ST4000DM004"}, udev={"ID_WWN": WWN if name == "sda" else "0x1"})  # fmt: skip
    return tree


def writers(tree: Tree, disk: str = "sda", ask: Ask | None = None) -> tuple[Writer, ...]:
    """Return the writers of a recorded machine, or of one that answers."""
    system = System(tree.root)
    return Owners(system.tree, ask).writers_of([system.subject(system.disk(disk))])[0]


def test_our_own_rule_is_ours_and_read_as_the_choice(tree: Tree) -> None:
    tree.write(OWN_FILE, OWN_RULE)
    lines = writers(tree)
    assert [(line.ours, line.state, line.line) for line in lines] == [
        (True, LineState.ACTS, 3),
        (True, LineState.ACTS, 4),
    ]
    choice = System(tree.root).disk("sda").persistent
    assert choice is not None
    assert (choice.scheduler, choice.tunables) == ("bfq", {"iosched/low_latency": 1})
    assert System(tree.root).disk("sdb").persistent is None
    assert {writer.state for writer in writers(tree, "sdb")} == {LineState.OTHER_DISKS}


@pytest.mark.parametrize(
    "text",
    [
        OWN_RULE.replace('"bfq"\n', '"none"\n'),
        f"{OWN_RULE}# mine\n",
        OWN_RULE.partition("\n")[2],
        OWN_RULE.replace('{"scheduler"', '{"schedule"'),
    ],
)
def test_our_rule_that_somebody_changed_is_theirs(tree: Tree, text: str) -> None:
    tree.write(OWN_FILE, text)
    assert {(writer.ours, writer.state) for writer in writers(tree)} == {(False, LineState.MENTIONS)}
    assert System(tree.root).disk("sda").persistent is None


def test_a_copy_of_our_rule_is_somebody_elses_once_the_choice_has_changed(tree: Tree) -> None:
    copy = OWN_FILE.replace(".rules", "_copy.rules")
    tree.write(copy, OWN_RULE)
    tree.write(OWN_FILE, own_rule({}, "kyber"))
    choice = System(tree.root).disk("sda").persistent
    assert choice and choice.scheduler == "kyber"
    assert {writer.ours for writer in writers(tree) if writer.file == f"/{copy}"} == {False}
    tree.write(OWN_FILE, OWN_RULE)
    assert all(writer.ours for writer in writers(tree)), "it repeats ours"


def test_of_two_choices_for_a_disk_the_one_counts_that_udev_reads_last(tree: Tree) -> None:
    by_port = PersistentRule("kyber", {}, "ID_PATH", "pci-1", "sda", "", "2026-11-21T02:00:00Z")
    tree.write("run/udev/data/b8:0", f"E:ID_WWN={WWN}\nE:ID_PATH=pci-1\n")
    tree.write("etc/udev/rules.d/90-disktuner-ID_PATH-pci-1.rules", str(by_port))
    first = System(tree.root).disk("sda").persistent
    tree.write(OWN_FILE, OWN_RULE)
    last = System(tree.root).disk("sda").persistent
    assert first and (first.scheduler, first.by_port) == ("kyber", True)
    assert last and (last.scheduler, last.by_port, last.file) == ("bfq", False, f"/{OWN_FILE}")


ZONED = """SUBSYSTEM!="block", GOTO="btrfs_end"
ACTION!="add|change", GOTO="btrfs_end"
ENV{ID_FS_TYPE}!="btrfs", GOTO="btrfs_end"
ATTR{queue/zoned}=="host-managed", ATTR{queue/scheduler}="mq-deadline"
LABEL="btrfs_end"
ATTR{queue/nr_requests}="64"
"""
"""As systemd brings it, and a line behind it."""


@pytest.mark.parametrize(
    ("rule", "is_about"),
    [
        ('KERNEL=="mmcblk?", ATTR{queue/scheduler}="bfq"', False),
        ('KERNEL!="sd[a-z]|nvme*", ATTR{queue/scheduler}="bfq"', False),
        ('KERNEL=="sd[^b-z]", ATTR{queue/scheduler}="bfq"', True),
        ('ACTION=="remove", ATTR{queue/scheduler}="bfq"', False),
        ('ACTION=="change", ATTR{queue/scheduler}="bfq"', True),
        ('SUBSYSTEM=="net", ATTR{queue/scheduler}="bfq"', False),
        ('ENV{DEVTYPE}=="partition", ATTR{queue/scheduler}="bfq"', False),
        ('ENV{ID_WWN}=="0x9*", ATTR{queue/scheduler}="bfq"', False),
        ('ENV{ID_WWN}=="0X5000C500*", ATTR{queue/scheduler}="bfq"', True),
        ('ENV{MINE}=="1", ATTR{queue/scheduler}="bfq"', True),
        ('ATTR{queue/rotational}=="0", ATTR{queue/scheduler}="bfq"', False),
        ('ATTR{queue/rotational}=="1", ATTR{queue/rotational}="0"', True),
        ('ATTR{queue/rotational}=="0", ATTR{queue/rotational}="0"', True),
        ('ATTRS{queue/zoned}=="host-managed", ATTR{queue/scheduler}="deadline"', False),
        ('ATTRS{removable}=="1", ATTR{queue/scheduler}="bfq"', False),
        ('ATTRS{removable}=="removable", ATTR{queue/scheduler}="bfq"', True),
        ('ATTR{queue/unheard_of}=="1", ATTR{queue/scheduler}="bfq"', True),
        ('KERNEL=="sd*", GOTO="end"\nATTR{queue/scheduler}="bfq"\nLABEL="end"', False),
        ('ENV{MINE}=="1", GOTO="end"\nATTR{queue/scheduler}="bfq"\nLABEL="end"', True),
    ],
)
def test_only_rules_that_can_be_about_the_disk_are_mentioned(tree: Tree, rule: str, is_about: bool) -> None:
    tree.write("etc/udev/rules.d/60-io.rules", rule)
    assert {writer.state for writer in writers(tree)} == {LineState.MENTIONS if is_about else LineState.OTHER_DISKS}


RUN_RULE = 'ACTION=="add", KERNEL=="sd[a-z]", \\\n RUN+="{} %k"\n'


@pytest.mark.parametrize(
    ("command", "path"),
    [("/usr/local/bin/io", "usr/local/bin/io"), ("/bin/sh /opt/io.sh", "opt/io.sh"), ("io", "usr/lib/udev/io")],
)
def test_a_script_that_a_rule_starts(tree: Tree, command: str, path: str) -> None:
    tree.write("etc/udev/rules.d/60-io.rules", RUN_RULE.format(command))
    tree.write(path, "#!/bin/sh\necho bfq > /sys/block/$1/queue/scheduler\n"
               "echo 9 > /sys/block/sdb/queue/nr_requests")  # fmt: skip
    (writer,) = writers(tree)
    assert (writer.who, writer.place, writer.value) == ("udev", f"/{path}:2", "bfq")
    assert writer.is_command and writer.acts_later and writer.state is LineState.MENTIONS
    tree.write(path, "#!/bin/sh\nhdparm -B 254 /dev/$1; cat /sys/block/sda/queue/scheduler")
    assert writers(tree) == ()


def test_udev_says_whether_it_starts_a_script(tree: Tree) -> None:
    tree.write("etc/udev/rules.d/60-io.rules", RUN_RULE.format("/usr/local/bin/io"))
    tree.write("usr/local/bin/io", "#!/bin/sh\necho bfq > /sys/block/sda/queue/scheduler")
    subject, rules = (
        System(tree.root).subject(System(tree.root).disk("sda")),
        list(rules_that_set(System(tree.root).tree)),
    )
    started, other = UdevEvent(), UdevEvent()
    started.commands["/etc/udev/rules.d/60-io.rules:1"] = ["/usr/local/bin/io sda"]
    for events, state in (([started, other], LineState.ACTS), ([other, other], LineState.OTHER_DISKS)):
        (writer,) = rule_writers(subject, rules, events)
        assert (writer.state, writer.on_change) == (state, False)


@pytest.mark.parametrize(("zoned", "fstype", "is_about"), [
    ("none", "btrfs", False), ("host-managed", "ext4", False), ("host-managed", "btrfs", True)])  # fmt: skip
def test_the_rule_that_systemd_brings_is_about_zoned_btrfs_alone(
    tree: Tree, zoned: str, fstype: str, is_about: bool
) -> None:
    tree.write("usr/lib/udev/rules.d/64-btrfs-zoned.rules", ZONED)
    tree.write("sys/block/sda/queue/zoned", zoned)
    tree.write("run/udev/data/b8:0", f"E:ID_FS_TYPE={fstype}")
    states = {writer.attribute: writer.state for writer in writers(tree)}
    state = LineState.MENTIONS if is_about else LineState.OTHER_DISKS
    assert states == {"queue/scheduler": state, "queue/nr_requests": LineState.MENTIONS}


@pytest.mark.parametrize(("name", "became"), [("noop", "none"), ("cfq", "bfq"), ("anticipatory", "")])
def test_what_no_kernel_knows_any_more_is_dead_and_named_anew(tree: Tree, name: str, became: str) -> None:
    tree.write("etc/udev/rules.d/60-io.rules", f'KERNEL=="sd*", ATTR{{queue/scheduler}}="{name}"')
    tree.write("etc/rc.local", f"echo {name} > /sys/block/sda/queue/scheduler")
    by_rule, by_script = writers(tree)
    assert by_rule.state is by_script.state is LineState.DEAD
    assert by_rule.corrected == (f'KERNEL=="sd*", ATTR{{queue/scheduler}}="{became}"' if became else "")
    assert name in line(by_rule) and f"no scheduler “{name}”" in line(by_script)
    tree.write("sys/block/sda/queue/scheduler", f"[{name}] deadline")
    assert {writer.state for writer in writers(tree)} == {LineState.MENTIONS}, "on a kernel that has it"


@pytest.mark.parametrize("zoned", ["host-managed", "none"])
def test_an_alias_is_alive(tree: Tree, zoned: str) -> None:
    tree.write("sys/block/sda/queue/zoned", zoned)
    tree.write("etc/udev/rules.d/60-io.rules", f'ATTR{{queue/zoned}}=="{zoned}", ATTR{{queue/scheduler}}="deadline"')
    (writer,) = writers(tree)
    assert writer.state is LineState.MENTIONS and "takes deadline for mq-deadline" in line(writer)


SERVICES = {
    "etc/default/scylla-server": ("SET_NIC_AND_DISKS=yes", "scylla", {"queue/scheduler", "queue/nomerges"}),
    "etc/sysconfig/scylla-server": ('USER=x\nSET_NIC_AND_DISKS="yes"', "scylla", {"queue/scheduler", "queue/nomerges"}),
    "etc/scylla.d/perftune.yaml": ("tune:\n- net\n- disks", "scylla", {"queue/scheduler", "queue/nomerges"}),
    "etc/redpanda/redpanda.yaml": ("rpk:\n  tune_disk_nomerges: true\n  tune_disk_scheduler: false", "redpanda",
                                   {"queue/nomerges"}),
    "usr/lib/systemd/system/google-guest-agent.service": ("[Service]\nExecStart=/usr/bin/google_guest_agent",
                                                          "google-guest-agent", {"queue/scheduler"}),
}  # fmt: skip
OF_SERVICES = {"scylla": "scylla-server", "redpanda": "redpanda-tuner", "google-guest-agent": "google-guest-agent"}


@pytest.mark.parametrize("path", SERVICES)
@pytest.mark.parametrize("is_enabled", [True, False])
def test_services_set_queues_by_themselves_at_each_start(tree: Tree, path: str, is_enabled: bool) -> None:
    text, who, attributes = SERVICES[path]
    tree.write(path, text)
    assert {writer.state for writer in writers(tree)} == {LineState.MENTIONS}, "nobody is there who could be asked"
    state = "enabled" if is_enabled else "disabled"
    output = f"Id={OF_SERVICES[who]}.service\nLoadState=loaded\nActiveState=inactive\nUnitFileState={state}\n\n"
    lines = writers(tree, ask=lambda *command, **_: output if command[0] == "systemctl" else None)
    assert {(line.who, line.attribute) for line in lines} == {(who, attribute) for attribute in attributes}
    acting = LineState.ACTS if who == "google-guest-agent" else LineState.OPEN
    assert {line.state for line in lines} == {acting if is_enabled else LineState.DEAD}
    assert all(line.acts_later for line in lines)


@pytest.mark.parametrize(("path", "text"), [
    ("etc/default/scylla-server", "SET_NIC_AND_DISKS=no"),
    ("etc/redpanda/redpanda.yaml", "rpk:\n  tune_disk_scheduler: false"),
    ("usr/lib/systemd/system/google-guest-agent.service", "[Service]\nExecStart=/usr/bin/google_guest_agent"),
])  # fmt: skip
def test_a_service_that_was_told_not_to_sets_nothing(tree: Tree, path: str, text: str) -> None:
    tree.write(path, text)
    tree.write("etc/default/instance_configs.cfg", "[InstanceSetup]\nnetwork_enabled = false")
    assert writers(tree) == ()


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("etc/udev/rules.d/60-io.rules", "# a\nKERNEL==\"sd*\", \\\n ATTR{queue/scheduler}=\"bfq\"",
         ("udev", "/etc/udev/rules.d/60-io.rules:2", "queue/scheduler", "bfq")),
        ("usr/local/lib/udev/rules.d/60-io.rules", 'ATTR{queue/iosched/slice_idle}="0"',
         ("udev", "/usr/local/lib/udev/rules.d/60-io.rules:1", "iosched/slice_idle", "0")),
        ("etc/udev/rules.d/60-io.rules", 'RUN+="/sbin/hdparm -a 512 /dev/%k"',
         ("udev", "/etc/udev/rules.d/60-io.rules:1", "queue/read_ahead_kb", "256")),
        ("usr/lib/udev/rules.d/90-iocost.rules", 'RUN+="iocost apply $devnode"',
         ("udev", "/usr/lib/udev/rules.d/90-iocost.rules:1", "io.cost", "?")),
        ("etc/tmpfiles.d/io.conf", "#x\nw /sys/block/sda/queue/scheduler - - - - bfq",
         ("tmpfiles.d", "/etc/tmpfiles.d/io.conf:2", "queue/scheduler", "bfq")),
        ("usr/local/lib/tmpfiles.d/io.conf", "w /sys/block/sd?/queue/scheduler - - - - bfq",
         ("tmpfiles.d", "/usr/local/lib/tmpfiles.d/io.conf:1", "queue/scheduler", "bfq")),
        ("etc/sysfs.conf", "mode block/sda/queue/scheduler = 0660\nblock/sda/queue/scheduler = bfq",
         ("sysfs.conf", "/etc/sysfs.conf:2", "queue/scheduler", "bfq")),
        ("etc/tlp.conf", 'DISK_DEVICES="nvme0n1 sda"\nDISK_IOSCHED="keep bfq"',
         ("tlp", "/etc/tlp.conf:2", "queue/scheduler", "bfq")),
        ("etc/rc.local", "#!/bin/sh\necho deadline > /sys/block/sda/queue/scheduler\nexit 0",
         ("rc.local", "/etc/rc.local:2", "queue/scheduler", "deadline")),
        ("etc/udev/rules.d/99-ncq.rules", 'KERNEL=="sd*", ATTR{device/queue_depth}="1"',
         ("udev", "/etc/udev/rules.d/99-ncq.rules:1", "device/queue_depth", "1")),
        ("etc/udev/rules.d/99-ncq.rules", 'SUBSYSTEM=="scsi", ATTR{type}=="0", ATTR{queue_depth}="1"',
         ("udev", "/etc/udev/rules.d/99-ncq.rules:1", "device/queue_depth", "1")),
        ("etc/udev/rules.d/99-ncq.rules", 'KERNEL=="sda", RUN+="/sbin/hdparm -q -Q1 /dev/%k"',
         ("udev", "/etc/udev/rules.d/99-ncq.rules:1", "device/queue_depth", "1")),
        ("etc/rc.local", "#!/bin/sh\nhdparm -Q 1 /dev/sda", ("rc.local", "/etc/rc.local:2", "device/queue_depth", "1")),
        ("etc/sysfs.conf", "block/sda/device/queue_depth = 1",
         ("sysfs.conf", "/etc/sysfs.conf:1", "device/queue_depth", "1")),
        ("etc/tmpfiles.d/ncq.conf", "w /sys/block/sda/device/queue_depth - - - - 1",
         ("tmpfiles.d", "/etc/tmpfiles.d/ncq.conf:1", "device/queue_depth", "1")),
        ("etc/systemd/system/ncq.service", "[Service]\nExecStart=sh -c 'echo 1 >/sys/block/sda/device/queue_depth'",
         ("systemd", "/etc/systemd/system/ncq.service:2", "device/queue_depth", "1")),
        ("etc/rc.d/rc.local", "for d in a b; do\necho bfq > /sys/block/sd$d/queue/scheduler\ndone",
         ("rc.local", "/etc/rc.d/rc.local:2", "queue/scheduler", "bfq")),
        ("etc/local.d/io.start", "echo bfq > /sys/block/sda/queue/scheduler",
         ("rc.local", "/etc/local.d/io.start:1", "queue/scheduler", "bfq")),
        ("etc/cron.d/io", "@reboot root echo bfq > /sys/block/sda/queue/scheduler",
         ("cron", "/etc/cron.d/io:1", "queue/scheduler", "bfq")),
        ("etc/cloud/cloud.cfg.d/10-io.cfg", "bootcmd:\n  - echo none > /sys/block/sda/queue/scheduler",
         ("cloud-init", "/etc/cloud/cloud.cfg.d/10-io.cfg:2", "queue/scheduler", "none")),
        ("etc/hdparm.conf", "/dev/sda {\n read_ahead_sect = 512\n}\n/dev/sdb {\n read_ahead_sect = 1\n}",
         ("hdparm", "/etc/hdparm.conf:2", "queue/read_ahead_kb", "256")),
        ("etc/systemd/system/io.service", '#\nExecStart=/bin/sh -c "echo bfq | tee /sys/block/sd?/queue/scheduler"',
         ("systemd", "/etc/systemd/system/io.service:2", "queue/scheduler", "bfq")),
        ("proc/cmdline", "BOOT_IMAGE=/vmlinuz elevator=noop quiet",
         ("kernel command line", "/proc/cmdline:1", "queue/scheduler", "noop")),
        ("etc/default/grub", 'GRUB_TIMEOUT=5\nGRUB_CMDLINE_LINUX_DEFAULT="quiet elevator=deadline"',
         ("boot loader", "/etc/default/grub:2", "queue/scheduler", "deadline")),
    ],
)  # fmt: skip
def test_what_a_recorded_machine_mentions(
    tree: Tree, path: str, text: str, expected: tuple[str, str, str, str]
) -> None:
    tree.write(path, text)
    (writer,) = writers(tree)
    assert (writer.who, writer.place, writer.attribute, writer.value) == expected
    assert (writer.state, writer.why) == (LineState.MENTIONS, None), "nobody is there who could be asked"


def test_tlps_own_list_of_disks_holds_until_there_is_another(tree: Tree) -> None:
    tree.write("usr/share/tlp/defaults.conf", 'DISK_DEVICES="nvme0n1 sda"\n')
    tree.write("etc/tlp.conf", '#DISK_DEVICES="sdb"\nDISK_IOSCHED="none bfq"')
    assert [(writer.place, writer.value) for writer in writers(tree)] == [("/etc/tlp.conf:2", "bfq")]
    tree.write("etc/tlp.d/mine.conf", 'DISK_DEVICES="sdb"')
    assert writers(tree) == ()


# ---- what udev prints ----

_READS = "Reading rules file: /etc/udev/rules.d/60-a.rules\n"
_NAMED = "sda: /etc/udev/rules.d/60-a.rules:"
_DENIED = "ignoring: Permission denied"
_PATH = "/sys/devices/x/block/sda/queue/scheduler"


@pytest.mark.parametrize(
    ("output", "queued"),
    [
        (f"{_NAMED}2 ATTR '{_PATH}' writing 'a \"b\"'\n{_NAMED}2 Failed to write ATTR{{{_PATH}}}, {_DENIED}\n"
         f"{_NAMED}3 RUN '/bin/x %k'\n", "run: '/bin/x sda'"),
        (f'{_NAMED}2 Running in test mode, skipping writing ATTR{{{_PATH}}}="a "b"".\n{_NAMED}3 RUN \'/bin/x %k\'\n',
         "  RUN{program} : /bin/x sda"),
        (f'{_NAMED}2 ATTR{{queue/scheduler}}="a": Running in test mode, skipping writing "a "b"" to sysfs attribute '
         f'"{_PATH}".\n'
         f'{_NAMED}3 RUN+="/bin/x %k": Set command: /bin/x sda\n', "  RUN{program} : /bin/x sda"),
    ],
    ids=["252", "257", "258"],
)  # fmt: skip
def test_each_systemd_says_it_in_its_own_words(output: str, queued: str) -> None:
    remark = "/etc/udev/rules.d/60-a.rules:1 Invalid key 'BUS'.\n"
    event = event_of(f"{_READS}{remark}{output}Properties:\n  DEVNAME=/dev/sda\n{queued}\n", {})
    assert event.writes == {"/etc/udev/rules.d/60-a.rules:2": [(_PATH, 'a "b"')]}
    assert event.commands == {"/etc/udev/rules.d/60-a.rules:3": ["/bin/x sda"]}
    assert event.dropped == {"/etc/udev/rules.d/60-a.rules:1": "Invalid key 'BUS'."}
    assert event.properties == {"DEVNAME": "/dev/sda"}


@pytest.mark.parametrize(
    "output",
    [
        f'{_NAMED}4 Command "/bin/false" returned 1 (error)',
        f"{_NAMED}4 Failed to run builtin 'blkid': Permission denied",
        f"{_NAMED}4 Running PROGRAM=\"/bin/x\"\nsda: Running in test mode, skipping execution of '/bin/x'.",
    ],
)
def test_programs_without_rights_leave_their_rule_open(output: str) -> None:
    assert list(event_of(f"{_READS}{output}\n", {}).blind) == ["/etc/udev/rules.d/60-a.rules:4"]


def test_programs_that_udevadm_no_longer_starts_are_started() -> None:
    """As ``udevadm test`` did up to systemd 255, with the disk's properties; a program that fails prints nothing."""
    file, started = "/etc/udev/rules.d/60-a.rules", list[tuple[str, ...]]()
    skipped = (
        "{at}{line} Running PROGRAM=\"{command}\"\nsda: Running in test mode, skipping execution of '{command}'.\n"
    )
    commands = {4: "is-fast 'a b'", 5: "/bin/false", 6: "/bin/x 'y"}
    lines = "".join(skipped.format(at=_NAMED, line=line, command=text) for line, text in commands.items())
    event = event_of(f"{_READS}{lines}Properties:\n  DEVNAME=/dev/sda\n", {})

    def start(*command: str) -> str | None:
        started.append(command)
        return None if "/bin/false" in command else "yes\n"

    assert dict(answers(start, [file], event)) == {f"{file}:4": "yes"}
    assert started[0] == ("env", "DEVNAME=/dev/sda", "/usr/lib/udev/is-fast", "a b") and len(started) == 2
    assert not dict(answers(start, ["/etc/udev/rules.d/70-b.rules"], event)), "only those that set a queue"


@pytest.mark.parametrize(
    "output", ["", "\0\x1b[2J" * 9, "Reading rules file: \n:1 \n=\nrun: ''", f"{_NAMED}99999999999 RUN ''"]
)
def test_an_odd_answer_is_no_trouble(output: str) -> None:
    assert not event_of(output, {}).writes


def test_conditions_that_exclude_each_other_are_found_by_udevs_own_linter() -> None:
    conflict = "/etc/udev/rules.d/60-a.rules:3 conflicting match expressions, the line has no effect.\n"
    other = "/etc/udev/rules.d/60-a.rules:4 style: a comma between tokens is expected.\n"
    reported = conflicts(lambda *_, log=False: conflict + other, ["/etc/udev/rules.d/60-a.rules"])
    assert list(reported) == ["/etc/udev/rules.d/60-a.rules:3"]
    assert not conflicts(lambda *_, log=False: "Unknown command verb verify.", []), "systemd 252"


# ---- commands ----


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("echo bfq >/sys/block/sda/queue/scheduler; echo 9 > /sys/class/block/sda/queue/nr_requests",
         [("queue/scheduler", "bfq", "acts"), ("queue/nr_requests", "9", "acts")]),
        ("printf 'bfq\\n' | sudo tee /sys/block/sda/queue/scheduler", [("queue/scheduler", "bfq", "acts")]),
        ("echo bfq | tee /sys/block/sd*/queue/scheduler", [("queue/scheduler", "bfq", "mentions")]),
        ("echo 0 > /sys/devices/x/block/sda/queue/iosched/slice_idle", [("iosched/slice_idle", "0", "acts")]),
        ("echo 64 > /sys/block/sda/bdi/read_ahead_kb", [("queue/read_ahead_kb", "64", "acts")]),
        ("echo 9 > /sys/block/sda/bdi/max_bytes; echo 1 > /sys/class/bdi/8:0/strict_limit; echo 5 > "
         "/sys/class/bdi/8:16/max_ratio", [("bdi/max_bytes", "9", "acts"), ("bdi/strict_limit", "1", "acts")]),
        ("/sbin/blockdev --setra 4096 /dev/sda /dev/sdb", [("queue/read_ahead_kb", "2048", "acts")]),
        ("iocost apply /dev/sda", [("io.cost", "?", "acts")]),
        ("hdparm -q -a512 /dev/sda", [("queue/read_ahead_kb", "256", "acts")]),
        ("for d in /sys/block/sd*; do echo bfq > $d/queue/scheduler; done", [("queue/scheduler", "bfq", "mentions")]),
        ("[ -e /x ] && echo bfq > /sys/block/sda/queue/scheduler", [("queue/scheduler", "bfq", "mentions")]),
        ("echo $1 > /sys/block/sda/queue/scheduler", [("queue/scheduler", "$1", "mentions")]),
        ("for f in /sys/block/sd*/queue/scheduler; do\n echo bfq > \"$f\"\ndone",
         [("queue/scheduler", "bfq", "mentions")]),
        ("for f in /sys/block/sdb/queue/scheduler /sys/block/sda/queue/nomerges; do echo 2 | tee ${f}; done",
         [("queue/nomerges", "2", "mentions")]),
        ("ls /sys/block/sd[ab]/queue/scheduler | while read -r f; do echo none > $f; done",
         [("queue/scheduler", "none", "mentions")]),
        ("F=/sys/block/sda/queue/scheduler\necho kyber > $F", [("queue/scheduler", "kyber", "acts")]),
        ("F=/sys/block/sdb/queue/scheduler; echo kyber > $F", []),
        ("cd /sys/block/sda/queue && \\\n echo bfq > scheduler\ncd /tmp; echo none > scheduler",
         [("queue/scheduler", "bfq", "acts")]),
        ("cd '/sys/block/sda/'; echo 2 | tee -a queue/nomerges; cd /sys/block/sdb/queue; echo bfq > scheduler",
         [("queue/nomerges", "2", "acts")]),
        ("cd /tmp && echo bfq > /sys/block/sda/queue/scheduler", [("queue/scheduler", "bfq", "mentions")]),
        ("for d in a b; do cd /sys/block/sd$d/queue; echo none >scheduler; done",
         [("queue/scheduler", "none", "mentions")]),
        ("echo bfq | tee /sys/block/sdb/queue/scheduler /sys/block/sda/queue/scheduler >/dev/null",
         [("queue/scheduler", "bfq", "acts")]),
        ("echo bfq | tee /sys/block/sd{a..c}/queue/scheduler", [("queue/scheduler", "bfq", "acts")]),
        ("echo bfq | tee /sys/block/sd{b..d}/queue/scheduler /sys/block/sd[^a]/queue/scheduler", []),
        ("tee /sys/block/sda/queue/scheduler <<< bfq", [("queue/scheduler", "bfq", "acts")]),
        ("printf '%s\\n' bfq > /sys/block/sda/queue/scheduler", [("queue/scheduler", "bfq", "acts")]),
        ("blockdev --setra 4096 /dev/sdb /dev/sda", [("queue/read_ahead_kb", "2048", "acts")]),
        ("hdparm -Q1 /dev/sdc /dev/sdb /dev/sda; echo 9 > /sys/block/sda/queue/nomerges",
         [("device/queue_depth", "1", "acts"), ("queue/nomerges", "9", "acts")]),
        ("echo bfq > /sys/block/sdb/queue/scheduler", []),
        ("cat /sys/block/sda/queue/scheduler; grep bfq /sys/block/sda/queue/scheduler", []),
    ],
)  # fmt: skip
def test_what_a_shell_writes(tree: Tree, text: str, expected: list[tuple[str, str, str]]) -> None:
    subject = System(tree.root).subject(System(tree.root).disk("sda"))
    assert [(effect.attribute, effect.value, effect.state.value) for effect in effects(subject, text)] == expected


def test_lines_of_any_length_are_no_trouble(tree: Tree) -> None:
    """Patterns that backtrack would take minutes."""
    subject = System(tree.root).subject(System(tree.root).disk("sda"))
    for part in (
        "a",
        "a/",
        " ",
        "\n",
        "echo x > ",
        "w ",
        "/dev/x { ",
        "for x in ",
        "tee -a ",
        "cd /sys/",
        "x=/",
        "/queue/x ",
        "{",
    ):
        assert not list(effects(subject, f"echo x > {part * 20_000}\n{part * 20_000}"))


# ---- services and files, by what their owners print ----


def judged(tree: Tree, **outputs: str) -> list[tuple[str, str, str]]:
    """Value, state and reason of each line, for programs that print this; others are missing."""

    def answer(*command: str, log: bool = False) -> str | None:
        return outputs.get(command[0].replace("-", "_"))

    lines = writers(tree, ask=answer)
    return [(line.value, line.state.value, line.why.id if line.why else "") for line in lines]


def unit(name: str = "io.service", file: str = "/etc/systemd/system/io.service", **changed: str) -> str:
    command = "{ path=/bin/sh ; argv[]=/bin/sh -c echo bfq > /sys/block/sda/queue/scheduler ; ignore_errors=no ; }"
    properties = {"Id": name, "LoadState": "loaded", "ActiveState": "inactive", "UnitFileState": "enabled",
             "FragmentPath": file, "DropInPaths": "", "ExecStart": command,
             "ExecMainStartTimestampMonotonic": "0", "TriggeredBy": "", "WantedBy": "", **changed}  # fmt: skip
    return "".join(f"{key}={value}\n" for key, value in properties.items())


@pytest.mark.parametrize(
    ("shown", "state", "why"),
    [
        (unit(), "acts", ""),
        (unit(UnitFileState="disabled"), "dead", "dead-not-started"),
        (unit(UnitFileState="static", ExecMainStartTimestampMonotonic="17"), "acts", ""),
        (unit(UnitFileState="static", TriggeredBy="io.timer"), "mentions", ""),
        (unit(LoadState="masked", FragmentPath="/dev/null"), "dead", "dead-masked"),
        (unit(FragmentPath="/run/systemd/system/io.service"), "dead", "dead-replaced"),
        (unit(ExecStart="{ path=/bin/true ; argv[]=/bin/true ; }"), "dead", "dead-replaced"),
        ("", "mentions", ""),
    ],
)
def test_systemd_says_whether_a_unit_acts(tree: Tree, shown: str, state: str, why: str) -> None:
    command = "/bin/sh -c 'echo bfq > /sys/block/sda/queue/scheduler'"
    tree.write("etc/systemd/system/io.service", f"[Service]\nExecStart={command}\n")
    assert judged(tree, systemctl=shown) == [("bfq", state, why)]


def test_each_command_of_a_unit_counts(tree: Tree) -> None:
    """systemctl prints one line for each; ExecStop is run at some later time."""
    command = "{}=/bin/sh -c 'echo {} > /sys/block/{}/queue/scheduler'\n"
    commands = (("ExecStart", "bfq", "sda"), ("ExecStart", "kyber", "sdb"), ("ExecStop", "none", "sda"))
    tree.write("etc/systemd/system/io.service", f"[Service]\n{''.join(command.format(*parts) for parts in commands)}")
    run = (
        "ExecSt{}={{ path=/bin/sh ; argv[]=/bin/sh -c echo {} > /sys/block/{}/queue/scheduler ; ignore_errors=no ; }}\n"
    )
    shown = unit().replace("bfq", "kyber").replace("sda", "sdb")
    shown = run.format("op", "none", "sda") + run.format("art", "bfq", "sda") + shown
    assert judged(tree, systemctl=shown) == [("bfq", "acts", ""), ("none", "mentions", "")]


def test_drop_ins_and_templates(tree: Tree) -> None:
    tree.write("etc/systemd/system/io.service.d/x.conf",
               "[Service]\nExecStart=\nExecStart=/bin/sh -c 'echo bfq > /sys/block/sda/queue/scheduler'")  # fmt: skip
    file = "/etc/systemd/system/io.service.d/x.conf"
    assert judged(tree, systemctl=unit(file="/usr/lib/systemd/system/io.service", DropInPaths=file)) == [
        ("bfq", "acts", "")
    ]
    tree.write("etc/systemd/system/io.service.d/x.conf", "")
    text = "[Service]\nExecStart=/bin/sh -c 'echo bfq > /sys/block/%i/queue/scheduler'"
    tree.write("etc/systemd/system/io@.service", text)
    of_template = unit("io@sda.service", "/etc/systemd/system/io@.service")
    assert judged(tree, systemctl=of_template) == [("bfq", "acts", "")]
    assert judged(tree, systemctl=of_template.replace("sda", "sdb")) == [("bfq", "other-disks", "")]


def test_a_script_that_a_unit_starts(tree: Tree) -> None:
    tree.write("etc/systemd/system/io.service", "[Service]\nExecStart=/usr/local/bin/io")
    tree.write(
        "usr/local/bin/io",
        "#!/bin/sh\necho kyber > /sys/block/sda/queue/scheduler\nexit\necho bfq > /sys/block/sda/queue/scheduler",
    )
    assert judged(tree, systemctl=unit()) == [("kyber", "acts", ""), ("bfq", "dead", "dead-after-exit")]
    assert [state for _, state, _ in judged(tree, systemctl=unit(UnitFileState="disabled"))] == ["dead", "dead"]


def test_a_disk_with_a_slash_in_its_name_is_called_as_udev_and_its_node_are(tree: Tree) -> None:
    tree.disk("cciss!c0d0", "104:0", sata(5))
    tree.link("dev/disk/by-id/wwn-7", "../../cciss/c0d0")
    system = System(tree.root)
    subject = system.subject(system.disk("/dev/cciss/c0d0"))
    names = ("/dev/cciss/c0d0", "/dev/cciss/*", "/dev/disk/by-id/wwn-7", "cciss!c0d0", "/dev/sda", "/dev/c0d0")
    assert list(map(subject.is_called, names)) == [True, True, True, True, False, False]
    rule = 'KERNEL=="cciss/c[0-9]*", ATTR{queue/scheduler}="bfq"'
    for written, state in ((rule, LineState.MENTIONS), (rule.replace("/", "!", 1), LineState.OTHER_DISKS)):
        tree.write("etc/udev/rules.d/60-io.rules", written)
        assert [writer.state for writer in writers(tree, "cciss!c0d0")] == [state], written


def test_tlp_says_what_it_has_read(tree: Tree) -> None:
    tree.link("dev/disk/by-id/ata-ST4", "../../sda")
    output = '+++\n/etc/tlp.conf L0012: DISK_DEVICES="ata-ST4 sdb"\n'
    output += '/etc/tlp.conf L0013: DISK_IOSCHED="bfq keep"\n'
    started = unit("tlp.service")
    assert judged(tree, tlp_stat=output, systemctl=started) == [("bfq", "acts", "")]
    assert judged(tree, tlp_stat=output.replace("ST4", "ST5"), systemctl=started) == []


def profile(tree: Tree, text: str) -> None:
    """An active TuneD profile."""
    tree.write("etc/tuned/active_profile", "mine\n")
    tree.write("etc/tuned/profiles/mine/tuned.conf", text)


@pytest.mark.parametrize(
    ("sections", "disks", "expected"),
    [
        ("disk (disk)\n", "sda\nsdb\n", [("bfq", "acts", ""), (">512", "acts", "")]),
        ("disk (disk)\n", "sdb\n", [("bfq", "other-disks", ""), (">512", "other-disks", "")]),
        ("other (disk)\n", "sda\n", [("bfq", "other-disks", ""), (">512", "other-disks", "")]),
        ("", None, [("bfq", "other-disks", ""), (">512", "other-disks", "")]),
        ("disk (disk)\n", None, [("bfq", "open", "open-tuned"), (">512", "open", "open-tuned")]),
        (None, None, [("bfq", "open", "open-tuned"), (">512", "open", "open-tuned")]),
    ],
)
def test_tuned_says_which_section_has_a_disk(
    tree: Tree, sections: str | None, disks: str | None, expected: list[tuple[str, str, str]]
) -> None:
    profile(tree, "[main]\ninclude=base\n[disk]\nelevator=bfq  # the best\n# elevator=kyber")
    tree.write("usr/lib/tuned/profiles/base/tuned.conf", "[disk]\nreadahead=>512")

    def answer(*command: str, log: bool = False) -> str | None:
        answers = {"get_instances": sections, "instance_get_devices": disks}
        return unit("tuned.service") if command[0] == "systemctl" else answers.get(command[1])

    lines = [
        (writer.value, writer.state.value, writer.why.id if writer.why else "") for writer in writers(tree, ask=answer)
    ]
    assert sorted(lines, reverse=True) == sorted(expected, reverse=True)
    off = unit("tuned.service", UnitFileState="disabled")
    assert {state for _, state, _ in judged(tree, systemctl=off)} == {"dead"}


def test_a_script_of_tuned(tree: Tree) -> None:
    profile(tree, "[script]\nscript=${i:PROFILE_DIR}/script.sh\n[sysfs]\n/sys/block/sd*/queue/nr_requests=9")
    tree.write("etc/tuned/profiles/mine/script.sh", "#!/bin/sh\necho bfq > /sys/block/sda/queue/scheduler\n")
    assert judged(tree, systemctl=unit("tuned.service")) == [("bfq", "acts", ""), ("9", "acts", "")]


@pytest.mark.parametrize(
    ("base", "mine", "expected"),
    [
        ("", "[variables]\nwhich=b${rest}\nrest=fq\n[disk]\nelevator=${which}", [("queue/scheduler", "bfq")]),
        ("", "[disk]\nelevator=${f:exec:choose}", [("queue/scheduler", "${f:exec:choose}")]),
        ("", "[disk]\nreadahead=8192 s", [("queue/read_ahead_kb", "4096")]),
        ("", "[disk]\nreadahead=>8192 sectors", [("queue/read_ahead_kb", ">4096")]),
        ("", "[disk]\nenabled=false\nelevator=bfq", []),
        ("", "[fast]\nelevator=bfq", []),
        ("", "[fast]\ntype=disk\nelevator=bfq", [("queue/scheduler", "bfq")]),
        ("[disk]\nenabled=0\nelevator=bfq", "[disk]\nreadahead=9", [("queue/scheduler", "bfq"),
                                                                    ("queue/read_ahead_kb", "9")]),
        ("[disk]\nreadahead=9", "[disk]\nreplace=1\nelevator=bfq", [("queue/scheduler", "bfq")]),
        ("[disk]\nreadahead=9\nelevator=bfq", "[disk]\ndrop=apm, readahead", [("queue/scheduler", "bfq")]),
        ("[fast]\ntype=disk\nelevator=bfq", "[fast]\nreadahead=9", []),
        ("", "[script]\nscript=script.sh", [("queue/scheduler", "kyber")]),
        ("[disk]\nreadahead=9", "[disk]\nelevator=${mine}\n[variables]\ninclude=${i:PROFILE_DIR}/variables.conf",
         [("queue/read_ahead_kb", "9"), ("queue/scheduler", "kyber")]),
    ],
)  # fmt: skip
def test_a_profile_is_merged_as_tuned_does_it(
    tree: Tree, base: str, mine: str, expected: list[tuple[str, str]]
) -> None:
    """Unit, Merger and Loader in tuned/profiles."""
    profile(tree, f"[main]\ninclude=base\n{mine}")
    tree.write("usr/lib/tuned/profiles/base/tuned.conf", base)
    tree.write("etc/tuned/profiles/mine/script.sh", "echo kyber > /sys/block/sda/queue/scheduler")
    tree.write("etc/tuned/profiles/mine/variables.conf", "# chosen here\nmine = kyber\n")
    assert [(writer.attribute, writer.value) for writer in writers(tree)] == expected


def test_variables_that_name_each_other_without_end_are_no_trouble(tree: Tree) -> None:
    profile(tree, f"[variables]\na={'${a}' * 100}\nb=${{b}}\n[disk]\nelevator=${{a}}${{b}}")
    (writer,) = writers(tree)
    assert writer.result is None


def test_tmpfiles_are_those_that_systemd_reads(tree: Tree) -> None:
    for place, value in (("usr/local/lib", "bfq"), ("usr/lib", "kyber")):
        text = f"# why\nw /sys/block/sd[a-z]/queue/scheduler - - - - {value}\n"
        tree.write(f"{place}/tmpfiles.d/io.conf", text)

    def answer(*command: str, log: bool = False) -> str | None:
        started = unit("systemd-tmpfiles-setup.service", UnitFileState="static", WantedBy="sysinit.target")
        return {"systemctl": started, "systemd-tmpfiles": "# /usr/local/lib/tmpfiles.d/io.conf\n"}.get(command[0])

    (writer,) = writers(tree, ask=answer)
    assert (writer.place, writer.state) == ("/usr/local/lib/tmpfiles.d/io.conf:2", LineState.ACTS)


TMPFILES = {
    "w /sys/block/sda/queue/scheduler - - - - {}\n": "bfq acts",
    "w! \t/sys/block/sda/queue/scheduler   0644 root root 10d  {}  \n": "bfq acts",
    'w "/sys/block/sda/queue/scheduler" - - - - {}\n': "bfq acts",
    "w /sys/block/{{sda,sdb}}/queue/scheduler - - - - {}\n": "bfq acts",
    "w /sys/block/{{sdb,sdc}}/queue/scheduler - - - - {}\n": "",
    "w /sys/block/sd[^a]/queue/scheduler - - - - {}\n": "",
    "w /sys/{{block/sda/queue/scheduler,x}} - - - - {}\n": "bfq acts",
    "w /sys/dev/block/8:0/queue/scheduler - - - - {}\n": "bfq acts",
    "f+ /sys/block/sda/queue/scheduler - - - - {}\n": "bfq acts",
    "w /sys/block/sda/queue/scheduler - - - - {}\\n\n": "bfq acts",
    "w /sys/block/sda/queue/scheduler - - - - \\x62fq\n": "bfq acts",
    'w /sys/block/sda/queue/scheduler - - - - "{}"\n': '"bfq" dead',
    "w /sys/block/sda/queue/scheduler - - - - {} # why\n": "bfq # why dead",
    "d /sys/block/sda/queue/scheduler - - - - {}\n": "",
    "w /sys/block/sda/queue/scheduler - - - -\n": "",
}
"""Lines of tmpfiles.d(5), and what they write; tests/distribution asks systemd-tmpfiles for the same."""


@pytest.mark.parametrize("text", TMPFILES)
def test_a_line_of_tmpfiles_is_read_as_systemd_reads_it(tree: Tree, text: str) -> None:
    tree.write("etc/tmpfiles.d/io.conf", text.format("bfq"))
    started = unit("systemd-tmpfiles-setup.service", UnitFileState="static", WantedBy="sysinit.target")
    lines = [f"{value} {state}" for value, state, _ in judged(tree, systemctl=started)]
    assert lines == ([TMPFILES[text]] if TMPFILES[text] else [])


@pytest.mark.parametrize(
    ("first", "later", "state"),
    [
        ("w", "w /sys/block/sda/queue/scheduler", "acts overridden"),
        ("w", "w+ /sys/block/sda/queue/scheduler", "acts overridden"),
        ("w+", "w+ /sys/block/sda/queue/scheduler", "overridden acts"),
        ("w", "w /sys/block/sd?/queue/scheduler", "overridden acts"),
    ],
)
def test_of_tmpfiles_for_one_path_the_first_counts(tree: Tree, first: str, later: str, state: str) -> None:
    tree.write("etc/tmpfiles.d/10.conf", f"{first} /sys/block/sda/queue/scheduler - - - - kyber")
    tree.write("usr/lib/tmpfiles.d/20.conf", f"{later} - - - - bfq")
    started = unit("systemd-tmpfiles-setup.service", UnitFileState="static", WantedBy="sysinit.target")
    assert [line_state for _, line_state, _ in judged(tree, systemctl=started)] == state.split()


def test_a_scheduler_that_the_kernel_lacks_is_set_by_no_owner(tree: Tree) -> None:
    tree.write("etc/rc.local", "echo bqf > /sys/block/sda/queue/scheduler")
    assert judged(tree, systemctl=unit("rc-local.service")) == [("bqf", "dead", "dead-no-scheduler")]
    assert judged(tree) == [("bqf", "mentions", "")], "modules may not have been recorded"


@pytest.mark.parametrize(
    ("file", "text", "state", "why"),
    [
        ("etc/rc.local", "", "acts", ""),
        ("etc/rc.local", "exit 0\n", "dead", "dead-after-exit"),
        ("etc/rc.local", "for d in /sys/block/sd*; do\n", "mentions", ""),
        ("etc/rc.local", "if [ ! -d /sys/block/sda ]; then\nexit 0\nfi\n", "mentions", ""),
        ("etc/rc.local", "fail() {\nexit 1\n}\n", "acts", ""),
        ("etc/local.d/io.start", "", "mentions", ""),
        ("etc/cron.d/io", "@reboot root ", "mentions", ""),
        ("etc/sysfs.conf", "block/sda/queue/scheduler = bfq #", "dead", "dead-not-started"),
        ("etc/hdparm.conf", "/dev/sda {\nwrite_cache = off\n} #", "mentions", ""),
    ],
)
def test_what_is_worked_through_at_a_start(tree: Tree, file: str, text: str, state: str, why: str) -> None:
    """systemd's generator says by ``WantedBy`` that rc.local may be executed."""
    tree.write(file, f"{text}echo bfq > /sys/block/sda/queue/scheduler\n".replace("#echo", "# echo"))
    rc_local = unit("rc-local.service", UnitFileState="static", WantedBy="multi-user.target")
    output = f"{unit('sysfsutils.service', UnitFileState='disabled')}\n{rc_local}"
    assert (state, why) in [(state, why) for _, state, why in judged(tree, systemctl=output)]
    not_executable = output.replace("multi-user.target", "")
    states = {state for _, state, _ in judged(tree, systemctl=not_executable)}
    assert state == "mentions" or states == {"dead"}


def test_elevator_does_nothing_unless_a_rule_reads_it(tree: Tree) -> None:
    tree.kernel("6.1.0", "quiet elevator=deadline")
    assert judged(tree) == [("deadline", "dead", "elevator")]
    tree.write("usr/lib/udev/rules.d/60-io.rules", 'IMPORT{cmdline}="elevator"')
    assert judged(tree) == [("deadline", "mentions", "elevator-read")]


def test_the_last_one_of_a_start_has_the_last_word(tree: Tree) -> None:
    profile(tree, "[sysfs]\n/sys/block/sd*/queue/scheduler=bfq")
    tree.write("etc/systemd/system/io.service",
               "[Service]\nExecStart=/bin/sh -c 'echo kyber > /sys/block/sda/queue/scheduler'")  # fmt: skip
    output = f"{unit().replace('bfq', 'kyber')}\n{unit('tuned.service')}"
    assert judged(tree, systemctl=output) == [("kyber", "overridden", "overridden-by"), ("bfq", "acts", "")]


def test_what_systemd_starts_side_by_side_has_no_last_word(tree: Tree) -> None:
    write = "echo {} > /sys/block/sda/queue/scheduler\n"
    tree.write("etc/rc.local", f"#!/bin/sh\n{write.format('none')}{write.format('kyber')}")
    tree.write("etc/systemd/system/io.service", f"[Service]\nExecStart=/bin/sh -c '{write.format('bfq').strip()}'")
    output = f"{unit('rc-local.service')}\n{unit()}"
    assert judged(tree, systemctl=output) == [
        ("none", "overridden", "overridden-by"), ("kyber", "acts", ""), ("bfq", "acts", ""),
    ]  # fmt: skip


# ---- asking ----


PLACES = {
    "udevadm": ("etc/udev/rules.d/10-x.rules", "usr/lib/udev/rules.d/10-x.rules", "etc/udev/udev.conf"),
    "systemd-tmpfiles": ("etc/tmpfiles.d/x.conf",),
    "tlp-stat": ("etc/tlp.conf", "etc/tlp.d/x.conf"),
}


@pytest.mark.parametrize(("program", "place"), [(program, place) for program in PLACES for place in PLACES[program]])
def test_no_program_is_asked_that_would_wait_at_what_it_reads(tree: Tree, program: str, place: str) -> None:
    tree.write("etc/udev/rules.d/60-mine.rules", 'KERNEL=="sda", ATTR{queue/scheduler}="bfq"\n')
    commands: list[str] = []

    def answer(*words: str, log: bool = False) -> str | None:
        commands.append(words[0])
        return None

    def listed() -> set[str]:
        commands.clear()
        (writer,) = (writer for writer in writers(tree, ask=answer) if writer.who == "udev")
        assert writer.line == 1
        return set(commands)

    odd = tree.root / place
    odd.parent.mkdir(parents=True, exist_ok=True)
    odd.symlink_to("/dev/null")
    assert program in listed(), "a link to /dev/null is an empty file"
    odd.unlink()
    os.mkfifo(odd)
    assert program not in listed()
    odd.unlink()
    odd.symlink_to("/dev/zero")
    assert program not in listed()
    odd.unlink()
    odd.touch()
    os.truncate(odd, 2**40)
    assert program not in listed()


def test_a_program_that_took_too_long_is_not_asked_again(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.write("etc/udev/rules.d/60-mine.rules", 'KERNEL=="sda", ATTR{queue/scheduler}="bfq"\n')
    commands: list[str] = []
    monkeypatch.setattr("disktuner.block.writers.owners.LIMIT_S", 0.0)
    writers(tree, ask=lambda *words, log=False: commands.append(words[0]))
    assert sorted(commands) == sorted(set(commands))


def test_programs_have_little_time_and_room() -> None:
    assert ask("echo", "yes") == "yes\n"
    assert ask("no-such-program") is None
    assert ask("yes") is None
    failed = ("sh", "-c", "echo yes; false")
    assert ask(*failed) is None and ask(*failed, log=True) == "yes\n"
    assert (
        ask("sh", "-c", "echo $HOME$LD_PRELOAD$PATH; pwd")
        == "/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin\n/\n"
    )


def test_a_program_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("disktuner.block.asking.LIMIT_S", 0.2)
    assert ask("sh", "-c", "cat /dev/zero >/dev/null & tail -f /dev/null") is None
    assert ask("sh", "-c", "tail -f /dev/null & echo yes") is None, "what it leaves behind holds the answer open"
    assert ask("sh", "-c", "exec >&-; tail -f /dev/null") is None


def test_what_was_ended_is_no_answer_before_it_is_noted_either(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow_killpg(group: int, signal_: int) -> None:
        try:
            killpg(group, signal_)
        finally:
            Event().wait(0.3)

    killpg = os.killpg
    monkeypatch.setattr("disktuner.block.asking.LIMIT_S", 0.2)
    monkeypatch.setattr("os.killpg", slow_killpg)
    assert ask("sh", "-c", "tail -f /dev/null & echo yes") is None
