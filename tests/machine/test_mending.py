# SPDX-License-Identifier: GPL-3.0-or-later
"""What sets a choice back is ended where it is set, by the commands that are printed, with Debian's TuneD and TLP.

It holds after a restart, a switch of profiles there and back, and when the disk is plugged in anew; taken back, the
files of those programs have every byte that they had.
"""

from __future__ import annotations

from typing import Any

from tests.machine.devices import SCSI_WWN, USB, USB_BOX
from tests.machine.machine import Machine
from tests.machine.test_restart import HDD, STICK, disk_at, scheduler_of, status

DISK = "/dev/disk/by-id/wwn-0x5000c50012345603"  # SCSI_WWN
PROFILE = b"[main]\nsummary=Mine\n\n[disk]\nelevator=kyber\nreadahead=>1024\n"
RULE = b'# faster!\n\nACTION=="add|change", KERNEL=="sd[a-z]", ATTR{queue/scheduler}="none"\n'
UNIT = b"""[Unit]
Description=Faster
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'echo none > /sys/block/%s/queue/scheduler'
[Install]
WantedBy=multi-user.target
"""
_FILES = "/etc/tuned /etc/tlp.conf /etc/tlp.d /etc/udev /etc/systemd/system /etc/rc.local"


def _files(machine: Machine) -> str:
    """Kind, mode, owner and bytes of all files in which somebody may set a scheduler."""
    kinds = f"find {_FILES} -printf '%y %m %u:%g %p %l\\n' 2>/dev/null | sort"
    sums = f"find {_FILES} -type f -exec sha256sum {{}} + 2>/dev/null | sort -k2"
    return machine.out(f"{kinds}; {sums}")


def _finding(machine: Machine, disk: str) -> dict[str, Any] | None:
    (checked,) = machine.json(f"disktuner check {disk} --json")["disks"]
    return next((found for found in checked["findings"] if found["id"] == "set-back"), None)


def _mend(machine: Machine, link: str) -> list[str]:
    """Run the commands as they are printed for people; return those that take it back."""
    disk = disk_at(machine, link)
    found = _finding(machine, disk)
    assert found is not None and found["mending"] and status(machine, disk)["mending"] == found["mending"]
    lines = [line.strip() for line in machine.out(f"disktuner check {disk}").splitlines()]
    start, end = lines.index("To do it:") + 1, lines.index("To take it back:")
    commands, undo = found["mending"]["commands"], found["mending"]["undo"]
    assert lines[start:end] == commands and lines[end + 1 : end + 1 + len(undo)] == undo
    for command in commands:
        machine.run(command)
    return list(undo)


def _holds(machine: Machine, link: str) -> None:
    machine.until(f"grep -q '\\[bfq\\]' /sys/block/$(basename $(readlink -e {link}))/queue/scheduler")
    disk = disk_at(machine, link)
    assert _finding(machine, disk) is None
    told = status(machine, disk)
    assert (told["holds"], told["actual"], told["verdict"], told["mending"]) == (True, "bfq", "holds", None)


def _until_has(machine: Machine, link: str, scheduler: str) -> None:
    file = f"/sys/block/$(basename $(readlink -e {link}))/queue/scheduler"
    machine.until(f"grep -q '\\[{scheduler}\\]' {file}")


def _replug(machine: Machine) -> None:
    machine.unplug(SCSI_WWN)
    machine.until(f"! test -e {DISK}")
    machine.plug(SCSI_WWN)
    machine.until(f"test -e {DISK} && udevadm settle")


def _taken_back(machine: Machine, undo: list[str], before: str) -> None:
    for command in undo:
        machine.run(command)
    assert _files(machine) == before


# ---- TuneD ----


def _with_tuned(machine: Machine) -> None:
    for place in ("/etc/tuned/profiles/mine", "/etc/tuned/mine"):  # since and before tuned 2.23
        if machine.run(f"test -d /usr/lib/{place.removeprefix('/etc/').removesuffix('/mine')}", check=False).code == 0:
            machine.run(f"mkdir -p {place}")
            machine.agent.write(f"{place}/tuned.conf", PROFILE)
            break
    machine.run("systemctl unmask tuned && systemctl enable --now tuned && tuned-adm profile mine")
    machine.run(f"disktuner set {disk_at(machine, DISK)} bfq --persist")
    machine.run("tuned-adm profile mine")
    _until_has(machine, DISK, "kyber")
    told = status(machine, disk_at(machine, DISK))
    assert told["overridden_by"].startswith("/etc/tuned/") and told["overridden_by"].endswith("tuned.conf:5")


def _until_reads_ahead(machine: Machine) -> None:
    """What else the profile sets for the disk goes on being set."""
    machine.until(f"test $(cat /sys/block/$(basename $(readlink -e {DISK}))/queue/read_ahead_kb) -ge 1024")


def _round_with_tuned(machine: Machine) -> None:
    before = _files(machine)
    undo = _mend(machine, DISK)
    _holds(machine, DISK)
    _until_has(machine, HDD, "kyber")  # the profile's other disks keep what it sets
    machine.restart()
    _until_has(machine, HDD, "kyber")  # TuneD has started, and set what it sets
    machine.until("tuned-adm active | grep -q 'mine-disktuner'")
    _holds(machine, DISK)
    _until_reads_ahead(machine)
    machine.run("tuned-adm profile balanced")
    machine.run("tuned-adm profile mine-disktuner")
    _until_has(machine, HDD, "kyber")
    _holds(machine, DISK)
    _replug(machine)
    _until_reads_ahead(machine)  # TuneD has seen it come
    _holds(machine, DISK)
    _taken_back(machine, undo, before)
    _until_has(machine, DISK, "kyber")


def test_tuned_leaves_a_disk_to_us(debian13: Machine) -> None:
    _with_tuned(debian13)
    _round_with_tuned(debian13)


def test_tuned_leaves_a_disk_to_us_on_debian12(debian12: Machine) -> None:
    _with_tuned(debian12)
    _round_with_tuned(debian12)


# ---- TLP ----

_LISTS = ("/etc/tlp.conf", "/etc/tlp.d/50-mine.conf")


def _with_tlp(machine: Machine) -> None:
    """In TuneD's place: Debian 13 does not let both in."""
    machine.run("dpkg --purge tuned && dpkg --install /opt/packages/*.deb")
    machine.run("systemctl enable tlp")
    machine.run(f"disktuner set {disk_at(machine, STICK)} bfq --persist")


def _round_with_tlp(machine: Machine, place: str) -> None:
    kept = machine.out(f"cat {place} 2>/dev/null || true")
    names = " ".join(link.rpartition("/")[2] for link in ("/dev/disk/by-id/ata-SPINNER_HDD7200", STICK))
    machine.agent.write(place, f'{kept}\nDISK_DEVICES="{names}"\nDISK_IOSCHED="kyber none"\n'.encode())
    machine.run("tlp start")
    _until_has(machine, STICK, "none")
    before = _files(machine)
    undo = _mend(machine, STICK)
    _holds(machine, STICK)
    machine.restart()
    # Emulated, disks may come after TLP, which sets them once: it is started again as systemd did, in time for them.
    machine.until(f"test -e {HDD} -a -e {STICK} && udevadm settle")
    machine.run("systemctl restart tlp")
    _until_has(machine, HDD, "kyber")
    _holds(machine, STICK)
    machine.unplug_stick(USB_BOX, USB)
    machine.until(f"! test -e {STICK}")
    machine.plug_stick(USB_BOX, USB)
    machine.until(f"test -e {STICK} && udevadm settle")
    _holds(machine, STICK)
    _taken_back(machine, undo, before)
    machine.run("tlp start")
    _until_has(machine, STICK, "none")
    machine.agent.write(place, f"{kept}\n".encode())


def test_tlp_keeps_a_disk_as_it_is(debian13: Machine) -> None:
    _with_tlp(debian13)
    _round_with_tlp(debian13, _LISTS[0])


def test_tlp_keeps_a_disk_as_it_is_on_debian12(debian12: Machine) -> None:
    _with_tlp(debian12)
    for place in _LISTS:
        _round_with_tlp(debian12, place)


# ---- udev and systemd ----


def test_our_rule_has_the_last_word(debian13: Machine) -> None:
    machine = debian13
    machine.run(f"disktuner set {disk_at(machine, DISK)} bfq --persist")
    machine.agent.write("/etc/udev/rules.d/99-fast.rules", RULE)
    machine.run(f"udevadm trigger --settle --action=change /sys/block/{disk_at(machine, DISK)}")
    told = status(machine, disk_at(machine, DISK))
    assert (told["actual"], told["holds"], told["overridden_by"]) == (
        "none",
        False,
        "/etc/udev/rules.d/99-fast.rules:3",
    )
    before = _files(machine)
    undo = _mend(machine, DISK)
    _holds(machine, DISK)
    machine.restart()
    assert scheduler_of(machine, disk_at(machine, HDD)) == "none"  # other disks keep what the rule sets
    _holds(machine, DISK)
    _replug(machine)
    _holds(machine, DISK)
    _taken_back(machine, undo, before)
    assert scheduler_of(machine, disk_at(machine, DISK)) == "none"


def test_a_service_is_no_longer_started_and_a_link_gone_with_its_rule_is_no_trouble(debian13: Machine) -> None:
    machine = debian13
    disk = disk_at(machine, HDD)
    machine.run(f"disktuner set {disk} bfq --persist")
    machine.agent.write("/etc/systemd/system/faster.service", UNIT % disk.encode())
    machine.run("systemctl daemon-reload && systemctl enable --now faster")
    assert scheduler_of(machine, disk) == "none"
    before = _files(machine)
    undo = _mend(machine, HDD)
    machine.restart()
    _holds(machine, HDD)
    _taken_back(machine, undo, before)
    machine.run("systemctl disable faster")
    machine.agent.write("/etc/udev/rules.d/99-fast.rules", RULE)
    undo = _mend(machine, HDD)
    machine.run("disktuner forget --all")
    machine.restart()
    assert scheduler_of(machine, disk_at(machine, HDD)) == "none"
    assert "90-disktuner" not in machine.out("journalctl -b -u systemd-udevd --no-pager -o cat")
