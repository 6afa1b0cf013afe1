# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks, a helper and a comparison for the window's tests and pictures, in place of real ones."""

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
from disktuner.checkup.findings import CheckUp, Finding, before_and_after, by_hand
from disktuner.comparison.exhausting import exhaustion_of
from disktuner.comparison.portrait import Announced, Pace
from disktuner.comparison.request import Announcement, JudgedResult, Request
from disktuner.comparison.target import Target
from disktuner.comparison.tasks import settings_for
from disktuner.experiment.events import (
    EndedEarly,
    Event,
    LivePoint,
    Part,
    Phase,
    PortraitSoFar,
    RoundDone,
    RunDone,
    RunStarted,
)
from disktuner.experiment.exhaustion import Exhaustion
from disktuner.experiment.plan import SPARE_BYTES, Plan, Planned
from disktuner.experiment.probe import MOST_BYTES as PROBE_BYTES
from disktuner.experiment.progress import Advance, Progress
from disktuner.experiment.run import SchedulerSwitch
from disktuner.experiment.scratch import Leftovers
from disktuner.gui.instruments import Instruments
from disktuner.gui.sources import Sources
from disktuner.helper_client import calls
from disktuner.helper_client.calls import Call, Chosen, FieldTrial, HelperState, Snapshot
from disktuner.memories import known_memories
from disktuner.presentation.library import ResultLibrary
from disktuner.presentation.portrait import ShownPortrait, known_end, shown, tells_end
from disktuner.results.model import FileSystem, Machine, PlanRecord, Result, Sample
from disktuner.results.portrait import Added, Portrait, PortraitFile, Portraits
from disktuner.results.store import new_id
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Verdict
from disktuner.vocabulary import kinds
from disktuner.vocabulary.checks import CHECKS, RULES
from disktuner.vocabulary.errors import Answered, Cancelled, DisktunerError, MeasurementImpossible, NoSuchThing
from disktuner.vocabulary.messages import Message, literal, message
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.vocabulary.settings import Setting, parse_setting, setting_of
from disktuner.vocabulary.states import DiskState
from disktuner.workloads.catalogue import find
from disktuner.workloads.spec import Cost, Spec
from disktuner.workloads.workload import Probe
from disktuner_watch.field.saved import Place as PlaceOfTrial
from disktuner_watch.incidents import Incident
from disktuner_watch.service import Service
from disktuner_watch.window.recording import Recording
from tests.unit.portraits import portrait
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
    """Return a 7200 rpm disk, or another."""
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
    """One disk of each important kind: system SSD, big disk with long names, doubtful stick, an unsuitable one."""
    mount = Mount(str(folder), "ext4", "/dev/sda2", ("sda2",), 10**12, 412 * 10**9)
    nvme = Mount("/", "btrfs", "/dev/nvme0n1p2", ("dm-0", "nvme0n1p2"), 500 * 10**9, 120 * 10**9)
    return (
        disk(
            "nvme0n1", diskseq=1, model="Samsung SSD 970 EVO Plus 500GB", kind=kinds.NVME_SSD, transport=Transport.NVME,
            size_bytes=500107862016, rotational=False, scheduler="none", tunables={"queue/nr_requests": 1023}, mounts=(nvme,),
            suggestion=Suggestion("none", literal("A fast NVMe orders its own work; try others only if the machine stutters.")),
        ),
        disk("sda", mounts=(mount,)),
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
    check: str, value: int | str, expected: int | str | None, by: Message, rule: str = "", /, **given: Any
) -> Finding:
    """A finding; ``fix`` is a setting's name, ``kernel`` what the rule yields, the rest are the sentences' parameters."""
    fix, kernel = given.pop("fix", ""), given.pop("kernel", None)
    return Finding(
        CHECKS[check], value, expected, RULES[rule] if rule else None, message(f"check-{check}", **given),
        message(f"rule-{rule}", kernel=kernel) if rule else None, by, message(f"check-{check}-why", **given),
        message(f"check-{check}-cost", **given), parse_setting(fix) if fix else None,
        by_hand(CHECKS[check], given.get("disk", "sda"), expected, given), CHECKS[check].setting,
        before_and_after=None if fix else before_and_after(CHECKS[check], given.get("disk", "sda")),
    )  # fmt: skip


def read_ahead_of(checked_disk: Disk, place: str = RULE) -> tuple[Finding, ...]:
    """Far too much read-ahead, if the disk has it, set by somebody's rule."""
    value = checked_disk.tunables.get("queue/read_ahead_kb", 0)
    if not isinstance(value, int) or value < 4096 or checked_disk.scheduler is None:
        return ()
    by = message("set-by-line", place=place, who="udev")
    fix = f"{checked_disk.scheduler}:queue/read_ahead_kb=128"
    return (
        finding(
            "read-ahead-huge",
            value,
            128,
            by,
            "read-ahead-default",
            kernel=128,
            value=value,
            fix=fix,
            disk=checked_disk.name,
        ),
    )


def many_findings(checked_disk: Disk, place: str = RULE) -> tuple[Finding, ...]:
    """A finding of each severity: one that can be set here, one to be done by hand, and a mere note."""
    if checked_disk.name != "sda":
        return read_ahead_of(checked_disk)
    return (
        *read_ahead_of(checked_disk, place),
        finding("write-cache-denied", "write through", "write back", message("set-by-hand"), "write-cache"),
        finding("sata-link-slow", "1.5 Gb/s", "6 Gb/s", message("set-by-lowering", speed=1.5), "sata-link",
                speed=1.5, best_speed=6.0, share=0.25),
        finding("discard-at-once", "discard", "nodiscard", message("set-by-line", place="/etc/fstab:3", who="fstab"),
                "discard", path="/media/anna/Urlaubsfotos und Steuererklärungen", timer=message("timer-not")),
    )  # fmt: skip


Settings = Mapping[str, tuple[str, Mapping[str, int]]]
"""Scheduler and tunables by disk."""


def state(first: Settings, kept: Settings) -> HelperState:
    return HelperState(
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
        """Record the call, unless it only queries."""
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
        """Let the first waiting call succeed or fail."""
        done, failed, answer = self.waiting.pop(0)
        self._call_back(done, failed, answer, error)

    def wait(self, call: Call[Any], *, gives_up: bool) -> None:
        """Record the call, in a thread. A client shared with the window leaves the window's trial alone."""
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
    """The call by which the window tries a scheduler on disks."""
    return [calls.begin_trial(disks), *(calls.set_trial("t1", name, scheduler) for name, _ in disks)]


@dataclass
class MemoryDesktop:
    """Records its calls, in order."""

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
    """A 7200 rpm disk's samples with some noise, always the same."""
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
    """The same result with everything that one may hold: distributions, thread curves, doubts, an invalid run."""
    plain = result(rounds, path, noise=noise)
    doubtful = replace(plain.samples[-1], valid=False, reason=message("suspended", slept=40.0))
    waits = {
        sample.order: {"latency_s": tuple((round(1e-4 * 1.3**at, 7), n) for at, n in _bins(sample.setting.scheduler))}
        for sample in plain.samples if sample.metric == LAUNCH
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
    """Latencies around a typical one, with a longer tail if starting a program takes longer."""
    middle = 8 + 4 * math.log(TYPICAL[LAUNCH][scheduler] * 10)
    return [(step, max(1, int(20000 * math.exp(-((step - middle) ** 2) / (4 + step * 1.5))))) for step in range(42)]


def tuned(rounds: int, names: Sequence[str], gains: Mapping[str, float], path: str = "/home") -> Result:
    """Settings against the first of them, with these speedups; if any gains, half drop out after two rounds.

    Prices are measured of the tuned setting and of those that gain.
    """
    source, plain = random.Random(3), result(1, path)
    racing = sorted(names[1:], key=lambda name: -gains.get(name, 1.0))
    samples: list[Sample] = []
    for number in range(rounds):
        for name in (names[0], *racing[: (len(racing) + 1) // 2 if gains and number >= 2 else len(racing)]):
            value = TYPICAL[LAUNCH]["bfq"] / gains.get(name, 1.0) * math.exp(source.gauss(0, 0.03))
            samples.append(Sample(LAUNCH, setting_of(name), number, len(samples), value, duration_s=5.0))
    for number in range(rounds if gains else 0):
        for name in (names[0], *gains):
            value = TYPICAL[WRITE]["bfq"] * (1 if name == names[0] else 0.93) * math.exp(source.gauss(0, 0.03))
            samples.append(Sample(WRITE, setting_of(name), number, len(samples), value, duration_s=5.0))
    settings = tuple(map(setting_of, names))
    plan = PlanRecord("desktop", "standard", settings, settings[0], ("launch-office", "dd-write"), 3, rounds, True)
    return replace(plain, id="t", plan=plan, samples=tuple(samples), after="r")


class Files(Spec, frozen=True):
    """A run that writes nothing, with files of this many bytes."""

    prepared: int
    kept: int

    @property
    def cost(self) -> Cost:
        return Cost(0, self.prepared, self.kept)


def with_setting(measured: Result, setting: Setting) -> Result:
    """The same with two contenders: the current setting, and one as good as bfq."""
    plain = Setting("mq-deadline")
    played_by = {plain: plain, Setting("bfq"): setting}
    samples = tuple(
        replace(sample, setting=played_by[sample.setting]) for sample in measured.samples if sample.setting in played_by
    )
    return replace(measured, samples=samples, plan=replace(measured.plan, settings=tuple(played_by.values())))


class ScriptedComparison:
    """Plays a comparison for a bench: real events, but no disk and no clock: as fast as they are consumed.

    It pauses at the bench's run ``holds_at`` until it is resumed. If the bench ``plays`` a number of rounds, only these
    are played.
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
        self.exhaustion: Exhaustion | None = None

    def announce(self) -> Announcement:
        if self._bench.answer:
            raise Answered.of(self._bench.answer)
        if not self.disks:
            raise NoSuchThing("no-such-disk", disk=self.request.target)
        tunes, folder = self.request.after is not None, Path(self.request.target)
        files = Files(0.1, PREPARED_BYTES, 3 * 10**9 - SPARE_BYTES)
        workloads = [find(workload) for workload in self.request.workloads or ("launch-office", "dd-write")]
        planned = (Planned(workloads[0], files), *(Planned(workload, Files(0.1, 0, 0)) for workload in workloads[1:]))
        record = PlanRecord(
            self.request.goal, self.request.budget, self.settings,
            self.settings[0] if tunes else Setting("mq-deadline"), tuple(workload.id for workload in workloads), 1, tunes=tunes,
            state=self.request.state or DiskState.RESTED,
        )  # fmt: skip
        refused = self._bench.announces_refusal
        if record.state is DiskState.EXHAUSTED:
            self.exhaustion = exhaustion_of(self.disks[0], self._bench.portraits.newest_of(self.disks[0], tells_end))
            refused = refused or self._bench.refuses_exhausted
        plan = Plan(
            folder, tuple(disk.name for disk in self.disks), record, planned, self._rounds, 999, (), before_s=58.0,
            most_s=172.0, most_bytes=self.exhaustion.most_bytes if self.exhaustion else 0, exhaustion=self.exhaustion,
        )  # fmt: skip
        target = Target(folder, self.disks[0].mounts[0], tuple(self.disks))
        return Announcement(target, plan, cautions=self._bench.cautions, refused=refused)

    def run(self, listener: Callable[[Event], None]) -> JudgedResult:
        listener(Phase(message("preparing")))
        if known := self.exhaustion:
            if self._bench.holds_at == -1:
                self.pause()  # before it is seen, for who sees it may go on at once
            listener(Phase(message("exhausting", most=known.most_bytes, seconds=known.most_s)))
            self._hold(listener)
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
        judged = self._full_result()
        return JudgedResult(judged, self._bench.verdict(judged), Path("/nowhere/result.json"), self.disks)

    def _so_far(self, rounds: int) -> Result:
        if self.request.after is not None:
            return tuned(rounds, [setting.name for setting in self.settings], self._bench.gains, self.request.target)
        return self._of_setting(result(rounds))

    def _full_result(self) -> Result:
        if self.request.after is not None:
            return self._so_far(self._rounds)
        rounds = self._rounds * (2 if self.request.continues else 1)
        return self._of_setting(self._bench.world(full_result(rounds, self.request.target, self._bench.noise)))

    def _of_setting(self, measured: Result) -> Result:
        plan = replace(measured.plan, state=self.request.state or DiskState.RESTED)
        measured = replace(measured, plan=plan)
        return with_setting(measured, self.request.settings[0]) if self.request.settings else measured

    def _hold(self, listener: Callable[[Event], None]) -> None:
        self._go.wait()
        if self._cancelled.is_set():
            listener(EndedEarly("r"))
            raise Cancelled("cancelled")

    def cancel(self) -> None:
        self._cancelled.set()
        self._go.set()

    def pause(self) -> None:
        self._go.clear()
        if self._cancelled.is_set():  # just before, by another thread
            self._go.set()

    @property
    def is_held(self) -> bool:
        return not self._go.is_set()

    def resume(self) -> None:
        self._go.set()

    def close(self) -> None:
        self.closed = True


class ScriptedPortrait:
    """Makes a portrait for a bench, and keeps it: real events and a real file, but no disk and no clock.

    It is held after ``holds_at`` parts of the curve, before anything at -1, and ``fails`` there.
    """

    def __init__(self, disk: str, bench: Bench) -> None:
        self._name, self._bench = disk, bench
        self._progress, self._listener = Progress(), lambda _event: None
        self._cancelled, self._go = threading.Event(), threading.Event()
        self.fails: DisktunerError | None = None

    @property
    def _disk(self) -> Disk:
        for disk in self._bench.disks:
            if disk.name == self._name:
                return disk
        raise MeasurementImpossible("disk-vanished", disks=(self._name,))

    def announce(self) -> Announced:
        if self._bench.announces_refusal:
            raise MeasurementImpossible.of(self._bench.announces_refusal)
        (target,) = self._bench.places(self._disk)
        probe = Probe(1.9e9, 3e9, 1e-4, 8 << 30, 400 * 10**9)
        return Announced(target, probe, Pace(), 285 * 10**9, 286 * 10**9, 0)

    def run(self, _announced: Announced, listener: Callable[[Event], None]) -> Portrait:
        self._listener, recorded = listener, portrait()
        listener(Phase(message("portrait-preparing")))
        self._tell(Part.PREPARE, None, 5.0, 120.0)
        self._hold(-1)
        empty = portrait(
            id=new_id(), disk=disk_to_json(self._disk), steps_s=(), reads=(), bursts=(), copied=None, finished=False
        )
        with PortraitFile(self._bench.portraits, empty) as file:
            file.add(Added(reads=recorded.reads[0]))
            self._tell(Part.WRITE, file.portrait, 3.3, 110.0)
            for number in range(0, len(recorded.steps_s), 10):
                self._hold(number // 10)
                file.add(Added(steps_s=recorded.steps_s[number : number + 10]))
                self._tell(Part.WRITE, file.portrait, 1.0, 100.0 - number / 10)
            for reads in recorded.reads[1:]:
                file.add(Added(reads=reads))
            listener(Phase(message("portrait-recovering")))
            for burst in recorded.bursts:
                self._tell(Part.RECOVER, file.portrait, burst.after_s, 30.0)
                file.add(Added(burst=burst))
            self._tell(Part.COPY, file.portrait, 8.0, 8.0)
            file.add(Added(copied=recorded.copied, is_last=True))
        return file.portrait

    def _tell(self, part: Part, so_far: Portrait | None, expected_s: float, left_s: float) -> None:
        self._listener(PortraitSoFar(part, so_far, self._progress.begin(expected_s, left_s, left_s)))

    def _hold(self, number: int) -> None:
        if number != self._bench.holds_at:
            return
        self._go.wait()
        if self._cancelled.is_set():
            raise Cancelled("cancelled")
        if self.fails:
            raise self.fails

    def cancel(self) -> None:
        self._cancelled.set()
        self._go.set()

    def resume(self) -> None:
        self._go.set()

    def close(self) -> None:
        """Nothing to release."""


class ScriptedDifference:
    """Shows the difference of two settings without a disk, one run each; held before the bench's run ``holds_at``."""

    def __init__(self, _disk: str, settings: tuple[Setting, Setting], switch: SchedulerSwitch, *, bench: Bench) -> None:
        self._settings, self._switch, self._bench = settings, switch, bench
        self._cancelled = threading.Event()

    def run(self, listener: Callable[[Event], None]) -> None:
        played = result(3, noise=0.0)
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
                samples = (sample for sample in played.samples if (sample.setting, sample.metric) == (setting, LAUNCH))
                listener(RunDone("launch-office", next(samples)))
        finally:
            self._switch.set(self._settings[1])

    def cancel(self) -> None:
        self._cancelled.set()

    def close(self) -> None:
        """Nothing to release."""


def _point(clock: float, order: int, setting: Setting, source: random.Random) -> LivePoint:
    speed = TYPICAL[WRITE][setting.scheduler] * source.uniform(0.7, 1.1)
    wait = TYPICAL[LAUNCH][setting.scheduler] / 200 * source.lognormvariate(0, 0.4)
    return LivePoint(
        clock, order, setting, Figures(0.1, 40, 900, speed * 0.05, speed, 0.0, 0.0, wait, wait * 3, 30.0, 0.99)
    )


class Late:
    """Reads as it is asked to, but hands over what it has read first only when that ``may_come``."""

    def __init__(self, read: Callable[..., Any]) -> None:
        self._read = read
        self.was_read, self.may_come = threading.Event(), threading.Event()

    def __call__(self, *arguments: Any) -> Any:
        answer = self._read(*arguments)
        if not self.was_read.is_set():
            self.was_read.set()
            self.may_come.wait()
        return answer


@dataclass(eq=False)
class MemoryRecorder:
    """A recorder without a source: ``here`` in the window, or ``stays`` as a service, if there may be one."""

    has_service: bool = True
    here: bool = False
    stays: bool = False
    kept: list[Incident] = field(default_factory=list)
    unanswered: Sequence[Path] = ()

    def begin(self) -> None:
        self.here = not self.stays

    def end(self) -> None:
        self.here = False

    def wait(self) -> None:
        """Nothing has to be saved."""

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

    def silent(self) -> Sequence[Path]:
        return self.unanswered

    def remove(self, id_: str) -> None:
        self.kept = [incident for incident in self.kept if incident.id != id_]


@dataclass(eq=False)
class Bench:
    """Sources made of the parts above. A run has this many live ``points``."""

    disks: Sequence[Disk]
    kept: Path = NOWHERE
    points: int = 6
    rounds: int = 6
    noise: float = 0.05
    plays: int | None = None
    holds_at: int | None = None
    difference_fails: DisktunerError | None = None
    announces_refusal: Message | None = None
    refuses_exhausted: Message | None = None
    answer: Message | None = None
    cautions: tuple[Message, ...] = ()
    writers: tuple[Writer, ...] = ()
    counters: Counters | None = None
    page_cache: PageCache | None = None
    gains: Mapping[str, float] = field(default_factory=dict)
    world: Callable[[Result], Result] = lambda measured: measured
    verdict: Callable[[Result], Verdict] = judge
    findings: Callable[[Disk], Sequence[Finding]] = read_ahead_of
    changed: Callable[[], None] = lambda: None
    helper: MemoryHelper = field(default_factory=MemoryHelper)
    desktop: MemoryDesktop = field(default_factory=MemoryDesktop)
    comparisons: list[ScriptedComparison] = field(default_factory=list)
    sittings: list[ScriptedPortrait] = field(default_factory=list)
    recorder: Service = field(default_factory=MemoryRecorder)
    leftovers: Leftovers = field(default_factory=lambda: Leftovers(NOWHERE))
    proved: list[tuple[Disk, Sequence[Setting]]] = field(default_factory=list)

    def show(self, *disks: Disk) -> None:
        self.disks = disks
        self.changed()

    def change(self, name: str, tunables: Mapping[str, int] | None = None, **changes: Any) -> None:
        """Change a disk: some of its tunables, or other values."""
        changed = (replace(d, tunables={**d.tunables, **(tunables or {})}, **changes) for d in self.disks)
        self.show(*(new if new.name == name else old for old, new in zip(self.disks, changed, strict=True)))

    def go_on(self, to: int | None = None) -> None:
        """Continue the held measurement, to another run or to the end."""
        self.holds_at = to
        self.comparisons[-1].resume()

    def sources(self, read_disks: Callable[[], Sequence[Disk]] | None = None) -> Sources:
        return Sources(
            read_disks or (lambda: self.disks),
            lambda _name: self.counters,
            lambda: self.page_cache,
            lambda: self.find_writers,
            self._watch,
            self.helper,
            self.desktop,
            self.instruments,
            lambda: self.check,
            lambda window, shell: Recording(window, shell, self.recorder),
            lambda: lambda: self.leftovers,
            lambda: partial(known_memories, self.kept),
            PlaceOfTrial,
        )

    def find_writers(self, _disk: Disk) -> Sequence[Writer]:
        return self.writers

    def check(self, disks: Sequence[Disk]) -> tuple[CheckUp, ...]:
        return tuple(
            CheckUp(disk, tuple(self.findings(disk)), self.writers) for disk in disks if disk.kind is not kinds.ZRAM
        )

    def instruments(self) -> Instruments:
        library, difference = ResultLibrary(self.kept), partial(ScriptedDifference, bench=self)
        prove = lambda *wish: self.proved.append(wish)  # noqa: E731
        stop = partial(setattr, self.helper, "tried", ())
        return Instruments(
            self.places, self._begin, self.verdict, library, difference, self._sit, self.last_portrait,
            partial(known_end, self.portraits), prove, stop,
        )  # fmt: skip

    @property
    def portraits(self) -> Portraits:
        return Portraits(self.kept / "portraits")

    def last_portrait(self, of: Disk) -> ShownPortrait | None:
        portrait = self.portraits.newest_of(of)
        return shown(portrait) if portrait else None

    def _sit(self, disk: str) -> ScriptedPortrait:
        self.sittings.append(ScriptedPortrait(disk, self))
        return self.sittings[-1]

    def _watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        self.changed = changed
        return lambda: None

    def places(self, disk: Disk) -> tuple[Target, ...]:
        """Return the existing folders of the stand-in's mounts."""
        mounts = (mount for mount in disk.mounts if os.access(mount.path, os.W_OK))
        return tuple(Target(Path(mount.path), mount, (disk,)) for mount in mounts)

    def below(self, folder: str) -> tuple[Disk, ...]:
        """Return the disks that a folder is on: those mounted there or above it, else sda."""
        below = [d for d in self.disks for mount in d.mounts if mount.path != "/" and folder.startswith(mount.path)]
        return tuple(below) or tuple(d for d in self.disks if d.name == "sda")

    def compare(self, request: Request) -> ScriptedComparison:
        return ScriptedComparison(request, self)

    def _begin(self, request: Request) -> ScriptedComparison:
        self.comparisons.append(self.compare(request))
        return self.comparisons[-1]
