# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads ``launch-office`` and ``launch-window``: recorded starts of everyday programs, which need not be there.

Their patterns lie beside this file, without names. ``./dev bench replays`` recorded them and compares them with starts.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path

from disktuner.vocabulary.beside import WRITES_BESIDE
from disktuner.workloads.patterns import Pattern, load_pattern
from disktuner.workloads.replay import AROUND_S, Replay, start_time
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

    def part(self, size: Size) -> tuple[Pattern, int]:
        """Its beginning, once."""
        return beginning(self.pattern, size.scale), 1

    def size(self, probe: Probe, seconds: float) -> Size:
        """As much of its beginning as fits into that time, all of it where that does."""
        reads = len(self.pattern.reads)
        while (
            lasting_s := start_time(part := beginning(self.pattern, reads), probe, self._beside)
        ) > seconds - AROUND_S:
            if reads <= LEAST_READS:
                break
            reads = max(LEAST_READS, preferred(reads - 1))
        return self.sized(part, probe, len(part.reads), lasting_s + AROUND_S)


def beginning(pattern: Pattern, reads: int) -> Pattern:
    """Return the first reads of a start."""
    return replace(pattern, reads=pattern.reads[:reads])


RUNNERS = (Launch("launch-office"), Launch("launch-window"))
