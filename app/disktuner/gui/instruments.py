# SPDX-License-Identifier: GPL-3.0-or-later
"""What measuring in the window needs from the floors below.

It imports the floors from workloads to reports, so it is itself imported on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pkgutil import resolve_name

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.comparison.comparison import Comparison
from disktuner.comparison.difference import Difference
from disktuner.comparison.portrait import Portraying
from disktuner.comparison.real import real_environment
from disktuner.comparison.request import Request
from disktuner.comparison.target import Target, places
from disktuner.entry_points import BEGIN_TRIAL, STOP_OWN_TRIAL
from disktuner.experiment.run import SchedulerSwitch
from disktuner.presentation.library import ResultLibrary
from disktuner.presentation.portrait import End, ShownPortrait, known_end, shown
from disktuner.results.model import Result
from disktuner.results.portrait import Portraits
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Verdict
from disktuner.vocabulary.settings import Setting
from disktuner.workloads.catalogue import catalogue


@dataclass(frozen=True, slots=True)
class Instruments:
    """What measuring needs from the floors below; tests put stand-ins here.

    ``places`` (the folders of a disk that the user may measure in), ``judge``, ``prove`` and ``stop_proving`` (which
    begin and end a trial in daily use), ``last_portrait`` and the methods of ``library`` are called in threads,
    ``compare`` and ``portray`` (a disk, by its name) in the GUI thread.
    """

    places: Callable[[Disk], Sequence[Target]]
    compare: Callable[[Request], Comparison]
    judge: Callable[[Result], Verdict]
    library: ResultLibrary
    difference: Callable[[str, tuple[Setting, Setting], SchedulerSwitch], Difference]
    portray: Callable[[str], Portraying]
    last_portrait: Callable[[Disk], ShownPortrait | None]
    cache_end: Callable[[Disk], End | None]
    prove: Callable[[Disk, Sequence[Setting]], object] = lambda _disk, _settings: None
    stop_proving: Callable[[], object] = lambda: None


def real_instruments() -> Instruments:
    """Return the instruments of this machine."""
    system, portraits = System(), Portraits()

    def last_portrait(disk: Disk) -> ShownPortrait | None:
        portrait = portraits.newest_of(disk)
        return shown(portrait) if portrait else None

    return Instruments(
        places=lambda disk: places(disk, system),
        compare=lambda request: Comparison(request, real_environment()),
        judge=judge,
        library=ResultLibrary(),
        difference=partial(Difference, environment=real_environment()),
        portray=lambda disk: Portraying(disk, system, portraits),
        last_portrait=last_portrait,
        cache_end=partial(known_end, portraits),
        prove=resolve_name(BEGIN_TRIAL),
        stop_proving=resolve_name(STOP_OWN_TRIAL),
    )


def load_judging() -> None:
    """Import what a comparison and its verdict need (0.2 s), so that no thread has to import anything."""
    import disktuner.verdict.alternating  # noqa: PLC0415 - to have it imported, here and now, is the purpose
    import disktuner.verdict.fitting  # noqa: F401, PLC0415

    catalogue()
