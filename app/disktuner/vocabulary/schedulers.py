# SPDX-License-Identifier: GPL-3.0-or-later
"""The schedulers: what each does and costs, its mark in every picture, and what became of those of old kernels.

Colours: M. Okabe and K. Ito, "Color universal design" (2008), lightened or darkened for a contrast of at least 3 to 1
with either background (WCAG 2.2, 1.4.11). Shapes differ, too: nobody needs to see colours.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from disktuner.vocabulary.tables import table

_COLOUR = re.compile(r"#[0-9a-f]{6}")
_SHAPES = frozenset("sD^oPXvp")


@dataclass(frozen=True, slots=True)
class Mark:
    """How a scheduler is drawn: its colour on a light and on a dark ground, and one of matplotlib's marker shapes."""

    light: str
    dark: str
    shape: str

    def __post_init__(self) -> None:
        if not (_COLOUR.fullmatch(self.light) and _COLOUR.fullmatch(self.dark) and self.shape in _SHAPES):
            raise ValueError(f"not a mark: {self}")

    def colour(self, dark: bool) -> str:
        """Return the colour on a light or dark ground, as ``#rrggbb``."""
        return self.dark if dark else self.light


@dataclass(frozen=True, slots=True)
class Scheduler:
    """A scheduler by the name that the kernel gives it.

    ``about`` says in plain words what it does. ``rank`` orders by machinery, which is also the cost per request: of
    several of which none is better, the lowest is chosen. ``became`` says what became of a scheduler that current
    kernels do not have; ``successor`` is the name of what took its place, if anything did.
    """

    id: str
    about: str
    rank: float
    mark: Mark
    became: str = ""
    successor: str | None = None


_SQUARE = Mark("#0072b2", "#4aa8e0", "s")
_DIAMOND = Mark("#c25400", "#f08a3c", "D")
_TRIANGLE = Mark("#a8467c", "#e08fbe", "^")
_CIRCLE = Mark("#007a5a", "#2fc79b", "o")
_OTHERS = (
    Mark("#8f6400", "#e69f00", "P"),
    Mark("#7a5195", "#bfa0e0", "X"),
    Mark("#5f6b7a", "#b4bfcc", "v"),
    Mark("#b3261e", "#ff8a80", "p"),
)
_FIFO = "passes requests on as they come; costs nothing, orders nothing"
_SORTING = "sorts requests and lets none wait too long; reads go first"
_FAIR = "keeps programs responsive and shares fairly; costs the most CPU time"

SCHEDULERS: dict[str, Scheduler] = table(
    Scheduler("none", _FIFO, 0, _SQUARE),
    Scheduler("noop", _FIFO, 1, _SQUARE, "noop is called none since Linux 5.0.", "none"),
    Scheduler("mq-deadline", _SORTING, 2, _DIAMOND),
    Scheduler("deadline", _SORTING, 3, _DIAMOND, "deadline is called mq-deadline since Linux 5.0.", "mq-deadline"),
    Scheduler("kyber", "holds writes back so that reads stay quick; made for fast disks", 4, _TRIANGLE),
    Scheduler(
        "anticipatory",
        "waits after a read for the next one of the same program",
        5,
        _OTHERS[0],
        became="anticipatory was removed in Linux 2.6.33 and has no successor.",
    ),
    Scheduler("bfq", _FAIR, 6, _CIRCLE),
    Scheduler("cfq", _FAIR, 7, _CIRCLE, "cfq was removed in Linux 5.0; bfq is closest to it.", "bfq"),
)
"""Every scheduler of the kernel's own tree, then and now."""

SET = ":"
"""What stands between a scheduler and the tunables that are set beside it, in a setting's name (``settings``)."""

_UNKNOWN = "not one of the kernel's own schedulers; only measuring shows what it does"
_UNKNOWN_RANK = 1000


def scheduler(name: str) -> Scheduler:
    """Return what is known of a scheduler; of a stranger nothing is claimed."""
    return SCHEDULERS.get(name) or Scheduler(name, _UNKNOWN, _UNKNOWN_RANK, other_mark(name))


def other_mark(name: str) -> Mark:
    """Return the mark of what has none of its own: it depends on its name alone."""
    return _OTHERS[zlib.crc32(name.encode()) % len(_OTHERS)]


def shown(name: str) -> str:
    """Return a scheduler's or a setting's name for people: ``bfq:slice_idle=0`` is ``bfq, slice_idle 0``."""
    base, _, tunables = name.partition(SET)
    if base not in SCHEDULERS or not tunables:
        return name
    return ", ".join((base, *(" ".join(part.rpartition("/")[2].split("=", 1)) for part in tunables.split(","))))


def kernel_schedulers() -> tuple[str, ...]:
    """Return the names of those that current kernels have, cheapest first."""
    return tuple(each.id for each in sorted(SCHEDULERS.values(), key=lambda each: each.rank) if not each.became)


def written_as(name: str) -> str:
    """Return the scheduler that the kernel takes for a name that is written into ``queue/scheduler``.

    Source: ``elevator_alias`` of block/mq-deadline.c; the other old names are refused.
    """
    return "mq-deadline" if name == "deadline" else name


def compiled_out(offered: Iterable[str], loadable: Iterable[str]) -> tuple[str, ...]:
    """Return the kernel's own schedulers that this kernel has neither built in nor as a module."""
    there = {*offered, *loadable}
    return tuple(name for name in kernel_schedulers() if name not in there)


for _each in SCHEDULERS.values():
    if _each.successor not in (None, *SCHEDULERS) or (_each.successor and not _each.became):
        raise ValueError(f"not a successor: {_each}")
if len({each.rank for each in SCHEDULERS.values()}) != len(SCHEDULERS):
    raise ValueError("two schedulers of one rank")
