# SPDX-License-Identifier: GPL-3.0-or-later
"""The immutable events that an experiment reports to its listeners, in order, from its thread."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, auto

from disktuner.block.counters import Figures
from disktuner.experiment.progress import Advance
from disktuner.results.model import Result, Sample
from disktuner.results.portrait import Portrait
from disktuner.vocabulary.messages import Message
from disktuner.vocabulary.settings import Setting


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase began: ``tidying``, ``probing``, ``preparing``, ``warming-up``, ``measuring``, ``cleaning``."""

    message: Message


@dataclass(frozen=True, slots=True)
class Preparing:
    """Preparation ``number`` of ``count`` began: writing a workload's files of ``size_bytes``, or a run under a
    ``setting`` that sizes the others, and only counts if it is a price's and their size stays."""

    number: int
    count: int
    workload: str
    setting: Setting | None
    size_bytes: int
    advance: Advance


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run of one workload under one setting began."""

    workload: str
    setting: Setting
    round: int
    order: int
    advance: Advance


@dataclass(frozen=True, slots=True)
class RunDone:
    """The last run is over; ``sample`` has the metric that stands for its workload."""

    workload: str
    sample: Sample


@dataclass(frozen=True, slots=True)
class LivePoint:
    """The figures since the last point, for all disks below the folder; times are monotonic seconds.

    ``setting`` is None during preparations and what decides' uncounted runs.
    """

    time_s: float
    order: int
    setting: Setting | None
    figures: Figures


@dataclass(frozen=True, slots=True)
class RoundDone:
    """A round is complete; ``result`` has all samples so far."""

    round: int
    result: Result


class Part(StrEnum):
    """The parts of a portrait, in their order."""

    PREPARE = auto()
    WRITE = auto()
    RECOVER = auto()
    COPY = auto()


@dataclass(frozen=True, slots=True)
class PortraitSoFar:
    """A part of a portrait goes on; ``portrait`` has what is measured by now, None before anything is."""

    part: Part
    portrait: Portrait | None
    advance: Advance


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning for the user."""

    message: Message


@dataclass(frozen=True, slots=True)
class EndedEarly:
    """The experiment ended early and was kept as ``result``: an id, or a file outside the store."""

    result: str


Event = Phase | Preparing | RunStarted | LivePoint | RunDone | RoundDone | PortraitSoFar | Warned | EndedEarly
