# SPDX-License-Identifier: GPL-3.0-or-later
"""How much one run of a workload does, and what it costs: chosen once, the same for all schedulers."""

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
"""The limits of a spec's figures, in seconds and otherwise, as results may come from anybody."""
SHORTEST_S = 0.5
"""The least duration of a measured part, so that no single hiccup decides it."""
Count = Annotated[int, Meta(gt=0, le=LARGEST)]
CountOrZero = Annotated[int, Meta(ge=0, le=LARGEST)]
Rate = Annotated[float, Meta(gt=0, le=LARGEST)]
Seconds = Annotated[float, Meta(gt=0, le=MOST_S)]
WholeSeconds = Annotated[int, Meta(gt=0, le=MOST_S)]


class BadSpec(ValueError):
    """Figures that no run can have."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run costs.

    ``bytes_written`` bounds what it writes, ``bytes_expected`` is what it writes in the expected time.
    ``bytes_prepared`` are written once before all runs, ``bytes_kept`` is the most room that its files take,
    ``bytes_source`` the random data in memory that its programs write. ``bytes_elsewhere`` are written once, and kept,
    on the other disk.
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


class Amounts(msgspec.Struct, frozen=True):
    """Amounts of work that a result keeps, parsed strictly; ``ESTIMATES`` only affect the expected cost."""

    ESTIMATES: ClassVar[frozenset[str]] = frozenset()

    def as_json(self) -> dict[str, Any]:
        """Return the figures as a result keeps them, without infinite ones."""
        return {
            name: value.as_json() if isinstance(value, Amounts) else value
            for name, value in asdict(self).items()
            if value != math.inf
        }

    @classmethod
    def from_json(cls, fields: object) -> Self:
        """Parse what ``as_json`` returned. Raises ``BadSpec`` for anything else."""
        try:
            figures = msgspec.convert(fields, cls)
        except msgspec.ValidationError as error:
            raise BadSpec(str(error)) from error
        if figures.as_json() != fields:
            raise BadSpec(f"these are no figures of a run: {fields}")
        return figures

    def sized(self, share: float) -> Self:  # noqa: ARG002 - most figures stay the same
        """Return the figures of a run with ``share`` of the work."""
        return self

    def growth(self, other: Amounts) -> float:
        """Return the ratio of the work of a run with these figures to one with ``other``, of the same kind."""
        ratios = [1.0]
        for name, amount in asdict(self).items():
            other_amount = getattr(other, name)
            if isinstance(amount, Amounts):
                ratios.append(amount.growth(other_amount))
            elif name not in self.ESTIMATES and math.isfinite(amount) and math.isfinite(other_amount):
                ratios.append(amount / max(other_amount, 1e-9) if amount else 1.0)
        return max(ratios)


class Spec(Amounts, frozen=True):
    """How much one run does in ``expected_s``, including getting cold; each workload's own fields say of what.

    ``WORK`` has the figures that a shorter run reduces, with the least of each. If ``CAN_GROW``, a longer run may
    exceed the planned figures: no prepared file is too small for it, and it writes little. A run is not shortened below
    ``MAY_LAST_S`` for the sake of others; the quickest one lasts ``MUST_LAST_S``.
    """

    WORK: ClassVar[Mapping[str, float]] = {}
    CAN_GROW: ClassVar[bool] = False
    MAY_LAST_S: ClassVar[float] = 0.0
    MUST_LAST_S: ClassVar[float] = SHORTEST_S
    ESTIMATES: ClassVar[frozenset[str]] = frozenset({"expected_s"})

    expected_s: Seconds

    @property
    def cost(self) -> Cost:
        """What one run costs besides time."""
        return Cost()

    @property
    def timeout_s(self) -> float:
        """How long a program of a run may take before it is ended: far longer than with any scheduler."""
        return 20 * self.expected_s + 60

    def remark(self) -> Message | None:
        """What to say about such runs besides their figures."""
        return None

    def sized(self, share: float) -> Self:
        """Return the spec with ``share`` of the work on the same files; more than all only if it can grow."""
        if share > 1 and not self.CAN_GROW:
            return self
        every = asdict(self)
        less: dict[str, Any] = {name: value.sized(share) for name, value in every.items() if isinstance(value, Amounts)}
        less["expected_s"] = share * self.expected_s
        for name, least in self.WORK.items():
            size = type(every[name])(max(least, share * every[name]))
            less[name] = size if share > 1 else min(every[name], size)
        return replace(self, **less)

    def with_estimates(self, fresh: Self) -> Self:
        """Return the same spec with estimates no lower than those of a spec just planned on this machine."""
        return replace(self, **{name: max(getattr(self, name), getattr(fresh, name)) for name in self.ESTIMATES})


class FileSpec(Spec, frozen=True):
    """Runs that only read a prepared file of ``file_bytes``."""

    file_bytes: Count

    @property
    def cost(self) -> Cost:
        return Cost(0, self.file_bytes, self.file_bytes)


class ReadSpec(FileSpec, frozen=True):
    """A run reads ``read_bytes`` of the file, repeatedly if the file is smaller."""

    WORK: ClassVar = {"read_bytes": 4 << 20}

    read_bytes: Count
