# SPDX-License-Identifier: GPL-3.0-or-later
"""What an experiment reports to its listeners while it goes on: immutable events, in order, from its thread."""

from __future__ import annotations

from dataclasses import dataclass

from disktuner.block.counters import Figures
from disktuner.experiment.progress import Advance
from disktuner.results.model import Result, Sample
from disktuner.vocabulary.messages import Message
from disktuner.vocabulary.settings import Setting


@dataclass(frozen=True, slots=True)
class Phase:
    """A new phase began: ``tidying``, ``probing``, ``preparing``, ``warming-up``, ``measuring``, ``cleaning``."""

    message: Message


@dataclass(frozen=True, slots=True)
class Preparing:
    """The ``number``-th of ``count`` preparations began: a workload's files of ``size_bytes`` are written, or it is run
    under a ``setting`` without being counted.
    """

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
    """The run that was started last is over; ``sample`` is what it says of the metric that stands for its workload."""

    workload: str
    sample: Sample


@dataclass(frozen=True, slots=True)
class LivePoint:
    """The figures since the last point, over all disks below the folder; times are monotonic seconds.

    ``setting`` is None in what does not count.
    """

    time_s: float
    order: int
    setting: Setting | None
    figures: Figures


@dataclass(frozen=True, slots=True)
class RoundDone:
    """A round is complete; ``result`` holds all samples so far."""

    round: int
    result: Result


@dataclass(frozen=True, slots=True)
class Warned:
    """Something the user must know came up."""

    message: Message


@dataclass(frozen=True, slots=True)
class Kept:
    """It ends early; what was measured is kept: ``result`` is an id, or a file that is not in the store."""

    result: str


Event = Phase | Preparing | RunStarted | LivePoint | RunDone | RoundDone | Warned | Kept
