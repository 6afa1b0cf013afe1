# SPDX-License-Identifier: GPL-3.0-or-later
"""This machine as the recorder needs it; nothing here waits for a disk."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from disktuner.block.filesystems import FileSystems
from disktuner.block.queue import parse_schedulers
from disktuner.block.stack import Stack
from disktuner.block.sysfs import Tree, shown
from disktuner_watch.incidents import About
from disktuner_watch.reading import Reader
from disktuner_watch.samples import Program, Sample


class RealMachine:
    """The running machine as the current user sees it."""

    def __init__(self) -> None:
        self._tree = Tree(Path("/"))
        self._reader = Reader(self._tree, os.getuid())

    def read(self) -> Sample:
        """Return a sample without programs. Raises ``MeasurementImpossible``."""
        return self._reader.read(time.monotonic())

    def look(self) -> tuple[Program, ...]:
        """Return what programs did since the last look."""
        return self._reader.look()

    def about(self, names: Iterable[str]) -> dict[str, About]:
        """Describe disks."""
        return about_disks(self._tree, names, Path.home())


def about_disks(tree: Tree, names: Iterable[str], home: Path) -> dict[str, About]:
    """Describe disks; ``home`` is the user's folder."""
    files = FileSystems(tree, Stack(tree), None)
    mounts = {name: [mount.path for mount in files.of_disk(name)] for name in names}
    above = {*map(str, home.parents), str(home)}
    held = [path for paths in mounts.values() for path in paths if path in above]
    return {name: _about(tree, name, paths, max(held, key=len, default="/")) for name, paths in mounts.items()}


def _about(tree: Tree, name: str, paths: Sequence[str], home: str) -> About:
    """``home`` is where the file system of the user's folder is mounted."""
    return About(
        shown(tree.text(f"sys/block/{name}/device/model")),
        parse_schedulers(tree.text(f"sys/block/{name}/queue/scheduler")).chosen or "",
        next((place for place in (home, "/") if place in paths), ""),
    )
