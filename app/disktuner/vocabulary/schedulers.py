# SPDX-License-Identifier: GPL-3.0-or-later
"""The schedulers: what each does and costs, its mark in every picture, and the successors of old ones.

They are declared in schedulers.toml in the helper's folder: the helper can be installed without the app, but the app
never without the helper of its version.

Colours: M. Okabe and K. Ito, "Color universal design" (2008), lightened or darkened for a contrast of at least 3 to 1
with either background (WCAG 2.2, 1.4.11). Shapes differ, too: nobody needs to see colours.
"""

from __future__ import annotations

import re
import tomllib
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disktuner.vocabulary.tables import table

_COLOUR = re.compile(r"#[0-9a-f]{6}")
SHAPES = "sD^oPXvp"


@dataclass(frozen=True, slots=True)
class Mark:
    """How a scheduler is drawn: its colour on a light and on a dark ground, and the sign of its shape."""

    light: str
    dark: str
    shape: str

    def __post_init__(self) -> None:
        if not (_COLOUR.fullmatch(self.light) and _COLOUR.fullmatch(self.dark) and self.shape in SHAPES):
            raise ValueError(f"not a mark: {self}")

    def colour(self, dark: bool) -> str:
        """Return the colour on a light or dark ground, as ``#rrggbb``."""
        return self.dark if dark else self.light


@dataclass(frozen=True, slots=True)
class Scheduler:
    """A scheduler by the name that the kernel accepts.

    ``rank`` orders by machinery, which is also the cost per request: among equals, the lowest is chosen. All other
    fields are explained in schedulers.toml.
    """

    id: str
    rank: float
    about: str
    mark: Mark
    module: str = ""
    alias: str = ""
    out_of_tree: bool = False
    limits_writes: bool = False
    minds_rotation: bool = False
    learns: bool = False
    settles: bool = False
    became: str = ""
    successor: str | None = None


DECLARED: dict[str, Any] = tomllib.loads(
    (Path(__file__).parents[3] / "helper/disktuner_helper/schedulers.toml").read_bytes().decode()
)
"""The contents of schedulers.toml."""


def _declared(rank: int, name: str, row: dict[str, Any]) -> Scheduler:
    return Scheduler(name, rank, **{**row, "mark": Mark(*row["mark"])})


SCHEDULERS: dict[str, Scheduler] = table(
    *(_declared(rank, name, row) for rank, (name, row) in enumerate(DECLARED["schedulers"].items()))
)
"""Every known scheduler of current and old kernels, the least machinery first."""

_OTHERS = (
    Mark("#8f6400", "#e69f00", "P"),
    Mark("#7a5195", "#bfa0e0", "X"),
    Mark("#5f6b7a", "#b4bfcc", "v"),
    Mark("#b3261e", "#ff8a80", "p"),
)

SET = ":"
"""The separator between a scheduler and its tunables in a setting's written form (``settings``)."""

_MIB = 1024 * 1024
_UNKNOWN = "not one of the kernel's schedulers; measure to see what it does"
_UNKNOWN_RANK = 1000


def scheduler(name: str) -> Scheduler:
    """Return a scheduler by name. An unknown one is assumed to learn, to settle and to limit writes."""
    if known := SCHEDULERS.get(name):
        return known
    return Scheduler(name, _UNKNOWN_RANK, _UNKNOWN, other_mark(name), limits_writes=True, learns=True, settles=True)


def other_mark(name: str) -> Mark:
    """Return the mark for a scheduler or setting without its own; it depends only on the name."""
    return _OTHERS[zlib.crc32(name.encode()) % len(_OTHERS)]


def shown(name: str) -> str:
    """Return a scheduler's or a setting's name for people: ``bfq:slice_idle=0`` is ``bfq, slice_idle 0``."""
    base, _, tunables = name.partition(SET)
    if base not in SCHEDULERS or not tunables:
        return name
    return ", ".join((base, *map(_tunable_shown, tunables.split(","))))


def _tunable_shown(part: str) -> str:
    name, _, value = part.rpartition("/")[2].partition("=")
    if name == "max_bytes" and value.isdecimal() and int(value) % _MIB == 0:
        value = f"{int(value) // _MIB} MiB"
    return f"{name} {value}".rstrip()


def kernel_schedulers() -> tuple[str, ...]:
    """Return the names of the schedulers in current kernels, cheapest first."""
    return tuple(scheduler.id for scheduler in SCHEDULERS.values() if not (scheduler.became or scheduler.out_of_tree))


def loaded_for(modules: Iterable[str]) -> tuple[str, ...]:
    """Return the schedulers that the kernel gets from modules, by those it finds as ``<module>-iosched``.

    A module's name need not be its scheduler's: what is not known is not offered before it is loaded.
    """
    loaded = {*modules}
    return tuple(sorted(scheduler.id for scheduler in SCHEDULERS.values() if loaded & {scheduler.id, scheduler.module}))


def written_as(name: str) -> str:
    """Return the scheduler that the kernel sets for a name written to ``queue/scheduler``."""
    return next((scheduler.id for scheduler in SCHEDULERS.values() if scheduler.alias == name), name)


def compiled_out(offered: Iterable[str], loadable: Iterable[str]) -> tuple[str, ...]:
    """Return the standard schedulers that this kernel has neither built in nor as a module."""
    available = {*offered, *loadable}
    return tuple(name for name in kernel_schedulers() if name not in available)


for _scheduler in SCHEDULERS.values():
    if _scheduler.successor not in (None, *SCHEDULERS) or (_scheduler.successor and not _scheduler.became):
        raise ValueError(f"not a successor: {_scheduler}")
