# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window needs from the floors below to show disks and change them. It knows no Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Protocol

from disktuner.block.counters import Counters
from disktuner.block.disk import Disk
from disktuner.block.pending import PageCache
from disktuner.block.system import System
from disktuner.block.writers import Writer
from disktuner.entry_points import RECORDING, TRIAL
from disktuner.folders import data_folder
from disktuner.gui.desktop import Desktop, session_address, system_address
from disktuner.helper_client.client import HelperClient
from disktuner.standing import Memory

if TYPE_CHECKING:
    from PySide6.QtCore import QObject
    from PySide6.QtWidgets import QWidget

    from disktuner.checkup.findings import CheckUp
    from disktuner.experiment.scratch import Leftovers
    from disktuner.gui.instruments import Instruments


class Recording(Protocol):
    """Records freezes while the window is open. Its panel is made once, by the page that shows it."""

    def panel(self) -> QWidget: ...

    def refresh(self) -> None: ...

    def keep_now(self) -> None: ...

    def stop(self) -> None: ...


class DailyUse(Protocol):
    """The user's trial in daily use."""

    @property
    def is_paused(self) -> bool: ...

    def pause(self, on: bool) -> None: ...


@dataclass(frozen=True, slots=True)
class Sources:
    """What the window needs from the floors below; tests put stand-ins here.

    ``read_disks`` is called in threads, the others in the GUI thread; what ``checks``, ``writers``, ``leftovers`` and
    ``memories`` return is called in threads. ``watch`` begins to report changes of disks and mounts and returns a
    function that ends it. ``instruments`` is called on the first measurement or judgement, ``checks`` and ``recording``
    (with the window and its shell) once the disks are visible. ``memories`` are the last answers on disks, None if
    results have to be judged first. ``trial`` is the user's trial in daily use, if any.
    """

    read_disks: Callable[[], Sequence[Disk]]
    read_counters: Callable[[str], Counters | None]
    read_page_cache: Callable[[], PageCache | None]
    writers: Callable[[], Callable[[Disk], Sequence[Writer]]]
    watch: Callable[[Callable[[], None]], Callable[[], None]]
    helper: HelperClient
    desktop: Desktop
    instruments: Callable[[], Instruments]
    checks: Callable[[], Callable[[Sequence[Disk]], Sequence[CheckUp]]]
    recording: Callable[[QWidget, QObject], Recording]
    leftovers: Callable[[], Callable[[], Leftovers]]
    memories: Callable[[], Callable[[], Mapping[str, Memory] | None]]
    trial: Callable[[], DailyUse]


def real_sources() -> Sources:
    """Return the sources of this machine."""
    system = System()
    return Sources(
        read_disks=system.disks,
        read_counters=system.counters,
        read_page_cache=system.page_cache,
        writers=partial(_real_writers, system),
        watch=_real_watch,
        helper=HelperClient(),
        desktop=Desktop(session_address(), system_address()),
        instruments=_real_instruments,
        checks=partial(_real_checks, system),
        recording=lambda window, shell: resolve_name(RECORDING)(window, shell),
        leftovers=_real_leftovers,
        memories=_real_memories,
        trial=lambda: resolve_name(TRIAL)(),
    )


def _real_watch(changed: Callable[[], None]) -> Callable[[], None]:
    from disktuner.gui.disk_watch import watch  # noqa: PLC0415 - 0.02 s: brings pyudev, not needed to see the disks

    return watch(changed)


def _real_memories() -> Callable[[], Mapping[str, Memory] | None]:
    from disktuner.memories import known_memories  # noqa: PLC0415 - 0.04 s, not needed to see the disks

    try:
        return partial(known_memories, data_folder())
    except RuntimeError:  # nobody knows where the user's home is
        return dict


def _real_instruments() -> Instruments:
    from disktuner.gui.instruments import real_instruments  # noqa: PLC0415 - 0.2 s

    return real_instruments()


def _real_checks(system: System) -> Callable[[Sequence[Disk]], Sequence[CheckUp]]:
    from disktuner.checkup.findings import check_up  # noqa: PLC0415 - 0.03 s, not needed to see the disks
    from disktuner.checkup.health import read_health  # noqa: PLC0415

    return lambda disks: check_up(system, disks, read_health())


def _real_writers(system: System) -> Callable[[Disk], Sequence[Writer]]:
    from disktuner.block.writers.owners import writers_of  # noqa: PLC0415 - 0.02 s, not needed to see the disks

    return partial(writers_of, system)


def _real_leftovers() -> Callable[[], Leftovers]:
    from disktuner.experiment.scratch import Leftovers  # noqa: PLC0415 - 0.01 s, not needed to see the disks

    return Leftovers
