# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads ``read-latency-under-writes`` and ``stream-under-copy``: reads due at given times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from disktuner.vocabulary.background import COPY, ONE_WRITER
from disktuner.workloads import stream_player
from disktuner.workloads.cold import make_cold
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.fio import HELD, START_S, fio, parse_job
from disktuner.workloads.load import LASTING_FIXED, Background, LoadedSpec, WithBackgroundLoad, affordable_s, plan_load
from disktuner.workloads.spec import SHORTEST_S, Count, Seconds
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch, own_program, preferred

TAIL = 0.1
"""The share of reads, or frames, whose mean decides. On a hard disk a run has hardly a hundred of them, so that their
p99 is about their maximum, which varies by 20 to 50 % from run to run."""
OUTLYING = 0.01
"""The share (at least one read) that counts only as much as the slowest of the rest: no single read decides a run."""

QUICK_S, MOST_S = 0.6, 6.0
"""How long reads arrive: a fast disk answers hundreds quickly, and writing for longer would wear it."""

FILM_BYTES_PER_S = 5_000_000  # 40 Mbit/s, a good film from a disc
BUFFERED_S = 0.3  # a player's buffer (VLC's file-caching; mpv reads a second ahead): shorter stalls are not seen
GIVEN_UP = 4.0
"""A film that takes this many times its length is unwatchable and given up."""
LEAST_FRAMES = 75  # three seconds, so that a one-second stall is not most of it


class LatencySpec(LoadedSpec, frozen=True):
    """``reads_per_s`` arrive for ``duration_s``, in a file of ``prepared_bytes``."""

    WORK: ClassVar = {"duration_s": SHORTEST_S}

    reads_per_s: Count
    duration_s: Seconds


class ReadLatencyUnderWrites(WithBackgroundLoad):
    """Reads of 4 KiB arrive at random times at a fixed mean rate (a Poisson process).

    They arrive whether earlier ones were answered or not, so that a stall delays all those that arrive meanwhile (no
    coordinated omission). fio keeps up to 256 in flight. Alone they would keep the disk busy a quarter of the time.
    """

    id = "read-latency-under-writes"
    spec_type = LatencySpec

    def plan(self, probe: Probe, seconds: float, most_bytes: float = math.inf) -> LatencySpec:
        """A rate that takes a quarter of the disk's time, and a writer throughout."""
        rate = max(8, min(4096, preferred(0.25 / probe.random_read_s)))
        is_slow = probe.is_rotational or probe.usual_beside_s
        wanted_s = min(seconds - START_S, MOST_S) if is_slow else QUICK_S
        duration_s = max(SHORTEST_S, min(wanted_s, affordable_s(probe, most_bytes)))
        file_bytes = MIB * max(16, min(256, preferred(2 * probe.write_bytes_per_s / MIB)))
        load = plan_load(ONE_WRITER, probe, duration_s, most_bytes, LASTING_FIXED)
        return LatencySpec(START_S + duration_s + load.around_s, file_bytes, load, rate, duration_s)

    def run_foreground(
        self, scratch: Scratch, spec: LatencySpec, load: Background, _abort_after_s: float
    ) -> Measurement:
        path = self.file(scratch)
        make_cold(path)
        options = ["--rw=randread", "--bs=4k", "--direct=1", "--ioengine=libaio", "--iodepth=256"]
        options += [f"--rate_iops={spec.reads_per_s}", "--rate_process=poisson", "--time_based"]
        options += [f"--runtime={spec.duration_s * 1000:.0f}ms", f"--size={spec.prepared_bytes}", "--norandommap"]
        processes = scratch.processes
        with processes.held([fio(path, [*options, *HELD], scratch.seed + 1)], scratch.folder) as (pid,):
            load.start()
        processes.wait_for_word(pid, "done", spec.timeout_s)
        load.stop()
        reads, _ = parse_job(processes.wait(pid, spec.timeout_s).out)
        latency, histogram = reads.latency, reads.latency.histogram
        values = {
            "slowest_tenth_s": mean_of_tail([time_s for time_s, count in histogram for _ in range(count)]),
            "p99_s": latency.at(99),
            "p50_s": latency.at(50),
            "worst_s": latency.worst_s,
        }
        return Measurement(values, reads.runtime_s, reads.total_bytes, 0, {"latency_s": histogram}, direct=True)


class StreamSpec(LoadedSpec, frozen=True):
    """A film of ``frames`` of ``frame_bytes`` is played."""

    WORK: ClassVar = {"frames": LEAST_FRAMES}
    MUST_LAST_S: ClassVar = LEAST_FRAMES * stream_player.FRAME_S

    frames: Count
    frame_bytes: Count


class StreamUnderCopy(WithBackgroundLoad):
    """Each frame is due whatever happened before: stalls show in full, unless a player's buffer bridges them."""

    id = "stream-under-copy"
    spec_type = StreamSpec

    def plan(self, probe: Probe, seconds: float, most_bytes: float = math.inf) -> StreamSpec:
        """A film that takes at most a quarter of the disk's read speed."""
        frames = max(LEAST_FRAMES, int(min(seconds, affordable_s(probe, most_bytes)) / stream_player.FRAME_S))
        playing_s = frames * stream_player.FRAME_S
        frame_bytes = int(min(FILM_BYTES_PER_S, probe.read_bytes_per_s / 4) * stream_player.FRAME_S)
        load = plan_load(COPY, probe, playing_s, most_bytes, LASTING_FIXED)
        return StreamSpec(playing_s + load.around_s, frames * frame_bytes, load, frames, frame_bytes)

    def run_foreground(self, scratch: Scratch, spec: StreamSpec, load: Background, abort_after_s: float) -> Measurement:
        """Play the film; frames missing when it is given up are late by at least the time since they were due."""
        make_cold(film := self.file(scratch))
        lasts_s = spec.frames * stream_player.FRAME_S
        most_s = max(lasts_s, min(abort_after_s, GIVEN_UP * lasts_s))
        load.start()
        argv = own_program(Path(stream_player.__file__), film.name, spec.frame_bytes, spec.frames, most_s)
        played = scratch.processes.run(argv, scratch.folder, spec.timeout_s)
        read, *stalls_s = map(float, played.out.split())
        late = sum(stall_s > stream_player.FRAME_S for stall_s in stalls_s)
        values = {
            "slowest_tenth_s": mean_of_tail([max(stall_s, BUFFERED_S) for stall_s in stalls_s]),
            "longest_stall_s": max(stalls_s),
            # a share of zero has no ratio: half a frame stands for none
            "on_time_share": max(1 - late / len(stalls_s), 0.5 / len(stalls_s)),
        }
        is_cut = read < spec.frames * spec.frame_bytes
        return Measurement(values, played.wall_s, int(read), direct=True, cut_short=is_cut)


def mean_of_tail(times_s: Sequence[float], share: float = TAIL) -> float:
    """Return the winsorised mean of the slowest ``share``: outliers count as much as the slowest of the rest."""
    if not times_s:
        raise NotUnderstood("fio", "no request was answered")
    slowest = sorted(times_s, reverse=True)
    cap = slowest[min(len(slowest) - 1, math.ceil(OUTLYING * len(slowest)))]
    counted = slowest[: max(1, round(share * len(slowest)))]
    return sum(min(time_s, cap) for time_s in counted) / len(counted)


RUNNERS = (ReadLatencyUnderWrites(), StreamUnderCopy())
