# SPDX-License-Identifier: GPL-3.0-or-later
"""The disks of the computer, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from disktuner.block.disk import Disk
from disktuner.vocabulary import kinds


class DisksModel(QObject):
    """All disks, tunable ones first, each group in the kernel's order of names.

    Signals: ``changed`` when they are others than before, or have changed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._disks: tuple[Disk, ...] = ()

    @property
    def disks(self) -> tuple[Disk, ...]:
        """The disks of now."""
        return self._disks

    def find(self, name: str) -> Disk | None:
        """The disk of this kernel name."""
        return next((disk for disk in self._disks if disk.name == name), None)

    def show(self, disks: Iterable[Disk]) -> None:
        """Become these disks."""
        wanted = tuple(sorted(disks, key=_order))
        if wanted != self._disks:
            self._disks = wanted
            self.changed.emit()


def _order(disk: Disk) -> tuple[bool, bool, str, int, str]:
    stem = disk.name.rstrip("0123456789")
    number = disk.name[len(stem) :]
    in_use = bool(disk.mounts) or disk.kind != kinds.LOOP
    return not disk.tunable, not in_use, stem, int(number or 0), disk.name
