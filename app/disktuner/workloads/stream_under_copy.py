# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``stream-under-copy``: a film read at its bit rate while a big file is copied."""

from __future__ import annotations

import json
from pathlib import Path

from disktuner.workloads import stream_player
from disktuner.workloads.cold import make_cold
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size, Workload, own_program

FILM_BYTES_PER_S = 5_000_000  # 40 Mbit/s, a good film from a disc
MOST_COPY_MIB = 700
PLAYER = Path(stream_player.__file__)


class StreamUnderCopy(Workload):
    """``scale`` is the number of frames, ``extra`` the MiB that are copied with cp and then synced.

    A frame has its due time whatever happened before, so a stall is seen at its full length.
    """

    id = "stream-under-copy"

    def size(self, probe: Probe, seconds: float) -> Size:
        """A copy that takes that time alone and a film as long; the film slows down with the slowest disks."""
        speed = 1 / (1 / probe.read_bytes_per_s + 1 / probe.write_bytes_per_s)
        mib = max(4, min(MOST_COPY_MIB, int(speed * seconds / MIB)))
        frames = max(10, int(seconds / stream_player.FRAME_S))
        film = frames * self._frame_bytes(probe.read_bytes_per_s)
        prepared = film + mib * MIB
        return Size(frames, mib * MIB, prepared, 1.15 * seconds + 0.5, prepared + mib * MIB, extra=mib)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Write the film and the file to be copied."""
        self.write(scratch, size.bytes_prepared - size.extra * MIB, processes, "film")
        self.write(scratch, size.extra * MIB, processes)

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Start the copy, play the film, wait until the copy is on the disk."""
        film, source, target = (self.file(scratch, ending) for ending in ("film", "in", "out"))
        make_cold(film)
        make_cold(source)
        copying = processes.start(["cp", "--reflink=never", source.name, target.name], scratch.folder)
        frame_bytes = film.stat().st_size // size.scale
        playing = processes.start(own_program(PLAYER, film.name, frame_bytes, size.scale), scratch.folder)
        processes.wait(copying, size.timeout_s)
        processes.run(["sync", target.name], scratch.folder, size.timeout_s)
        played = processes.wait(playing, size.timeout_s)
        target.unlink()
        return self._measurement(played.out, played.wall_s, size)

    def _measurement(self, text: str, wall_s: float, size: Size) -> Measurement:
        copied = size.extra * MIB
        try:
            found = json.loads(text)
            on_time = 1 - float(found["late"]) / size.scale
            # a share of zero has no ratio: half a frame stands for none
            values = {
                "longest_stall_s": float(found["longest_s"]),
                "on_time_share": max(on_time, 0.5 / size.scale),
            }
            return Measurement(values, wall_s, int(found["bytes"]) + copied, copied)
        except (ValueError, KeyError, TypeError) as error:
            raise NotUnderstood(PLAYER.name, text) from error

    def _frame_bytes(self, read_bytes_per_s: float) -> int:
        """Bytes of a frame: the film takes at most a quarter of what the disk can read."""
        return int(min(FILM_BYTES_PER_S, read_bytes_per_s / 4) * stream_player.FRAME_S)


RUNNERS = (StreamUnderCopy(),)
