# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated disks on which a setting is known to gain, or none is: planted by the queue, found out by long fixed runs.

A hard disk that reads only little ahead seeks between copies that run at once: reading far ahead is the optimum that is
planted. Where that is what the disk has already, nothing is.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.metrics import Better
from disktuner.vocabulary.settings import setting_of
from disktuner.vocabulary.workloads import WORKLOADS, known_metric
from tests.conftest import LoopDisk, Sudo
from tests.simdisk.family import BASELINE, ROUNDS, Drawn, draw, in_turns, member

GOAL, WORKLOAD = "copying", "copy-contended"
LITTLE_KB, MUCH_KB = 32, 4096
HDDS = 5
"""Of the family, every fifth disk is a hard disk that orders its own queue."""


def drawn(number: int) -> Drawn:
    """The hard disk of that number."""
    return draw(HDDS * number)


@contextmanager
def planted(sudo: Sudo, folder: Path, disk: Drawn, reads_ahead_kb: int) -> Iterator[LoopDisk]:
    """The disk, which reads that far ahead."""
    with member(sudo, folder, disk) as there:
        sudo("tee", there.queue / "read_ahead_kb", stdin=str(reads_ahead_kb))
        yield there


@dataclass(frozen=True, slots=True)
class Truth:
    """What each setting truly gains over the plain one, as a factor, and which answers are right."""

    gains: Mapping[str, float]

    @property
    def best(self) -> float:
        """The largest gain."""
        return max(self.gains.values())

    def is_right(self, decision: str, winner: str | None) -> bool:
        """Whether it is the best or within what is worth a change; near the limit, both answers are right."""
        worth = GOALS[GOAL].worth
        near = worth**0.5
        if decision == "keep":
            return self.best < worth * near
        gain = self.gains.get(winner or "", 0.0)
        return decision == "switch" and gain >= worth / near and gain * worth >= self.best

    def is_wrong(self, decision: str, winner: str | None) -> bool:
        """Whether a gain is claimed where there is none, or a clear one denied."""
        if decision == "keep":
            return not self.is_right(decision, winner)
        return decision in {"switch", "trade-off"} and self.gains.get(winner or "", 0.0) <= 1.0


def truth(disk: LoopDisk, sudo: Sudo, plain: str, settings: Sequence[str]) -> Truth:
    """Run the workload that decides with all settings in turns, for long; set by hand, without our helper."""
    before = {name: (disk.queue / name).read_text().strip() for name in ("read_ahead_kb", "nr_requests")}
    found: dict[str, dict[str, list[float]]] = {}
    names = [plain, *settings]
    with closing(in_turns(disk, sudo, WORKLOAD, names, lambda name: _set(sudo, disk, name, before), found)) as turns:
        list(islice(turns, ROUNDS))
    _set(sudo, disk, BASELINE, before)
    name = f"{WORKLOAD}.{WORKLOADS[WORKLOAD].deciding}"
    metric, values = known_metric(name), found[name]
    assert metric
    sign = -1 if metric.better is Better.LOWER else 1
    means = {setting: statistics.geometric_mean(each) for setting, each in values.items()}
    return Truth({setting: (means[setting] / means[plain]) ** sign for setting in settings})


def _set(sudo: Sudo, disk: LoopDisk, name: str, before: Mapping[str, str]) -> None:
    """Set a setting; whatever it does not name is as it was, or as the kernel gives it."""
    wanted = setting_of(name)
    other = "none" if wanted.scheduler != "none" else BASELINE
    for scheduler in (other, wanted.scheduler):
        sudo("tee", disk.queue / "scheduler", stdin=scheduler)
    for tunable, value in before.items():
        sudo("tee", disk.queue / tunable, stdin=value)
    for tunable, number in wanted.tunables:
        sudo("tee", disk.queue / tunable.removeprefix("queue/"), stdin=str(number))
