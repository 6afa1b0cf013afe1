# SPDX-License-Identifier: GPL-3.0-or-later
"""One verdict per disk model, kernel series and goal, by the rule of a single result's, and what did not count."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Protocol

from disktuner.fleet.disagreeing import disagreeing
from disktuner.fleet.gathering import LeftOut
from disktuner.fleet.pool import Machine, Pool
from disktuner.fleet.run import Run
from disktuner.results.model import FileSystem, PlanRecord, Result
from disktuner.results.model import Machine as Computer
from disktuner.verdict.analysis import Analysis, analysis_of
from disktuner.verdict.criteria import Criteria
from disktuner.verdict.forecast import MOST_ROUNDS
from disktuner.verdict.judge import decide, simplest
from disktuner.verdict.model import Decision, Verdict
from disktuner.verdict.why import so_far, that_decided
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.workloads import known_metric

_COMMON_SHARE = 0.5
"""What fewer machines than this share of them have measured is not judged for their model."""

FEW_DISAGREE = 0.1
"""A verdict with which more machines disagree than this share is nothing to be rolled out."""

Key = tuple[str, str, str]
"""Model, kernel series and goal."""


@dataclass(frozen=True, slots=True)
class Group:
    """What is known of a disk model under a kernel series for a goal.

    ``machines`` are all that were measured, ``disagreeing`` those among them that do not fit the others and on which
    the verdict does not rest. In ``verdict`` and ``analysis`` a round is a machine: ``verdict.more_rounds`` is how many
    more machines would decide.
    """

    model: str
    kernel: str
    goal: str
    machines: tuple[Machine, ...]
    disagreeing: tuple[Machine, ...]
    pool: Pool
    analysis: Analysis
    verdict: Verdict

    @property
    def shown(self) -> tuple[str, str] | None:
        """The metric and the scheduler that stand for the verdict: the winner's largest gain, else the largest of all.

        None where nothing was compared.
        """
        analysis, winner = self.analysis, self.verdict.winner
        pairs = [(m, s) for s in ((winner,) if winner else analysis.others) for m in analysis.criteria.deciding]
        known = [(gain, *pair) for pair in pairs if (gain := analysis.gain_at(*pair)) is not None]
        if winner is not None:
            proved = [each for each in known if analysis.gains_at(*each[1:])]
            known = proved or known
        return max(known)[1:] if known else None

    @property
    def key(self) -> Key:
        """What the group is about."""
        return self.model, self.kernel, self.goal

    @property
    def is_clear(self) -> bool:
        """Whether it says what to use on such disks: it is decided without a price, and hardly a machine disagrees."""
        decided = self.verdict.decision in (Decision.SWITCH, Decision.KEEP)
        return decided and len(self.disagreeing) <= FEW_DISAGREE * len(self.machines)

    @property
    def unknown(self) -> int:
        """How many files do not say which disk they are about: together they count as one machine."""
        return sum(len(machine.files) for machine in self.machines if not machine.is_known)


@dataclass(frozen=True, slots=True)
class Summary:
    """All groups by model, kernel and goal, what was left out, and how many files were read."""

    groups: tuple[Group, ...]
    left_out: tuple[LeftOut, ...]
    files: int


class Files(Protocol):
    """Where runs come from: a folder of files."""

    def runs(self) -> Iterator[Run | LeftOut]:
        """Yield what each file says."""

    def again(self, run: Run, baseline: str) -> Run | LeftOut:
        """Return what a file says compared with another baseline."""


def summarise(folder: Files, goal: str | None = None) -> Summary:
    """Summarise all result files of a folder, or those for a goal. Raises ``UsageError`` where there is no folder."""
    found = list(folder.runs())
    once = list(_each_once([each for each in found if isinstance(each, Run)]))
    left_out = [each for each in (*found, *once) if isinstance(each, LeftOut)]
    by_key: dict[Key, list[Run]] = defaultdict(list)
    for run in once:
        if isinstance(run, Run) and goal in (None, run.goal):
            by_key[run.model, run.kernel, run.goal].append(run)
    groups = []
    for key in sorted(by_key, key=_order):
        comparable, others = _comparable(by_key[key], folder)
        left_out += others
        if comparable:
            groups.append(_group(key, comparable))
    return Summary(tuple(groups), tuple(sorted(left_out, key=attrgetter("file"))), len(found))


def _order(key: Key) -> tuple[object, ...]:
    model, kernel, goal = key
    return model.casefold(), model, *map(int, kernel.split(".")), goal


def _each_once(runs: Sequence[Run]) -> Iterator[Run | LeftOut]:
    """Yield each measurement once: that of a continued one which holds most, and none of those that were changed."""
    most: dict[bytes, Run] = {}
    for run in runs:
        known = most.get(run.first_round)
        if known is None or run.samples > known.samples:
            most[run.first_round] = run
    ids = Counter(run.id for run in most.values() if run.id)
    for run in runs:
        kept = most[run.first_round]
        if kept is not run:
            yield LeftOut(run.file, message("unfit-same", other=kept.file))
        elif ids[run.id] > 1:
            yield LeftOut(run.file, message("unfit-same-id", result=run.id))
        else:
            yield run


def _comparable(runs: Sequence[Run], folder: Files) -> tuple[list[Run], list[LeftOut]]:
    """Return the runs of a group, all compared with the baseline that most of them have, and the files that cannot be.

    Where what decides was measured on any, what only stands in for it does not count.
    """
    found: list[Run] = []
    left_out: list[LeftOut] = []
    proper = any(not run.criteria.stood_in for run in runs)
    counts = Counter(run.baseline for run in runs)
    most = max(counts.values())
    baseline = simplest([name for name, count in counts.items() if count == most])
    for run in runs:
        if proper and run.criteria.stood_in:
            left_out.append(LeftOut(run.file, message("unfit-stand-in")))
            continue
        same = run if run.baseline == baseline else folder.again(run, baseline)
        if isinstance(same, LeftOut):
            left_out.append(same)
        else:
            found.append(same)
    return found, left_out


def _group(key: Key, runs: Sequence[Run]) -> Group:
    machines = tuple(Machine.of(each) for each in _by_disk(runs))
    everyone = Pool.of_machines(runs[0].baseline, machines)
    found = _criteria(runs, machines)
    candidates = _candidates(found, machines)
    pairs = [(metric, name) for metric in found.deciding for name in candidates]
    odd = disagreeing(*everyone.table(pairs)) if pairs else []
    agreeing = Pool.of_machines(everyone.baseline, [each for at, each in enumerate(machines) if at not in odd])
    analysis = _analysis(key, agreeing, found, candidates)
    verdict = decide(analysis)
    verdict = replace(verdict, why=tuple(_why(analysis, verdict, agreeing)))
    return Group(*key, machines, tuple(machines[at] for at in odd), agreeing, analysis, verdict)


def _by_disk(runs: Sequence[Run]) -> Iterable[list[Run]]:
    """Return the runs of each disk; those that do not name theirs may all be of one, so they are taken for one."""
    found: dict[str | None, list[Run]] = defaultdict(list)
    for run in runs:
        found[run.disk].append(run)
    return found.values()


def _criteria(runs: Sequence[Run], machines: Sequence[Machine]) -> Criteria:
    """Return what decides and what are prices, as far as the machines have measured it in common."""
    there = Counter(metric for machine in machines for metric in {metric for metric, _ in machine.differences})
    decides = dict.fromkeys(metric for run in runs for metric in run.criteria.deciding)
    prices = {metric: share for run in runs for metric, share in run.criteria.prices.items()}
    most = max(there[metric] for metric in decides)
    deciding = tuple(metric for metric in decides if there[metric] >= most * _COMMON_SHARE)
    common = {m: share for m, share in prices.items() if m not in decides and there[m] >= most * _COMMON_SHARE}
    return Criteria(deciding, common, runs[0].criteria.worth, runs[0].criteria.stood_in)


def _candidates(found: Criteria, machines: Sequence[Machine]) -> tuple[str, ...]:
    """Return the schedulers that most machines have compared."""
    counts: Counter[str] = Counter()
    for machine in machines:
        counts.update({name for metric, name in machine.differences if metric in found.deciding})
    return tuple(name for name in sorted(counts) if counts[name] >= len(machines) * _COMMON_SHARE)


def _analysis(key: Key, pool: Pool, found: Criteria, candidates: tuple[str, ...]) -> Analysis:
    """Compare as in a result; what the group has in common stands for what a result says of itself."""
    model, kernel, goal = key
    counted = (*found.deciding, *found.prices)
    metrics = {name: metric for name in counted if (metric := known_metric(name)) is not None}
    plan = PlanRecord(goal, None, (pool.baseline, *candidates), pool.baseline, (), 0)
    computer, nowhere = Computer(kernel, "", "", 0, ""), FileSystem("", "", (), ())
    common = Result("", "", "", computer, {"model": model}, nowhere, plan, metrics, ())
    return analysis_of(common, pool, found, plan.schedulers, metrics.keys())


def _why(analysis: Analysis, verdict: Verdict, pool: Pool) -> Iterator[Message]:
    if verdict.decision is not Decision.UNDECIDED:
        yield from that_decided(analysis, verdict)
        return
    if not analysis.others:
        yield message("machines-nothing-in-common")
        return
    yield from so_far(analysis, verdict)
    if verdict.more_rounds is None:
        yield message("machines-differ-too-much", count=MOST_ROUNDS)
    elif len(pool.machines) == 1:
        yield message("one-machine", count=verdict.more_rounds)
    else:
        yield message("more-machines", count=verdict.more_rounds)
