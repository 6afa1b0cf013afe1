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
from itertools import repeat
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disktuner.block.waiting import Interval, Witness
from disktuner.results.model import FileSystem, Machine, PlanRecord, Result
from disktuner.verdict.evidence import evidence_of
from disktuner.verdict.judge import decide
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.goals import DESKTOP
from disktuner.vocabulary.questions import question_for
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import DAILY_USE, metrics_of
from disktuner_watch.field.blocks import Block, FeltInterval
from disktuner_watch.field.feeling import DOUBTFUL_LOOK_S

TIMES = int(os.environ.get("DISKTUNER_TIMES", "60"))
DAYS, MINUTE_S = 7, 60.0
Floats = NDArray[np.float64]
CURRENT, OTHER = Setting("none"), Setting("bfq")
WRONG, FOUND = 0.05, 0.93
BURSTS = 0.8
METRICS = {name: metric for name, metric in metrics_of(DAILY_USE).items() if not name.endswith(("gib", "1000"))}
QUESTION = question_for(DESKTOP.id, METRICS.values())
PLAN = PlanRecord(DESKTOP.id, None, (CURRENT, OTHER), CURRENT, (DAILY_USE.id,), 0, question=QUESTION)
EMPTY = Result("bench", "", "", Machine(), {}, FileSystem(), PLAN, METRICS, ())


@dataclass(frozen=True, slots=True)
class Week:
    """A kind of week: by which factor waiting shrinks with the other setting, and how much there is per hour.

    ``false`` is the share of time in which the kernel counts somebody's sleep as waiting: all of some looks, or a part
    of each if only one program sleeps (``of_one``) and others compute meanwhile.
    """

    name: str
    gain: float
    background_s: float = 3.0
    bursts: float = BURSTS
    false: float = 0.0
    of_one: bool = False

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
    *(Week(f"{gain}×, 70% of one program", gain, false=0.7, of_one=True) for gain in (1.0, 2.0)),
)
LOOK_S, TICK_S = DOUBTFUL_LOOK_S, 0.004
"""How often is looked, and what the kernel counts a disk's busy time in."""
LOOKS_AT = np.arange(0, MINUTE_S, LOOK_S)
LOOKED_AT = LOOKS_AT + LOOK_S
LOOKS = LOOKS_AT.size
WRITTEN_OUT, BACKUP_MINUTES, EVERY_MINUTES = 0.15, 20, 300
OF_READS, OF_ONE_READ, SHORT_S, BURST_S = 0.7, 0.5, 0.12, 3.0
"""The share of stalls that wait for reads, the share of those that wait for a single one, whose time the kernel counts
when it ends, and how long a stall lasts: a short one's median, and one of a burst."""


class Stalls(NamedTuple):
    """For each look of a minute: how long programs and reads waited until then, and whether one waits at the moment."""

    waited_s: Floats
    answers_s: Floats
    held_up: NDArray[np.bool_]


def minutes(week: Week, source: np.random.Generator) -> Iterator[tuple[bool, float]]:
    """Yield for each waking minute whether the computer is used, and how long is waited with the first setting."""
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
        for call in waiting:
            yield True, float(call)
        for _ in range(int(source.integers(0, 90))):  # a backup at night, while nobody is there
            yield False, 30.0


def stalls(waiting_s: float, source: np.random.Generator) -> Stalls:
    """Spread a minute's waiting over stalls."""
    waited_s, answers_s, held_up = np.zeros(LOOKS), np.zeros(LOOKS), np.zeros(LOOKS, dtype=bool)
    median_s, left_s = BURST_S if waiting_s > 1.5 else SHORT_S, waiting_s
    while left_s > 1e-3:
        lasts_s = min(left_s, median_s * math.exp(0.8 * source.standard_normal()))
        begins_s = source.random() * MINUTE_S
        ends_s = min(begins_s + lasts_s, MINUTE_S)
        within_s = np.maximum(np.minimum(LOOKED_AT, ends_s) - np.maximum(LOOKS_AT, begins_s), 0)
        waited_s += within_s
        held_up |= (begins_s <= LOOKED_AT) & (ends_s >= LOOKED_AT)
        reads, of_one = source.random(2) < (OF_READS, OF_ONE_READ)
        if reads and of_one:
            answers_s[min(int(ends_s / LOOK_S), LOOKS - 1)] += ends_s - begins_s
        elif reads:
            answers_s += within_s
        left_s -= lasts_s
    return Stalls(np.minimum(waited_s, LOOK_S), answers_s, held_up)


def counted_s(witness: Witness, week: Week, minute: int, stalled: Stalls, source: np.random.Generator) -> float:
    """Return how much of a minute's waiting the program counts."""
    backs_up = minute % EVERY_MINUTES < BACKUP_MINUTES
    false_s = LOOK_S * np.where(week.of_one, week.false, source.random(LOOKS) < week.false)
    pressure_s = np.maximum(stalled.waited_s, false_s)
    ticks_s = TICK_S * np.floor(stalled.waited_s / TICK_S + source.random(LOOKS))
    busy_s = np.where(source.random(LOOKS) < (1.0 if backs_up else WRITTEN_OUT), LOOK_S, ticks_s)
    answers_s = busy_s if backs_up else np.minimum(stalled.answers_s, busy_s)
    rests = busy_s == 0
    witness.note(LOOK_S * float(rests.sum()), float(pressure_s[rests].sum()), 0.0)
    if not witness.is_doubtful:
        return float(np.minimum(pressure_s, busy_s).sum())
    often = round(1.0 / LOOK_S) if backs_up else 1  # a disk that works for long is looked at once a second
    columns = [spent_s.reshape(-1, often).sum(axis=1) for spent_s in (pressure_s, busy_s, answers_s, stalled.waited_s)]
    pressure_s, busy_s, answers_s, waited_s = columns
    may_count = (pressure_s > 0) & (busy_s > 0) & ((answers_s > 0) | (waited_s > 0))
    held_up, wall_s = stalled.held_up[often - 1 :: often], often * LOOK_S
    return sum(
        witness.confirmed_s(
            Interval(wall_s, float(pressure_s[at]), float(busy_s[at]), float(answers_s[at]), wall_s),
            lambda at=at: bool(held_up[at]),
        )
        for at in np.flatnonzero(may_count)
    )


def play(week: Week, seed: int) -> tuple[Decision, float]:
    """Return the answer and the hours of use until it came: judged every hour, the first answer counts."""
    source, block, result, used, looked = np.random.default_rng(seed), Block(0), EMPTY, 0.0, 0
    witness, chance = Witness(), np.random.default_rng((seed, 1))
    for number, (in_use, waiting_s) in enumerate(minutes(week, source)):
        which = block.which(seed)
        stalled_s = min(MINUTE_S, waiting_s / (week.gain if which else 1.0))
        if in_use:
            stalled_s = counted_s(witness, week, number, stalls(stalled_s, chance), chance)
        block, used = block.after(FeltInterval(MINUTE_S, stalled_s, in_use)), used + in_use / 60
        if block.is_over:
            result = replace(result, samples=(*result.samples, *block.samples((CURRENT, OTHER)[which])))
            block = Block(block.order + 1)
        if number % 60 == 0 and len(result.samples) > looked:
            looked = len(result.samples)
            decision = decide(evidence_of(result)).decision
            if decision is not Decision.UNDECIDED:
                return decision, used
    return Decision.UNDECIDED, used


def main() -> int:
    """Print the table; 1 if a promise is broken."""
    failed = False
    print(f"{'difference':26} switch  keep  undecided  hours of use until then ({TIMES} weeks each)")
    with ProcessPoolExecutor(1 if os.environ.get("DISKTUNER_ALONE") else None) as pool:
        for week in WEEKS:
            outcomes = list(pool.map(play, repeat(week), range(TIMES), chunksize=10))
            share = {decision: sum(decision_ is decision for decision_, _ in outcomes) / TIMES for decision in Decision}
            hours = median([used for ending, used in outcomes if ending is not Decision.UNDECIDED] or [math.nan])
            print(f"{week.name:26} {share[Decision.SWITCH]:6.1%} {share[Decision.KEEP]:6.1%} "
                  f"{share[Decision.UNDECIDED]:9.1%}  {hours:.0f}", flush=True)  # fmt: skip
            slack = 2 * (WRONG * (1 - WRONG) / TIMES) ** 0.5
            failed |= share[week.wrong] > WRONG + slack
            failed |= week.gain == 2.0 and week.bursts == BURSTS and share[Decision.SWITCH] < FOUND - slack
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
