# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are worked through when the computer starts, and what the boot loader hands the kernel."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from disktuner.block.writers.asking import Ask
from disktuner.block.writers.commands import READ_AHEAD, effects, script_writers, target_of
from disktuner.block.writers.rules import Rules
from disktuner.block.writers.services import Services, Standing
from disktuner.block.writers.writer import State, Subject, Writer, lines_of, named, text_of
from disktuner.vocabulary.messages import message
from disktuner.vocabulary.schedulers import scheduler

_BOOT = ("etc/default/grub", "etc/kernel/cmdline", "boot/cmdline.txt", "boot/firmware/cmdline.txt",
         "boot/syslinux/syslinux.cfg", "boot/extlinux/extlinux.conf", "boot/armbianEnv.txt", "boot/uEnv.txt",
         "etc/default/extlinux", "etc/default/u-boot", "etc/lilo.conf")  # fmt: skip
_BOOT_FOLDERS = ("etc/default/grub.d", "boot/loader/entries", "efi/loader/entries", "boot/efi/loader/entries")
_TMPFILES = ("etc/tmpfiles.d", "run/tmpfiles.d", "usr/local/lib/tmpfiles.d", "usr/lib/tmpfiles.d")
_RC_LOCAL = ("etc/rc.local", "etc/rc.d/rc.local", "etc/init.d/boot.local", "etc/conf.d/local.start")
_CLOUD = ("etc/cloud/cloud.cfg.d", "var/lib/cloud/scripts/per-boot")
_ELEVATOR = re.compile(r"(?:^|[\s\"'=])elevator=([\w-]+)")
_HDPARM = "etc/hdparm.conf"
_HDPARM_SETS = re.compile(r"(read_ahead_sect|write_cache)\s*=\s*(\w+)")
_CACHES = {"on": "write back", "off": "write through"}
GOOGLE = "Google Compute Engine"
_GOOGLE_UNIT = "usr/lib/systemd/system/google-guest-agent.service"


def boot_writers(subject: Subject, rules: Rules) -> Iterator[Writer]:
    """Yield each mention of ``elevator=``, which does nothing unless a rule of udev's reads it."""
    folders = (f"{folder}/{name}" for folder in _BOOT_FOLDERS for name in subject.tree.names(folder))
    for path in ("proc/cmdline", *_BOOT, *folders):
        for number, line in lines_of(subject.tree, path):
            for name in _ELEVATOR.findall(line):
                who = "kernel command line" if path.startswith("proc") else "boot loader"
                reader, old = rules.reader_of("elevator"), scheduler(name)
                note = message("elevator-old-name", became=old.became) if old.successor else message("elevator")
                state, why = (State.DEAD, note) if reader is None else (
                    State.MENTIONS, message("elevator-read", place=f"{reader.file}:{reader.start}"))  # fmt: skip
                yield Writer(who, f"/{path}", number, "queue/scheduler", name, state, why, of_machine=True)


def path_writers(subject: Subject, services: Services, ask: Ask | None) -> Iterator[Writer]:
    """Yield what lists of paths and values set: tmpfiles.d(5), as systemd-tmpfiles reads it, and sysfs.conf."""
    said = ask("systemd-tmpfiles", "--cat-config") if ask else None
    for path, number, line in _lines_of_tmpfiles(subject, said):
        words = line.split(None, 6)
        target = target_of(words[1]) if len(words) == 7 and words[0].startswith("w") else None
        if target and subject.is_called(target[0]):
            yield Writer("tmpfiles.d", path, number, target[1], words[6].strip("\"'"))
    for path in ("etc/sysfs.conf", *named(subject.tree, ("etc/sysfs.d",), ".conf")):
        for number, line in lines_of(subject.tree, path):
            left, _, value = line.partition("=")
            target = target_of(f"/{left.strip()}") if len(left.split()) == 1 else None  # not "mode PATH"
            if target and subject.is_called(target[0]):
                state, why = services.standing("sysfsutils.service")
                yield Writer("sysfs.conf", f"/{path}", number, target[1], value.strip(), state, why)


def _lines_of_tmpfiles(subject: Subject, said: str | None) -> Iterator[tuple[str, int, str]]:
    if said is None:
        for path in named(subject.tree, _TMPFILES, ".conf"):
            yield from ((f"/{path}", number, line) for number, line in lines_of(subject.tree, path))
        return
    path, number = "", 0
    for line in said.splitlines():
        number += 1
        if line.startswith("# /") and line.endswith(".conf"):
            path, number = line[2:], 0
        elif line and not line.startswith("#"):
            yield path, number, line


def start_writers(subject: Subject, services: Services) -> Iterator[Writer]:
    """Yield what scripts and jobs set: rc.local, OpenRC's local.d, cron, cloud-init, hdparm."""
    tree = subject.tree
    for path in _RC_LOCAL:
        yield from script_writers(subject, "rc.local", f"/{path}", *_runs(subject, path))
    openrc = (State.ACTS, None) if tree.exists("run/openrc") else (State.DEAD, message("dead-not-started"))
    for path in named(tree, ("etc/local.d",), ".start"):
        standing = openrc if not subject.live or _runs(subject, path)[0] is State.ACTS else _runs(subject, path)
        yield from script_writers(subject, "rc.local", f"/{path}", *standing)
    for path in ("etc/crontab", *named(tree, ("etc/cron.d",))):
        for number, line in lines_of(tree, path):
            for effect in effects(subject, line):
                yield Writer("cron", f"/{path}", number, effect.attribute, effect.value, State.MENTIONS)
    for path in ("etc/cloud/cloud.cfg", *named(tree, _CLOUD)):
        yield from script_writers(subject, "cloud agent", f"/{path}")
    yield from _hdparm(subject)
    yield from _google(subject, services)


def _runs(subject: Subject, path: str) -> Standing:
    """Only what may be executed is started."""
    if not subject.live or os.access(f"/{path}", os.X_OK):
        return State.ACTS, None
    return State.DEAD, message("dead-not-executable")


def _hdparm(subject: Subject) -> Iterator[Writer]:
    """hdparm.conf(5): of all disks, or in the block of one."""
    inside = ""
    for number, line in lines_of(subject.tree, _HDPARM):
        if block := re.match(r"(/dev/\S+)\s*\{", line):
            inside = block[1]
        elif line.startswith("}"):
            inside = ""
        elif (sets := _HDPARM_SETS.match(line)) and (not inside or subject.is_called(inside)):
            ahead = sets[1] == "read_ahead_sect" and sets[2].isdecimal()
            attribute, value = (READ_AHEAD, str(int(sets[2]) // 2)) if ahead else (
                "queue/write_cache", _CACHES.get(sets[2], sets[2]))  # fmt: skip
            yield Writer("hdparm", f"/{_HDPARM}", number, attribute, value)


def _google(subject: Subject, services: Services) -> Iterator[Writer]:
    """Google's guest agent writes ``none`` to every disk with hardware queues whenever it starts.

    Source: setIOScheduler in google_guest_agent/instance_setup.go of GoogleCloudPlatform/guest-agent.
    """
    text = text_of(subject.tree, _GOOGLE_UNIT)
    there = subject.tree.text("sys/class/dmi/id/product_name") == GOOGLE
    if "ExecStart=" in text and there and subject.tree.exists(f"sys/block/{subject.disk.name}/mq"):
        number = next(number for number, line in enumerate(text.splitlines(), 1) if line.startswith("ExecStart="))
        state, why = services.standing("google-guest-agent.service")
        why = why or message("google-agent")
        yield Writer("cloud agent", f"/{_GOOGLE_UNIT}", number, "queue/scheduler", "none", state, why)
