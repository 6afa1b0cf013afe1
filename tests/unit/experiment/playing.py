# SPDX-License-Identifier: GPL-3.0-or-later
"""Experiments without a disk: a clock that stands still, and a runner that does what the test says."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from tests.unit.verdict.making import result_of

from disktuner.experiment.events import Event
from disktuner.experiment.experiment import Experiment
from disktuner.experiment.plan import Plan, Planned
from disktuner.experiment.rounds import Turn
from disktuner.experiment.run import DiskRunner, Run
from disktuner.results.model import Addition, PlanRecord, Result, Sample
from disktuner.vocabulary.errors import DisktunerError
from disktuner.vocabulary.messages import Message
from disktuner.vocabulary.reasons import REASONS
from disktuner.vocabulary.settings import Setting
from disktuner.workloads.catalogue import find
from disktuner.workloads.dd import WriteSpec
from disktuner.workloads.processes import Control
from disktuner.workloads.workload import Workload

TWO = (Setting("none"), Setting("bfq"))
EMPTY = result_of({}, ("none", "bfq"), goal=None)
WORKLOADS = ("dd-write", "dd-read", "copy")


class Clock:
    """A clock that only advances when told."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


class Paused(Control):
    """A control that pauses before its runs for as long as told."""

    def __init__(self, clock: Clock, pauses_s: Iterable[float] = ()) -> None:
        super().__init__()
        self._clock, self._pauses_s = clock, deque(pauses_s)

    def wait_while_paused(self) -> float:
        self.check()
        seconds = self._pauses_s.popleft() if self._pauses_s else 0.0
        self._clock.now_s += seconds
        return seconds


@dataclass
class Played(DiskRunner):
    """A runner whose runs take ``times`` what is expected, by workload and setting, and fail for ``reasons``.

    ``reasons`` are those of the first runs, None for a run that counts. ``before`` is called before each run with its
    order. A run writes ``share_written`` of its allowance. Requests are recorded.
    """

    clock: Clock
    times: Callable[[str, str], float] = lambda _workload, _scheduler: 1.0
    asked_s: float = 0.0
    reasons: Iterable[Message | None] = ()
    values: Callable[[int, str], float] = lambda _number, _scheduler: 1.0
    before: Callable[[int], object] = lambda _order: None
    share_written: float = 1.0
    knows_bytes: bool = True
    prepared: list[str] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    piloted: list[tuple[str, str]] = field(default_factory=list)
    ran: list[tuple[str, str, int]] = field(default_factory=list)
    took: list[float] = field(default_factory=list)
    began: list[float] = field(default_factory=list)
    patience: list[float] = field(default_factory=list)
    written: float = 0.0
    closed: bool = False

    def __post_init__(self) -> None:
        self._reasons = iter(self.reasons)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.closed = True

    def prepare(self, _begins: Callable[[Planned], object]) -> float:
        self.clock.now_s += self.asked_s
        return self.asked_s

    def prepare_for(self, workload: Workload, _begins: Callable[[Planned], object]) -> None:
        self.prepared.append(workload.id)

    def use(self, setting: Setting) -> None:
        self.used.append(setting.name)

    def written_bytes(self) -> int | None:
        return round(self.written) if self.knows_bytes else None

    def pilot(self, planned: Planned, abort_after_s: float) -> float | None:
        self.piloted.append((planned.workload.id, self.used[-1]))
        return self._take(planned, self.used[-1], abort_after_s)

    def run(self, planned: Planned, setting: Setting, number: int, order: int, abort_after_s: float = 0.0) -> Run:
        self.before(order)
        assert self.used[-1] == setting.name
        took_s = self._take(planned, setting.name, abort_after_s)
        self.ran.append((planned.workload.id, setting.name, number))
        self.patience.append(abort_after_s)
        reason = next(self._reasons, None)
        valid = reason is None or not REASONS[reason.id].invalid
        metric = f"{planned.workload.id}.{planned.workload.deciding}"
        value = self.values(number, setting.name)
        return Run(Addition((Sample(metric, setting, number, order, value, valid, reason, "", took_s),)), took_s)

    def _take(self, planned: Planned, name: str, abort_after_s: float) -> float:
        took_s = min(planned.spec.expected_s * self.times(planned.workload.id, name), abort_after_s)
        self.began.append(self.clock.now_s)
        self.clock.now_s += took_s
        self.took.append(took_s)
        self.written += planned.spec.cost.bytes_written * self.share_written
        return took_s


@dataclass(frozen=True)
class Ended:
    """The outcome of an experiment."""

    result: Result
    error: DisktunerError | None
    events: list[Event]
    saved: list[Addition]

    @property
    def rounds(self) -> list[int]:
        """The rounds with a sample that counts."""
        return sorted({sample.round for sample in self.result.samples if sample.valid})

    @property
    def warnings(self) -> list[str]:
        """The ids of the result's warnings, except how much was written."""
        return [warning.id for warning in self.result.warnings if warning.id != "bytes-written"]


def plan(rounds: int = 4, workloads: int = 1, pricing: tuple[str, ...] = (), **changes: object) -> Plan:
    """Return a plan for settings, the first being the baseline; a run should take a second and write 10 bytes."""
    settings = changes.pop("settings", TWO)
    assert isinstance(settings, tuple)
    planned = tuple(Planned(find(id_), WriteSpec(1.0, 10), id_ not in pricing) for id_ in WORKLOADS[:workloads])
    values: Mapping[str, object] = {"run_s": 3.0, "piloted": settings} | changes
    record = PlanRecord(None, None, settings, settings[0], WORKLOADS[:workloads], 1)
    return Plan(Path("/x"), ("sda",), record, planned, rounds, rounds, **values)  # type: ignore[arg-type]


def play(
    plan: Plan,
    runner: Played,
    next_turn: Callable[[Result], Turn] | None = None,
    control: Control | None = None,
    save: Callable[[Addition], object] = lambda _: None,
    before: Result = EMPTY,
) -> Ended:
    """Run an experiment to its end, good or bad; what ``save`` accepted was saved."""
    events: list[Event] = []
    saved: list[Addition] = []

    def keep(addition: Addition) -> None:
        save(addition)
        saved.append(addition)

    everything = Turn(dict.fromkeys(plan.record.workloads, plan.settings))
    experiment = Experiment(
        plan, before, runner=runner, save=keep, listener=events.append, control=control or Control(),
        next_turn=next_turn or (lambda _: everything), clock=runner.clock,
    )  # fmt: skip
    error: DisktunerError | None = None
    try:
        experiment.run()
    except DisktunerError as problem:
        error = problem
    assert runner.closed, "what the runner took is given back"
    return Ended(experiment.result, error, events, saved)
