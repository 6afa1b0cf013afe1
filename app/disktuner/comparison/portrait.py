# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the portrait of a disk with the scheduler that it has: how long it writes fast, what remains, how it recovers.

One writer goes on without a pause until the announced time or bytes are used up. What it does is counted by the kernel
at the disk, so that neither the page cache nor the file system counts. Needs no rights and changes nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from msgspec import structs

from disktuner.block.counters import Counters
from disktuner.block.system import System
from disktuner.checkup.own_words import own_words
from disktuner.comparison.comparison import Listener, refuse_root
from disktuner.comparison.preparation import probe_folder
from disktuner.comparison.target import Target, find_target, require_one_disk
from disktuner.experiment.events import EndedEarly, Part, Phase, PortraitSoFar, Warned
from disktuner.experiment.guard import GuardedRun, Observation, assess
from disktuner.experiment.observing import Observer
from disktuner.experiment.probe import direct_works, too_little
from disktuner.experiment.progress import Progress
from disktuner.experiment.sampler import Sampler
from disktuner.experiment.scratch import Leftovers, scratch_folder
from disktuner.experiment.stops import Stops
from disktuner.results.beginning import head_of
from disktuner.results.portrait import Added, Burst, Copied, Portrait, PortraitFile, Portraits, Reads
from disktuner.results.store import try_place
from disktuner.verdict.knee import Knee, find_knee
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.states import is_fast
from disktuner.workloads.dd import SHIFTS, CopiedSpec, CopyThenUnplug, DdWrite, WriteSpec
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.load import SOURCE_BYTES, Background, Load
from disktuner.workloads.paced import LatencySpec, ReadLatencyUnderWrites
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.source import Source, usable_bytes
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch
from disktuner.writing import NotSaved

PROBE_BYTES = 24 * MIB
SMALL_READ_FILE, LARGEST_READ_FILE, READS_S = 32 * MIB, 128 * MIB, 3.3
"""Sizes of the file that is read: small, since writing it fills the cache; hard disks have their own memory."""
COPY_BYTES, COPY_S = 256 * MIB, 8.0
"""The most that is copied, and for how long at the remaining speed."""
LARGEST_BURST, SMALLEST_BURST, BURST_S, LONGEST_BURST_S = SOURCE_BYTES, 16 * MIB, 0.25, 2.0
FAT, LARGEST_ON_FAT = ("vfat", "msdos"), 3 << 30
"""There a file has less than 4 GiB; one that uses up a cache is a quarter larger than that (``exhaustion.SPARE``)."""
FASTER = 2
"""How many times faster than in the first look, which waits for each piece, a disk may write."""
SHARE_OF_DISK = 1 / 4
"""The most that is written to a disk that wears, as a share of its capacity."""
STEPS, LAST_STEPS = 2048, 64
WITH_READS = 7 / 8
"""The share of the bytes after which the curve ends and reads during writing follow."""
REST_S, LOOK_S, SAVED_EVERY_S, TOLD_EVERY_S = 2.0, 0.02, 0.5, 15.0


@dataclass(frozen=True, slots=True)
class Pace:
    """The longest time for writing the curve, and the approximate time for everything."""

    curve_s: float = 75.0
    whole_s: float = 120.0


@dataclass(frozen=True, slots=True)
class Announced:
    """Where a portrait would be made, the most that would be written, and at which pace.

    ``looked_bytes`` is what the disks wrote during the first look.
    """

    target: Target
    probe: Probe
    pace: Pace
    curve_bytes: int
    most_bytes: int
    looked_bytes: int

    @property
    def share(self) -> float:
        """The largest share of the disk's capacity that is written."""
        return self.most_bytes / max(1, self.target.disk.size_bytes)


class Portraying:
    """Announces and makes one portrait; any thread may call ``cancel``."""

    def __init__(self, target: str, system: System, store: Portraits, pace: Pace | None = None) -> None:
        self._asked, self._system, self._store, self._pace = target, system, store, pace or Pace()
        self._control = Control()

    def cancel(self) -> None:
        """End the measurement now."""
        self._control.cancel()

    def close(self) -> None:
        """Do nothing: no trial is held."""

    def announce(self, listener: Listener = lambda _: None) -> Announced:
        """Look at the disk, writing about 20 MB, and return what would be written; remove what killed runs left there.

        Raises ``NoSuchThing`` or ``MeasurementImpossible``.
        """
        refuse_root()
        self._try_store()
        target = find_target(self._asked, self._system)
        require_one_disk(target)
        Leftovers().sweep(target.folder, lambda what: listener(Phase(what)))
        room = _room(target)
        sampler = Sampler(self._system, target.names, lambda _: None)
        before = sampler.read()
        probe = probe_folder(target.folder, self._control, PROBE_BYTES)
        after = sampler.read()
        if before is None or after is None:
            raise MeasurementImpossible("disk-vanished", disks=target.names)
        extra = LARGEST_READ_FILE + COPY_BYTES + LARGEST_BURST * len(_pauses(self._pace.whole_s))
        fastest = FASTER * probe.busy_bytes_per_s * self._pace.curve_s
        most = min(
            fastest,
            room,
            SHARE_OF_DISK * target.disk.size_bytes - extra if target.disk.kind.wears else math.inf,
        )
        if fastest < SOURCE_BYTES:
            raise MeasurementImpossible("portrait-too-slow", disk=target.disk.title, now=probe.busy_bytes_per_s)
        if most < SOURCE_BYTES:
            raise MeasurementImpossible("portrait-too-small", disk=target.disk.title)
        looked_bytes = after.written_bytes - before.written_bytes
        return Announced(target, probe, self._pace, int(most), int(most) + extra, looked_bytes)

    def _try_store(self) -> None:
        """Raise ``MeasurementImpossible`` if no portrait could be kept."""
        try:
            try_place(self._store.folder / "portrait")
        except NotSaved as error:
            folder, why = str(self._store.folder), error.message.values["why"]
            raise MeasurementImpossible("portrait-not-kept", folder=folder, why=why) from error

    def run(self, announced: Announced, listener: Listener) -> Portrait:
        """Measure, and return the stored portrait. Raises ``Cancelled`` or ``MeasurementImpossible``."""
        target, control = announced.target, self._control
        announced = replace(announced, curve_bytes=min(announced.curve_bytes, _room(target)))
        copy_bytes = min(COPY_BYTES, announced.probe.memory_bytes // 8, announced.curve_bytes // 2)
        with ExitStack() as stack:
            folder = stack.enter_context(scratch_folder(target.folder))
            source = stack.enter_context(Source(max(SOURCE_BYTES, copy_bytes) + SHIFTS, 1, control.check))
            watch = _Watch(self._system, target, control, stack.enter_context(Stops()), listener)
            processes = stack.enter_context(Processes(control, watch.look, folder.fds, folder.empty, watch.stops.note))
            sitting = _Sitting(announced, Scratch(folder.path, 1, source, processes), watch, listener)
            try:
                empty = sitting.prepare()
                file = stack.enter_context(PortraitFile(self._store, empty))
                sitting.measure(file, copy_bytes)
            except (RunFailed, OSError) as error:
                raise watch.observer.impossible(error) from error
            finally:
                if sitting.file and not sitting.file.portrait.finished and not sitting.file.portrait.is_empty:
                    listener(EndedEarly(str(sitting.file.path)))
        return file.portrait


def _room(target: Target) -> int:
    """Return the most that a curve may write now. Raises ``MeasurementImpossible`` if that is too little."""
    if missing := too_little(target.folder, LARGEST_READ_FILE + SOURCE_BYTES):
        raise MeasurementImpossible.of(missing)
    room = usable_bytes(target.folder) - LARGEST_READ_FILE
    return min(room, LARGEST_ON_FAT) if target.mount.fstype in FAT else room


class _Watch:
    """Sees what happens at the disks: makes steps of their counters, and asks of each part whether it counts.

    Attributes: ``steps`` are fed whenever something runs, None before the curve; ``says`` is the disk's own word.
    """

    def __init__(self, system: System, target: Target, control: Control, stops: Stops, listener: Listener) -> None:
        self._disks = target.names
        self._sampler = Sampler(system, target.names, listener)
        self._sampler.begin(0, None)
        self.observer = Observer(system, target.folder, target.names, self._sampler, control)
        self.stops = stops
        self.steps: _Steps | None = None
        self._ceiling = system.ceiling_bytes_per_s(target.disk.name)
        self.says = own_words(system, target.disk)
        self.direct_works = True

    def look(self) -> None:
        self.stops.look()
        self._sampler.tick()
        reading = self._sampler.read()
        if self.steps and reading:
            self.steps.feed(reading)

    def counters(self) -> Counters:
        """Return the disks' counters. Raises ``RunFailed`` where one is gone."""
        if counters := self._sampler.read():
            return counters
        raise RunFailed("disk-vanished", disks=self._disks)

    def observe(self, held: Path) -> Observation:
        """Look at everything; disks without a scheduler count as having "none"."""
        seen = self.observer.now(held, self.stops.seconds())
        return replace(seen, schedulers={disk: name or "none" for disk, name in seen.schedulers.items()})

    def assess(self, before: Observation, held: Path, measured: Measurement) -> Message | None:
        """Return why figures do not count or what disturbed them, None if nothing."""
        setting, after = Setting(str(before.schedulers[self._disks[0]])), self.observe(held)
        return assess(GuardedRun(setting, before, after, measured, True, self._ceiling, self.direct_works))


class _Steps:
    """How long each step of a number of bytes took, by the disks' counters, interpolated linearly between readings.

    Attributes: ``bytes_written`` since they began to grow, ``seconds`` of the steps that nobody took yet.
    """

    def __init__(self, step_bytes: int, first: Counters) -> None:
        self._step_bytes, self._last, self._first = step_bytes, first, first
        self._step_began_s, self._steps = -1.0, 0
        self._seconds: list[float] = []

    @property
    def bytes_written(self) -> int:
        return self._last.written_bytes - self._first.written_bytes

    def take(self) -> tuple[float, ...]:
        taken, self._seconds = tuple(self._seconds), []
        return taken

    def feed(self, reading: Counters) -> None:
        grown, elapsed_s = reading.written_bytes - self._last.written_bytes, reading.time_s - self._last.time_s
        if self._step_began_s < 0 and grown < MIB:
            self._first = self._last = reading
            return
        if self._step_began_s < 0:
            self._step_began_s = self._last.time_s
        while grown and (self._steps + 1) * self._step_bytes <= reading.written_bytes - self._first.written_bytes:
            self._steps += 1
            share = (self._first.written_bytes + self._steps * self._step_bytes - self._last.written_bytes) / grown
            ended_s = self._last.time_s + share * elapsed_s
            self._seconds.append(max(ended_s - self._step_began_s, 1e-6))
            self._step_began_s = ended_s
        self._last = reading


class _Beside(Background):
    """A background task that outlasts the measurement during which it runs; started once."""

    def __init__(self, start: Callable[[], object]) -> None:
        self._start, self._is_started = start, False

    def start(self) -> None:
        if not self._is_started:
            self._is_started = True
            self._start()

    def stop(self) -> None:
        pass


class _Sitting:
    """Measures part by part. Attributes: ``file``, with what was measured so far."""

    def __init__(self, announced: Announced, scratch: Scratch, watch: _Watch, listener: Listener) -> None:
        self._announced, self._scratch, self._watch, self._listener = announced, scratch, watch, listener
        self._ends_s = time.monotonic() + announced.pace.whole_s
        self._part, self._progress = Part.PREPARE, Progress()
        self._reader = ReadLatencyUnderWrites()
        self._can_read = self._reader.unavailable() is None
        self._spec = self._read_spec(announced.probe)
        self.file: PortraitFile | None = None

    def _read_spec(self, probe: Probe) -> LatencySpec:
        spec, most = self._reader.plan(probe, READS_S), LARGEST_READ_FILE if probe.is_rotational else SMALL_READ_FILE
        return structs.replace(spec, load=Load(), prepared_bytes=min(spec.prepared_bytes, most))

    def prepare(self) -> Portrait:
        """Write the file to read, let the disk rest, and return an empty portrait."""
        announced, processes, began = self._announced, self._scratch.processes, self._watch.counters()
        if missing := self._reader.unavailable():
            self._listener(Warned(message("portrait-without-reads", why=missing)))
        self._listener(Phase(message("portrait-preparing")))
        self._tell(self._spec.prepared_bytes / announced.probe.busy_bytes_per_s + REST_S + READS_S)
        self._watch.direct_works = direct_works(self._scratch.folder)
        if self._can_read:
            self._reader.prepare(self._scratch, self._spec)
        processes.pause(REST_S)
        rate, target = announced.probe.busy_bytes_per_s, announced.target
        head = head_of(target.disk, target.mount)
        return Portrait(
            **head | {"machine": replace(head["machine"], cmdline="")},
            most_bytes=announced.most_bytes,
            step_bytes=max(1, int(rate * self._announced.pace.curve_s / STEPS / MIB)) * MIB,
            earlier_bytes=announced.looked_bytes + self._watch.counters().written_bytes - began.written_bytes,
            says=self._watch.says,
        )

    def _tell(self, expected_s: float, left_s: float | None = None) -> None:
        """Say what is known as something of ``expected_s`` begins; all is over in ``left_s``, else as announced."""
        left_s = max(expected_s, self._ends_s - time.monotonic()) if left_s is None else left_s
        advance = self._progress.begin(expected_s, left_s, left_s)
        self._listener(PortraitSoFar(self._part, self.file.portrait if self.file else None, advance))

    def measure(self, file: PortraitFile, copy_bytes: int) -> None:
        """Measure all parts. Raises ``Cancelled``, ``RunFailed``, ``MeasurementImpossible`` or ``OSError``."""
        self.file = file
        self._read()
        self._part = Part.WRITE
        self._write_curve(file)
        ended_s, knee = time.monotonic(), find_knee(file.portrait.steps_s)
        self._part = Part.RECOVER
        self._tell(READS_S, None if knee else READS_S + COPY_S)
        self._read()
        if knee:
            self._listener(Phase(message("portrait-recovering")))
            self._recover(file, knee, ended_s)
        self._part = Part.COPY
        self._copy(file, copy_bytes)
        file.add(Added(is_last=True))

    def _write_curve(self, file: PortraitFile) -> None:
        """Write continuously, with small reads at the beginning and at the end."""
        announced = self._announced
        before, size = self._watch.observe(self._scratch.folder), announced.curve_bytes
        self._watch.steps = steps = _Steps(file.portrait.step_bytes, self._watch.counters())
        writer = Background(Load(writers=1, writer_bytes=size), self._scratch)
        self._listener(Phase(message("portrait-writing", most=size, seconds=self._announced.pace.curve_s)))
        self._tell(READS_S)
        read_bytes = self._read(writer.start)
        try:
            self._go_on(file, steps, writer, size * WITH_READS)
        finally:
            file.add(Added(steps_s=steps.take()))
        self._tell(READS_S)
        read_bytes += self._read(lambda: None)
        written = writer.finish(announced.pace.whole_s + self._spec.timeout_s)  # counted from when it began
        reason = self._watch.assess(before, self._scratch.folder, replace(written, read_bytes=read_bytes))
        file.add(Added(curve_reason=reason))

    def _go_on(self, file: PortraitFile, steps: _Steps, writer: Background, most_bytes: float) -> None:
        """Wait until the curve is long enough, saving its steps twice a second."""
        now = began_s = time.monotonic()
        saved_s, told_s, told_bytes = began_s, began_s, steps.bytes_written
        ends_s = began_s + self._announced.pace.curve_s
        while now < ends_s and steps.bytes_written < most_bytes and not writer.has_ended:
            self._scratch.processes.pause(LOOK_S)
            self._watch.look()
            now = time.monotonic()
            if now - saved_s > SAVED_EVERY_S and (steps_s := steps.take()):
                file.add(Added(steps_s=steps_s))
                self._tell(SAVED_EVERY_S)
                saved_s = now
            if now - told_s > TOLD_EVERY_S:
                rate = (steps.bytes_written - told_bytes) / (now - told_s)
                self._listener(Phase(message("portrait-so-far", written=steps.bytes_written, rate=rate)))
                told_s, told_bytes = now, steps.bytes_written

    def _read(self, start: Callable[[], object] | None = None) -> int:
        """Read small blocks, while running what ``start`` starts, if given; return how many bytes."""
        load, measured = _Beside(start or (lambda: None)), None
        if self._can_read:
            before = self._watch.observe(self._scratch.folder)
            try:
                measured = self._reader.run_foreground(self._scratch, self._spec, load, math.inf)
            except RunFailed as error:  # where the disk failed, what comes next does, too
                self._can_read = False
                self._listener(Warned(message("portrait-without-reads", why=error.message)))
        load.start()
        if measured is None or self.file is None:
            return 0
        reason = self._watch.assess(
            before, self._scratch.folder, replace(measured, written_bytes=None) if start else measured
        )
        p50_s, slowest_s = measured.values["p50_s"], measured.values["slowest_tenth_s"]
        written_bytes = self._watch.steps.bytes_written if self._watch.steps else 0
        self.file.add(Added(reads=Reads(written_bytes, start is not None, p50_s, slowest_s, reason)))
        return measured.read_bytes or 0

    def _recover(self, file: PortraitFile, knee: Knee, ended_s: float) -> None:
        """Write a little after ever longer pauses until that is fast again or time is up."""
        portrait = file.portrait
        fast, slow = portrait.step_bytes / knee.step_s_before, portrait.step_bytes / knee.step_s_after
        slow_copy_s = min(COPY_S, COPY_BYTES / slow)
        for number, after_s in enumerate(_pauses(self._announced.pace.whole_s)):
            if ended_s + after_s + LONGEST_BURST_S + slow_copy_s > self._ends_s:
                return
            pause_s = max(0.0, ended_s + after_s - time.monotonic())
            self._tell(pause_s + BURST_S)
            self._scratch.processes.pause(pause_s)
            burst = Burst(time.monotonic() - ended_s, self._burst(fast, number))
            file.add(Added(burst=burst))
            if is_fast(burst.bytes_per_s, fast, slow):
                return

    def _burst(self, fast: float, seed: int) -> float:
        """Return the speed of writing for a quarter of a second, durably and with new data each time.

        Of a burst that is far too slow to be waited for, only the disk knows how much it wrote.
        """
        size = int(min(LARGEST_BURST, max(SMALLEST_BURST, fast * BURST_S)))
        spec, before = WriteSpec(LONGEST_BURST_S, size - size % MIB), self._watch.counters()
        written = DdWrite().run(replace(self._scratch, seed=seed), spec, LONGEST_BURST_S)
        if written.cut_short:
            return self._watch.counters().since(before).write_bytes_per_s
        return written.values["bytes_per_s"]

    def _copy(self, file: PortraitFile, most_bytes: int) -> None:
        """Copy like a file manager, and wait until the data is safe."""
        portrait = file.portrait
        step_s = fmean(portrait.steps_s[-LAST_STEPS:] or (1.0,))
        size = max(8, min(most_bytes, int(COPY_S * portrait.step_bytes / step_s)) // MIB) * MIB
        self._listener(Phase(message("portrait-copying", size=size)))
        self._tell(min(COPY_S, size * step_s / portrait.step_bytes), COPY_S)
        before = self._watch.observe(self._scratch.folder)
        copied = CopyThenUnplug().run(replace(self._scratch, seed=SHIFTS - 1), CopiedSpec(COPY_S, size), 3 * COPY_S)
        values = copied.values
        reason = self._watch.assess(before, self._scratch.folder, copied)
        file.add(Added(copied=Copied(size, values["done_s"], values["gap_s"], reason)))


def _pauses(whole_s: float) -> tuple[float, ...]:
    """Return the pauses, in seconds without writing, after which the speed is tested again."""
    return tuple(2.0**power for power in range(int(math.log2(max(2.0, whole_s)))))
