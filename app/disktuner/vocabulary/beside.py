# SPDX-License-Identifier: GPL-3.0-or-later
"""What may run beside a program of the user's own: nothing, writers, readers, or both."""

from __future__ import annotations

from dataclasses import dataclass

from disktuner.vocabulary.tables import check_id, table


@dataclass(frozen=True, slots=True)
class Beside:
    """How many programs write and read big files beside another one; ``name`` is what the wizard calls it."""

    id: str
    name: str
    writers: int = 0
    readers: int = 0

    def __post_init__(self) -> None:
        check_id(self.id)


NOTHING_BESIDE = Beside("nothing", "Nothing")
WRITES_BESIDE = Beside("writes", "Files are written", writers=2)

BESIDE: dict[str, Beside] = table(
    WRITES_BESIDE,
    Beside("reads", "Files are read", readers=4),
    Beside("both", "Files are read and written", writers=1, readers=4),
    NOTHING_BESIDE,
)
"""All by id, the usual one first: as many writers and readers as ``launch-under-writes`` and ``launch-under-reads``."""
