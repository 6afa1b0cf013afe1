# SPDX-License-Identifier: GPL-3.0-or-later
"""Services that write into queues by a list of paths and values: tmpfiles.d, sysfs.conf."""

from __future__ import annotations

from collections.abc import Iterator

from disktuner.block.writers.scripts import queue_path
from disktuner.block.writers.writer import Subject, Writer, lines_of, merged_folder

_TMPFILES = ("etc/tmpfiles.d", "run/tmpfiles.d", "usr/lib/tmpfiles.d", "lib/tmpfiles.d")


def service_writers(subject: Subject) -> Iterator[Writer]:
    """Both, in the usual order of a start."""
    yield from _tmpfiles(subject)
    yield from _sysfs_conf(subject)


def _tmpfiles(subject: Subject) -> Iterator[Writer]:
    """``w /sys/block/sda/queue/scheduler - - - - bfq`` (tmpfiles.d(5))."""
    for path in merged_folder(subject.tree, _TMPFILES, ".conf"):
        for number, line in lines_of(subject.tree, path):
            words = line.split(None, 6)
            where = queue_path(words[1]) if len(words) == 7 and words[0].startswith("w") else None
            if where and subject.is_called(where[0]):
                yield Writer("tmpfiles.d", f"/{path}", number, where[1], words[6].strip("\"'"))


def _sysfs_conf(subject: Subject) -> Iterator[Writer]:
    """``block/sda/queue/scheduler = deadline`` (sysfsutils)."""
    names = subject.tree.names("etc/sysfs.d")
    for path in ("etc/sysfs.conf", *(f"etc/sysfs.d/{name}" for name in names if name.endswith(".conf"))):
        for number, line in lines_of(subject.tree, path):
            left, separator, value = line.partition("=")
            # "mode PATH = 0660" and "owner PATH = root" set rights, no value.
            where = queue_path("/" + left.strip()) if len(left.split()) == 1 else None
            if separator and where and subject.is_called(where[0]):
                yield Writer("sysfs.conf", f"/{path}", number, where[1], value.strip())
