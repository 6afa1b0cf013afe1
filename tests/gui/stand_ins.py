# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks, a helper and a comparison for the window's tests and pictures, where no real ones are wanted."""

# ruff: noqa: E501 - tables of values read best in one line each

from __future__ import annotations

import itertools
import math
import os
import random
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer

from disktuner.block.counters import Counters, Figures
from disktuner.block.disk import Disk, Mount, PersistentChoice, Suggestion, Transport, disk_to_json
from disktuner.block.pending import PageCache
from disktuner.block.writers import Writer
from disktuner.checkup.findings import CheckUp, Finding, by_hand
from disktuner.comparison.request import Announcement, JudgedResult, Request
from disktuner.comparison.target import Target
from disktuner.comparison.tasks import settings_for
from disktuner.experiment.events import Event, Kept, LivePoint, Phase, RoundDone, RunDone, RunStarted
from disktuner.experiment.plan import SPARE_BYTES, Plan, Planned
from disktuner.experiment.probe import MOST_BYTES as PROBE_BYTES
from disktuner.experiment.progress import Advance
from disktuner.experiment.run import SchedulerSwitch
from disktuner.experiment.scratch import Leftovers
from disktuner.field.kept import Place as PlaceOfTrial
from disktuner.gui.instruments import Instruments
from disktuner.gui.sources import Sources
from disktuner.helper_client import Call, State, calls
from disktuner.helper_client.calls import Chosen, FieldTrial, Snapshot
from disktuner.memories import known_memories
from disktuner.presentation.kept import KeptResults
from disktuner.results.model import FileSystem, Machine, PlanRecord, Result, Sample
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Verdict
from disktuner.vocabulary import kinds
from disktuner.vocabulary.checks import CHECKS, RULES
from disktuner.vocabulary.errors import Answered, Cancelled, DisktunerError, MeasurementImpossible
from disktuner.vocabulary.messages import Message, literal, message
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.vocabulary.settings import Setting, parse_setting, setting_of
from disktuner.watch.incidents import Incident
from disktuner.watch.service import Service
from disktuner.workloads.catalogue import find
from disktuner.workloads.spec import Cost, Spec
from tests.unit.verdict.making import result_of
from tests.unit.watch import planted

NOWHERE = Path("/nonexistent/disktuner")
RULE = "/etc/udev/rules.d/60-plattenbeschleunigung-fuer-alle.rules:17"
PREPARED_BYTES = 21 * 10**9 - PROBE_BYTES
SCHEDULERS = ("none", "mq-deadline", "kyber", "bfq")
LAUNCH, WRITE = "launch-office.wall_s", "dd-write.bytes_per_s"
METRICS = {
    LAUNCH: Metric(LAUNCH, "s", Better.LOWER, "Time to start an office program while files are written"),
    WRITE: Metric(WRITE, "bytes_per_s", Better.HIGHER, "Writing one big file"),
}
THREADS = (1, 2, 8, 16, 32)
THREAD_METRICS = {
    name: Metric(name, unit, Better.HIGHER, f"Random reads, {count} threads")
    for count in THREADS
    for name, unit in (
        (f"sysbench-rndrd.t{count}_ios_per_s", "per_s"),
        (f"sysbench-rndrd.t{count}_bytes_per_s", "bytes_per_s"),
    )
}
TYPICAL = {
    LAUNCH: {"none": 4.5, "mq-deadline": 6.5, "kyber": 5.9, "bfq": 1.0},
    WRITE: {"none": 131e6, "mq-deadline": 140e6, "kyber": 138e6, "bfq": 127e6},
}


def disk(name: str = "sda", **changes: Any) -> Disk:
    """A 7200 rpm disk, or another."""
    plain = Disk(
        name=name, devno="8:0", diskseq=7, model="WD Blue WD10EZEX", vendor="", serial="WX1", wwn="0x5", size_bytes=10**12,
        kind=kinds.HDD, transport=Transport.SATA, rotational=True, kind_certain=True, removable=False, zoned="none",
        scheduler="mq-deadline", schedulers=SCHEDULERS, loadable=(), tunable=True, why_not=None,
        tunables={"queue/nr_requests": 256, "queue/read_ahead_kb": 128, "queue/wbt_lat_usec": 75000, "queue/rq_affinity": 1,
                  "queue/nomerges": 0, "iosched/read_expire": 500, "iosched/write_expire": 5000, "iosched/fifo_batch": 16},
        mounts=(Mount("/home", "ext4", "/dev/sda2", ("sda2",), 10**12, 412 * 10**9),),
        suggestion=Suggestion("bfq", literal("On a spinning disk it usually keeps programs responsive while something writes.")),
    )  # fmt: skip
    return replace(plain, **changes)


def some_disks(folder: Path) -> tuple[Disk, ...]:
    """One of each that matters: system SSD, big disk with long names, stick with a doubt, a grey one."""
    here = Mount(str(folder), "ext4", "/dev/sda2", ("sda2",), 10**12, 412 * 10**9)
    nvme = Mount("/", "btrfs", "/dev/nvme0n1p2", ("dm-0", "nvme0n1p2"), 500 * 10**9, 120 * 10**9)
    return (
        disk(
            "nvme0n1", diskseq=1, model="Samsung SSD 970 EVO Plus 500GB", kind=kinds.NVME_SSD, transport=Transport.NVME,
            size_bytes=500107862016, rotational=False, scheduler="none", tunables={"queue/nr_requests": 1023}, mounts=(nvme,),
            suggestion=Suggestion("none", literal("A fast NVMe orders its own work; try others only if the machine stutters.")),
        ),
        disk("sda", mounts=(here,)),
        disk(
            "sdb", diskseq=9, vendor="SanDisk", model="Extreme Pro Donaudampfschifffahrtsgesellschaft 256GB", kind=kinds.USB_FLASH,
            transport=Transport.USB, size_bytes=256 * 10**9, kind_certain=False, kind_doubt=literal("the bridge hides the disk"),
            scheduler="bfq", persistent=PersistentChoice("bfq", {}), removable=True, suggestion=None,
            mounts=(Mount("/media/anna/Urlaubsfotos und Steuererklärungen 2019 bis 2026", "exfat", "/dev/sdb1", ("sdb1",), 256 * 10**9, 9 * 10**9),),
        ),
        disk("zram0", diskseq=3, model="", kind=kinds.ZRAM, size_bytes=8 * 10**9, scheduler=None, schedulers=(), tunable=False,
             why_not=literal("Compressed memory has no queue to tune."), mounts=(), suggestion=None, tunables={}),
    )  # fmt: skip


def finding(
    check: str, found: int | str, expected: int | str | None, by: Message, rule: str = "", **given: Any
) -> Finding:
    """What a check-up says; ``fix`` is a setting's name, ``kernel`` what the rule yields, the rest is in the sentences."""
    fix, kernel = given.pop("fix", ""), given.pop("kernel", None)
    return Finding(
        CHECKS[check], found, expected, RULES[rule] if rule else None, message(f"check-{check}", **given),
        message(f"rule-{rule}", kernel=kernel) if rule else None, by, message(f"check-{check}-why", **given),
        message(f"check-{check}-cost", **given), parse_setting(fix) if fix else None,
        by_hand(CHECKS[check], given.get("disk", "sda"), expected, given), CHECKS[check].setting,
    )  # fmt: skip


def read_ahead_of(one: Disk, place: str = RULE) -> tuple[Finding, ...]:
    """Far too much read-ahead, as long as it is; a rule of somebody's sets it."""
    value = one.tunables.get("queue/read_ahead_kb", 0)
    if not isinstance(value, int) or value < 4096 or one.scheduler is None:
        return ()
    by = message("set-by-line", place=place, who="udev")
    fix = f"{one.scheduler}:queue/read_ahead_kb=128"
    return (
        finding(
            "read-ahead-huge", value, 128, by, "read-ahead-default", kernel=128, value=value, fix=fix, disk=one.name
        ),
    )


def many_findings(one: Disk, place: str = RULE) -> tuple[Finding, ...]:
    """One of each severity: to be set here, by hand, and only told."""
    if one.name != "sda":
        return read_ahead_of(one)
    return (
        *read_ahead_of(one, place),
        finding("write-cache-denied", "write through", "write back", message("set-by-hand"), "write-cache"),
        finding("sata-link-slow", "1.5 Gb/s", "6 Gb/s", message("set-by-lowering", speed=1.5), "sata-link",
                speed=1.5, best_speed=6.0, share=0.25),
        finding("discard-at-once", "discard", "nodiscard", message("set-by-line", place="/etc/fstab:3", who="fstab"),
                "discard", path="/media/anna/Urlaubsfotos und Steuererklärungen", timer=message("timer-not")),
    )  # fmt: skip


Settings = Mapping[str, tuple[str, Mapping[str, int]]]
"""Scheduler and tunables by disk."""


def state(first: Settings, kept: Settings) -> State:
    """The helper's memory."""
    return State(
        snapshots=tuple(Snapshot(name, 0, scheduler, tunables, "") for name, (scheduler, tunables) in first.items()),
        held=(),
        persistent=tuple(Chosen(name, name, "", *kept[name], (name,)) for name in kept),
    )


@dataclass
class MemoryHelper:
    """Answers from the event loop as the bus does; ``fails`` is the next call's error, ``fails_at`` those by method.

    A call of a method that it ``waits_at`` is ``waiting``, as while a password is typed, until it is answered.
    """

    calls: list[Call[Any]] = field(default_factory=list)
    first: Settings = field(default_factory=dict)
    kept: Settings = field(default_factory=dict)
    tried: tuple[FieldTrial, ...] = ()
    fails: DisktunerError | None = None
    fails_at: dict[str, DisktunerError] = field(default_factory=dict)
    waits_at: set[str] = field(default_factory=set)
    waiting: list[tuple[Callable[[Any], None], Callable[[DisktunerError], None], Any]] = field(default_factory=list)
    closed: bool = False

    def send(self, call: Call[Any], done: Callable[[Any], None], failed: Callable[[DisktunerError], None]) -> None:
        """Remember the call, unless it only asks what there is."""
        error, answer = self.fails or self.fails_at.get(call.method), self._answer(call)
        if call != calls.get_state():
            self.calls.append(call)
            self.fails = None
        if call.method in self.waits_at:
            self.waiting.append((done, failed, answer))
        else:
            QTimer.singleShot(0, lambda: self._call_back(done, failed, answer, error))

    def _call_back(
        self,
        done: Callable[[Any], None],
        failed: Callable[[DisktunerError], None],
        answer: object,
        error: DisktunerError | None,
    ) -> None:
        if self.closed:
            return
        if error is None:
            done(answer)
        else:
            failed(error)

    def answer(self, error: DisktunerError | None = None) -> None:
        """Let the first call that waits go well, or fail."""
        done, failed, answer = self.waiting.pop(0)
        self._call_back(done, failed, answer, error)

    def wait(self, call: Call[Any], *, gives_up: bool) -> None:
        """In a thread: remember it. Who shares the window's client leaves its trial alone."""
        assert not gives_up
        self.calls.append(call)

    def _answer(self, call: Call[Any]) -> object:
        if call == calls.get_state():
            return replace(state(self.first, self.kept), field_trials=self.tried)
        return "t1" if call.method == calls.begin_trial(()).method else None

    def subscribe(self, changed: Callable[[str], None], trial_ended: Callable[[str, str], None]) -> None:
        self.changed, self.trial_ended = changed, trial_ended

    def close(self) -> None:
        self.closed = True


def trial(scheduler: str, *disks: tuple[str, int]) -> list[Call[Any]]:
    """What the window sends to try a scheduler on disks."""
    return [calls.begin_trial(disks), *(calls.set_trial("t1", name, scheduler) for name, _ in disks)]


@dataclass
class MemoryDesktop:
    """Keeps what it was asked for, in order."""

    asked: list[tuple[Any, ...]] = field(default_factory=list)
    chosen: Callable[[str], object] = lambda _token: None

    def stay_awake(self) -> None:
        self.asked.append(("awake",))

    def rest(self) -> None:
        self.asked.append(("rest",))

    def show_progress(self, done: int, total: int) -> None:
        self.asked.append(("progress", done, total))

    def notify(self, head: str, text: str, chosen: Callable[[str], object]) -> None:
        self.asked.append(("notify", head, text))
        self.chosen = chosen

    def close(self) -> None:
        self.asked.append(("close",))


def result(rounds: int, path: str = "/home", warnings: tuple[Message, ...] = (), noise: float = 0.05) -> Result:
    """Samples as a 7200 rpm disk gives them, with some noise, always the same."""
    source = random.Random(3)
    samples = [
        Sample(
            metric,
            Setting(name),
            number,
            number * 8 + place * 4 + turn,
            typical[name] * math.exp(source.gauss(0, noise)),
        )
        for number in range(rounds)
        for place, (metric, typical) in enumerate(TYPICAL.items())
        for turn, name in enumerate(SCHEDULERS)
    ]
    return result_of(
        METRICS, SCHEDULERS, samples, id="r", app_version="0", machine=Machine("6.1", "Debian 12", "cpu", 8 << 30),
        disk=disk_to_json(disk()), filesystem=FileSystem(path, "ext4", (), ("sda2",)), warnings=warnings,
        baseline=Setting("mq-deadline"), workloads=("launch-office", "dd-write"), seed=3, rounds=rounds,
    )  # fmt: skip


def full_result(rounds: int, path: str = "/home", noise: float = 0.05) -> Result:
    """The same with everything that a result may hold: distributions, thread curves, doubts, a run that does not count."""
    plain = result(rounds, path, noise=noise)
    doubtful = replace(plain.samples[-1], valid=False, reason=message("suspended", slept=40.0))
    waits = {
        each.order: {"latency_s": tuple((round(1e-4 * 1.3**at, 7), n) for at, n in _bins(each.setting.scheduler))}
        for each in plain.samples if each.metric == LAUNCH
    }  # fmt: skip
    return replace(
        plain,
        samples=(*plain.samples[:-1], doubtful, *_thread_samples(rounds)),
        metrics=METRICS | THREAD_METRICS,
        histograms=waits,
        warnings=(message("run-invalid", reason=doubtful.reason), message("virtual-disk", disk="QEMU HARDDISK (sda)")),
    )


def _thread_samples(rounds: int) -> Iterator[Sample]:
    """Random reads: the more threads, the more the schedulers differ."""
    most, source = {"none": 64e6, "mq-deadline": 40e6, "kyber": 52e6, "bfq": 20e6}, random.Random(4)
    for order, (number, name) in enumerate(itertools.product(range(rounds), SCHEDULERS), start=1000):
        for count in THREADS:
            speed = 9e6 + (most[name] - 9e6) * (1 - 1 / count) * math.exp(source.gauss(0, 0.05))
            for unit, size in (("ios", 16384), ("bytes", 1)):
                yield Sample(f"sysbench-rndrd.t{count}_{unit}_per_s", Setting(name), number, order, speed / size)


def _bins(scheduler: str) -> list[tuple[int, int]]:
    """Latencies around a typical one, with a tail that is longer where starting a program takes longer."""
    middle = 8 + 4 * math.log(TYPICAL[LAUNCH][scheduler] * 10)
    return [(step, max(1, int(20000 * math.exp(-((step - middle) ** 2) / (4 + step * 1.5))))) for step in range(42)]


def tuned(
    rounds: int, names: Sequence[str], gains: Mapping[str, float], path: str = "/home", noise: float = 0.03
) -> Result:
    """Settings against the first of them, each so many times faster; where any gains, half leave after two rounds.

    The price is measured of what is tuned, and of who gains.
    """
    source, plain = random.Random(3), result(1, path)
    racing = sorted(names[1:], key=lambda name: -gains.get(name, 1.0))
    samples: list[Sample] = []
    for number in range(rounds):
        for name in (names[0], *racing[: (len(racing) + 1) // 2 if gains and number >= 2 else len(racing)]):
            value = TYPICAL[LAUNCH]["bfq"] / gains.get(name, 1.0) * math.exp(source.gauss(0, noise))
            samples.append(Sample(LAUNCH, setting_of(name), number, len(samples), value, duration_s=5.0))
    for number in range(rounds if gains else 0):
        for name in (names[0], *gains):
            value = TYPICAL[WRITE]["bfq"] * (1 if name == names[0] else 0.93) * math.exp(source.gauss(0, noise))
            samples.append(Sample(WRITE, setting_of(name), number, len(samples), value, duration_s=5.0))
    settings = tuple(map(setting_of, names))
    plan = PlanRecord("desktop", "standard", settings, settings[0], ("launch-office", "dd-write"), 3, rounds, True)
    return replace(plain, id="t", plan=plan, samples=tuple(samples), after="r")


class Files(Spec, frozen=True):
    """A run that writes nothing, with so many bytes of files."""

    prepared: int
    kept: int

    @property
    def cost(self) -> Cost:
        return Cost(0, self.prepared, self.kept)


def with_setting(found: Result, setting: Setting) -> Result:
    """The same of two competitors: as it is set now, and a setting that does as well as bfq."""
    plain = Setting("mq-deadline")
    played_by = {plain: plain, Setting("bfq"): setting}
    samples = tuple(
        replace(each, setting=played_by[each.setting]) for each in found.samples if each.setting in played_by
    )
    return replace(found, samples=samples, plan=replace(found.plan, settings=tuple(played_by.values())))


class ScriptedComparison:
    """Plays a comparison for a bench: real events, no disk, and no clock: as fast as they are taken.

    At the bench's run ``holds_at`` it is paused; it goes on when it is resumed. Only the first rounds are played where
    the bench ``plays`` so many.
    """

    def __init__(self, request: Request, bench: Bench) -> None:
        self.request, self._bench, self._rounds = request, bench, bench.rounds
        self.disks = bench.below(request.target)
        self.settings = tuple(map(Setting, SCHEDULERS))
        if request.after is not None:
            bfq = Setting("bfq")
            self.settings = (bfq, *settings_for(request.goal, self.disks[:1], bfq)[:8])
        elif request.settings:
            self.settings = (Setting("mq-deadline"), *request.settings)
        self._cancelled, self._go = threading.Event(), threading.Event()
        self._go.set()
        self.closed = False

    def announce(self) -> Announcement:
        if self._bench.answer:
            raise Answered.of(self._bench.answer)
        tunes, folder = self.request.after is not None, Path(self.request.target)
        files = Files(0.1, PREPARED_BYTES, 3 * 10**9 - SPARE_BYTES)
        found = [find(each) for each in self.request.workloads or ("launch-office", "dd-write")]
        planned = (Planned(found[0], files), *(Planned(each, Files(0.1, 0, 0)) for each in found[1:]))
        record = PlanRecord(
            self.request.goal, self.request.budget, self.settings,
            self.settings[0] if tunes else Setting("mq-deadline"), tuple(each.id for each in found), 1, tunes=tunes,
        )  # fmt: skip
        plan = Plan(
            folder, tuple(each.name for each in self.disks), record, planned, self._rounds, 999, (), before_s=58.0,
            most_s=172.0, most_bytes=0,
        )  # fmt: skip
        target = Target(folder, self.disks[0].mounts[0], tuple(self.disks))
        return Announcement(target, plan, cautions=self._bench.cautions, refused=self._bench.announces_refusal)

    def run(self, listener: Callable[[Event], None]) -> JudgedResult:
        listener(Phase(message("preparing")))
        of_round = tuple(itertools.product(METRICS, self.settings))
        total, source = self._rounds * len(of_round), random.Random(5)
        played = range(min(self._bench.plays or self._rounds, self._rounds))
        for order, (number, (metric, setting)) in enumerate(itertools.product(played, of_round)):
            if order == self._bench.holds_at:
                self.pause()
            advance = Advance(order / (total + 1), (order + 1) / (total + 1), 3.6, (total - order) * 3.6)
            listener(RunStarted(metric.partition(".")[0], setting, number, order, advance))
            for at in range(self._bench.points):
                self._hold(listener)
                listener(_point(1.2 * (order + at / self._bench.points), order, setting, source))
            value = TYPICAL[metric][setting.scheduler] * source.uniform(0.9, 1.1)
            listener(RunDone(metric.partition(".")[0], Sample(metric, setting, number, order, value)))
            if (order + 1) % len(of_round) == 0:
                listener(RoundDone(number, self._so_far(number + 1)))
        found = self._found()
        return JudgedResult(found, self._bench.verdict(found), Path("/nowhere/result.json"), self.disks)

    def _so_far(self, rounds: int) -> Result:
        if self.request.after is not None:
            return tuned(rounds, [each.name for each in self.settings], self._bench.gains, self.request.target)
        return self._of_setting(result(rounds))

    def _found(self) -> Result:
        if self.request.after is not None:
            return self._so_far(self._rounds)
        rounds = self._rounds * (2 if self.request.continues else 1)
        return self._of_setting(self._bench.world(full_result(rounds, self.request.target, self._bench.noise)))

    def _of_setting(self, found: Result) -> Result:
        return with_setting(found, self.request.settings[0]) if self.request.settings else found

    def _hold(self, listener: Callable[[Event], None]) -> None:
        self._go.wait()
        if self._cancelled.is_set():
            listener(Kept("r"))
            raise Cancelled("cancelled")

    def cancel(self) -> None:
        self._cancelled.set()
        self._go.set()

    def pause(self) -> None:
        self._go.clear()

    @property
    def is_held(self) -> bool:
        return not self._go.is_set()

    def resume(self) -> None:
        self._go.set()

    def close(self) -> None:
        self.closed = True


class ScriptedDifference:
    """Shows the difference of two settings without a disk, one run each; held before the run ``holds_at`` of the bench."""

    def __init__(self, _disk: str, settings: tuple[Setting, Setting], switch: SchedulerSwitch, *, bench: Bench) -> None:
        self._settings, self._switch, self._bench = settings, switch, bench
        self._cancelled = threading.Event()

    def run(self, listener: Callable[[Event], None]) -> None:
        found = result(3, noise=0.0)
        try:
            listener(Phase(message("preparing")))
            if self._bench.difference_fails:
                raise self._bench.difference_fails
            for number, setting in enumerate(self._settings):
                if number == self._bench.holds_at:
                    self._cancelled.wait()
                    raise Cancelled("cancelled")
                self._switch.set(setting)
                listener(RunStarted("launch-office", setting, number, number, Advance(0.0, 0.5, 20.0, 40.0)))
                shown = (each for each in found.samples if (each.setting, each.metric) == (setting, LAUNCH))
                listener(RunDone("launch-office", next(shown)))
        finally:
            self._switch.set(self._settings[1])

    def cancel(self) -> None:
        self._cancelled.set()

    def close(self) -> None:
        """Nothing is held."""


def _point(clock: float, order: int, setting: Setting, source: random.Random) -> LivePoint:
    speed = TYPICAL[WRITE][setting.scheduler] * source.uniform(0.7, 1.1)
    wait = TYPICAL[LAUNCH][setting.scheduler] / 200 * source.lognormvariate(0, 0.4)
    return LivePoint(
        clock, order, setting, Figures(0.1, 40, 900, speed * 0.05, speed, 0.0, 0.0, wait, wait * 3, 30.0, 0.99)
    )


@dataclass(eq=False)
class MemoryRecorder:
    """A recorder of nothing: ``here`` in the window, or ``stays`` as a service, where there may be one."""

    has_service: bool = True
    here: bool = False
    stays: bool = False
    kept: list[Incident] = field(default_factory=list)

    def begin(self) -> None:
        self.here = not self.stays

    def end(self) -> None:
        self.here = False

    def state(self) -> tuple[bool, bool]:
        return self.here or self.stays, self.stays

    def switch(self, on: bool) -> None:
        if not self.has_service:
            raise MeasurementImpossible("recorder-needs-systemd")
        self.stays, self.here = on, not on

    def keep_now(self) -> Incident:
        machine = planted.Machine("sda")
        machine.play([planted.QUIET] * 90)
        self.kept.insert(0, machine.recorder.keep_now())
        return self.kept[0]

    def incidents(self) -> list[Incident]:
        return list(self.kept)

    def remove(self, id_: str) -> None:
        self.kept = [each for each in self.kept if each.id != id_]


@dataclass(eq=False)
class Bench:
    """Sources made of the parts above. A run has so many live ``points``."""

    disks: Sequence[Disk]
    kept: Path = NOWHERE
    points: int = 6
    rounds: int = 6
    noise: float = 0.05
    plays: int | None = None
    holds_at: int | None = None
    difference_fails: DisktunerError | None = None
    announces_refusal: Message | None = None
    answer: Message | None = None
    cautions: tuple[Message, ...] = ()
    writers: tuple[Writer, ...] = ()
    counters: Counters | None = None
    page_cache: PageCache | None = None
    gains: Mapping[str, float] = field(default_factory=dict)
    world: Callable[[Result], Result] = lambda found: found
    verdict: Callable[[Result], Verdict] = judge
    findings: Callable[[Disk], Sequence[Finding]] = read_ahead_of
    changed: Callable[[], None] = lambda: None
    helper: MemoryHelper = field(default_factory=MemoryHelper)
    desktop: MemoryDesktop = field(default_factory=MemoryDesktop)
    comparisons: list[ScriptedComparison] = field(default_factory=list)
    recorder: Service = field(default_factory=MemoryRecorder)
    leftovers: Leftovers = field(default_factory=lambda: Leftovers(NOWHERE))
    proved: list[tuple[Disk, Sequence[Setting]]] = field(default_factory=list)

    def show(self, *disks: Disk) -> None:
        """Have other disks from now on."""
        self.disks = disks
        self.changed()

    def go_on(self, to: int | None = None) -> None:
        """Measure on from where it was held, to another run or to the end."""
        self.holds_at = to
        self.comparisons[-1].resume()

    def sources(self, read_disks: Callable[[], Sequence[Disk]] | None = None) -> Sources:
        return Sources(
            read_disks or (lambda: self.disks),
            lambda _name: self.counters,
            lambda: self.page_cache,
            self.find_writers,
            self._watch,
            self.helper,
            self.desktop,
            self.instruments,
            lambda: self.check,
            lambda: self.recorder,
            lambda: self.leftovers,
            lambda: partial(known_memories, self.kept),
            PlaceOfTrial,
        )

    def find_writers(self, _disk: Disk) -> Sequence[Writer]:
        """Who else sets a disk's queue."""
        return self.writers

    def check(self, disks: Sequence[Disk]) -> tuple[CheckUp, ...]:
        """What a check-up finds on the stand-in's disks."""
        return tuple(
            CheckUp(each, tuple(self.findings(each)), self.writers) for each in disks if each.kind is not kinds.ZRAM
        )

    def instruments(self) -> Instruments:
        kept, difference = KeptResults(self.kept), partial(ScriptedDifference, bench=self)
        prove = lambda *wish: self.proved.append(wish)  # noqa: E731
        stop = partial(setattr, self.helper, "tried", ())
        return Instruments(self.places, self._begin, self.verdict, kept, difference, prove=prove, stop_proving=stop)

    def _watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        self.changed = changed
        return lambda: None

    def places(self, disk: Disk) -> tuple[Target, ...]:
        """The folders of the stand-in's mounts that there are."""
        mounts = (mount for mount in disk.mounts if os.access(mount.path, os.W_OK))
        return tuple(Target(Path(mount.path), mount, (disk,)) for mount in mounts)

    def below(self, folder: str) -> tuple[Disk, ...]:
        """The disks that a folder lies on: those that are mounted there or above it, else sda."""
        found = [d for d in self.disks for mount in d.mounts if mount.path != "/" and folder.startswith(mount.path)]
        return tuple(found) or tuple(d for d in self.disks if d.name == "sda")

    def compare(self, request: Request) -> ScriptedComparison:
        """What plays a comparison."""
        return ScriptedComparison(request, self)

    def _begin(self, request: Request) -> ScriptedComparison:
        self.comparisons.append(self.compare(request))
        return self.comparisons[-1]
