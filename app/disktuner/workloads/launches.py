# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads ``launch-office`` and ``launch-window``: recorded starts of everyday programs, which need not be there.

Their patterns lie beside this file, without names. ``./dev bench replays`` recorded them and compares them with starts.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path

from disktuner.vocabulary.beside import WRITES_BESIDE
from disktuner.workloads.beside import amount_for
from disktuner.workloads.patterns import Pattern, load_pattern
from disktuner.workloads.replay import AROUND_S, Part, Replay
from disktuner.workloads.under_load import QUICK_BYTES
from disktuner.workloads.workload import Probe, Size, preferred

LEAST_READS = 16


class Launch(Replay):
    """``scale`` is how many reads of the start there are, from its beginning: on a slow disk all would take minutes."""

    def __init__(self, id_: str) -> None:
        self.id = id_
        self._beside = WRITES_BESIDE
        self._facts = None

    @cached_property
    def pattern(self) -> Pattern:  # type: ignore[override] # read from its file when it is first needed
        """What the start reads."""
        return load_pattern(Path(__file__).with_name(f"{self.id}.pattern"))

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """All of it, and its beginnings, the longest first."""
        counts = [len(self.pattern.reads)]
        while counts[-1] > LEAST_READS:
            counts.append(max(LEAST_READS, preferred(counts[-1] - 1)))
        return tuple(Part.of(beginning(self.pattern, count)) for count in counts)

    def starts(self, size: Size) -> tuple[Pattern, int]:
        """Its beginning, once."""
        return beginning(self.pattern, size.scale), 1

    def size(self, probe: Probe, seconds: float) -> Size:
        """As much of its beginning as fits into that time and the room, all of it where that does."""
        most_s = seconds - AROUND_S - amount_for(self._beside, probe, 0.0).around_s
        if not probe.seeks_slowly:
            most_s = min(most_s, QUICK_BYTES / 2 / probe.busy_bytes_per_s)
        with_room = (part for part in self.parts if part.has_room(probe))
        part = next((part for part in with_room if part.start_s(probe, self._beside) <= most_s), self.parts[-1])
        return self.sized(part, probe, len(part.pattern.reads), part.start_s(probe, self._beside))


def beginning(pattern: Pattern, reads: int) -> Pattern:
    """Return the first reads of a start."""
    return replace(pattern, reads=pattern.reads[:reads])


RUNNERS = (Launch("launch-office"), Launch("launch-window"))
