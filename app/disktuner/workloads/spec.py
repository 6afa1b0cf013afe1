# SPDX-License-Identifier: GPL-3.0-or-later
"""How much one run of a workload does on a disk, and what that costs: chosen once, the same for all schedulers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import msgspec
from msgspec import Meta
from msgspec.structs import asdict, replace

from disktuner.vocabulary.messages import Message

MOST_S, LARGEST = 600, 1 << 44
"""What no figure of a spec exceeds, in seconds or otherwise; results may come from anybody."""
SHORTEST_S = 0.5
"""No measured part is made shorter: below that a single hiccup is the run."""
Count = Annotated[int, Meta(gt=0, le=LARGEST)]
CountOrZero = Annotated[int, Meta(ge=0, le=LARGEST)]
Rate = Annotated[float, Meta(gt=0, le=LARGEST)]
Seconds = Annotated[float, Meta(gt=0, le=MOST_S)]
WholeSeconds = Annotated[int, Meta(gt=0, le=MOST_S)]


class BadSpec(ValueError):
    """These are no figures that a run can have."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run costs.

    ``bytes_written`` is the upper bound of what it writes, ``bytes_expected`` what it writes where it takes as long as
    expected. ``bytes_prepared`` are written once before all runs, ``bytes_kept`` is the room that its files take at
    most, ``bytes_source`` the random data in memory that its programs write from. ``bytes_elsewhere`` are written once,
    and kept, on the other disk that is felt.
    """

    bytes_written: int = 0
    bytes_prepared: int = 0
    bytes_kept: int = 0
    bytes_source: int = 0
    bytes_expected: int = -1
    bytes_elsewhere: int = 0

    def __post_init__(self) -> None:
        if self.bytes_expected < 0:
            object.__setattr__(self, "bytes_expected", self.bytes_written)


class Figures(msgspec.Struct, frozen=True):
    """Plain figures that a result keeps, read back strictly; ``ESTIMATES`` change only what a run should cost."""

    ESTIMATES: ClassVar[frozenset[str]] = frozenset()

    def as_json(self) -> dict[str, Any]:
        """Return them as a result keeps them; what is unlimited is left out."""
        return {
            name: value.as_json() if isinstance(value, Figures) else value
            for name, value in asdict(self).items()
            if value != math.inf
        }

    @classmethod
    def from_json(cls, found: object) -> Self:
        """Read what ``as_json`` returned. Raises ``BadSpec`` for all that it cannot have returned."""
        try:
            read = msgspec.convert(found, cls)
        except msgspec.ValidationError as error:
            raise BadSpec(str(error)) from error
        if read.as_json() != found:
            raise BadSpec(f"these are no figures of a run: {found}")
        return read

    def sized(self, share: float) -> Self:  # noqa: ARG002 - most figures stay the same
        """Return what a run has of this that does that share of the work."""
        return self

    def growth(self, other: Figures) -> float:
        """Return how many times as much a run with these does as one with others of the same kind."""
        found = [1.0]
        for name, mine in asdict(self).items():
            its = getattr(other, name)
            if isinstance(mine, Figures):
                found.append(mine.growth(its))
            elif name not in self.ESTIMATES and math.isfinite(mine) and math.isfinite(its):
                found.append(mine / max(its, 1e-9) if mine else 1.0)
        return max(found)


class Spec(Figures, frozen=True):
    """How much one run does, in ``expected_s`` with getting cold; each workload has its own, whose fields say what of.

    ``WORK`` names the figures that a shorter run has less of, with the least of each. ``GROWS`` says that a longer one
    may have more of them than was planned: no file that was prepared is too small for it, and it writes little. Up to
    ``MAY_LAST_S`` a run is not made shorter, whatever others take; its quickest one lasts ``MUST_LAST_S``.
    """

    WORK: ClassVar[Mapping[str, float]] = {}
    GROWS: ClassVar[bool] = False
    MAY_LAST_S: ClassVar[float] = 0.0
    MUST_LAST_S: ClassVar[float] = SHORTEST_S
    ESTIMATES: ClassVar[frozenset[str]] = frozenset({"expected_s"})

    expected_s: Seconds

    @property
    def cost(self) -> Cost:
        """What one run costs besides, worked out from the figures."""
        return Cost()

    @property
    def timeout_s(self) -> float:
        """How long a program of a run may take before it is ended: far longer than any scheduler makes it."""
        return 20 * self.expected_s + 60

    def remark(self) -> Message | None:
        """What is to be said of such runs, beside their figures."""
        return None

    def sized(self, share: float) -> Self:
        """Return the same kind of run with that share of the work, on the same files; with more only where it grows."""
        if share > 1 and not self.GROWS:
            return self
        every = asdict(self)
        less: dict[str, Any] = {name: value.sized(share) for name, value in every.items() if isinstance(value, Figures)}
        less["expected_s"] = share * self.expected_s
        for name, least in self.WORK.items():
            size = type(every[name])(max(least, share * every[name]))
            less[name] = size if share > 1 else min(every[name], size)
        return replace(self, **less)

    def with_estimates(self, fresh: Self) -> Self:
        """Return the same runs, expected to cost at least as much as a spec that was planned here expects."""
        return replace(self, **{name: max(getattr(self, name), getattr(fresh, name)) for name in self.ESTIMATES})


class FileSpec(Spec, frozen=True):
    """Runs that only read a file of ``file_bytes``, which is prepared."""

    file_bytes: Count

    @property
    def cost(self) -> Cost:
        """The file."""
        return Cost(0, self.file_bytes, self.file_bytes)


class ReadSpec(FileSpec, frozen=True):
    """A run reads ``read_bytes`` of the file, over and over where that is less."""

    WORK: ClassVar = {"read_bytes": 4 << 20}

    read_bytes: Count
