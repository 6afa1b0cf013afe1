# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines that write into queues when the computer starts: of boot loader, tmpfiles.d, sysfs.conf, scripts and units."""

from __future__ import annotations

import re
from collections.abc import Iterator

from disktuner.block.writers.writer import Group, Subject, Verdict, Writer, attribute_name, lines_of
from disktuner.vocabulary.messages import message
from disktuner.vocabulary.schedulers import scheduler

UNITS = "etc/systemd/system"
GOOGLE = "Google Compute Engine"
GOOGLE_SERVICE = "google-guest-agent.service"
_GOOGLE_UNITS = (f"usr/lib/systemd/system/{GOOGLE_SERVICE}", f"lib/systemd/system/{GOOGLE_SERVICE}")
_BOOT_FILES = (
    "etc/default/grub",
    "etc/kernel/cmdline",
    "boot/cmdline.txt",
    "boot/firmware/cmdline.txt",
    "boot/syslinux/syslinux.cfg",
    "boot/extlinux/extlinux.conf",
    "boot/armbianEnv.txt",
    "boot/uEnv.txt",
    "etc/default/extlinux",
    "etc/default/u-boot",
    "etc/lilo.conf",
)
_GRUB = Group(("etc/default/grub.d",))
_BOOT_ENTRIES = Group(("boot/loader/entries", "efi/loader/entries", "boot/efi/loader/entries"))
_TMPFILES = Group(("etc/tmpfiles.d", "run/tmpfiles.d", "usr/lib/tmpfiles.d", "lib/tmpfiles.d"), ".conf")
_SYSFS_FILE = "etc/sysfs.conf"
_SYSFS = Group(("etc/sysfs.d",), ".conf")
_START_SCRIPTS = (
    "etc/rc.local",
    "etc/rc.d/rc.local",
    "etc/init.d/boot.local",
    "etc/conf.d/local.start",
    "etc/local.d/disk.start",
)
_OWN_UNITS = Group((UNITS,), ".service")
_CLOUD_FILE = "etc/cloud/cloud.cfg"
_CLOUD_INIT = (Group(("etc/cloud/cloud.cfg.d",), ".cfg"), Group(("var/lib/cloud/scripts/per-boot",)))

FILES = ("proc/cmdline", *_BOOT_FILES, _SYSFS_FILE, *_START_SCRIPTS, _CLOUD_FILE, *_GOOGLE_UNITS)
GROUPS = (_GRUB, _BOOT_ENTRIES, _TMPFILES, _SYSFS, _OWN_UNITS, *_CLOUD_INIT)
"""All that is read here, besides scripts that units start."""

ELEVATOR = re.compile(r"(?:^|[\s\"'=])elevator=([\w-]+)")
STARTS = re.compile(r"(Exec(?:Start|StartPre|StartPost)\s*=\s*[-@:+!]*(?:/bin/|/usr/bin/)?(?:(?:ba)?sh\s+)?)(/\S+)")
"""A unit's line that starts a script: what stands before the script's path, and the path."""

_ECHO = re.compile(r"(?:echo|printf)\s+(?:-n\s+)?[\"']?([\w-]+)[\"']?\s*(?:>|\|\s*(?:sudo\s+)?tee)\s*(\S+)")
_QUEUE_PATH = re.compile(r"/?(?:sys/)?(?:block|class/block)/([^/\s]+)/(queue/(?:iosched/)?\w+)")
_SCRIPT_BYTES = 65_536
OUT_OF_USE = ": # "
"""What stands before a command that was taken out of use: a command that does nothing, and a comment."""


def boot_writers(subject: Subject) -> Iterator[Writer]:
    """Yield each mention of ``elevator=``; none applies, and the note says what to do."""
    command_line = subject.tree.text("proc/cmdline") or ""
    for match in ELEVATOR.finditer(command_line):
        yield _elevator("kernel command line", "/proc/cmdline", 1, match[1])
    folders = (*_GRUB.folders, *_BOOT_ENTRIES.folders)
    for path in (*_BOOT_FILES, *(f"{folder}/{name}" for folder in folders for name in subject.tree.names(folder))):
        for number, line in lines_of(subject.tree, path):
            for match in ELEVATOR.finditer(line):
                yield _elevator("boot loader", f"/{path}", number, match[1])


def _elevator(who: str, file: str, line: int, value: str) -> Writer:
    old = scheduler(value)
    note = message("elevator-old-name", became=old.became) if old.successor else message("elevator")
    return Writer(who, file, line, "queue/scheduler", value, applies=False, note=note, of_machine=True)


def path_writers(subject: Subject) -> Iterator[Writer]:
    """Yield what lists of paths and values set: tmpfiles.d, then sysfs.conf, in the usual order of a start."""
    yield from _tmpfiles(subject)
    yield from _sysfs_conf(subject)


def _tmpfiles(subject: Subject) -> Iterator[Writer]:
    """``w /sys/block/sda/queue/scheduler - - - - bfq`` (tmpfiles.d(5))."""
    for path in _TMPFILES.files(subject.tree):
        for number, line in lines_of(subject.tree, path):
            words = line.split(None, 6)
            where = queue_path(words[1]) if len(words) == 7 and words[0].startswith("w") else None
            if where and subject.is_called(where[0]):
                yield Writer("tmpfiles.d", f"/{path}", number, where[1], words[6].strip("\"'"))


def _sysfs_conf(subject: Subject) -> Iterator[Writer]:
    """``block/sda/queue/scheduler = deadline`` (sysfsutils)."""
    for path in (_SYSFS_FILE, *_SYSFS.files(subject.tree)):
        for number, line in lines_of(subject.tree, path):
            left, separator, value = line.partition("=")
            # "mode PATH = 0660" and "owner PATH = root" set rights, no value.
            where = queue_path("/" + left.strip()) if len(left.split()) == 1 else None
            if separator and where and subject.is_called(where[0]):
                yield Writer("sysfs.conf", f"/{path}", number, where[1], value.strip())


def script_writers(subject: Subject) -> Iterator[Writer]:
    """All of them, in the usual order of a start."""
    for path in _START_SCRIPTS:
        yield from _echoes(subject, "rc.local", path)
    yield from _units(subject)
    yield from _cloud_init(subject)
    yield from _google(subject)


def queue_path(text: str) -> tuple[str, str] | None:
    """The disk (a pattern) and the attribute that a path in ``/sys/block`` names."""
    match = _QUEUE_PATH.search(text)
    return None if match is None else (match[1], attribute_name(match[2]))


def _units(subject: Subject) -> Iterator[Writer]:
    """Units of the administrator or of an agent (AKS: disk_queue.service), and the scripts that they start."""
    for path in _OWN_UNITS.files(subject.tree):
        yield from _echoes(subject, "systemd unit", path)
        for _, line in lines_of(subject.tree, path):
            match = STARTS.match(line)
            script = match[2].lstrip("/") if match else ""
            if script and (subject.tree.octets(script, _SCRIPT_BYTES) or b"").startswith(b"#!"):
                yield from _echoes(subject, "systemd unit", script)


def _cloud_init(subject: Subject) -> Iterator[Writer]:
    """Commands that cloud-init runs at a start (``bootcmd``, ``runcmd``) and its scripts for each boot."""
    for path in (_CLOUD_FILE, *(path for group in _CLOUD_INIT for path in group.files(subject.tree))):
        yield from _echoes(subject, "cloud agent", path)


def _google(subject: Subject) -> Iterator[Writer]:
    """Google's guest agent writes ``none`` to every disk with hardware queues whenever it starts.

    Source: setIOScheduler in google_guest_agent/instance_setup.go of GoogleCloudPlatform/guest-agent. The agents of
    Azure and Amazon set no scheduler themselves; what they bring are udev rules, and those count as such.
    """
    unit = next((path for path in _GOOGLE_UNITS if subject.tree.octets(path) is not None), None)
    if unit is None or not subject.tree.exists(f"sys/block/{subject.disk.name}/mq"):
        return
    product = subject.tree.text("sys/class/dmi/id/product_name")
    masked = subject.tree.link(f"{UNITS}/{GOOGLE_SERVICE}") == "/dev/null"
    applies: Verdict = None if product is None else product == GOOGLE
    if masked:
        applies = False
    note = None if masked else message("google-agent")
    for number, line in lines_of(subject.tree, unit):
        if line.startswith("ExecStart="):
            yield Writer("cloud agent", f"/{unit}", number, "queue/scheduler", "none", applies, note=note)


def _echoes(subject: Subject, who: str, path: str) -> Iterator[Writer]:
    """``echo deadline > /sys/block/sda/queue/scheduler``, also in loops over several disks (undecided)."""
    for number, line in lines_of(subject.tree, path):
        match = None if line.startswith(OUT_OF_USE) else _ECHO.search(line)
        where = queue_path(match[2].strip("\"'")) if match else None
        if match is None or where is None:
            continue
        applies = None if "$" in where[0] else subject.is_called(where[0])
        if applies is not False:
            yield Writer(who, f"/{path}", number, where[1], match[1], applies)
