# SPDX-License-Identifier: GPL-3.0-or-later
"""``elevator=`` in the kernel command line and in boot loader files: it has done nothing since Linux 5.0."""

from __future__ import annotations

import re
from collections.abc import Iterator

from disktuner.block.writers.writer import Subject, Writer, lines_of
from disktuner.vocabulary.messages import message
from disktuner.vocabulary.schedulers import scheduler

_ELEVATOR = re.compile(r"(?:^|[\s\"'=])elevator=([\w-]+)")
_FILES = (
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
_FOLDERS = ("etc/default/grub.d", "boot/loader/entries", "efi/loader/entries", "boot/efi/loader/entries")


def boot_writers(subject: Subject) -> Iterator[Writer]:
    """Each mention of ``elevator=``; none applies, and the note says what to do."""
    command_line = subject.tree.text("proc/cmdline") or ""
    for match in _ELEVATOR.finditer(command_line):
        yield _writer("kernel command line", "/proc/cmdline", 1, match[1])
    files = [*_FILES, *(f"{folder}/{name}" for folder in _FOLDERS for name in subject.tree.names(folder))]
    for path in files:
        for number, line in lines_of(subject.tree, path):
            for match in _ELEVATOR.finditer(line):
                yield _writer("boot loader", f"/{path}", number, match[1])


def _writer(who: str, file: str, line: int, value: str) -> Writer:
    old = scheduler(value)
    note = message("elevator-old-name", became=old.became) if old.successor else message("elevator")
    return Writer(who, file, line, "queue/scheduler", value, applies=False, note=note)
