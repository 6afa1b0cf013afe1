# SPDX-License-Identifier: GPL-3.0-or-later
"""One guided comparison from the question to the verdict; window and terminal both start this."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from disktuner.comparison.request import Announcement, Outcome
from disktuner.experiment.events import Event

Listener = Callable[[Event], None]


class GuidedComparison(Protocol):
    """What window and terminal may call. ``announce`` and ``run`` block: call them in a worker thread.

    ``announce`` looks at the disk for a few seconds (it writes and removes one small file there) and changes
    nothing. ``run`` asks for the right to switch schedulers once, measures, restores and judges; it raises
    ``Cancelled``, ``NotAuthorised``, ``HelperNotThere`` or ``MeasurementImpossible``, always with everything
    restored and removed. ``cancel``, ``pause`` and ``resume`` may be called from any thread; cancel takes effect
    within a second, pause before the next run.
    """

    def announce(self, listener: Listener | None = None) -> Announcement:
        """Probe, plan, and say what would be written and how long it would take."""

    def run(self, listener: Listener) -> Outcome:
        """Do it (announces first if that was not done); events come in order from the calling thread."""

    def cancel(self) -> None:
        """End it now."""

    def pause(self) -> None:
        """Hold before the next run."""

    def resume(self) -> None:
        """Go on after ``pause``."""
