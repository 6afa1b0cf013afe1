# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user chose for a disk through Disktuner, as the helper remembers it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from disktuner.helper_client.state import State


@dataclass(frozen=True, slots=True)
class Choice:
    """``before`` is the scheduler that *Go back* returns to, ``chosen`` the one kept for every start."""

    before: str | None = None
    chosen: str | None = None

    @property
    def persistent(self) -> bool:
        """Whether it is kept for every start."""
        return self.chosen is not None

    @property
    def is_ours(self) -> bool:
        """Whether there is anything to go back from."""
        return self.before is not None or self.persistent


def choices(state: State) -> dict[str, Choice]:
    """The choices by disk name in the helper's memory."""
    before = {snapshot.disk: snapshot.scheduler for snapshot in state.snapshots}
    kept = {disk: rule.scheduler for rule in state.persistent for disk in rule.disks}
    return {name: Choice(before.get(name), kept.get(name)) for name in before | kept}
