# SPDX-License-Identifier: GPL-3.0-or-later
"""What will override a setting is known before it is set; how a tug-of-war is ended, with what the line's owner
documents, or by hand; and how that is undone.
"""

from __future__ import annotations

import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.block.test_writers import OWN_FILE, OWN_RULE, WWN
from tests.unit.block.trees import Tree, sata

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.block.writers import LineState, Subject, Writer
from disktuner.block.writers.owners import writers_of
from disktuner.remedies import Remedy, colliding, remedy_of, rivals, warnings
from disktuner.vocabulary.messages import say
from disktuner.vocabulary.settings import setting

LATE = Writer("udev", "/etc/udev/rules.d/99-fast.rules", 1, "queue/scheduler", "none")
UNIT = Writer("systemd", "/etc/systemd/system/fast.service", 2, "queue/scheduler", "none")
TUNED = Writer("tuned", "/etc/tuned/profiles/mine/tuned.conf", 2, "queue/scheduler", "kyber")
SCYLLA = Writer("scylla", "/etc/default/scylla-server", 3, "queue/scheduler", "none", LineState.OPEN)
GOOGLE = Writer(
    "google-guest-agent", "/usr/lib/systemd/system/google-guest-agent.service", 9, "queue/scheduler", "none"
)
TLP = Writer("tlp", "/etc/tlp.conf", 7, "queue/scheduler", "none")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path)
    tree.kernel("6.1.0")
    tree.disk("sda", "8:0", sata(1), "none [mq-deadline] kyber bfq", udev={"ID_WWN": WWN})
    tree.write(OWN_FILE, OWN_RULE)
    return tree


def subject(tree: Tree) -> Subject:
    return System(tree.root).subject(System(tree.root).disk("sda"))


def remedied(tree: Tree, writer: Writer) -> Remedy:
    remedy = remedy_of(subject(tree), writer)
    assert remedy is not None
    return remedy


def run(tree: Tree, *commands: str) -> None:
    """Apply the commands that change files, below the tree; other programs are only named."""
    for command in commands:
        below = command.replace("/etc/", f"{tree.root}/etc/").replace("sudo ", "")
        if shlex.split(below)[0] in ("ln", "rm", "mv", "mkdir", "printf"):
            subprocess.run(below, shell=True, check=True)


RULES = "/etc/udev/rules.d"
EARLY = Writer("udev", f"{RULES}/60-io.rules", 1, "queue/scheduler", "none", on_change=True)
OURS = Writer("udev", f"{RULES}/90-disktuner-ID_WWN-0x1.rules", 4, "queue/scheduler", "bfq", ours=True)
RUN = Writer("udev", "/usr/lib/udev/rules.d/50-run.rules", 1, "queue/scheduler", "kyber", is_command=True)


@pytest.fixture
def disk(tree: Tree) -> Disk:
    return System(tree.root).disk("sda")


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


AGAIN = "sudo udevadm trigger --settle --action=change /sys/block/sda"


def test_our_rule_is_read_once_more(tree: Tree) -> None:
    remedy = remedied(tree, LATE)
    assert remedy.commands == (
        f"sudo ln -s 90-disktuner-ID_WWN-{WWN}.rules /etc/udev/rules.d/99-zz-disktuner-ID_WWN-{WWN}.rules",
        "sudo udevadm control --reload",
        AGAIN,
    )
    run(tree, *remedy.commands)
    link = tree.root / f"etc/udev/rules.d/99-zz-disktuner-ID_WWN-{WWN}.rules"
    assert link.read_text() == (tree.root / OWN_FILE).read_text()
    repeated = [writer for writer in writers_of(System(tree.root), subject(tree).disk) if writer.repeats_ours]
    assert {Path(writer.file).name for writer in repeated} == {link.name}
    assert colliding(subject(tree).disk, (LATE, *repeated)) is None
    elsewhere = [replace(writer, state=LineState.OTHER_DISKS) for writer in repeated]
    assert colliding(subject(tree).disk, (LATE, *elsewhere)) == LATE, "another disk's link is no help"
    run(tree, *remedy.undo)
    assert not link.is_symlink()


def test_a_disk_is_one_word_of_the_commands(tree: Tree) -> None:
    """A shell that somebody types in takes an exclamation mark for an earlier command."""
    of_sda = subject(tree)
    remedy = remedy_of(replace(of_sda, disk=replace(of_sda.disk, name="cciss!c0d0")), LATE)
    assert remedy and remedy.commands[-1] == AGAIN.replace("/sys/block/sda", "'/sys/block/cciss!c0d0'")


def test_what_an_older_version_left_is_moved_aside(tree: Tree) -> None:
    """It is read after our rules, and only that version's helper would have removed it."""
    old = tree.root / "etc/udev/rules.d/90-disktuner.rules"
    tree.write("etc/udev/rules.d/90-disktuner.rules", f'ENV{{ID_WWN}}=="{WWN}", ATTR{{queue/scheduler}}="kyber"\n')
    (mentioned,) = (writer for writer in writers_of(System(tree.root), subject(tree).disk) if not writer.ours)
    writer = mentioned.stands((LineState.ACTS, None))
    assert colliding(subject(tree).disk, (writer,)) == writer
    (tree.root / OWN_FILE).unlink()
    remedy = remedied(tree, writer)
    assert remedy.commands[-1] == AGAIN and old.name in say(remedy.what)
    run(tree, *remedy.commands)
    assert not old.exists()
    run(tree, *remedy.undo)
    assert old.exists()


def test_a_profile_leaves_the_disk_out(tree: Tree) -> None:
    tree.write("etc/tuned/active_profile", "mine")
    tree.write("etc/tuned/profiles/mine/tuned.conf", "[fast]\nelevator=kyber\ntype=disk")
    (tree.root / "usr/lib/tuned/profiles").mkdir(parents=True)
    remedy = remedied(tree, TUNED)
    run(tree, *remedy.commands)
    text = (tree.root / "etc/tuned/profiles/mine-without-sda/tuned.conf").read_text()
    assert text == "[main]\ninclude=mine\n[fast]\ntype=disk\ndevices=!sda\n"
    assert remedy.commands[2] == "sudo tuned-adm profile mine-without-sda" and remedy.commands[-1] == AGAIN
    assert remedy.undo[0] == "sudo tuned-adm profile mine"
    run(tree, *remedy.undo)
    assert not (tree.root / "etc/tuned/profiles/mine-without-sda").exists()


@pytest.mark.parametrize(
    ("section", "devices"),
    [
        ("[fast]\nelevator=kyber\ntype=disk\ndevices=sda, sdb", "sda,sdb,!sda"),
        ("[fast]\nelevator=kyber\ntype=disk\ndevices=!nvme* !sdc", "!nvme*,!sdc,!sda"),
        ("[fast]\nelevator=kyber\ntype=disk\ndevices=${mine}", None),
        ("[fast]\nelevator=kyber\ntype=disk\ndevices_udev_regex=ID_BUS=ata", None),
        ("[sysfs]\n/sys/block/sda/queue/scheduler=kyber", None),
    ],
)
def test_a_profile_changes_nothing_for_other_disks(tree: Tree, section: str, devices: str | None) -> None:
    """A section that names no devices has all disks, whatever the profile that it includes had."""
    tree.write("etc/tuned/active_profile", "mine")
    tree.write("etc/tuned/profiles/mine/tuned.conf", section)
    remedy = remedied(tree, TUNED)
    assert [word for word in remedy.commands if "tee" in word] == (
        [f"printf '%s\\n' '[main]' include=mine '[fast]' type=disk 'devices={devices}' | sudo tee "
         "/etc/tuned/mine-without-sda/tuned.conf >/dev/null"] if devices else []
    )  # fmt: skip
    assert devices or remedy.what.id == "fix-by-hand"


ONE = "ExecStart=/bin/sh -c 'echo none > /sys/block/sda/queue/scheduler'"
WANTED = "[Install]\nWantedBy=multi-user.target"


@pytest.mark.parametrize(
    "command", [ONE, "ExecStart=/bin/sh -c 'echo 2 | tee /sys/block/sda/queue/iosched/slice_idle'"]
)
def test_a_service_that_does_nothing_else_is_disabled(tree: Tree, command: str) -> None:
    tree.write("etc/systemd/system/fast.service", f"[Service]\n{command}\n{WANTED}")
    remedy = remedied(tree, UNIT)
    assert remedy.commands == ("sudo systemctl disable fast.service", AGAIN)
    assert remedy.undo == ("sudo systemctl enable fast.service",)


@pytest.mark.parametrize(
    "text",
    [
        f"ExecStart=/bin/true\n{ONE}\n{WANTED}",
        f"{ONE.replace('sda/queue/scheduler', 'sda/queue/scheduler; mount /data')}\n{WANTED}",
        f"{ONE.replace('echo none', 'modprobe kyber-iosched && echo none')}\n{WANTED}",
        f"{ONE.replace('sda', '{sda,sdb}')}\n{WANTED}",
        f"{ONE.replace('echo none >', 'echo none | tee /sys/block/sdb/queue/scheduler')}\n{WANTED}",
        f"{ONE[:-1]} \\\n; mount /data'\n{WANTED}",
        ONE,
    ],
)
def test_a_service_that_does_more_or_that_another_unit_starts_is_left_to_people(tree: Tree, text: str) -> None:
    tree.write("etc/systemd/system/fast.service", f"[Service]\n{text}")
    assert remedied(tree, UNIT).commands == ()


def test_a_service_that_a_timer_starts_is_left_to_people(tree: Tree) -> None:
    tree.write("etc/systemd/system/fast.service", f"[Service]\n{ONE}\n{WANTED}")
    tree.write("etc/systemd/system/fast.timer", "[Timer]\nOnBootSec=1min")
    assert remedied(tree, UNIT).commands == ()


@pytest.mark.parametrize(
    "writer",
    [
        TLP,
        replace(LATE, is_command=True),
        replace(LATE, file="/etc/udev/rules.d/zzz.rules"),
        replace(LATE, file="/etc/udev/rules.d/99-$(reboot).rules"),
        replace(UNIT, file="/etc/systemd/system/fast@.service"),
        replace(UNIT, file="/usr/lib/systemd/system/fast.service"),
        Writer("rc.local", "/etc/rc.local", 2, "queue/scheduler", "none"),
        TUNED,
        SCYLLA,
        GOOGLE,
    ],
)
def test_what_no_single_command_ends_is_told_in_words(tree: Tree, writer: Writer) -> None:
    remedy = remedied(tree, writer)
    assert remedy.commands == () and remedy.undo == ()
    ids = {TLP: "fix-tlp-line", SCYLLA: "fix-database", GOOGLE: "fix-cloud-agent"}
    assert remedy.what.id == ids.get(writer, "fix-by-hand")


def test_on_nixos_nothing_below_etc_is_changed(tree: Tree) -> None:
    tree.write("etc/NIXOS", "")
    remedy = remedied(tree, replace(LATE, file="/etc/udev/rules.d/98-block-io-scheduler.rules"))
    assert remedy.commands == () and remedy.what.id == "fix-nixos"
    assert f'ENV{{ID_WWN}}=="{WWN}", ATTR{{queue/scheduler}}="bfq"' in say(remedy.what)


@pytest.mark.parametrize(
    ("wwn", "known_by"),
    [
        (WWN, f'ENV{{ID_WWN}}=="{WWN}"'),
        ("eui.0025385b71b11c9e", 'ENV{ID_WWN}=="eui.0025385b71b11c9e"'),
        ("0x600508b1001c5e0c37b5bb1f0f7d7f1f", 'ENV{ID_WWN_WITH_EXTENSION}=="0x600508b1001c5e0c37b5bb1f0f7d7f1f"'),
        ("naa.5000c500aabbccdd", 'ATTRS{wwid}=="naa.5000c500aabbccdd"'),
        ('x", RUN+="rm', 'KERNEL=="sda"'),
    ],
)
def test_a_system_that_makes_its_rules_itself_is_told_what_to_write_there(tree: Tree, wwn: str, known_by: str) -> None:
    tree.link("etc/udev/rules.d2", "/nix/store/abc-udev-rules")
    (tree.root / "etc/udev/rules.d").rename(tree.root / "etc/udev/old")
    (tree.root / "etc/udev/rules.d2").rename(tree.root / "etc/udev/rules.d")
    disk = replace(System(tree.root).disk("sda"), wwn=wwn)
    wanted = setting("bfq", {"iosched/slice_idle": 0})
    (warning,) = warnings(disk, (), wanted, for_good=True)
    expected = f'{known_by}, ATTR{{queue/scheduler}}="bfq", ATTR{{queue/iosched/slice_idle}}="0"'
    assert expected in say(warning) and "services.udev.extraRules" in say(warning)
    assert warnings(disk, (), wanted, for_good=False) == ()


def test_before_a_permanent_choice_all_that_it_sets_is_asked_for(tree: Tree) -> None:
    disk, wanted = System(tree.root).disk("sda"), setting("bfq", {"queue/read_ahead_kb": 256, "queue/nomerges": 0})
    ahead = replace(LATE, attribute="queue/read_ahead_kb", value="4096")
    messages = warnings(disk, (ahead, LATE), wanted, for_good=True)
    assert [message.id for message in messages] == ["rival-sets-tunable-at-start", "rival-sets-at-start"]
    assert "sets queue/read_ahead_kb to 4096" in say(messages[0])
    assert warnings(disk, (replace(ahead, value="256"),), wanted, for_good=True) == ()
    assert warnings(
        disk, (replace(LATE, attribute="queue/nomerges", value="2", on_change=True),), wanted, for_good=False
    )


@pytest.mark.parametrize(
    "writer",
    [
        replace(LATE, file="/etc/udev/rules.d/60-io.rules"),
        replace(LATE, ours=True),
        *(replace(LATE, state=state) for state in (LineState.DEAD, LineState.OTHER_DISKS)),
    ],
)
def test_who_has_not_the_last_word_needs_no_remedy(tree: Tree, writer: Writer) -> None:
    assert remedy_of(subject(tree), writer) is None


def test_who_sets_back_a_choice(tree: Tree) -> None:
    disk = System(tree.root).disk("sda")
    assert colliding(disk, (LATE,)) == LATE
    assert colliding(disk, (replace(LATE, value="bfq"),)) is None
    assert colliding(disk, (replace(LATE, state=LineState.OPEN),)) is None, "the disk has something else"
    may_have = replace(LATE, state=LineState.OPEN, value="mq-deadline")
    assert colliding(disk, (may_have,)) == may_have
    tunable = replace(LATE, attribute="iosched/low_latency", value="0")
    assert colliding(disk, (tunable,)) == tunable
    assert colliding(disk, (replace(tunable, value="1"),)) is None
    assert colliding(disk, (replace(tunable, value=">1"),)) is None, "TuneD leaves more alone"
    assert colliding(disk, (replace(tunable, value=">2"),)) is not None
