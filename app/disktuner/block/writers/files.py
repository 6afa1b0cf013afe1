# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are worked through when the computer starts, and what the boot loader hands the kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator

from disktuner.block.writers.asking import Ask
from disktuner.block.writers.commands import READ_AHEAD, attribute_at, script_writers
from disktuner.block.writers.rules import Rules
from disktuner.block.writers.services import Services
from disktuner.block.writers.writer import Standing, State, Subject, Writer, lines_of, named
from disktuner.vocabulary.messages import message
from disktuner.vocabulary.schedulers import scheduler

BOOT = {"proc/cmdline": "kernel command line", "etc/default/grub": "boot loader", "etc/kernel/cmdline": "boot loader"}
"""Who is meant by a file."""

_TMPFILES = ("etc/tmpfiles.d", "run/tmpfiles.d", "usr/local/lib/tmpfiles.d", "usr/lib/tmpfiles.d")
_RC_LOCAL = ("etc/rc.local", "etc/rc.d/rc.local", "etc/init.d/boot.local")
_CLOUD = ("etc/cloud/cloud.cfg.d", "var/lib/cloud/scripts/per-boot")
_ELEVATOR = re.compile(r"(?:^|[\s\"'=])elevator=([\w-]+)")
_HDPARM_SETS = re.compile(r"(read_ahead_sect|write_cache)\s*=\s*(\w+)")
_CACHES = {"on": "write back", "off": "write through"}


def boot_writers(subject: Subject, rules: Rules) -> Iterator[Writer]:
    """Yield each mention of ``elevator=``, which does nothing unless a rule of udev's reads it."""
    for path, who in BOOT.items():
        for number, line in lines_of(subject.tree, path):
            for name in _ELEVATOR.findall(line):
                standing = _elevator(rules.reader_of_elevator(), name)
                yield Writer(who, f"/{path}", number, "queue/scheduler", name, *standing, of_machine=True)


def _elevator(reader: str, name: str) -> Standing:
    if reader:
        return State.MENTIONS, message("elevator-read", place=reader)
    old = scheduler(name)
    return State.DEAD, message("elevator-old-name", became=old.became) if old.successor else message("elevator")


def path_writers(subject: Subject, services: Services, ask: Ask | None) -> Iterator[Writer]:
    """Yield what lists of paths and values set: tmpfiles.d(5), as systemd-tmpfiles reads it, and sysfs.conf."""
    said = ask("systemd-tmpfiles", "--cat-config") if ask else None
    for path, number, line in _lines_of_tmpfiles(subject, said):
        words = line.split(None, 6)
        if len(words) == 7 and words[0].startswith("w") and (attribute := attribute_at(subject, words[1])):
            yield Writer("tmpfiles.d", path, number, attribute, words[6].strip("\"'"))
    for path in ("etc/sysfs.conf", *named(subject.tree, ("etc/sysfs.d",), ".conf")):
        for number, line in lines_of(subject.tree, path):
            left, _, value = line.partition("=")
            if len(left.split()) == 1 and (attribute := attribute_at(subject, f"/{left.strip()}")):  # not "mode PATH"
                standing = services.standing("sysfsutils.service")
                yield Writer("sysfs.conf", f"/{path}", number, attribute, value.strip(), *standing)


def _lines_of_tmpfiles(subject: Subject, said: str | None) -> Iterator[tuple[str, int, str]]:
    if said is None:
        for path in named(subject.tree, _TMPFILES, ".conf"):
            yield from ((f"/{path}", number, line) for number, line in lines_of(subject.tree, path))
        return
    path, start = "", 0
    for number, line in enumerate(said.splitlines()):
        if line.startswith("# /") and line.endswith(".conf"):
            path, start = line[2:], number
        elif line and not line.startswith("#"):
            yield path, number - start, line


def start_writers(subject: Subject) -> Iterator[Writer]:
    """Yield what scripts and jobs set: rc.local, OpenRC's local.d, cron, cloud-init, hdparm."""
    tree = subject.tree
    local_d = named(tree, ("etc/local.d",), ".start")
    for path in (*_RC_LOCAL, *local_d):
        standing: Standing = (State.ACTS, None)
        if not tree.may_execute(path):
            standing = State.DEAD, message("dead-not-executable")
        elif path in local_d and not tree.exists("run/openrc"):
            standing = State.DEAD, message("dead-not-started")
        yield from script_writers(subject, "rc.local", f"/{path}", standing)
    for path in ("etc/crontab", *named(tree, ("etc/cron.d",))):
        yield from script_writers(subject, "cron", f"/{path}", (State.MENTIONS, None))
    for path in ("etc/cloud/cloud.cfg", *named(tree, _CLOUD)):
        yield from script_writers(subject, "cloud-init", f"/{path}")
    inside = ""  # the block of one disk, else of all (hdparm.conf(5))
    for number, line in lines_of(tree, "etc/hdparm.conf"):
        inside = line.partition("{")[0].strip() if "{" in line else "" if line == "}" else inside
        if (sets := _HDPARM_SETS.match(line)) and (not inside or subject.is_called(inside)):
            ahead = sets[1] == "read_ahead_sect" and sets[2].isdecimal()
            attribute, value = (READ_AHEAD, str(int(sets[2]) // 2)) if ahead else (
                "queue/write_cache", _CACHES.get(sets[2], sets[2]))  # fmt: skip
            yield Writer("hdparm", "/etc/hdparm.conf", number, attribute, value)
