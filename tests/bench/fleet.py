# SPDX-License-Identifier: GPL-3.0-or-later
"""How accurate a summary of many machines is when the truth is known, how it finds odd machines, and its speed.

``./dev bench fleet`` does three things (``DISKTUNER_TIMES`` fleets of each kind, else 60):

- fleets drawn at random of 2 to 40 machines that differ by nothing, little or much, measured with unequal noise in 3 to
  12 rounds, with and without one machine in ten that lies and one file in ten that is a copy: how often all lower
  ends of scores hold the truth, and how many verdicts are wrong;
- how often a machine is named where none is odd, and how often the planted one is, also where only bfq differs;
- ``DISKTUNER_FILES`` (else 5,000) files with live figures, read by the command: seconds, and the most memory.

A verdict is wrong if it switches, on a condition or as a trade-off, too, to what truly gains nothing, or keeps what
there is although something truly gains what is worth a change.
"""

from __future__ import annotations

import json
import math
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import numpy as np

from disktuner.results.codec import encode
from disktuner.results.model import Machine, Result, Sample, SeriesRecord, column
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import known_metric
from disktuner_fleet.gathering import LeftOut
from disktuner_fleet.group import Group, group_of
from disktuner_fleet.run import Run, run_of
from disktuner_fleet.summary import summarise
from tests.bench.disks import CHECKOUT
from tests.unit.verdict.making import result_of

COMMAND = CHECKOUT / "packaging/bin/disktuner-fleet"
NOW = datetime(2026, 11, 24, tzinfo=UTC)
SCHEDULERS = ("mq-deadline", "none", "kyber", "bfq")
DECIDING = LAUNCH, READ = "launch-office.wall_s", "read-latency-under-writes.slowest_tenth_s"
COPY = "copy.wall_s"
METRICS = {name: metric for name in (LAUNCH, READ, COPY) if (metric := known_metric(name)) is not None}
GOAL = "desktop"
DIFFERS = (0.0, 0.05, 0.25)
NOISE, UNEVEN = 0.1, 0.5
"""The deviation of a single run, and by how much that differs between machines (a deviation of its logarithm)."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A fleet: a result per machine, and copies of some under other names.

    ``gain`` is what bfq truly gains where it decides (1.5 is 50 % faster), ``between`` the deviation of the logarithms
    of the machines' own gains, of all schedulers but bfq times ``others``.
    """

    machines: int
    gain: float = 1.0
    between: float = 0.05
    liars: float = 0.0
    seed: int = 0
    others: float = 1.0

    def log(self, metric: str, name: str) -> float:
        """Return the true gain of a scheduler, as a logarithm."""
        return math.log(self.gain) if name == "bfq" and metric in DECIDING else 0.0

    def runs(self) -> Iterator[Run | LeftOut]:
        """Yield the content of each file."""
        for file, result in self.results():
            yield run_of(file, result, NOW)

    def results(self) -> Iterator[tuple[str, Result]]:
        """Yield the files by name; with liars among them, one in ten is there twice."""
        source = np.random.default_rng(self.seed)
        for number in range(self.machines):
            shift = source.choice([-1, 1]) * source.uniform(0.7, 2) if source.random() < self.liars else 0.0
            result = self._result(number, shift, source)
            yield f"{number}.json", result
            if self.liars and source.random() < 0.1:
                yield f"{number}-copy.json", replace(result, id=f"copy-{number}", disk={**result.disk, "serial": "X99"})

    def _result(self, number: int, shift: float, source: np.random.Generator) -> Result:
        rounds, noise = int(source.integers(3, 13)), NOISE * math.exp(source.normal(0, UNEVEN))
        own_effect = source.normal(0, self.between / 2**0.5)  # half of it is the machine's baseline
        samples = []
        for metric in METRICS:
            differs = source.normal(0, self.between / 2**0.5, 4) + own_effect
            logs = source.normal(0, noise, (rounds, 4)) + source.normal(0, noise, (rounds, 1))
            for at, name in enumerate(SCHEDULERS):
                slower = differs[at] * (1 if name == "bfq" else self.others) - self.log(metric, name) + shift
                values = np.exp(logs[:, at] + (slower if at else 0.0))
                samples += [Sample(metric, Setting(name), r, r * 4 + at, float(v)) for r, v in enumerate(values)]
        name = f"drawn-{self.seed}-{number}"
        disk = {"model": "DRAWN 1", "serial": name.upper(), "kind": "hdd"}
        machine = Machine("6.12.9-amd64")
        return result_of(METRICS, SCHEDULERS, samples, GOAL, id=name, disk=disk, machine=machine, rounds=20)

    def group(self) -> Group:
        """Return its summary: all have one model and one baseline."""
        (group,) = summarise(self.runs(), lambda run, _: run).groups
        return group

    def facts(self) -> tuple[bool, ...]:
        """Return whether all lower ends hold, a switch or a keep is wrong, the verdict is right, and a machine is
        named.
        """
        group = self.group()
        ends = [
            (math.exp(assessment.low), math.exp(self.log(LAUNCH, setting.name)))
            for setting, assessment in group.verdict.assessments.items()
        ]
        decision, gains, worth = group.verdict.decision, self.gain > 1, self.gain >= GOALS[GOAL].worth
        takes = decision not in (Decision.KEEP, Decision.UNDECIDED)
        wrong_switch = takes and not (gains and group.verdict.winner == Setting("bfq"))
        wrong_keep = decision is Decision.KEEP and worth
        right = not wrong_switch and not wrong_keep and decision is not Decision.UNDECIDED
        return (
            all(low is None or low <= truth for low, truth in ends),
            wrong_switch,
            wrong_keep,
            right,
            bool(group.disagreeing),
        )


def drawn(times: int) -> None:
    """Print the outcome for all kinds of fleets."""
    print("machines  differ  gain  liars  lower ends hold  wrong switch  wrong keep  right  named")
    total: dict[bool, list[tuple[bool, ...]]] = {False: [], True: []}
    kinds = product((2, 3, 5, 10, 40), DIFFERS, (1.0, GOALS[GOAL].worth, 1.6), (0.0, 0.1))
    for number, (machines, between, gain, liars) in enumerate(kinds):
        if liars and machines < 10:
            continue
        count = times if machines <= 10 else max(1, times // 3)
        fleets = (Drawn(machines, gain, between, liars, number * 10_000 + at) for at in range(count))
        facts = [fleet.facts() for fleet in fleets]
        total[bool(liars)] += facts
        print(f"{machines:8}  {between:6.2f}  {gain:4.2f}  {liars:5.2f} {shares(facts)}", flush=True)
    for lying, facts in total.items():
        print(f"{'with' if lying else 'without'} liars: {shares(facts)}")


def shares(facts: Sequence[tuple[bool, ...]]) -> str:
    return " ".join(f"{sum(column) / len(facts):8.1%}" for column in zip(*facts, strict=True)) + f" of {len(facts)}"


def odd(times: int) -> None:
    """Print how often a machine is named without reason, and how often the planted one is."""
    print("machines  differ  others  named without reason, planted one found: 2 times off, 4 times off")
    for machines, between, factor in product((4, 6, 10, 20, 40), DIFFERS, (1.0, 0.1)):
        rows = []
        for seed in range(times):
            fleet = Drawn(machines, 1.6, between, seed=seed, others=factor)
            first, *rest = [run_of(file, result, NOW) for file, result in fleet.results()]
            groups = [group_of([slower(first, off), *rest]) for off in (1, 2, 4)]
            named = [[file for machine in group.disagreeing for file in machine.files] for group in groups]
            rows.append((bool(named[0]), "0.json" in named[1], "0.json" in named[2]))
        print(f"{machines:8}  {between:6.2f}  {factor:6.1f}  {shares(rows)}", flush=True)


def slower(run: Run, times: float) -> Run:
    """Return the assessments with all but the baseline so many times slower."""
    effects = {
        metric: {
            name: replace(assessment, gain=assessment.gain - math.log(times)) for name, assessment in by_setting.items()
        }
        for metric, by_setting in run.effects.items()
    }
    return replace(run, effects=effects)


def live(orders: int) -> Iterator[SeriesRecord]:
    """Return live figures of some runs, as many as a quick comparison leaves."""
    times = column([at * 0.1 for at in range(50)])
    names = ("read_bytes_per_s", "write_bytes_per_s", "reads_per_s", "writes_per_s", "read_latency_s", "busy")
    for order in range(orders):
        figures = {name: column([order + at * 0.3 for at in range(50)]) for name in names}
        yield SeriesRecord(order, "launch-office", Setting("bfq"), order // 4, times, figures)


def timed(folder: Path, files: int) -> None:
    """Print how long the command takes for so many files of three models, some broken, and its peak memory."""
    series, size = tuple(live(40)), 0
    for number in range(files):
        (_, result), *_ = Drawn(1, 1.6, seed=number).results()
        disk = {"model": f"MODEL {number % 3}", "serial": f"SERIAL-{number}", "kind": "hdd"}
        text = encode(replace(result, id=f"drawn-{number}", disk=disk, series=series))
        size += (folder / f"{number}.json").write_text(text if number % 100 else text[: len(text) // 2])
    began = time.monotonic()
    completed = subprocess.run([COMMAND, "summary", str(folder), "--json"], capture_output=True, check=True, text=True)
    took = time.monotonic() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = used.ru_utime + used.ru_stime
    print(f"{files} files, {size / 1e6:.0f} MB: {took:.1f} s ({busy:.1f} of a processor), {used.ru_maxrss >> 10} MiB")
    document = json.loads(completed.stdout)
    print(
        len(document["left_out"]),
        "left out",
        [(group_["machines"], group_["decision"]) for group_ in document["groups"]],
    )


def main() -> None:
    times = int(os.environ.get("DISKTUNER_TIMES", "60"))
    drawn(times)
    odd(times)
    with tempfile.TemporaryDirectory() as folder:
        timed(Path(folder), int(os.environ.get("DISKTUNER_FILES", "5000")))


if __name__ == "__main__":
    main()
