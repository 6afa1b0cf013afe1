# SPDX-License-Identifier: GPL-3.0-or-later
"""How often whole comparisons are right on a family of simulated disks, and whether they take the time they announce.

``./dev bench family`` takes what it needs from the environment:

- ``DISKTUNER_SEEDS`` the disks ("0-9,100"; tests/simdisk/family.py), ``DISKTUNER_GOALS``, ``DISKTUNER_STATES`` (quiet;
  busy: two processes take half of a processor each, at random times);
- ``DISKTUNER_BEFORE`` a command of an older disktuner, run in turns with this one on the same disks; ``DISKTUNER_WAY``
  names this one ("now"), so that figures of different days can stand in one table;
- ``DISKTUNER_FAMILY`` a file to which everything is added as it is found, a line each: what is there is not done
  again, and the table is of all that is there;
- ``DISKTUNER_TRUTH=quick`` leaves the prices that the quick budget does not measure out of the truth;
- ``DISKTUNER_WRITE`` a document (docs/method.md) in which the table is put between its marks.

Without root, ``DISKTUNER_SEEDS= DISKTUNER_FAMILY=FILE python -m tests.bench.family`` only makes the table.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from disktuner.vocabulary.workloads import WORKLOADS
from tests.conftest import LoopDisk
from tests.simdisk.family import EQUAL, Truth, answers, busy, draw, measure, member, worth_measuring

COMMAND = str(Path(__file__).resolve().parents[2] / "packaging/bin/disktuner")
NOW, BEFORE = "now", "before"
LATE = 1.2
"""By what factor the time may differ from what was announced."""
TIMEOUT_S = 1200
BURNERS = 2
BEGIN, END = "<!-- family: begin -->", "<!-- family: end -->"
ANNOUNCED = re.compile(r"takes (?:about|(\d+):(\d\d) to)\s+(\d+):(\d\d)")
"""A range; earlier versions announced one time."""


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
        """Keep a line."""
        self._take(found)
        if self._file:
            keep(self._file, json.dumps(found) + "\n", "a")

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


def keep(path: Path, text: str, mode: Literal["a", "w"]) -> None:
    """Write or append, as root where only that may: who started all this."""
    try:
        with path.open(mode) as file:
            file.write(text)
    except PermissionError:
        sudo("tee", *(["-a"] if mode == "a" else []), path, stdin=text)


def sudo(*command: str | Path, stdin: str | None = None) -> str:
    """Run a command as root, as the fixture of the tests does."""
    argv = ["sudo", "-n", "--", *map(str, command)]
    with held():
        done = subprocess.run(argv, input=stdin, capture_output=True, text=True, check=False, timeout=900)
    if done.returncode:
        raise AssertionError(f"{command} ended with {done.returncode}: {done.stderr or done.stdout}")
    return done.stdout


# ---- being told to stop ----------------------------------------------------------------------------------------------

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def stop(*_: object) -> None:
    """Leave everything in order where we are told to stop; being told again changes nothing."""
    for number in STOPS:
        signal.signal(number, signal.SIG_IGN)
    raise SystemExit(143)


@contextmanager
def held() -> Iterator[None]:
    """Be told only afterwards: a disk that is half made would be left behind."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def let_through() -> Iterator[None]:
    """Be told at once within what is ``held``."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)


# ---- running -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be done; ``ways`` are the commands by name."""

    seeds: tuple[int, ...]
    goals: tuple[str, ...]
    states: tuple[str, ...]
    ways: dict[str, list[str]]
    all_prices: bool

    def keys(self, seed: int) -> Iterator[tuple[int, str, str, str]]:
        """All comparisons on a disk; who begins takes turns."""
        for at, (state, goal) in enumerate((state, goal) for state in self.states for goal in self.goals):
            ways = list(self.ways)
            for way in ways[:: -1 if (at + seed) % 2 else 1]:
                yield seed, goal, state, way

    def workloads(self, seed: int) -> tuple[str, ...]:
        """What has to be run long."""
        if draw(seed).kind == "null":
            return ()
        each = (worth_measuring(goal, self.all_prices) for goal in self.goals)
        return tuple(dict.fromkeys(name for names in each for name in names))


def wanted(environment: dict[str, str]) -> Wanted:
    """Read what is wanted."""

    def words(name: str, default: str) -> tuple[str, ...]:
        return tuple(word for word in environment.get(name, default).split(",") if word)

    seeds: list[int] = []
    for word in words("DISKTUNER_SEEDS", "0-9"):
        first, _, last = word.partition("-")
        seeds += range(int(first), int(last or first) + 1)
    ways = {environment.get("DISKTUNER_WAY") or NOW: [COMMAND]}
    if before := environment.get("DISKTUNER_BEFORE"):
        ways[BEFORE] = shlex.split(before)
    return Wanted(
        tuple(seeds),
        words("DISKTUNER_GOALS", "desktop,copying"),
        words("DISKTUNER_STATES", "quiet,busy"),
        ways,
        environment.get("DISKTUNER_TRUTH") != "quick",
    )


def on_disk(book: Book, want: Wanted, seed: int) -> None:
    """Do what is missing for one disk of the family."""
    missing = [workload for workload in want.workloads(seed) if not book.knows(seed, workload)]
    keys = [key for key in want.keys(seed) if key not in book.compared]
    if not missing and not keys:
        return
    drawn = draw(seed)
    say(f"disk {seed}: {drawn.kind} {' '.join(drawn.settings)}, depth {drawn.depth}, {drawn.size_mb} MB")
    with held(), tempfile.TemporaryDirectory() as folder, member(sudo, Path(folder), drawn) as disk, let_through():
        for workload in missing:
            began = time.monotonic()
            book.add(seed=seed, workload=workload, figures=measure(disk, sudo, workload, want.goals))
            say(f"  {workload} is known after {time.monotonic() - began:.0f} s")
        for goal in want.goals:
            tell_truth(book.truth(seed, goal), goal)
        for key in keys:
            found = compare(disk, want.ways[key[-1]], Path(folder), key)
            book.add(**asdict(found))
            tell(found, book.truth(seed, found.goal))


def compare(disk: LoopDisk, command: Sequence[str], folder: Path, key: tuple[int, str, str, str]) -> Compared:
    """Compare all schedulers once on the quick budget, as a user would."""
    seed, goal, state, _ = key
    out = folder / "result.json"
    out.unlink(missing_ok=True)
    argv = [*command, "compare", str(disk.folder), "--goal", goal, "--budget", "quick", "--seed", str(seed)]
    began = time.monotonic()
    with busy(BURNERS, seed) if state == "busy" else nullcontext():
        status, text, said = ended([*argv, "--out", str(out), "--json"])
    took_s = time.monotonic() - began
    least_s, announced_s = announced(said)
    if status:
        return Compared(*key, "failed", None, announced_s, took_s, 0, said.strip()[-500:], least_s)
    verdict = json.loads(text)["verdict"]
    rounds = len({sample["round"] for sample in json.loads(out.read_text())["samples"]})
    return Compared(*key, verdict["decision"], verdict["winner"], announced_s, took_s, rounds, verdict["why"], least_s)


def ended(argv: Sequence[str]) -> tuple[int, str, str]:
    """Run a comparison to its end; where we are told to stop, it is, and gives the disk back itself."""
    process = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "TERM": "dumb", "LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    try:
        text, said = process.communicate(timeout=TIMEOUT_S)
    except BaseException:
        process.terminate()
        try:
            process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
        raise
    return process.returncode, text, said


def say(text: str) -> None:
    """Print a line for whoever waits."""
    print(text, file=sys.stderr, flush=True)


def tell_truth(truth: Truth | None, goal: str) -> None:
    """Print what is right."""
    if truth is None:
        return
    right = ", ".join(sorted(f"{decision} {winner or ''}".strip() for decision, winner in truth.right))
    say(f"  {goal}: right is {right}{' (border)' if truth.is_border else ''}")
    for metric, row in truth.gains.items():
        say(f"    {metric}: {', '.join(f'{name} {factor:.2f}' for name, factor in row.items())}")


def tell(found: Compared, truth: Truth | None) -> None:
    """Print one comparison."""
    grade = grade_of(found, truth) if truth else "?"
    time_ = f"{found.took_s:.0f} s of {found.announced_s:.0f} s announced, {found.rounds} rounds"
    say(f"  {found.goal}, {found.state}, {found.way}: {found.decision} {found.winner or ''} [{grade}], {time_}")
    say(f"    {found.why}")


# ---- the table -----------------------------------------------------------------------------------------------------

Test = Callable[[Compared, Truth], bool]


def grade_of(found: Compared, truth: Truth) -> str:
    """Where an answer stands."""
    return truth.grade(found.decision, found.winner)


COLUMNS: tuple[tuple[str, Test], ...] = (
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
    lines = [f"| disks, state | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    for name, rows in groups(known):
        cells = [share(test, [pair for pair in rows if pair[0].way == way]) for _, test in COLUMNS for way in ways]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *(summary(way, [pair for pair in known if pair[0].way == way]) for way in ways)])


Rows = Sequence[tuple[Compared, Truth]]


def groups(known: Rows) -> Iterator[tuple[str, Rows]]:
    """By kind of disk, goal and state; all at the end."""
    parts: dict[str, list[tuple[Compared, Truth]]] = {}
    for pair in sorted(known, key=lambda pair: (draw(pair[0].seed).kind, *pair[0].key)):
        each = pair[0]
        parts.setdefault(f"{draw(each.seed).kind}, {each.goal}, {each.state}", []).append(pair)
    yield from parts.items()
    for state in sorted({each.state for each, _ in known}):
        yield f"**all, {state}**", [pair for pair in known if pair[0].state == state]


def share(test: Test, rows: Rows) -> str:
    """How many of how many."""
    return f"{sum(test(*pair) for pair in rows)} of {len(rows)}" if rows else "–"


def announced(said: str) -> tuple[float, float]:
    """The least and the most time that was announced; 0 where nothing was."""
    clock = ANNOUNCED.search(said)
    if clock is None:
        return 0.0, 0.0
    least, most = (
        60.0 * int(minutes or 0) + int(seconds or 0) for minutes, seconds in (clock.groups()[:2], clock.groups()[2:])
    )
    return least, most


def percent(part: Iterable[bool]) -> str:
    """A share with what it is of."""
    each = list(part)
    return f"{100 * sum(each) / len(each):.0f} % ({sum(each)} of {len(each)})" if each else "– (of 0)"


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


def write(document: Path, text: str) -> None:
    """Put the table between its marks."""
    before, begin, rest = document.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{document} has no place for the table: put {BEGIN} and {END} into it")
    keep(document, f"{before}{BEGIN}\n{text}\n{END}{after}", "w")


def main() -> int:
    """Do what is missing, then print the table; 1 where a disk could not be finished."""
    for number in STOPS:
        signal.signal(number, stop)
    file, document = (os.environ.get(f"DISKTUNER_{name}") for name in ("FAMILY", "WRITE"))
    book, want = Book(Path(file) if file else None), wanted(dict(os.environ))
    failed = 0
    for seed in want.seeds:
        try:
            on_disk(book, want, seed)
        except Exception as error:
            if signal.getsignal(signal.SIGTERM) is signal.SIG_IGN:  # what went wrong while we stop
                raise
            failed += 1
            say(f"disk {seed}: {type(error).__name__}: {error}")
    found = table(book)
    print(found)
    if document:
        write(Path(document), found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
