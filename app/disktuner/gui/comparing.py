# SPDX-License-Identifier: GPL-3.0-or-later
"""What the wizard asks of a comparison."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from disktuner.comparison.request import Announcement, JudgedResult
from disktuner.experiment.events import Event


class Comparing(Protocol):
    """``announce`` and ``run`` block and are called in a thread; the others return at once."""

    def announce(self) -> Announcement:
        """Say what would be written and how long it would take."""

    def run(self, listener: Callable[[Event], None]) -> JudgedResult:
        """Measure, restore, judge."""

    def cancel(self) -> None:
        """End it within a second."""

    def pause(self) -> None:
        """Hold before the next run."""

    def resume(self) -> None:
        """Go on."""

    def close(self) -> None:
        """Let go of everything; it is not used any more."""
