# SPDX-License-Identifier: GPL-3.0-or-later
"""A line that sets a disk back is ended where it is set, by commands that can be taken back byte by byte."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.block.test_writers import OWN_RULE, WWN, starts
from tests.unit.block.trees import Tree, sata
from tests.unit.mending.scratch import content, run

from disktuner.block.system import System
from disktuner.block.writers import writers_of
from disktuner.mending import Mending, colliding, mending_of
from disktuner.vocabulary.messages import say

RULES = "etc/udev/rules.d"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Two disks with numbers of their own; bfq is chosen for good for sda."""
    tree = Tree(tmp_path / "machine")
    tree.kernel("6.12.0")
    for number, (name, wwn) in enumerate({"sda": WWN, "sdb": "0x5000c500aabbccee"}.items()):
        udev = {"ID_WWN": wwn, "ID_SERIAL": f"ST4_{name}"}
        tree.disk(name, f"8:{number * 16}", sata(number + 1), "none [mq-deadline] kyber bfq", 1, udev=udev)
    tree.write(f"{RULES}/90-disktuner.rules", OWN_RULE)
    return tree


def mended(tree: Tree, disk: str = "sda") -> Mending:
    system = System(tree.root)
    subject = system.subject(system.disk(disk))
    writers = writers_of(subject)
    writer = colliding(subject.disk, writers, system.tree)
    assert writer is not None
    found = mending_of(subject, writer, writers)
    assert found is not None
    return found


def holds(tree: Tree, disk: str = "sda") -> bool:
    system = System(tree.root)
    found = system.disk(disk)
    return colliding(found, system.writers(found), system.tree) is None


def settings(tree: Tree, disk: str) -> list[tuple[str, str]]:
    """What other programs set after our rule, as it is read."""
    system = System(tree.root)
    writers = system.writers(system.disk(disk))
    return [(each.attribute, each.value) for each in writers if each.applies and each.acts_later and not each.ours]


def do_and_undo(tree: Tree, meanwhile: Callable[[], None] = lambda: None) -> Mending:
    """The commands mend it, and taken back leave every byte as it was."""
    before = content(tree.root)
    found = mended(tree)
    assert found.commands and found.undo and not holds(tree), say(found.what)
    run(found.commands, tree.root)
    assert holds(tree)
    for change in found.changes:
        place = tree.root / change.path.lstrip("/")
        after = str(place.readlink()) if change.is_link else place.read_text(errors="surrogateescape")
        assert after == change.after
    meanwhile()
    run(found.undo, tree.root)
    assert content(tree.root) == before
    assert not holds(tree)
    return found


# ---- TuneD ----

SPINDOWN = "[main]\nsummary=Mine\n\n[disk]\ndevices=sd*\nelevator=kyber\nreadahead=>4096\nspindown=6\n"


def active(tree: Tree, text: str) -> None:
    starts(tree, "tuned.service")
    tree.write("etc/tuned/active_profile", b"mine\n")
    tree.write("etc/tuned/profile_mode", b"manual\n")
    tree.write("etc/tuned/profiles/mine/tuned.conf", text.encode())


def test_a_profile_of_tuned_is_copied_without_this_disk(tree: Tree) -> None:
    """The other disks keep what the profile sets, this one all else."""
    own = "etc/tuned/profiles"
    tree.write("usr/lib/tuned/profiles/balanced/tuned.conf", "[main]\nsummary=Usual")
    active(tree, SPINDOWN)

    def meanwhile() -> None:
        assert settings(tree, "sda") == [("queue/read_ahead_kb", "4096")]
        assert settings(tree, "sdb") == [("queue/scheduler", "kyber"), ("queue/read_ahead_kb", "4096")]
        assert "spindown=6" in (tree.root / own / "mine-disktuner/tuned.conf").read_text()

    found = do_and_undo(tree, meanwhile)
    assert found.commands[0] == f"sudo mkdir -p /{own}/mine-disktuner"
    assert found.commands[2] == "sudo tuned-adm profile mine-disktuner"
    assert found.undo == (
        "sudo tuned-adm profile mine",
        f"sudo rm /{own}/mine-disktuner/tuned.conf",
        f"sudo rmdir /{own}/mine-disktuner",
    )
    assert f"\n+devices_udev_regex=^ID_WWN={WWN}$\n" in found.difference


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[disk]\nelevator=kyber\nuname_regex=x86\n", "mend-tuned-section"),
        ("[sysfs]\n/sys/block/sda/queue/scheduler=kyber\n", "mend-tuned-section"),
        ("[disk]\nelevator=kyber\nspindown=\x1b[2J\n", "mend-odd-text"),
    ],
)
def test_what_only_tuned_knows_is_told_in_words(tree: Tree, text: str, reason: str) -> None:
    active(tree, text)
    tree.write(f"{RULES}/90-disktuner.rules", OWN_RULE)
    tree.write("sys/block/sda/queue/scheduler", "none mq-deadline [kyber] bfq")
    found = mended(tree)
    assert (found.what.id, found.commands, found.undo, found.difference) == (reason, (), (), "")


# ---- TLP ----


def test_the_line_of_tlps_own_file_has_the_last_word_and_is_changed(tree: Tree) -> None:
    starts(tree, "tlp.service")
    tree.write("usr/share/tlp/defaults.conf", 'DISK_DEVICES="nvme0n1 sda"\nDISK_IOSCHED="keep keep"')
    tree.write("etc/tlp.conf", '# disks\nDISK_DEVICES="sdb sda"\nDISK_IOSCHED="kyber none"\n\nTLP_ENABLE=1')
    found = do_and_undo(tree)
    assert found.commands[:2] == (
        "sudo sed -i --follow-symlinks "
        """'3s/^DISK_IOSCHED="kyber none"$/DISK_IOSCHED="kyber keep"/' /etc/tlp.conf""",
        "sudo tlp start",
    )


def test_a_file_of_our_own_after_another_of_tlps_folder(tree: Tree) -> None:
    starts(tree, "tlp.service")
    tree.write("etc/tlp.d/95-x.conf", b'DISK_DEVICES="ata-ST4_sda sdb"\nDISK_IOSCHED="none"\nDISK_IOSCHED+="kyber"\n')
    tree.write("etc/tlp.conf", "TLP_ENABLE=1")
    found = do_and_undo(tree)
    assert "+++ /etc/tlp.d/99-disktuner.conf" in found.difference and '"keep kyber"' in found.difference


# ---- udev rules ----


@pytest.mark.parametrize(
    ("file", "link"),
    [(f"{RULES}/99-fast.rules", "99-zz-disktuner.rules"), ("run/udev/rules.d/zzz.rules", "zzz_disktuner.rules")],
)
def test_our_rule_is_read_once_more_after_another(tree: Tree, file: str, link: str) -> None:
    tree.write(file, '# faster!\nACTION=="add|change", KERNEL=="sd[a-z]", ATTR{queue/scheduler}="none", ENV{X}="1"')
    found = do_and_undo(tree)
    assert found.commands == (
        f"sudo ln -s 90-disktuner.rules /{RULES}/{link}",
        "sudo udevadm control --reload",
        "sudo udevadm trigger --settle --action=change /sys/block/sda",
    )


def test_a_command_of_a_rule_leaves_the_disk_out(tree: Tree) -> None:
    """Commands run after all rules, so no later rule mends it."""
    run_ = "RUN+=\"/bin/sh -c 'echo kyber > /sys/block/%k/queue/scheduler'\""
    tree.write(f"{RULES}/61-run.rules", f'# one\nKERNEL=="sd*", {run_}')
    found = do_and_undo(tree)
    assert f'\n+ENV{{ID_WWN}}!="{WWN}", KERNEL=="sd*", RUN' in found.difference
    tree.write(f"{RULES}/61-run.rules", f'KERNEL=="sd*", ENV{{X}}="1", {run_}')
    assert mended(tree).what.id == "mend-by-hand"


# ---- scripts, units, lists ----

NONE = "echo none > /sys/block/sda/queue/scheduler"
UNIT = "etc/systemd/system/disk.service"
LINK = "etc/systemd/system/multi-user.target.wants/disk.service"


@pytest.mark.parametrize(
    ("path", "text", "after"),
    [
        ("etc/rc.local", f"#!/bin/sh\nif true; then\n\t{NONE}\nfi\nexit 0\n", f"\t: # {NONE}"),
        ("etc/tmpfiles.d/disk.conf", "w /sys/block/sda/queue/scheduler - - - - none\n",
         "# w /sys/block/sda/queue/scheduler - - - - none"),
        ("etc/sysfs.conf", "block/sda/queue/scheduler = none", "# block/sda/queue/scheduler = none"),
    ],
)  # fmt: skip
def test_a_line_is_taken_out_of_use_where_it_stands(tree: Tree, path: str, text: str, after: str) -> None:
    tree.write(path, text.encode())
    (tree.root / path).chmod(0o755)
    found = do_and_undo(tree, lambda: _is_in(after, tree.root / path))
    assert f"\n+{after}\n" in found.difference


def _is_in(line: str, file: Path) -> None:
    assert line in file.read_text().splitlines() and file.stat().st_mode & 0o7777 == 0o755


def test_a_service_that_does_nothing_else_is_disabled(tree: Tree) -> None:
    unit = f"[Service]\nType=oneshot\nExecStart=/bin/sh -c '{NONE}'\n\n[Install]\nWantedBy=multi-user.target\n"
    tree.write(UNIT, unit.encode())
    tree.write("etc/systemd/system/multi-user.target.wants/other.service", "")
    assert not mended(tree).commands, "it is not started"
    tree.link(LINK, f"/{UNIT}")
    before = content(tree.root)
    found = mended(tree)
    assert found.commands[0] == "sudo systemctl disable disk.service" and found.difference == ""
    run(found.commands, tree.root)
    assert not (tree.root / LINK).is_symlink()
    run(found.undo, tree.root)
    assert content(tree.root) == before
    tree.link("etc/systemd/system/graphical.target.wants/disk.service", f"/{UNIT}")
    assert not mended(tree).commands, "enabling would not make this link"


def test_of_a_service_that_does_more_the_line_is_taken_out(tree: Tree) -> None:
    tree.write(UNIT, f"[Service]\nType=oneshot\nExecStart=/bin/sh -c '{NONE}'\nExecStart=/bin/true\n".encode())
    found = do_and_undo(tree)
    assert "sudo systemctl daemon-reload" in found.commands


# ---- all of them ----


def test_a_disk_without_a_number_of_its_own(tree: Tree) -> None:
    """Both disks have the same WWN: what is left to us for one would be left for the other."""
    active(tree, SPINDOWN)
    tree.write("run/udev/data/b8:16", f"E:ID_WWN={WWN}")
    assert mended(tree).what.id == "mend-no-identity"


def test_who_acts_before_our_rule_need_not_be_mended(tree: Tree) -> None:
    tree.write(f"{RULES}/60-io.rules", 'KERNEL=="sd*", ATTR{queue/scheduler}="none"')
    system = System(tree.root)
    subject = system.subject(system.disk("sda"))
    writers = writers_of(subject)
    assert [mending_of(subject, each, writers) for each in writers] == [None] * 3


def test_who_may_not_even_meet_the_disk_is_not_blamed(tree: Tree) -> None:
    tree.write(f"{RULES}/99-io.rules", 'KERNEL=="sd*", PROGRAM=="/bin/asked", ATTR{queue/scheduler}="none"')
    assert settings(tree, "sda") == [] and holds(tree)
