# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window needs from the floors below to show disks and change them, and all of it for this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from disktuner.block.counters import Counters
from disktuner.block.disk import Disk
from disktuner.block.pending import PageCache
from disktuner.block.system import System
from disktuner.block.writers import Writer
from disktuner.experiment.scratch import Leftovers
from disktuner.folders import data_folder
from disktuner.gui.desktop import Desktop, session_address, system_address
from disktuner.gui.reader import watch
from disktuner.helper_client import HelperClient
from disktuner.standing import Memory

if TYPE_CHECKING:
    from disktuner.checkup.findings import CheckUp
    from disktuner.field.kept import Place
    from disktuner.gui.instruments import Instruments
    from disktuner.watch.service import Service


@dataclass(frozen=True, slots=True)
class Sources:
    """Tests put stand-ins here.

    ``read_disks`` and ``read_writers`` are called in threads, the others in the GUI thread. ``watch`` begins to report
    that disks or mounts changed and returns what ends it. ``instruments`` is called when something is measured or
    judged, ``recorder`` and ``checks`` when the disks are seen; what the last returns is called in threads, and so is
    ``leftovers`` with its methods. ``memories`` returns what reads, in a thread, what was answered last about disks:
    None where results have to be judged first. ``trial`` is called where this user has one in daily use.
    """

    read_disks: Callable[[], Sequence[Disk]]
    read_counters: Callable[[str], Counters | None]
    read_page_cache: Callable[[], PageCache | None]
    read_writers: Callable[[Disk], Sequence[Writer]]
    watch: Callable[[Callable[[], None]], Callable[[], None]]
    helper: HelperClient
    desktop: Desktop
    instruments: Callable[[], Instruments]
    checks: Callable[[], Callable[[Sequence[Disk]], Sequence[CheckUp]]]
    recorder: Callable[[], Service]
    leftovers: Callable[[], Leftovers]
    memories: Callable[[], Callable[[], Mapping[str, Memory] | None]]
    trial: Callable[[], Place]


def real_sources() -> Sources:
    """Everything for the machine the window runs on."""
    system = System()
    return Sources(
        read_disks=system.disks,
        read_counters=system.counters,
        read_page_cache=system.page_cache,
        read_writers=system.writers,
        watch=watch,
        helper=HelperClient(),
        desktop=Desktop(session_address(), system_address()),
        instruments=_real_instruments,
        checks=partial(_real_checks, system),
        recorder=_real_recorder,
        leftovers=Leftovers,
        memories=_real_memories,
        trial=_real_trial,
    )


def _real_memories() -> Callable[[], Mapping[str, Memory] | None]:
    try:
        if not any(name.endswith(".json") for name in os.listdir(data_folder())):  # noqa: PTH208 - only names
            return dict
    except (OSError, RuntimeError):  # there is none, or nobody knows where the user's home is
        return dict
    from disktuner.memories import known_memories  # noqa: PLC0415 - most have no results at first

    return known_memories


def _real_instruments() -> Instruments:
    from disktuner.gui.instruments import real_instruments  # noqa: PLC0415 - see there

    return real_instruments()


def _real_checks(system: System) -> Callable[[Sequence[Disk]], Sequence[CheckUp]]:
    from disktuner.checkup.findings import check_up  # noqa: PLC0415 - not needed to see the disks
    from disktuner.checkup.health import read_health  # noqa: PLC0415

    return lambda disks: check_up(system, disks, read_health())


def _real_recorder() -> Service:
    from disktuner.watch.service import Service  # noqa: PLC0415 - not needed to see the disks

    return Service()


def _real_trial() -> Place:
    from disktuner.field.kept import Place  # noqa: PLC0415 - not needed to see the disks

    return Place()
