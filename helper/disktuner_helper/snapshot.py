# SPDX-License-Identifier: GPL-3.0-or-later
"""What disks had before the helper first touched them since the last start of the computer."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from disktuner_helper import files
from disktuner_helper.errors import NoSuchDisk, StaleDisk
from disktuner_helper.queue import Queue, Setting


@dataclass(frozen=True, slots=True)
class Held(Setting):
    """The setting to put back, and whose it is: a disk by name, diskseq and device number. ``since`` is UTC."""

    disk: str
    diskseq: int
    devno: str
    since: str

    @classmethod
    def of(cls, queue: Queue, setting: Setting) -> Self:
        """The setting that an open disk has now."""
        return cls(setting.scheduler, setting.tunables, queue.name, queue.diskseq, queue.devno, now())

    def put_back(self, root: Path) -> bool:
        """Restore it; False where this very disk is gone. Raises what ``Queue.restore`` raises."""
        with suppress(NoSuchDisk, StaleDisk), Queue(root, self.disk, self.diskseq) as queue:
            queue.restore(self)
            return True
        return False


class Snapshots:
    """Settings to go back to, one per disk; kept in /run, so they outlive the helper but not a restart."""

    def __init__(self, root: Path) -> None:
        self._file = root / "run/disktuner/snapshots.json"
        self.held: Mapping[str, Held] = {}
        with suppress(TypeError):
            self.held = {name: Held(**value) for name, value in files.read_json(self._file).items()}

    def remember(self, queue: Queue, setting: Setting) -> bool:
        """Keep what a disk has; False where the first state of this very disk is kept already. Raises WriteFailed."""
        known = self.held.get(queue.name)
        new = known is None or known.diskseq != queue.diskseq
        if new:
            self._store({**self.held, queue.name: Held.of(queue, setting)})
        return new

    def drop(self, disk: str) -> None:
        """Forget a disk's first state. Raises WriteFailed."""
        self._store({name: one for name, one in self.held.items() if name != disk})

    def _store(self, held: Mapping[str, Held]) -> None:
        files.replace_json(self._file, {name: asdict(one) for name, one in held.items()})
        self.held = held


def flag(root: Path, disk: Held | Queue, suffix: str = "") -> Path:
    """The file that holds our udev rule back from a disk while it is there (see persist.py)."""
    return root / "run/disktuner/hold" / f"{disk.devno}-{disk.diskseq or ''}{suffix}"


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
