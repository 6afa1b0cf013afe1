# SPDX-License-Identifier: GPL-3.0-or-later
"""What a writer is: a line of a file that sets a queue's attribute, and the disk it is judged for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from disktuner.block.disk import Disk
from disktuner.block.sysfs import Tree


@dataclass(frozen=True, slots=True)
class Subject:
    """The disk for which writers are sought, its udev properties, and the machine's files.

    ``path`` is where the disk hangs (the link in ``/sys/block``); ``live`` says that the files are all there are,
    not a recording that may lack some.
    """

    disk: Disk
    udev: Mapping[str, str]
    tree: Tree
    path: str = ""
    live: bool = False


@dataclass(frozen=True, slots=True)
class Writer:
    """One line that sets something.

    ``who`` is ``udev``, ``tuned``, ``tlp``, ``sysfs.conf``, ``tmpfiles.d``, ``rc.local``, ``systemd unit``,
    ``kernel command line``, ``boot loader`` or ``cloud agent``. ``attribute`` is a tunable's name or
    ``queue/scheduler``.
    ``applies`` is False for what does nothing today (``elevator=``), None where the line cannot be decided
    for this disk. ``ours`` marks Disktuner's own rule.
    """

    who: str
    file: str
    line: int
    attribute: str
    value: str
    applies: bool | None = True
    ours: bool = False
    note: str = ""

    @property
    def place(self) -> str:
        """``FILE:LINE``."""
        return f"{self.file}:{self.line}"

    @property
    def sets_scheduler(self) -> bool:
        """Whether it sets the scheduler rather than a tunable."""
        return self.attribute == "queue/scheduler"


def lines_of(tree: Tree, path: str) -> Iterator[tuple[int, str]]:
    """The lines of a configuration file that are not comments or empty, with their numbers."""
    for number, line in enumerate((tree.octets(path) or b"").decode("utf-8", "replace").splitlines(), 1):
        stripped = line.strip()
        if stripped and not stripped.startswith(("#", ";")):
            yield number, stripped


def merged_folder(tree: Tree, folders: tuple[str, ...], suffix: str) -> list[str]:
    """The files of several folders as udev and tmpfiles take them: by name, an earlier folder hides a later one."""
    chosen: dict[str, str] = {}
    for folder in folders:
        for name in tree.names(folder):
            if name.endswith(suffix):
                chosen.setdefault(name, f"{folder}/{name}")
    return [chosen[name] for name in sorted(chosen)]
