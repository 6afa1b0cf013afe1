# SPDX-License-Identifier: GPL-3.0-or-later
"""How often a trial in daily use is right and wrong, by simulated weeks: ``./dev bench bench_field``.

A week has nights with jobs that nobody feels, days without use, suspends, a little waiting all the time, and bursts
that bring most of it. Beside that the disk writes out what nobody waits for, and a backup of the system reads for 20
minutes in five hours. Programs that sleep in io_uring add false pressure where the week has some. The program's own
witness and blocks count it; it is judged every hour. Fails where a promise is broken.
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
from numpy.typing import NDArray

from disktuner.block.waiting import Interval, Witness
from disktuner.field.blocks import Block, Look
from disktuner.field.feeling import DOUBTFUL_LOOK_S
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
Floats = NDArray[np.float64]
CURRENT, OTHER = Setting("none"), Setting("bfq")
WRONG, FOUND, FOUND_BESIDE_FALSE = 0.05, 0.9, 0.8
BURSTS = 0.8
METRICS = {name: metric for name, metric in metrics_of(DAILY_USE).items() if not name.endswith(("gib", "1000"))}
QUESTION = question_for(DESKTOP.id, METRICS.values())
PLAN = PlanRecord(DESKTOP.id, None, (CURRENT, OTHER), CURRENT, (DAILY_USE.id,), 0, question=QUESTION)
EMPTY = Result("bench", "", "", Machine(), {}, FileSystem(), PLAN, METRICS, ())


@dataclass(frozen=True, slots=True)
class Week:
    """A kind of week: how many times less is waited with the other setting, and how much at all, per hour.

    ``false`` is the share of the time in which the kernel counts somebody's sleep as waiting.
    """

    name: str
    gain: float
    background_s: float = 3.0
    bursts: float = BURSTS
    false: float = 0.0

    @property
    def wrong(self) -> Decision:
        """The answer that must not come."""
        return Decision.KEEP if self.gain >= DESKTOP.worth else Decision.SWITCH


WEEKS = (
    *(Week(f"{gain}×", gain) for gain in (1.0, 1.3, 2.0)),
    Week("none, quiet desktop", 1.0, background_s=0.5, bursts=0.2),
    Week("2×, quiet desktop", 2.0, background_s=0.5, bursts=0.2),
    Week("0.7× (worse)", 0.7),
    *(
        Week(f"{gain}×, {false:.0%} false pressure", gain, false=false)
        for false in (0.3, 0.7, 0.98)
        for gain in (1.0, 2.0)
    ),
)
LOOKS = round(MINUTE_S / DOUBTFUL_LOOK_S)
WRITTEN_OUT, BACKUP_MINUTES, EVERY_MINUTES = 0.15, 20, 300
OF_READS, SHORT_S, BURST_S = 0.7, 0.12, 3.0
"""The share of stalls that wait for reads, and how long a stall lasts: a short one's median, and one of a burst."""


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


def stalls(waiting_s: float, source: np.random.Generator) -> tuple[Floats, Floats]:
    """Return for how long each fifth of a second of a minute was waited for reads, and for writes."""
    kinds = np.zeros((2, LOOKS))
    left_s = waiting_s
    while left_s > 1e-3:
        median_s = BURST_S if waiting_s > 1.5 else SHORT_S
        lasts_s = min(left_s, median_s * math.exp(0.8 * source.standard_normal()))
        begins_s = source.random() * MINUTE_S
        looks = np.arange(LOOKS) * DOUBTFUL_LOOK_S
        within = np.minimum(looks + DOUBTFUL_LOOK_S, begins_s + lasts_s) - np.maximum(looks, begins_s)
        kinds[int(source.random() > OF_READS)] += np.clip(within, 0, DOUBTFUL_LOOK_S)
        left_s -= lasts_s
    both = np.minimum(kinds.sum(axis=0), DOUBTFUL_LOOK_S)
    for_reads = np.minimum(kinds[0], both)
    return for_reads, both - for_reads


def counted_s(
    witness: Witness, week: Week, minute: int, stalled: tuple[Floats, Floats], source: np.random.Generator
) -> float:
    """Return how much of a minute's waiting the program counts."""
    look_s = DOUBTFUL_LOOK_S
    for_reads, waited = stalled[0], stalled[0] + stalled[1]
    backs_up = minute % EVERY_MINUTES < BACKUP_MINUTES
    false = look_s * (source.random(LOOKS) < week.false)
    pressure = np.maximum(waited, false)
    busy = np.where(source.random(LOOKS) < (1.0 if backs_up else WRITTEN_OUT), look_s, waited)
    answers = np.full(LOOKS, look_s) if backs_up else for_reads
    rests = busy == 0
    witness.note(look_s * float(rests.sum()), float(pressure[rests].sum()), 0.0)
    if not witness.is_doubtful:
        return float(np.minimum(pressure, busy).sum())
    held_up = source.random(LOOKS) < waited / look_s
    return sum(
        witness.confirmed_s(
            Interval(look_s, float(pressure[at]), float(busy[at]), float(answers[at]), look_s),
            lambda at=at: bool(held_up[at]),
        )
        for at in np.flatnonzero((busy > 0) & (pressure > 0))
    )


def play(week: Week, seed: int) -> tuple[Decision, float]:
    """Return the answer and after how many hours of use it came: looked at every hour, and the first one counts."""
    source, block, result, used, looked = np.random.default_rng(seed), Block(0), EMPTY, 0.0, 0
    witness, chance = Witness(), np.random.default_rng((seed, 1))
    for number, (in_use, waiting_s) in enumerate(minutes(week, source)):
        which = block.which(seed)
        stalled = stalls(min(MINUTE_S, waiting_s / (week.gain if which else 1.0)), chance)
        stalled_s = counted_s(witness, week, number, stalled, chance)
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
    print(f"{'difference':26} switch  keep  undecided  hours of use until then ({TIMES} weeks each)")
    with ProcessPoolExecutor(1 if os.environ.get("DISKTUNER_ALONE") else None) as pool:
        for week in WEEKS:
            found = list(pool.map(_play, [(week, seed) for seed in range(TIMES)], chunksize=10))
            share = {one: sum(each is one for each, _ in found) / TIMES for one in Decision}
            hours = median([used for each, used in found if each is not Decision.UNDECIDED] or [math.nan])
            print(f"{week.name:26} {share[Decision.SWITCH]:6.1%} {share[Decision.KEEP]:6.1%} "
                  f"{share[Decision.UNDECIDED]:9.1%}  {hours:.0f}")  # fmt: skip
            slack = 2 * (WRONG * (1 - WRONG) / TIMES) ** 0.5
            failed |= share[week.wrong] > WRONG + slack
            least = FOUND_BESIDE_FALSE if week.false else FOUND
            failed |= week.gain == 2.0 and week.bursts == BURSTS and share[Decision.SWITCH] < least - slack
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
