# SPDX-License-Identifier: GPL-3.0-or-later
"""What measuring in the window needs from the floors below, and all of it for this machine.

It brings the floors from workloads to reports with it, so it is imported once the disks are seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.comparison.comparison import Comparison
from disktuner.comparison.difference import Difference
from disktuner.comparison.real import real_environment
from disktuner.comparison.request import Announcement, JudgedResult, Request
from disktuner.comparison.target import Place, places
from disktuner.experiment.events import Event
from disktuner.experiment.run import SchedulerSwitch
from disktuner.experiment.scratch import Leftover, Leftovers
from disktuner.field.trial import begin_unattended, stop_own
from disktuner.gui.kept import KeptResults
from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Verdict
from disktuner.vocabulary.settings import Setting


class Shown(Protocol):
    """What shows a difference; ``run`` blocks and is called in a thread, the others return at once."""

    def run(self, listener: Callable[[Event], None]) -> object:
        """Measure and restore."""

    def cancel(self) -> None:
        """End it within a second."""

    def close(self) -> None:
        """Let go of everything; it is not used any more."""


class Measurement(Shown, Protocol):
    """What the wizard asks of a comparison; ``announce`` blocks, too."""

    def announce(self) -> Announcement:
        """Say what would be written and how long it would take."""

    def run(self, listener: Callable[[Event], None]) -> JudgedResult:
        """Measure, restore, judge."""

    def pause(self) -> None:
        """Hold before the next run."""

    def resume(self) -> None:
        """Go on."""


@dataclass(frozen=True, slots=True)
class Instruments:
    """What this needs from the floors below; tests put stand-ins here.

    ``places`` (the folders of a disk that the user may measure in), ``judge``, ``find_leftovers``,
    ``remove_leftovers`` (which returns what stayed), ``prove`` and ``stop_proving`` (which begin and end a trial in
    daily use) and the methods of ``kept`` are called in threads, ``compare`` in the GUI thread.
    """

    places: Callable[[Disk], Sequence[Place]]
    compare: Callable[[Request], Measurement]
    judge: Callable[[Result], Verdict]
    kept: KeptResults
    difference: Callable[[str, tuple[Setting, Setting], SchedulerSwitch], Shown]
    find_leftovers: Callable[[], Sequence[Leftover]] = tuple
    remove_leftovers: Callable[[], Sequence[Path]] = tuple
    prove: Callable[[Disk, Sequence[Setting]], object] = lambda _disk, _settings: None
    stop_proving: Callable[[], object] = lambda: None


def compare(request: Request) -> Measurement:
    """Return a comparison on this machine."""
    return Comparison(request, real_environment())


def real_instruments() -> Instruments:
    """Everything for the machine the window runs on."""
    system, leftovers = System(), Leftovers()
    return Instruments(
        places=lambda disk: places(disk, system),
        compare=compare,
        judge=judge,
        kept=KeptResults(),
        difference=partial(Difference, environment=real_environment()),
        find_leftovers=leftovers.find,
        remove_leftovers=leftovers.remove,
        prove=begin_unattended,
        stop_proving=stop_own,
    )
