# SPDX-License-Identifier: GPL-3.0-or-later
"""The real machine, helper and comparison behind the window; slow imports wait until they are needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from disktuner.gui.application import Sources
from disktuner.gui.desktop import BusDesktop, session_address, system_address
from disktuner.gui.shelf import Shelf
from disktuner.helper_client import HelperClient

if TYPE_CHECKING:
    from pathlib import Path

    from disktuner.block.counters import Counters
    from disktuner.block.disk import Disk
    from disktuner.block.system import System
    from disktuner.block.writers import Writer
    from disktuner.comparison.request import Announcement, JudgedResult, Request
    from disktuner.comparison.target import Place
    from disktuner.experiment.events import Event
    from disktuner.experiment.scratch import Leftover
    from disktuner.results.model import Result
    from disktuner.verdict.model import Verdict

# ruff: noqa: PLC0415 - nothing of this is needed to show the disks, and scipy and matplotlib take most of a second


class RealComparison:
    """A comparison that is built in the thread that first works with it."""

    def __init__(self, request: Request) -> None:
        from disktuner.comparison.comparison import Comparison
        from disktuner.comparison.real import real_environment

        self._comparison = Comparison(request, real_environment())

    def announce(self) -> Announcement:
        """Say what would be written and how long it would take."""
        return self._comparison.announce()

    def run(self, listener: Callable[[Event], None]) -> JudgedResult:
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


@cache
def _system() -> System:
    from disktuner.block.system import System

    return System()


def _disks() -> Sequence[Disk]:
    return _system().disks()


def _counters(name: str) -> Counters | None:
    return _system().counters(name)


def _writers(disk: Disk) -> Sequence[Writer]:
    return _system().writers(disk)


def _places(disk: Disk) -> Sequence[Place]:
    from disktuner.comparison.target import places

    return places(disk, _system())


def _watch(changed: Callable[[], None]) -> Callable[[], None]:
    from disktuner.gui.watching import watch

    return watch(changed)


def _find_leftovers() -> Sequence[Leftover]:
    from disktuner.experiment.scratch import Leftovers

    return Leftovers().find()


def _remove_leftovers() -> Sequence[Path]:
    from disktuner.experiment.scratch import Leftovers

    return Leftovers().remove()


def real_sources(disks_at_start: Callable[[], Sequence[Disk] | None] = lambda: None) -> Sources:
    """Everything for the machine the window runs on."""
    return Sources(
        disks_at_start=disks_at_start,
        read_disks=_disks,
        read_counters=_counters,
        read_writers=_writers,
        watch=_watch,
        helper=HelperClient(),
        desktop=BusDesktop(session_address(), system_address()),
        places=_places,
        compare=RealComparison,
        judge=_judge,
        shelf=Shelf(),
        find_leftovers=_find_leftovers,
        remove_leftovers=_remove_leftovers,
    )
