# SPDX-License-Identifier: GPL-3.0-or-later
"""How much room there is on a file system, and how much of it may be taken."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

MOST_FULL = 0.9


@dataclass(frozen=True, slots=True)
class Room:
    """The room on a file system as an ordinary user has it (df's "used" and "available")."""

    used_bytes: int
    available_bytes: int

    @property
    def usable_bytes(self) -> int:
        """What may be taken so that at most 90 % are used; 0 when it is that full already."""
        most = int((self.used_bytes + self.available_bytes) * MOST_FULL)
        return max(0, min(self.available_bytes, most - self.used_bytes))


def room(folder: Path) -> Room:
    """Ask the file system (statvfs(3))."""
    status = os.statvfs(folder)
    used = (status.f_blocks - status.f_bfree) * status.f_frsize
    return Room(used, status.f_bavail * status.f_frsize)
