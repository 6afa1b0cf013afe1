# SPDX-License-Identifier: GPL-3.0-or-later
"""How true a summary of many machines is where the truth is known, how it finds odd machines, and how fast it is.

``./dev bench fleet`` does three things, each chosen by ``DISKTUNER_FLEET`` (``drawn,odd,time``, all without it):

- ``drawn``: fleets drawn at random (``DISKTUNER_TIMES`` of each kind, else 60, of 30 machines a third) of 2 to 30
  machines that differ by nothing, little or much, measured with unequal noise in 3 to 12 rounds, with and without one
  machine in ten that lies and one file in ten that is a copy: how often all intervals that decide hold the truth, and
  how many verdicts are wrong;
- ``odd``: how often a machine is named where none is odd, and how often the planted one is;
- ``time``: 5,000 files with live figures, read by the command: seconds, and the most memory.

A verdict is wrong if it switches, or offers a trade-off for, what truly gains nothing, or keeps what there is although
something truly gains what is worth a change.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

import disktuner
from disktuner.fleet.gathering import LeftOut
from disktuner.fleet.run import Run, run_of
from disktuner.fleet.summary import Group, Summary, summarise
from disktuner.results.codec import encode
from disktuner.results.columns import column
from disktuner.results.model import FileSystem, Machine, PlanRecord, Result, Sample, SeriesRecord
from disktuner.verdict.model import Decision
from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.workloads import known_metric

NOW = datetime(2026, 11, 24, tzinfo=UTC)
SCHEDULERS = ("mq-deadline", "none", "kyber", "bfq")
LAUNCH, READ, COPY = "launch-under-writes.wall_s", "read-latency-under-writes.slowest_tenth_s", "copy.wall_s"
METRICS = {name: metric for name in (LAUNCH, READ, COPY) if (metric := known_metric(name)) is not None}
DECIDING = (LAUNCH, READ)
GOAL = "desktop"
PROMISED = 0.05


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of a model: the gain of bfq where it decides (1.5 is 50 % faster), and how machines differ.

    ``between`` is the deviation of the logarithms of the machines' own gains, ``noise`` that of a single run, which
    differs between machines by ``uneven`` (a deviation of its logarithm).
    """

    machines: int
    gain: float = 1.0
    between: float = 0.05
    noise: float = 0.1
    uneven: float = 0.5
    liars: float = 0.0

    def log(self, metric: str, name: str) -> float:
        """The true difference of a scheduler, as the logarithm of a ratio of times."""
        return -math.log(self.gain) if name == "bfq" and metric in DECIDING else 0.0


class Drawn:
    """A fleet in the place of a folder: a result per machine, and copies of some under other names."""

    def __init__(self, truth: Truth, seed: int, odd: float = 0.0) -> None:
        self.truth, self.odd = truth, odd
        self._source = np.random.default_rng(seed)
        self._seed = seed

    def runs(self) -> Iterator[Run | LeftOut]:
        """Yield what each file says."""
        for file, result in self.results():
            yield run_of(file, result, NOW)

    def again(self, run: Run, baseline: str) -> Run | LeftOut:
        """Nobody has another baseline here."""
        raise AssertionError(run, baseline)

    def results(self) -> Iterator[tuple[str, Result]]:
        """Yield the files by their names; with liars among them, one in ten is there twice."""
        for number in range(self.truth.machines):
            lies = self._source.random() < self.truth.liars
            shift = self._source.choice([-1, 1]) * self._source.uniform(0.7, 2) if lies else 0.0
            result = self._result(number, self.odd if self.odd and not number else shift)
            yield f"{number}.json", result
            if self.truth.liars and self._source.random() < 0.1:
                yield f"{number}-copy.json", replace(result, id=f"copy-{number}", disk={**result.disk, "serial": "X99"})

    def _result(self, number: int, shift: float) -> Result:
        truth, source = self.truth, self._source
        rounds, noise = int(source.integers(3, 13)), truth.noise * math.exp(source.normal(0, truth.uneven))
        own = source.normal(0, truth.between / 2**0.5, 4)  # half of it is the machine's baseline
        samples = []
        for metric in METRICS:
            differs = source.normal(0, truth.between / 2**0.5, 4)
            logs = source.normal(0, noise, (rounds, 4)) + source.normal(0, noise, (rounds, 1))
            for at, name in enumerate(SCHEDULERS):
                level = truth.log(metric, name) + (differs[at] + own[0] + shift if at else 0.0)
                values = np.exp(logs[:, at] + level)
                samples += [Sample(metric, name, r, r * 4 + at, float(v)) for r, v in enumerate(values)]
        return Result(
            f"drawn-{self._seed}-{number}", "2026-11-01T00:00:00Z", "", Machine("6.12.9-amd64", "", "", 0, ""),
            {"model": "DRAWN 1", "serial": f"DRAWN-{self._seed}-{number}", "kind": "hdd"},
            FileSystem("/", "ext4", (), ()),
            PlanRecord(GOAL, "quick", SCHEDULERS, SCHEDULERS[0], (), 1, 20), METRICS, tuple(samples),
        )  # fmt: skip


def summary_of(drawn: Drawn) -> Summary:
    """Summarise a drawn fleet."""
    return summarise(drawn)


def holds(group: Group, truth: Truth) -> bool:
    """Whether all intervals that decide hold the truth."""
    estimates = [(m, s, group.analysis.estimates[m, s]) for m in DECIDING for s in group.analysis.others]
    return all(e.low is None or e.high is None or e.low <= truth.log(m, s) <= e.high for m, s, e in estimates)


def is_wrong(group: Group, truth: Truth) -> bool:
    """Whether the verdict is wrong, see above."""
    decision, winner = group.verdict.decision, group.verdict.winner
    if decision in (Decision.SWITCH, Decision.TRADE_OFF):
        return not any(truth.log(metric, winner or "") < 0 for metric in DECIDING)
    return decision is Decision.KEEP and truth.gain >= GOALS[GOAL].worth


@dataclass(slots=True)
class Score:
    """What came of some fleets."""

    fleets: int = 0
    held: int = 0
    wrong: int = 0
    decided: int = 0
    named: int = 0
    copies: int = 0

    def add(self, found: Summary, truth: Truth) -> None:
        """Count one fleet."""
        (group,) = found.groups
        self.fleets += 1
        self.held += holds(group, truth)
        self.wrong += is_wrong(group, truth)
        self.decided += group.verdict.decision is not Decision.UNDECIDED
        self.named += bool(group.disagreeing)
        self.copies += len(found.left_out)


def score(truth: Truth, times: int, seed: int) -> Score:
    """Draw fleets and summarise them."""
    found = Score()
    for at in range(times):
        found.add(summarise(Drawn(truth, seed + at)), truth)
    return found


def drawn(times: int) -> None:
    """Print what came of all kinds of fleets."""
    worth = GOALS[GOAL].worth
    kinds = [
        Truth(machines, gain, between, liars=liars)
        for machines, between, gain in itertools.product((2, 3, 5, 10, 30), (0.0, 0.05, 0.25), (1.0, worth, 1.6))
        for liars in ((0.0, 0.1) if machines >= 10 else (0.0,))
    ]
    total = {True: Score(), False: Score()}
    print("machines  differ  gain  liars  intervals hold  wrong  decided  named")
    for number, truth in enumerate(kinds):
        found = score(truth, times if truth.machines <= 10 else max(10, times // 3), number * 10_000)
        _print(truth, found)
        both = total[bool(truth.liars)]
        for name in ("fleets", "held", "wrong", "decided", "named"):
            setattr(both, name, getattr(both, name) + getattr(found, name))
    for lying, found in total.items():
        print(f"{'with' if lying else 'without'} liars: {found.fleets} fleets, intervals hold in "
              f"{found.held / found.fleets:.1%}, wrong {found.wrong / found.fleets:.1%}")  # fmt: skip


def _print(truth: Truth, found: Score) -> None:
    shares = (found.held, found.wrong, found.decided, found.named)
    kind = f"{truth.machines:8}  {truth.between:6.2f}  {truth.gain:4.2f}  {truth.liars:5.2f}"
    print(kind, *(f"{share / found.fleets:8.1%}" for share in shares), f"of {found.fleets}", flush=True)


def odd(times: int) -> None:
    """Print how often one is named without reason, and how often the planted one is."""
    print("machines  differ  named without reason  planted one found: 2 times off, 4 times off")
    for machines, between in itertools.product((4, 6, 10, 20), (0.0, 0.05, 0.25)):
        truth = Truth(machines, 1.6, between)
        named = [bool(_odd(Drawn(truth, seed))) for seed in range(times)]
        found = [
            sum("0.json" in _odd(Drawn(truth, 10**6 + seed, math.log(off))) for seed in range(times // 2))
            / (times // 2)
            for off in (2.0, 4.0)
        ]
        print(f"{machines:8}  {between:6.2f}  {sum(named) / times:7.1%}  {found[0]:7.1%}  {found[1]:7.1%}", flush=True)


def _odd(fleet: Drawn) -> list[str]:
    (group,) = summarise(fleet).groups
    return [file for machine in group.disagreeing for file in machine.files]


def live(orders: int) -> Iterable[SeriesRecord]:
    """Live figures of some runs, as long as a quick comparison leaves them."""
    times = column([at * 0.1 for at in range(50)])
    names = ("read_bytes_per_s", "write_bytes_per_s", "reads_per_s", "writes_per_s", "read_latency_s", "busy")
    for order in range(orders):
        figures = {name: column([order + at * 0.3 for at in range(50)]) for name in names}
        yield SeriesRecord(order, "launch-under-writes", "bfq", order // 4, times, figures)


def write_fleet(folder: Path, files: int, models: Sequence[str] = ("A 1", "B 2", "C 3")) -> None:
    """Write result files with live figures, some broken and some twice."""
    series = tuple(live(40))
    for number in range(files):
        model = models[number % len(models)]
        (_, result), *_ = Drawn(Truth(1, 1.6), number).results()
        disk = {"model": model, "serial": f"SERIAL-{number}", "kind": "hdd"}
        text = encode(replace(result, id=f"drawn-{number}", disk=disk, series=series))
        place = folder / f"{number % 50:02}"
        place.mkdir(exist_ok=True)
        (place / f"{number}.json").write_text(text if number % 100 else text[: len(text) // 2])


def timed(files: int) -> None:
    """Print how long the command takes for so many files, and the most memory."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_fleet(folder, files)
        size = sum(path.stat().st_size for path in folder.rglob("*.json"))
        app = str(Path(disktuner.__path__[0]).parent)
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-P", "-m", "disktuner", "summary", str(folder), "--json"],
            env={**os.environ, "PYTHONPATH": app}, capture_output=True, check=True, text=True,
        )  # fmt: skip
        took = time.monotonic() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    most, busy = used.ru_maxrss / 1024, used.ru_utime + used.ru_stime
    found = json.loads(done.stdout)
    decisions = [(each["model"], each["machines"], each["decision"]) for each in found["groups"]]
    print(f"{files} files, {size / 1e6:.0f} MB: {took:.1f} s ({busy:.1f} of a processor), {most:.0f} MiB at most")
    print(len(found["left_out"]), "left out", decisions)


def main() -> None:
    """Do what was asked for."""
    asked = os.environ.get("DISKTUNER_FLEET", "drawn,odd,time").split(",")
    times = int(os.environ.get("DISKTUNER_TIMES", "60"))
    parts = {"drawn": lambda: drawn(times), "odd": lambda: odd(times * 4), "time": lambda: timed(5000)}
    for name in asked:
        parts[name]()


if __name__ == "__main__":
    main()
