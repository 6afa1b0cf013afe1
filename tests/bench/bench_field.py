# SPDX-License-Identifier: GPL-3.0-or-later
"""How often a trial in daily use is right and wrong, by simulated weeks: ``./dev bench bench_field``.

A week has nights with jobs that nobody feels, days without use, suspends, a little waiting all the time, and bursts
that bring most of it. The program's own blocks count it; it is judged every hour. Fails where a promise is broken.
``DISKTUNER_TIMES`` is how many weeks are played of each difference (else 60; the table of docs/field-trial.md: 500).
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from disktuner.field.blocks import Block, Look
from disktuner.results.model import FileSystem, Machine, PlanRecord, Result
from disktuner.verdict.evidence import evidence_of
from disktuner.verdict.judge import decide
from disktuner.verdict.model import Decision
from disktuner.vocabulary.goals import DESKTOP
from disktuner.vocabulary.questions import question_for
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import DAILY_USE, metrics_of

TIMES = int(os.environ.get("DISKTUNER_TIMES", "60"))
DAYS, MINUTE_S = 7, 60.0
CURRENT, OTHER = Setting("none"), Setting("bfq")
WRONG, FOUND = 0.05, 0.9
METRICS = {name: metric for name, metric in metrics_of(DAILY_USE).items() if not name.endswith(("gib", "1000"))}
QUESTION = question_for(DESKTOP.id, METRICS.values())
PLAN = PlanRecord(DESKTOP.id, None, (CURRENT, OTHER), CURRENT, (DAILY_USE.id,), 0, question=QUESTION)
EMPTY = Result("bench", "", "", Machine(), {}, FileSystem(), PLAN, METRICS, ())


@dataclass(frozen=True, slots=True)
class Week:
    """A kind of week: how many times less is waited with the other setting, and how much at all, per hour."""

    name: str
    gain: float
    background_s: float = 3.0
    bursts: float = 0.8

    @property
    def wrong(self) -> Decision:
        """The answer that must not come."""
        return Decision.KEEP if self.gain >= DESKTOP.worth else Decision.SWITCH


WEEKS = (
    *(Week(f"{gain}×", gain) for gain in (1.0, 1.3, 2.0)),
    Week("none, quiet desktop", 1.0, background_s=0.5, bursts=0.2),
    Week("2×, quiet desktop", 2.0, background_s=0.5, bursts=0.2),
    Week("0.7× (worse)", 0.7),
)


def minutes(week: Week, source: np.random.Generator) -> Iterator[tuple[bool, float]]:
    """Yield for each minute that the computer is awake whether it is used, and how long is waited with the first."""
    for _ in range(DAYS):
        if source.random() < 0.15:
            continue  # suspended all day
        count = int(source.uniform(2, 9) * 60)
        waiting, at = np.zeros(count), 0
        while at < count:  # what is done changes, and with it how much is waited
            length = min(count - at, int(source.uniform(30, 180)))
            rate = week.background_s / 60 * math.exp(0.6 * source.standard_normal())
            waiting[at : at + length] = rate * source.gamma(0.5, 2, length)
            at += length
        for _ in range(source.poisson(week.bursts * count / 60)):  # a copy, an update
            first, length = int(source.integers(count)), int(source.integers(1, 4))
            waiting[first : first + length] += 4 * math.exp(source.standard_normal()) / length
        update, began = int(source.integers(count)), source.gamma(1, 2)
        waiting[update : update + 5] += 3 * math.exp(0.8 * source.standard_normal())
        waiting[:3] += began  # the start of the computer
        for one in waiting:
            yield True, float(one)
        for _ in range(int(source.integers(0, 90))):  # a backup at night, while nobody is there
            yield False, 30.0


def play(week: Week, seed: int) -> tuple[Decision, float]:
    """Return the answer and after how many hours of use it came: looked at every hour, and the first one counts."""
    source, block, result, used, looked = np.random.default_rng(seed), Block(0), EMPTY, 0.0, 0
    for number, (in_use, waiting_s) in enumerate(minutes(week, source)):
        which = block.which(seed)
        stalled_s = min(MINUTE_S, waiting_s / (week.gain if which else 1.0))
        block, used = block.after(Look(MINUTE_S, stalled_s, in_use)), used + in_use / 60
        if block.is_over:
            result = replace(result, samples=(*result.samples, *block.samples((CURRENT, OTHER)[which])))
            block = Block(block.order + 1)
        if number % 60 == 0 and len(result.samples) > looked:
            looked = len(result.samples)
            decision = decide(evidence_of(result)).decision
            if decision is not Decision.UNDECIDED:
                return decision, used
    return Decision.UNDECIDED, used


def _play(job: tuple[Week, int]) -> tuple[Decision, float]:
    return play(*job)


def main() -> int:
    """Print the table; 1 where a promise is broken."""
    failed = False
    print(f"{'difference':22} switch  keep  undecided  hours of use until then ({TIMES} weeks each)")
    with ProcessPoolExecutor(1 if os.environ.get("DISKTUNER_ALONE") else None) as pool:
        for week in WEEKS:
            found = list(pool.map(_play, [(week, seed) for seed in range(TIMES)], chunksize=10))
            share = {one: sum(each is one for each, _ in found) / TIMES for one in Decision}
            hours = median([used for each, used in found if each is not Decision.UNDECIDED] or [math.nan])
            print(f"{week.name:22} {share[Decision.SWITCH]:6.1%} {share[Decision.KEEP]:6.1%} "
                  f"{share[Decision.UNDECIDED]:9.1%}  {hours:.0f}")  # fmt: skip
            slack = 2 * (WRONG * (1 - WRONG) / TIMES) ** 0.5
            failed |= share[week.wrong] > WRONG + slack
            failed |= week is WEEKS[2] and share[Decision.SWITCH] < FOUND - slack
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
