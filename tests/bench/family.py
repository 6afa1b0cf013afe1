# SPDX-License-Identifier: GPL-3.0-or-later
"""How often whole comparisons are right on a family of simulated disks, and whether they take the time they announce.

``./dev bench family`` compares on the disks ``DISKTUNER_SEEDS`` (0-9; tests/simdisk/family.py) for the goals
``DISKTUNER_GOALS``, quiet and busy (two processes take half of a processor each, at random times).
``DISKTUNER_KEPT=tests/data/family.jsonl`` keeps all that is found, of which ``./dev docs`` makes the table of
docs/method.md; ``DISKTUNER_WAY`` names this version there ("now").
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from disktuner.vocabulary.workloads import WORKLOADS
from tests.bench.disks import LATE, announced, ended, kept_file, percent, root, say, seeds, stoppable, whole
from tests.conftest import LoopDisk
from tests.simdisk.family import EQUAL, Truth, answers, busy, draw, measure, member, worth_measuring

FOUND = Path(__file__).parents[1] / "data/family.jsonl"
STATES = ("quiet", "busy")
BURNERS = 2


@dataclass(frozen=True, slots=True)
class Compared:
    """One comparison; times in seconds: ``announced_s`` 0 where it said nothing, ``least_s`` where it said one time."""

    seed: int
    goal: str
    state: str
    way: str
    decision: str
    winner: str | None
    announced_s: float
    took_s: float
    rounds: int
    why: str = ""
    least_s: float = 0.0

    @property
    def key(self) -> tuple[int, str, str, str]:
        """What is not done twice."""
        return self.seed, self.goal, self.state, self.way

    @property
    def kept_time(self) -> bool:
        """Whether it took what it announced, neither more nor less."""
        return (self.least_s or self.announced_s) / LATE <= self.took_s <= LATE * self.announced_s


class Book:
    """All that was found, in memory and, a line each, in a file.

    Attributes: ``compared`` by key; ``figures`` of long runs by seed and workload.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self.compared: dict[tuple[int, str, str, str], Compared] = {}
        self.figures: dict[tuple[int, str], dict[str, dict[str, list[float]]]] = {}
        for line in file.read_text().splitlines() if file and file.exists() else ():
            self._take(json.loads(line))

    def _take(self, found: dict[str, Any]) -> None:
        if "figures" in found:
            self.figures[found["seed"], found["workload"]] = found["figures"]
        else:
            each = Compared(**found)
            self.compared[each.key] = each

    def add(self, **found: Any) -> None:
        """Keep a line; the file may be another user's, who started all this."""
        self._take(found)
        if self._file:
            root()("tee", "-a", self._file, stdin=json.dumps(found) + "\n")

    def truth(self, seed: int, goal: str) -> Truth | None:
        """What is right for a goal on a disk, None where that was not found out."""
        if draw(seed).kind == "null":
            return EQUAL
        if not all(self.knows(seed, workload) for workload in worth_measuring(goal, all_prices=False)):
            return None
        found = (self.figures.get((seed, workload), {}) for workload in worth_measuring(goal))
        return answers(goal, {name: row for each in found for name, row in each.items()})

    def knows(self, seed: int, workload: str) -> bool:
        """Whether there are figures of long runs, with the metric that stands for the workload today."""
        return f"{workload}.{WORKLOADS[workload].deciding}" in self.figures.get((seed, workload), {})


def on_disk(book: Book, seed: int, goals: Sequence[str], way: str) -> None:
    """Do what is missing for one disk of the family."""
    drawn = draw(seed)
    needed = () if drawn.kind == "null" else (name for goal in goals for name in worth_measuring(goal))
    missing = [name for name in dict.fromkeys(needed) if not book.knows(seed, name)]
    keys = [key for state in STATES for goal in goals if (key := (seed, goal, state, way)) not in book.compared]
    if not missing and not keys:
        return
    say(f"disk {seed}: {drawn.kind} {' '.join(drawn.settings)}, depth {drawn.depth}, {drawn.size_mb} MB")
    with tempfile.TemporaryDirectory() as folder, whole(member(root(), Path(folder), drawn)) as disk:
        for workload in missing:
            say(f"  {workload} is run for long")
            book.add(seed=seed, workload=workload, figures=measure(disk, root(), workload, goals))
        for key in keys:
            found = compare(disk, Path(folder), key)
            book.add(**asdict(found))
            truth = book.truth(seed, found.goal)
            time_ = f"{found.took_s:.0f} s of {found.announced_s:.0f} s announced, {found.rounds} rounds"
            right = f"{grade_of(found, truth)}; right: {set(truth.right)}" if truth else "?"
            say(f"  {found.goal}, {found.state}: {found.decision} {found.winner or ''} [{right}], {time_}")


def compare(disk: LoopDisk, folder: Path, key: tuple[int, str, str, str]) -> Compared:
    """Compare all schedulers once on the quick budget, as a user would."""
    seed, goal, state, _ = key
    out = folder / "result.json"
    out.unlink(missing_ok=True)
    options = ("--goal", goal, "--budget", "quick", "--seed", seed, "--out", out, "--json")
    began = time.monotonic()
    with busy(BURNERS, seed) if state == "busy" else nullcontext():
        status, text, said = ended("compare", disk.folder, *options)
    took_s = time.monotonic() - began
    least_s, announced_s = announced(said)
    if status:
        return Compared(*key, "failed", None, announced_s, took_s, 0, said.strip()[-500:], least_s)
    verdict = json.loads(text)["verdict"]
    rounds = len({sample["round"] for sample in json.loads(out.read_text())["samples"]})
    return Compared(*key, verdict["decision"], verdict["winner"], announced_s, took_s, rounds, verdict["why"], least_s)


# ---- the table -----------------------------------------------------------------------------------------------------


def grade_of(found: Compared, truth: Truth) -> str:
    """Where an answer stands."""
    return truth.grade(found.decision, found.winner)


Rows = Sequence[tuple[Compared, Truth]]
COLUMNS: tuple[tuple[str, Callable[[Compared, Truth], bool]], ...] = (
    ("right", lambda found, truth: grade_of(found, truth) in {"right", "border"}),
    ("wrong", lambda found, truth: grade_of(found, truth) == "wrong"),
    ("no answer", lambda found, truth: grade_of(found, truth) == "undecided"),
    ("time kept", lambda found, _: found.kept_time),
)


def table(book: Book) -> str:
    """Everything that is there and whose truth is known, the ways beside each other."""
    known = [(each, truth) for each in book.compared.values() if (truth := book.truth(each.seed, each.goal))]
    ways = sorted({each.way for each, _ in known})
    heads = [f"{name}: {way}" for name, _ in COLUMNS for way in ways]
    text = [f"| disks, state | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    for name, rows in groups(known):
        by_way = [[pair for pair in rows if pair[0].way == way] for way in ways]
        cells = [
            f"{sum(test(*pair) for pair in of)} of {len(of)}" if of else "–" for _, test in COLUMNS for of in by_way
        ]
        text.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*text, "", *(summary(way, [pair for pair in known if pair[0].way == way]) for way in ways)])


def groups(known: Rows) -> Iterator[tuple[str, Rows]]:
    """By kind of disk, goal and state; all at the end."""
    parts: dict[str, list[tuple[Compared, Truth]]] = {}
    for pair in sorted(known, key=lambda pair: (draw(pair[0].seed).kind, *pair[0].key)):
        parts.setdefault(f"{draw(pair[0].seed).kind}, {pair[0].goal}, {pair[0].state}", []).append(pair)
    yield from parts.items()
    for state in sorted({each.state for each, _ in known}):
        yield f"**all, {state}**", [pair for pair in known if pair[0].state == state]


def summary(way: str, rows: Rows) -> str:
    """One way in a sentence."""
    grades = [grade_of(*pair) for pair in rows]
    nothing = [found.decision == "switch" for found, truth in rows if truth is EQUAL]
    late = [found.took_s > LATE * found.announced_s for found, _ in rows]
    return (
        f"*{way}*: answered and right {percent(each in {'right', 'border'} for each in grades)}, of these near a "
        f"limit, where two answers are right, {grades.count('border')}; more careful or less of a gain than possible "
        f"{percent(each == 'lesser' for each in grades)}; wrong {percent(each == 'wrong' for each in grades)}; "
        f"a switch where nothing differs {percent(nothing)}; "
        f"time kept within 20 % {percent(found.kept_time for found, _ in rows)}, longer {percent(late)}.\n"
    )


def main() -> int:
    """Do what is missing, then print the table; 1 where a disk could not be finished."""
    stoppable()
    book, failed = Book(kept_file()), 0
    goals = os.environ.get("DISKTUNER_GOALS", "desktop,copying").split(",")
    for seed in seeds("0-9"):
        try:
            on_disk(book, seed, goals, os.environ.get("DISKTUNER_WAY", "now"))
        except AssertionError as error:
            failed += 1
            say(f"disk {seed}: {error}")
    print(table(book))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
