# SPDX-License-Identifier: GPL-3.0-or-later
"""The schedulers: what each does and costs, its mark in every picture, and what became of those of old kernels.

They are declared in schedulers.toml, which lies with the helper: that is installed without the app, but no app without
the helper of its version.

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

    ``rank`` orders by machinery, which is also the cost per request: of several of which none is better, the lowest is
    chosen. All other fields are explained in schedulers.toml.
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
    became: str = ""
    successor: str | None = None


DECLARED: dict[str, Any] = tomllib.loads(
    (Path(__file__).parents[3] / "helper/disktuner_helper/schedulers.toml").read_bytes().decode()
)
"""What schedulers.toml holds."""


def _declared(rank: int, name: str, row: dict[str, Any]) -> Scheduler:
    return Scheduler(name, rank, **{**row, "mark": Mark(*row["mark"])})


SCHEDULERS: dict[str, Scheduler] = table(
    *(_declared(rank, name, row) for rank, (name, row) in enumerate(DECLARED["schedulers"].items()))
)
"""Every scheduler that is known, of this and of old kernels, with the least machinery first."""

_OTHERS = (
    Mark("#8f6400", "#e69f00", "P"),
    Mark("#7a5195", "#bfa0e0", "X"),
    Mark("#5f6b7a", "#b4bfcc", "v"),
    Mark("#b3261e", "#ff8a80", "p"),
)

SET = ":"
"""What stands between a scheduler and the tunables that are set beside it, in a setting's name (``settings``)."""

_MIB = 1024 * 1024
_UNKNOWN = "not one of the kernel's schedulers; measure to see what it does"
_UNKNOWN_RANK = 1000


def scheduler(name: str) -> Scheduler:
    """Return what is known of a scheduler. Of a stranger nothing is claimed: it may learn, and it may limit writes."""
    known = SCHEDULERS.get(name)
    return known or Scheduler(name, _UNKNOWN_RANK, _UNKNOWN, other_mark(name), limits_writes=True, learns=True)


def other_mark(name: str) -> Mark:
    """Return the mark of what has none of its own: it depends on its name alone."""
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
    """Return the names of those that current kernels bring, cheapest first."""
    return tuple(each.id for each in SCHEDULERS.values() if not (each.became or each.out_of_tree))


def loaded_for(modules: Iterable[str]) -> tuple[str, ...]:
    """Return the schedulers that the kernel gets from modules, by those it finds as ``<module>-iosched``.

    A module's name need not be its scheduler's: what is not known is not offered before it is loaded.
    """
    found = {*modules}
    return tuple(sorted(each.id for each in SCHEDULERS.values() if found & {each.id, each.module}))


def written_as(name: str) -> str:
    """Return the scheduler that the kernel takes for a name that is written into ``queue/scheduler``."""
    return next((each.id for each in SCHEDULERS.values() if each.alias == name), name)


def compiled_out(offered: Iterable[str], loadable: Iterable[str]) -> tuple[str, ...]:
    """Return the kernel's own schedulers that this kernel has neither built in nor as a module."""
    there = {*offered, *loadable}
    return tuple(name for name in kernel_schedulers() if name not in there)


for _each in SCHEDULERS.values():
    if _each.successor not in (None, *SCHEDULERS) or (_each.successor and not _each.became):
        raise ValueError(f"not a successor: {_each}")
