# SPDX-License-Identifier: GPL-3.0-or-later
"""Writers are reported as systemd, TuneD and TLP have them, and what reverts a choice is ended at its source.

That lasts through a restart and a switch of profiles there and back; once undone, those programs' files are as before,
byte by byte.
"""

from __future__ import annotations

from typing import Any

from tests.machine.devices import SCSI_WWN
from tests.machine.machine import Machine
from tests.machine.test_restart import HDD, STICK, disk_at, scheduler_of, status

DISK = "/dev/disk/by-id/wwn-0x5000c50012345603"  # SCSI_WWN
PROFILE = b"[main]\nsummary=Mine\n\n[disk]\nelevator=kyber\n"
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
    """Return kind, mode, owner and bytes of all files in which somebody may set a scheduler."""
    kinds = f"find {_FILES} -printf '%y %m %u:%g %p %l\\n' 2>/dev/null | sort"
    sums = f"find {_FILES} -type f -exec sha256sum {{}} + 2>/dev/null | sort -k2"
    return machine.out(f"{kinds}; {sums}")


def _finding(machine: Machine, disk: str) -> dict[str, Any] | None:
    (checked,) = machine.json(f"disktuner check {disk} --json")["disks"]
    return next((finding for finding in checked["findings"] if finding["id"] == "set-back"), None)


def _mend(machine: Machine, link: str) -> list[str]:
    """Run the commands as printed for people; return those that undo them."""
    disk = disk_at(machine, link)
    finding = _finding(machine, disk)
    assert finding is not None and finding["remedy"] and status(machine, disk)["remedy"] == finding["remedy"]
    lines = [line.strip() for line in machine.out(f"disktuner check {disk}").splitlines()]
    start, end = lines.index("To apply it:") + 1, lines.index("To undo it:")
    commands, undo = finding["remedy"]["commands"], finding["remedy"]["undo"]
    assert lines[start:end] == commands and lines[end + 1 : end + 1 + len(undo)] == undo
    for command in commands:
        machine.run(command)
    return list(undo)


def _holds(machine: Machine, link: str) -> None:
    machine.until(f"grep -q '\\[bfq\\]' /sys/block/$(basename $(readlink -e {link}))/queue/scheduler")
    disk = disk_at(machine, link)
    assert _finding(machine, disk) is None
    state = status(machine, disk)
    assert (state["holds"], state["actual"], state["verdict"], state["remedy"]) == (True, "bfq", "in effect", None)


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
    machine.run("systemctl unmask tuned && systemctl enable tuned")
    machine.until("systemctl start tuned && tuned-adm profile mine")  # an emulated one may be late for systemd
    machine.run(f"disktuner set {disk_at(machine, DISK)} bfq --persist")
    machine.run("tuned-adm profile mine")
    _until_has(machine, DISK, "kyber")
    state = status(machine, disk_at(machine, DISK))
    assert state["overridden_by"].startswith("/etc/tuned/") and state["overridden_by"].endswith("tuned.conf:5")


def _round_with_tuned(machine: Machine) -> None:
    before, profile = _files(machine), f"mine-without-{disk_at(machine, DISK)}"
    undo = _mend(machine, DISK)
    _holds(machine, DISK)
    _until_has(machine, HDD, "kyber")  # the profile's other disks keep what it sets
    machine.restart()
    _until_has(machine, HDD, "kyber")  # TuneD has started, and set what it sets
    machine.until(f"tuned-adm active | grep -q '{profile}'")
    _holds(machine, DISK)
    machine.run("tuned-adm profile balanced")
    machine.run(f"tuned-adm profile {profile}")
    _until_has(machine, HDD, "kyber")
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
    """Replace TuneD by TLP: Debian 13 does not allow both."""
    machine.run("dpkg --purge tuned && dpkg --install /opt/packages/*.deb")
    machine.run("systemctl enable tlp")
    machine.run(f"disktuner set {disk_at(machine, STICK)} bfq --persist")


def test_tlp_tells_of_its_line_and_how_it_keeps_a_disk(debian13: Machine) -> None:
    machine = debian13
    _with_tlp(machine)
    tlp_before, disk = machine.out("cat /etc/tlp.conf"), disk_at(machine, STICK)
    names = " ".join(link.rpartition("/")[2] for link in ("/dev/disk/by-id/ata-SPINNER_HDD7200", STICK))
    machine.agent.write("/etc/tlp.conf", f'{tlp_before}\nDISK_DEVICES="{names}"\nDISK_IOSCHED="kyber none"\n'.encode())
    machine.run("tlp start")
    _until_has(machine, STICK, "none")
    line = f"/etc/tlp.conf:{tlp_before.count(chr(10)) + 3}"
    assert ("tlp", line, "acts") in _lines(machine, disk)
    finding = _finding(machine, disk)
    assert finding and finding["remedy"]["commands"] == [] and line in finding["remedy"]["what"]
    machine.agent.write("/etc/tlp.conf", f'{tlp_before}\nDISK_DEVICES="{names}"\nDISK_IOSCHED="kyber keep"\n'.encode())
    machine.run(f"tlp start && udevadm trigger --settle --action=change /sys/block/{disk}")
    _holds(machine, STICK)
    machine.run("systemctl disable tlp && systemctl stop tlp")
    machine.agent.write("/etc/tlp.conf", f'{tlp_before}\nDISK_DEVICES="{names}"\nDISK_IOSCHED="kyber none"\n'.encode())
    assert ("tlp", line, "dead") in _lines(machine, disk)


def _lines(machine: Machine, disk: str) -> set[tuple[str, str, str]]:
    """Return who, where and in which state, for all lines that status reports."""
    return {
        (writer["who"], f"{writer['file']}:{writer['line']}", writer["state"])
        for writer in status(machine, disk)["writers"]
    }


# ---- udev and systemd ----


UNITS = "/etc/systemd/system"


def test_systemd_says_which_lines_of_units_count(debian13: Machine) -> None:
    """The vendor's units, drop-ins, templates, and masked or disabled ones."""
    machine = debian13
    disk = disk_at(machine, HDD)
    exec_start = f"ExecStart=/bin/sh -c 'echo {{}} > /sys/block/{disk}/queue/scheduler'"
    files = {
        f"{UNITS}/off.service": exec_start.format("kyber"),
        f"{UNITS}/masked.service": exec_start.format("kyber"),
        "/usr/lib/systemd/system/vendor.service": exec_start.format("none"),
        f"{UNITS}/vendor.service.d/mine.conf": f"ExecStart=\n{exec_start.format('bfq')}",
        f"{UNITS}/template@.service": exec_start.format("bfq").replace(disk, "%i"),
    }
    for file, line in files.items():
        machine.run(f"mkdir -p {file.rpartition('/')[0]}")
        machine.agent.write(file, f"[Service]\nType=oneshot\n{line}\n[Install]\nWantedBy=multi-user.target\n".encode())
    machine.run("mv /etc/systemd/system/masked.service /usr/lib/systemd/system && systemctl mask masked")
    machine.run(f"systemctl daemon-reload && systemctl enable --now vendor template@{disk}")
    assert scheduler_of(machine, disk) == "bfq"
    states = {place: state for who, place, state in _lines(machine, disk) if who == "systemd"}
    assert states == {
        f"{UNITS}/off.service:3": "dead",
        "/usr/lib/systemd/system/masked.service:3": "dead",
        "/usr/lib/systemd/system/vendor.service:3": "dead",
        f"{UNITS}/vendor.service.d/mine.conf:4": "acts",
        f"{UNITS}/template@.service:3": "acts",
    }


def test_scripts_and_tmpfiles_are_told_as_they_are_run(debian13: Machine) -> None:
    machine = debian13
    disk = disk_at(machine, HDD)
    write = f"echo kyber > /sys/block/{disk}/queue/scheduler\n"
    machine.agent.write("/etc/rc.local", f"#!/bin/sh\n{write}exit 0\n{write}".encode())
    machine.run("mkdir -p /usr/local/lib/tmpfiles.d")
    machine.agent.write(
        "/usr/local/lib/tmpfiles.d/io.conf", f"w /sys/block/{disk}/queue/scheduler - - - - bfq\n".encode()
    )
    tmpfiles = ("tmpfiles.d", "/usr/local/lib/tmpfiles.d/io.conf:1")
    machine.run("chmod 644 /etc/rc.local")
    lines = _lines(machine, disk)
    assert ("rc.local", "/etc/rc.local:2", "dead") in lines and (*tmpfiles, "acts") in lines
    machine.run("systemd-tmpfiles --create io.conf")
    assert scheduler_of(machine, disk) == "bfq"
    machine.run("chmod 755 /etc/rc.local && systemctl daemon-reload")
    lines = _lines(machine, disk)
    assert lines >= {
        ("rc.local", "/etc/rc.local:2", "acts"),
        ("rc.local", "/etc/rc.local:4", "dead"),
        (*tmpfiles, "overridden"),
    }
    machine.run("systemctl restart rc-local")
    assert scheduler_of(machine, disk) == "kyber"


def test_hdparm_conf_is_mentioned_where_hdparm_would_take_it(debian13: Machine) -> None:
    machine = debian13
    machine.run("dpkg --install /opt/packages/hdparm_*.deb")
    disk = disk_at(machine, HDD)
    blocks = "".join(
        f"/dev/{name} {{\n\tread_ahead_sect = {sectors}\n}}\n" for name, sectors in ((disk, 512), ("sdzz", 64))
    )
    machine.agent.write("/etc/hdparm.conf", blocks.encode())
    assert {line for line in _lines(machine, disk) if line[0] == "hdparm"} == {
        ("hdparm", "/etc/hdparm.conf:2", "mentions")
    }
    machine.run(f"udevadm trigger --settle --action=add /sys/block/{disk}")
    assert machine.out(f"cat /sys/block/{disk}/queue/read_ahead_kb").strip() == "256"


COSTS = """block::name:{model}:fwrev:*:
  IOCOST_SOLUTIONS=mine
  IOCOST_MODEL_MINE=rbps=1000000 rseqiops=100 rrandiops=100 wbps=1000000 wseqiops=100 wrandiops=100
  IOCOST_QOS_MINE=rpct=0.00 rlat=8807 wpct=0.00 wlat=59023 min=100.00 max=100.00
"""


def test_iocost_is_told_as_udev_applies_it(debian13: Machine) -> None:
    """Anybody can see a stick's model; a SATA disk's needs a probe."""
    machine = debian13
    stick, spinner = disk_at(machine, STICK), disk_at(machine, HDD)
    for disk in (stick, spinner):
        model = machine.out(f"udevadm info --query=property --property=ID_MODEL --value /sys/block/{disk}").strip()
        machine.agent.write(f"/etc/udev/hwdb.d/95-{disk}.hwdb", COSTS.format(model=model).encode())
    assert {state for _, place, state in _lines(machine, stick) if "iocost" in place} == {"other-disks"}
    machine.run("systemd-hwdb update && udevadm control --reload")
    machine.run(f"udevadm trigger --settle --action=change /sys/block/{stick} /sys/block/{spinner}")
    assert {state for _, place, state in _lines(machine, stick) if "iocost" in place} == {"acts"}
    assert {state for _, place, state in _lines(machine, spinner) if "iocost" in place} == {"open"}
    numbers = machine.out(f"cat /sys/block/{stick}/dev /sys/block/{spinner}/dev").split()
    applied = machine.out("cat /sys/fs/cgroup/io.cost.model")
    assert all(f"{number} ctrl=user" in applied for number in numbers)


def test_our_rule_has_the_last_word(debian13: Machine) -> None:
    machine = debian13
    machine.run(f"disktuner set {disk_at(machine, DISK)} bfq --persist")
    machine.agent.write("/etc/udev/rules.d/99-fast.rules", RULE)
    machine.run("udevadm control --reload")  # by itself udevd looks for new rules every three seconds
    machine.run(f"udevadm trigger --settle --action=change /sys/block/{disk_at(machine, DISK)}")
    state = status(machine, disk_at(machine, DISK))
    assert (state["actual"], state["holds"], state["overridden_by"]) == (
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
    machine.run(f"udevadm trigger --settle --action=change /sys/block/{disk_at(machine, DISK)}")
    assert scheduler_of(machine, disk_at(machine, DISK)) == "none"  # from the next event on the rule sets it again


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
