# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user chose for a disk through Disktuner, as the helper remembers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Choice:
    """``before`` is the scheduler that *Go back* returns to, ``chosen`` what was set, both None if untouched."""

    before: str | None = None
    chosen: str | None = None
    persistent: bool = False

    @property
    def is_ours(self) -> bool:
        """Whether there is anything to go back from."""
        return self.before is not None or self.persistent


def choices(state: Mapping[str, Any]) -> dict[str, Choice]:
    """The choices by disk name in the helper's ``GetState``."""
    return {str(name): Choice(before=str(entry.get("scheduler"))) for name, entry in state.get("snapshots", {}).items()}
