# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user chose for a disk through Disktuner, as the helper remembers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from disktuner.helper_client.calls import Chosen, Snapshot, State


@dataclass(frozen=True, slots=True)
class Choice:
    """``before`` is the scheduler that *Go back* returns to, ``chosen`` the one kept for every start.

    ``tunables_before`` and ``tunables_kept`` are the fine settings that belong to them.
    """

    before: str | None = None
    chosen: str | None = None
    tunables_before: Mapping[str, int] = field(default_factory=dict)
    tunables_kept: Mapping[str, int] = field(default_factory=dict)

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
    before = {snapshot.disk: snapshot for snapshot in state.snapshots}
    kept = {disk: rule for rule in state.persistent for disk in rule.disks}
    return {name: _choice(before.get(name), kept.get(name)) for name in before | kept}


def _choice(before: Snapshot | None, kept: Chosen | None) -> Choice:
    return Choice(
        before.scheduler if before else None,
        kept.scheduler if kept else None,
        before.tunables if before else {},
        kept.tunables if kept else {},
    )
