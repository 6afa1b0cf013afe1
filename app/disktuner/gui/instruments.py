# SPDX-License-Identifier: GPL-3.0-or-later
"""What measuring in the window needs from the floors below, and all of it for this machine.

It brings the floors from workloads to reports with it, so it is imported when that is first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.comparison.comparison import Comparison
from disktuner.comparison.difference import Difference
from disktuner.comparison.real import real_environment
from disktuner.comparison.request import Request
from disktuner.comparison.target import Target, places
from disktuner.experiment.run import SchedulerSwitch
from disktuner.field.trial import begin_unattended, stop_own
from disktuner.presentation.kept import KeptResults
from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Verdict
from disktuner.vocabulary.settings import Setting


@dataclass(frozen=True, slots=True)
class Instruments:
    """What this needs from the floors below; tests put stand-ins here.

    ``places`` (the folders of a disk that the user may measure in), ``judge``, ``prove`` and ``stop_proving`` (which
    begin and end a trial in daily use) and the methods of ``kept`` are called in threads, ``compare`` in the GUI
    thread.
    """

    places: Callable[[Disk], Sequence[Target]]
    compare: Callable[[Request], Comparison]
    judge: Callable[[Result], Verdict]
    kept: KeptResults
    difference: Callable[[str, tuple[Setting, Setting], SchedulerSwitch], Difference]
    prove: Callable[[Disk, Sequence[Setting]], object] = lambda _disk, _settings: None
    stop_proving: Callable[[], object] = lambda: None


def real_instruments() -> Instruments:
    """Everything for the machine the window runs on."""
    system = System()
    return Instruments(
        places=lambda disk: places(disk, system),
        compare=lambda request: Comparison(request, real_environment()),
        judge=judge,
        kept=KeptResults(),
        difference=partial(Difference, environment=real_environment()),
        prove=begin_unattended,
        stop_proving=stop_own,
    )
