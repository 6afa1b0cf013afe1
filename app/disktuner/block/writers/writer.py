# SPDX-License-Identifier: GPL-3.0-or-later
"""What a writer is: a line of a file that sets a queue's attribute, and the disk it is judged for."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from disktuner.block.disk import Disk
from disktuner.block.sysfs import Tree
from disktuner.block.udev import RULES_FILE
from disktuner.vocabulary.messages import Message
from disktuner.vocabulary.schedulers import written_as

Verdict = bool | None
"""Whether something holds for a disk; None where that cannot be known."""

UNKNOWN = "?"
"""The value that a command writes, where that cannot be read from it."""

_SECTORS = re.compile(r"(\d{1,9})\s*s(?:ectors?)?")  # TuneD's read-ahead may be given in sectors of 512 bytes

UNIT_FOLDERS = ("etc/systemd/system", "run/systemd/system", "usr/lib/systemd/system", "lib/systemd/system")


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

    @property
    def properties(self) -> Mapping[str, str]:
        """All that udev knows of the disk: what it stored, and what the kernel reports."""
        disk = self.disk
        major, _, minor = disk.devno.partition(":")
        of_kernel = {"DEVNAME": f"/dev/{disk.name}", "DEVPATH": f"/{self.path.lstrip('./')}", "DEVTYPE": "disk",
                     "DISKSEQ": str(disk.diskseq), "MAJOR": major, "MINOR": minor, "SUBSYSTEM": "block"}  # fmt: skip
        return {**self.udev, **of_kernel}

    @property
    def if_absent(self) -> Verdict:
        """What follows where something is not found: that it is not so; on a recording, which may lack it, nothing."""
        return False if self.live else None

    def is_called(self, pattern: str) -> bool:
        """Whether a shell pattern names the disk."""
        return fnmatch.fnmatchcase(self.disk.name, pattern)


@dataclass(frozen=True, slots=True)
class Writer:
    """One line that sets something.

    ``who`` is ``udev``, ``tuned``, ``tlp``, ``sysfs.conf``, ``tmpfiles.d``, ``rc.local``, ``systemd unit``,
    ``kernel command line``, ``boot loader`` or ``cloud agent``. ``attribute`` is a tunable's name or
    ``queue/scheduler``. ``applies`` is False for what does nothing today (``elevator=``), None where the line cannot be
    decided for this disk. ``ours`` marks Disktuner's own rule, ``is_command`` what udev starts when all rules are done
    (``RUN``), ``on_change`` what acts anew whenever udev sees the disk change, ``of_machine`` what is about the
    computer, not about one disk.
    """

    who: str
    file: str
    line: int
    attribute: str
    value: str
    applies: bool | None = True
    ours: bool = False
    note: Message | None = None
    is_command: bool = False
    on_change: bool | None = False
    of_machine: bool = False

    @property
    def acts_later(self) -> bool:
        """Whether it acts after our own rule when the computer starts or the disk appears: rules go by their names."""
        return self.who != "udev" or self.is_command or Path(self.file).name > Path(RULES_FILE).name

    @property
    def place(self) -> str:
        """``FILE:LINE``."""
        return f"{self.file}:{self.line}"

    @property
    def sets_scheduler(self) -> bool:
        """Whether it sets the scheduler rather than a tunable."""
        return self.attribute == "queue/scheduler"

    @property
    def has_variable(self) -> bool:
        """Whether only udev knows what it writes."""
        return "$" in self.value or "%" in self.value

    @property
    def result(self) -> str | None:
        """What the kernel then shows; None where that cannot be known."""
        if self.value == UNKNOWN or self.has_variable:
            return None
        match = _SECTORS.fullmatch(self.value.strip())
        return str(int(match[1]) // 2) if match else written_as(self.value.strip())

    def may_write(self, value: int | str) -> bool:
        """Whether it sets this very value, or one that cannot be known."""
        return self.result in (None, str(value))


def all_of(*verdicts: Verdict) -> Verdict:
    """Whether all of them hold: one certain "no" decides."""
    if False in verdicts:
        return False
    return None if None in verdicts else True


def any_of(*verdicts: Verdict) -> Verdict:
    """Whether one of them holds: one certain "yes" decides."""
    if True in verdicts:
        return True
    return None if None in verdicts else False


def attribute_name(path: str) -> str:
    """``queue/iosched/slice_idle`` is called ``iosched/slice_idle``."""
    return path.removeprefix("queue/") if "/iosched/" in path else path


def lines_of(tree: Tree, path: str) -> Iterator[tuple[int, str]]:
    """The lines of a configuration file that are not comments or empty, with their numbers."""
    for number, line in enumerate((tree.octets(path) or b"").decode("utf-8", "replace").splitlines(), 1):
        stripped = line.strip()
        if stripped and not stripped.startswith(("#", ";")):
            yield number, stripped


@dataclass(frozen=True, slots=True)
class Group:
    """Folders whose files are read in the order of their names, an earlier folder's hiding a later one's."""

    folders: tuple[str, ...]
    suffix: str = ""

    def files(self, tree: Tree) -> list[str]:
        """Return the paths of the files that count."""
        chosen: dict[str, str] = {}
        for folder in self.folders:
            for name in tree.names(folder):
                if name.endswith(self.suffix):
                    chosen.setdefault(name, f"{folder}/{name}")
        return [chosen[name] for name in sorted(chosen)]


def is_started(subject: Subject, *services: str) -> bool | None:
    """Whether systemd starts one of these services with the computer, or runs it now.

    None where that cannot be known: another init, or a recording without the links that enable services.
    """
    tree = subject.tree
    services = tuple(one for one in services if tree.link(f"{UNIT_FOLDERS[0]}/{one}") != "/dev/null")
    folders = [
        f"{base}/{name}" for base in UNIT_FOLDERS for name in tree.names(base) if name.endswith((".wants", ".requires"))
    ]
    enabled = {name for folder in folders for name in tree.names(folder)}
    if enabled.intersection(services) or any(tree.exists(f"sys/fs/cgroup/system.slice/{one}") for one in services):
        return True
    return False if folders or not services else None
