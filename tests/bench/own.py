# SPDX-License-Identifier: GPL-3.0-or-later
"""How true a comparison with a command of one's own is: no difference where there is none, the built-in's where it is.

``./dev bench own`` does three things, each chosen by ``DISKTUNER_GOALS`` (``drawn,alike,launch``, all without it):

- ``drawn``: comparisons of four names for one scheduler, drawn from real-like noise and judged round by round as the
  program does;
- ``alike``: the same measured, with a small command on a simulated disk (``DISKTUNER_TIMES``, else 40);
- ``launch``: on simulated disks (``DISKTUNER_SEEDS``, else 0-19) the built-in launch beside writers, and its program
  given as a command.

``DISKTUNER_FAMILY`` names a file to which everything is added as it is found, a line each: what is there is not done
again. The budget of what is measured is ``DISKTUNER_TRUTH`` seconds (else 45) and the same for both.
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from disktuner.comparison.comparison import Comparison
from disktuner.comparison.real import SequentialJudge, real_environment
from disktuner.comparison.request import JudgedResult, Request
from disktuner.experiment.rounds import orders
from disktuner.results.definition import Definition
from disktuner.results.model import FileSystem, Machine, PlanRecord, Result, Sample
from disktuner.results.store import Store
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.goals import BUDGETS, OWN, Budget, Limits
from disktuner.vocabulary.workloads import metrics_of
from disktuner.workloads import dependent_reader
from disktuner.workloads.own import COMMAND, OwnCommand
from disktuner.workloads.source import write_file
from disktuner.workloads.under_load import BLOCK_BYTES
from disktuner.workloads.workload import MIB, own_program
from tests.bench.alike import NAMES, Alarms, alarms, alike, report, stop
from tests.bench.family import held, keep, let_through, sudo
from tests.bench.simulation import noise
from tests.simdisk.family import draw, member

DRAWN = 1000
NOISES = ("log-normal", "heavy tails", "outliers", "two modes")
DEVIATIONS = (0.02, 0.05, 0.15)
MOST_ROUNDS = 20
BUDGET = "bench"
COMPARED = ("mq-deadline", "none", "bfq")
FILE_MIB = 128
ALIKE = Definition(
    command="dd if=/dev/zero of={scratch}/a bs=64k count=16 conv=fsync status=none; cat {scratch}/b > /dev/null",
    prepare="dd if=/dev/urandom of={scratch}/b bs=64k count=16 conv=fsync status=none",
    cold=("{scratch}/b",),
)
LAUNCH = "launch-under-writes"

# ---- drawn -----------------------------------------------------------------------------------------------------------


def empty(own: Definition) -> Result:
    """A result of nothing yet, as a comparison with a command begins."""
    plan = PlanRecord(OWN.id, "quick", NAMES, NAMES[0], (COMMAND,), 1, MOST_ROUNDS)
    return Result(
        "drawn", "2026-01-01T00:00:00Z", "", Machine("", "", "", 0, ""), {"name": "sda", "scheduler": NAMES[0]},
        FileSystem("/", "ext4", (), ()), plan, metrics_of(OwnCommand(own).facts), (),
    )  # fmt: skip


def drawn(number: int) -> Alarms:
    """One comparison drawn at random: times and writers' speeds with a drift, stopped as soon as nothing is needed."""
    source, judge = np.random.default_rng(number), SequentialJudge()
    kind, deviation = NOISES[number % len(NOISES)], DEVIATIONS[number % len(DEVIATIONS)]
    result, order = empty(replace(ALIKE, beside="writes")), 0
    turns, slope = orders(NAMES, number), source.uniform(-0.25, 0.25) / (MOST_ROUNDS * len(NAMES))
    racing: Sequence[str] = NAMES
    for turn in range(MOST_ROUNDS):
        samples = []
        for name in (each for each in next(turns) if each in racing):
            logs = deviation * noise(kind, source, (2,)) + slope * order
            pairs = (("wall_s", math.exp(logs[0])), ("write_bytes_per_s", 1e8 * math.exp(logs[1])))
            samples += [Sample(f"{COMMAND}.{metric}", name, turn, order, value) for metric, value in pairs]
            order += 1
        result = replace(result, samples=(*result.samples, *samples))
        needs = judge.needs(result, MOST_ROUNDS - turn - 1)
        racing = needs.get(COMMAND, ())
        if not racing:
            break
    return alarms(JudgedResult(result, judge.verdict(result), Path()))


# ---- measured --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Found:
    """What a comparison came to; ``gain`` of the winner's or the best one's deciding metric, as a ratio of times."""

    decision: str
    winner: str | None
    gains: Mapping[str, float | None]
    seconds: float


class Book:
    """All that was found by key, in memory and, a line each, in a file."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        lines = file.read_text().splitlines() if file and file.exists() else []
        self.found: dict[str, dict[str, Any]] = {each["key"]: each for each in map(json.loads, lines)}

    def add(self, key: str, **found: Any) -> None:
        """Keep a line."""
        self.found[key] = {"key": key, **found}
        if self._file:
            keep(self._file, json.dumps(self.found[key]) + "\n", "a")


def run(request: Request, store: Store, same: bool = False) -> JudgedResult | None:
    """Compare once in this process; None where it could not be measured."""
    real = real_environment(store=store)
    with Comparison(request, alike(real) if same else real) as comparison:
        try:
            return comparison.run(lambda _: None)
        except MeasurementImpossible as error:
            print(f"  {error}", flush=True)
            return None


def found_by(judged: JudgedResult, began: float) -> Found:
    """Say it shortly."""
    verdict = judged.verdict
    gains = {each.scheduler: each.ratio for each in verdict.comparisons if each.metric.endswith(".wall_s")}
    return Found(str(verdict.decision), verdict.winner, gains, time.monotonic() - began)


def measure_alike(book: Book, times: int, store: Store) -> None:
    """One scheduler under four names, with a small command."""
    missing = [seed for seed in range(times) if f"alike {seed}" not in book.found]
    if not missing:
        return
    with disk(1) as folder:
        for seed in missing:
            judged = run(Request(str(folder), OWN.id, BUDGET, NAMES, seed=seed, own=ALIKE), store, same=True)
            if judged:
                one = alarms(judged)
                book.add(f"alike {seed}", **asdict(one))
                print(f"alike {seed}: {one.decision}; {', '.join(one.false) or 'none'}", flush=True)


def measure_launch(book: Book, seeds: Sequence[int], store: Store) -> None:
    """The built-in launch and the same program as a command, on each disk."""
    for seed in seeds:
        if f"launch {seed}" in book.found:
            continue
        with disk(seed) as folder:
            began = time.monotonic()
            built_in = run(Request(str(folder), "desktop", BUDGET, COMPARED, (LAUNCH,), seed), store)
            if built_in is None:
                continue
            first, began = found_by(built_in, began), time.monotonic()
            reads = built_in.result.extra["sizes"][LAUNCH]["scale"]
            own = run(Request(str(folder), OWN.id, BUDGET, COMPARED, seed=seed, own=launch(folder, reads)), store)
            if own:
                second = found_by(own, began)
                book.add(f"launch {seed}", kind=draw(seed).kind, built_in=asdict(first), own=asdict(second))
                print(f"launch {seed} ({draw(seed).kind}): {first} | {second}", flush=True)


def launch(folder: Path, reads: int) -> Definition:
    """The built-in launch as somebody would give it: its program, and the file that it reads, cold."""
    file = folder / "launch.in"
    file.unlink(missing_ok=True)
    write_file(file, FILE_MIB * MIB, 1, lambda: None)
    words = own_program(Path(dependent_reader.__file__), file, reads, BLOCK_BYTES, 1)
    return Definition(command=" ".join(words), cold=(str(file),), beside="writes", shell=None)


@contextmanager
def disk(seed: int) -> Iterator[Path]:
    """A simulated disk of the family, mounted."""
    with held(), tempfile.TemporaryDirectory() as folder, member(sudo, Path(folder), draw(seed)) as made, let_through():
        assert made.folder
        yield made.folder


# ---- said ------------------------------------------------------------------------------------------------------------


def agree(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether both verdicts say the same."""
    return (first["decision"], first["winner"]) == (second["decision"], second["winner"])


def contradict(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether both are decided, and differently."""
    return "undecided" not in (first["decision"], second["decision"]) and not agree(first, second)


def said_of(found: Sequence[Alarms]) -> str:
    """All of them in a paragraph, and how many found a difference in what decides."""
    wrong = sum(bool(each.false_deciding) for each in found)
    return f"{report(found)} With a difference in what decides: {100 * wrong / len(found):.1f} % ({wrong})."


def tell(book: Book) -> None:
    """Print what there is."""
    same = [each for key, each in book.found.items() if key.startswith("alike")]
    if same:
        found = [Alarms(**{name: each[name] for name in Alarms.__slots__}) for each in same]
        print(f"\nMeasured: {said_of(found)}")
    pairs = [each for key, each in book.found.items() if key.startswith("launch")]
    if pairs:
        equal = sum(agree(each["built_in"], each["own"]) for each in pairs)
        winners = sum(each["built_in"]["winner"] == each["own"]["winner"] for each in pairs)
        against = sum(contradict(each["built_in"], each["own"]) for each in pairs)
        said = Counter(f"{each['built_in']['decision']}, {each['own']['decision']}" for each in pairs)
        print(
            f"\nThe built-in launch and the same as a command on {len(pairs)} disks: {equal} equal verdicts "
            f"({winners} with the same winner), {against} that contradict each other. {dict(said)}"
        )


def main() -> int:
    """Do what is wanted and missing."""
    signal.signal(signal.SIGTERM, stop)
    wanted = os.environ.get("DISKTUNER_GOALS", "drawn,alike,launch").split(",")
    seconds = float(os.environ.get("DISKTUNER_TRUTH", "45"))
    BUDGETS[BUDGET] = Budget(BUDGET, "Bench", "Of this bench only.", Limits(seconds, MOST_ROUNDS, 0.4, 1.5, 3, 8e9))
    if "drawn" in wanted:
        print(f"Drawn: {said_of([drawn(number) for number in range(DRAWN)])}", flush=True)
    file = os.environ.get("DISKTUNER_FAMILY")
    book = Book(Path(file) if file else None)
    first, _, last = os.environ.get("DISKTUNER_SEEDS", "0-19").partition("-")
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(os.environ.get("DISKTUNER_KEEP_RESULTS") or folder))
        if "launch" in wanted:
            measure_launch(book, range(int(first), int(last or first) + 1), store)
        if "alike" in wanted:
            measure_alike(book, int(os.environ.get("DISKTUNER_TIMES", "40")), store)
    tell(book)
    return 0


if __name__ == "__main__":
    sys.exit(main())
