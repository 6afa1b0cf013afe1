# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``stream-under-copy``: a film read at its bit rate while big files are read and written."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from disktuner.vocabulary.background import COPY
from disktuner.workloads import stream_player
from disktuner.workloads.cold import make_cold
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.load import Background, Carried, LoadedSpec, affordable_s, plan_load
from disktuner.workloads.processes import Processes
from disktuner.workloads.read_latency import LASTING, TAIL, mean_of_tail
from disktuner.workloads.workload import Measurement, Probe, Scratch, Workload, own_program

FILM_BYTES_PER_S = 5_000_000  # 40 Mbit/s, a good film from a disc
PLAYER = Path(stream_player.__file__)
LEAST_FRAMES = 25


@dataclass(frozen=True, slots=True)
class StreamSpec(LoadedSpec):
    """A film of so many ``frames`` of ``frame_bytes`` plays."""

    WORK: ClassVar = {"frames": LEAST_FRAMES}

    frames: int
    frame_bytes: int


class StreamUnderCopy(Workload):
    """A frame has its due time whatever happened before, so a stall is seen at its full length."""

    id = "stream-under-copy"
    spec_type = StreamSpec

    def plan(self, probe: Probe, seconds: float, most_bytes: float = math.inf) -> StreamSpec:
        """A film of that time, which takes at most a quarter of what the disk can read."""
        lasting_s = min(seconds, affordable_s(probe, most_bytes))
        frames = max(LEAST_FRAMES, int(lasting_s / stream_player.FRAME_S))
        playing_s = frames * stream_player.FRAME_S
        frame_bytes = int(min(FILM_BYTES_PER_S, probe.read_bytes_per_s / 4) * stream_player.FRAME_S)
        load = plan_load(COPY, probe, playing_s, most_bytes, LASTING)
        return StreamSpec(playing_s + load.around_s, frames * frame_bytes, load, frames, frame_bytes)

    def prepare(self, scratch: Scratch, spec: StreamSpec, processes: Processes) -> None:
        """Write the film and what is read beside it."""
        self.write(scratch, spec.prepared_bytes, processes, "film")
        spec.load.prepare(scratch, processes.check)

    def run(self, scratch: Scratch, spec: StreamSpec, processes: Processes, *_: float) -> Measurement:
        """Start the load, play the film, end the load."""
        film = self.file(scratch, "film")
        make_cold(film)
        background = Background(spec.load, scratch, processes)
        background.start()
        argv = own_program(PLAYER, film.name, spec.frame_bytes, spec.frames)
        played = processes.run(argv, scratch.folder, spec.timeout_s)
        return _measurement(played.out, played.wall_s, background.finish(spec.timeout_s))


def _measurement(text: str, wall_s: float, carried: Carried) -> Measurement:
    try:
        found = json.loads(text)
        stalls_s, read = [float(each) for each in found["stalls_s"]], int(found["bytes"])
    except (ValueError, KeyError, TypeError) as error:
        raise NotUnderstood(PLAYER.name, text) from error
    late = sum(each > stream_player.FRAME_S for each in stalls_s)
    values = {
        "slowest_tenth_s": mean_of_tail(stalls_s, TAIL),
        "longest_stall_s": max(stalls_s),
        # a share of zero has no ratio: half a frame stands for none
        "on_time_share": max(1 - late / len(stalls_s), 0.5 / len(stalls_s)),
    }
    return Measurement(values, wall_s, read + carried.read_bytes, carried.written_bytes, direct=True)


RUNNERS = (StreamUnderCopy(),)
