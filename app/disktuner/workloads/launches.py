# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads ``launch-office`` and ``launch-under-reads``: the recorded start of an office program, not installed.

Its pattern lies beside this file, without names. ``./dev bench replays`` recorded it and compares it with starts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from disktuner.vocabulary.background import BOTH, WRITES, BackgroundLoad
from disktuner.workloads.load import affordable_s, plan_load
from disktuner.workloads.patterns import Pattern, decode_pattern
from disktuner.workloads.replay import AROUND_S, LEAST_S, Part, Replay, StartSpec, beginning
from disktuner.workloads.workload import Probe, preferred

LEAST_READS = 16
OFFICE = Path(__file__).with_name("launch-office.pattern")


@dataclass(frozen=True, slots=True)
class BeginningSpec(StartSpec):
    """On a slow disk a start would take minutes: then a run has only its beginning."""

    WORK: ClassVar = {"duration_s": LEAST_S, "reads": LEAST_READS}


class Launch(Replay):
    """A start that comes with the product: as much of its beginning as fits into the time and the room."""

    spec_type = BeginningSpec

    def __init__(self, id_: str, load: BackgroundLoad) -> None:
        super().__init__(None, load)
        self.id = id_

    @cached_property
    def pattern(self) -> Pattern:
        """What the start reads, from its file when it is first needed."""
        return decode_pattern(OFFICE.read_text(encoding="ascii"))

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """All of it, and its beginnings, the longest first."""
        counts = [len(self.pattern.reads)]
        while counts[-1] > LEAST_READS:
            counts.append(max(LEAST_READS, preferred(counts[-1] - 1)))
        return tuple(Part.of(beginning(self.pattern, count)) for count in counts)

    def plan(self, probe: Probe, seconds: float, most_bytes: float = math.inf) -> StartSpec:
        """As much of its beginning as fits into that time and the room, all of it where that does."""
        around_s = AROUND_S + plan_load(self._kind, probe, seconds).around_s
        # Two starts that are each too short to tell take as long as one of twice that.
        most_s = max(2 * LEAST_S, min(seconds - around_s, affordable_s(probe, most_bytes)))
        with_room = (part for part in self.parts if part.has_room(probe))
        part = next((part for part in with_room if part.start_s(probe, self._kind) <= most_s), self.parts[-1])
        return self._planned(part, probe, most_bytes)


RUNNERS = (Launch("launch-office", WRITES), Launch("launch-under-reads", BOTH))
