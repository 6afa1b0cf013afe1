# SPDX-License-Identifier: GPL-3.0-or-later
"""Background loads: what may keep a disk busy during a measurement."""

from __future__ import annotations

from dataclasses import dataclass

from disktuner.vocabulary.tables import check_id, table


@dataclass(frozen=True, slots=True)
class BackgroundLoad:
    """How many programs write and read big files; ``name`` is its label where it is chosen."""

    id: str
    name: str
    writers: int = 0
    readers: int = 0

    def __post_init__(self) -> None:
        check_id(self.id)


NO_LOAD = BackgroundLoad("nothing", "Nothing")
WRITES = BackgroundLoad("writes", "Files are written", writers=2)
BOTH = BackgroundLoad("both", "Files are read and written", writers=1, readers=4)

LOADS: dict[str, BackgroundLoad] = table(WRITES, BackgroundLoad("reads", "Files are read", readers=4), BOTH, NO_LOAD)
"""All background loads for a user's own program by id, the default first."""

COMMAND = BackgroundLoad("command", "Another command")
"""A user's command as background load; what it reads and writes is unknown."""

ONE_WRITER = BackgroundLoad("writer", "One file is written", writers=1)
COPY = BackgroundLoad("copy", "A file is copied", writers=1, readers=1)
