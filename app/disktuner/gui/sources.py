# SPDX-License-Identifier: GPL-3.0-or-later
"""The real machine, helper and comparison behind the window; slow imports wait until they are needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from disktuner.block.system import System
from disktuner.gui.application import Sources
from disktuner.gui.bus_helper import BusHelper
from disktuner.gui.desktop import BusDesktop, session_address, system_address
from disktuner.gui.shelf import Shelf
from disktuner.gui.watching import watch

if TYPE_CHECKING:
    from disktuner.comparison.request import Announcement, Outcome, Request
    from disktuner.experiment.events import Event
    from disktuner.results.model import Result
    from disktuner.verdict.model import Verdict

# ruff: noqa: PLC0415 - scipy and matplotlib take most of a second to import


class RealComparison:
    """A comparison that is built in the thread that first works with it."""

    def __init__(self, request: Request) -> None:
        from disktuner.comparison.comparison import Comparison
        from disktuner.comparison.real import real_parts

        self._comparison = Comparison(request, real_parts())

    def announce(self) -> Announcement:
        """Say what would be written and how long it would take."""
        return self._comparison.announce()

    def run(self, listener: Callable[[Event], None]) -> Outcome:
        """Measure, restore, judge."""
        return self._comparison.run(listener)

    def cancel(self) -> None:
        """End it within a second."""
        self._comparison.cancel()

    def pause(self) -> None:
        """Hold before the next run."""
        self._comparison.pause()

    def resume(self) -> None:
        """Go on."""
        self._comparison.resume()

    def close(self) -> None:
        """Let go of everything."""
        self._comparison.close()


def _judge(result: Result) -> Verdict:
    from disktuner.verdict.judge import judge

    return judge(result)


def real_sources() -> Sources:
    """Everything for the machine the window runs on."""
    system = System()
    desktop = BusDesktop(session_address(), system_address())
    return Sources(system.disks, system.counters, watch, BusHelper(), desktop, RealComparison, _judge, Shelf())
