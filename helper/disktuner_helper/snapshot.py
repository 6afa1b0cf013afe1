# SPDX-License-Identifier: GPL-3.0-or-later
"""What disks had before the helper first touched them since the last start of the computer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from disktuner_helper import files
from disktuner_helper.contract import Places
from disktuner_helper.errors import HelperError, NoSuchDisk
from disktuner_helper.queue import Queue, Setting


@dataclass(frozen=True, slots=True)
class Held:
    """A disk (by name, diskseq and device number) and the setting to put back. ``since`` is UTC."""

    disk: str
    diskseq: int
    devno: str
    since: str
    setting: Setting

    @classmethod
    def of(cls, queue: Queue) -> Held:
        """What an open disk has now."""
        return cls(queue.name, queue.diskseq, queue.devno, now(), queue.setting)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Held:
        """The inverse of ``to_json``."""
        setting = Setting(value["scheduler"], value["tunables"])
        return cls(value["disk"], value["diskseq"], value["devno"], value["since"], setting)

    def to_json(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "disk": self.disk,
            "diskseq": self.diskseq,
            "devno": self.devno,
            "since": self.since,
            "scheduler": self.setting.scheduler,
            "tunables": dict(self.setting.tunables),
        }

    def restore(self, places: Places) -> bool:
        """Put it back; False where this very disk is gone. Raises what ``Queue.restore`` raises."""
        try:
            queue = Queue(places.sys_block, self.disk)
        except NoSuchDisk:
            return False
        with queue:
            if queue.diskseq != self.diskseq:
                return False
            queue.restore(self.setting)
        return True


class Snapshots:
    """Settings to go back to, one per disk; kept in /run, so they outlive the helper but not a restart."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._file = places.run / "snapshots.json"
        self._held = _loaded(files.read_json(self._file))

    def remember(self, queue: Queue) -> None:
        """Keep what a disk has, unless the first state of this very disk is kept already. Raises WriteFailed."""
        known = self._held.get(queue.name)
        if known is not None and known.diskseq == queue.diskseq:
            return
        held = {name: one for name, one in self._held.items() if self._is_there(one)}
        self._store({**held, queue.name: Held.of(queue)})

    def get(self, disk: str) -> Held | None:
        """What is kept of a disk."""
        return self._held.get(disk)

    def drop(self, disk: str) -> None:
        """Forget a disk's first state. Raises WriteFailed."""
        self._store({name: one for name, one in self._held.items() if name != disk})

    @property
    def all(self) -> tuple[Held, ...]:
        """All that is kept."""
        return tuple(self._held.values())

    def _is_there(self, held: Held) -> bool:
        try:
            with Queue(self._places.sys_block, held.disk) as queue:
                return queue.diskseq == held.diskseq
        except HelperError:
            return False

    def _store(self, held: dict[str, Held]) -> None:
        files.replace_json(self._file, {name: one.to_json() for name, one in held.items()})
        self._held = held


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _loaded(stored: Mapping[str, Any]) -> dict[str, Held]:
    try:
        return {name: Held.from_json(value) for name, value in stored.items()}
    except (KeyError, TypeError, AttributeError):
        return {}
