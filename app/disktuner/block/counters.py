# SPDX-License-Identifier: GPL-3.0-or-later
"""What a disk has done since it appeared: ``/sys/block/X/stat``, and the figures between two readings."""

from __future__ import annotations

from dataclasses import dataclass

SECTOR_BYTES = 512  # of the counters, whatever the disk's own sector is (Documentation/block/stat.rst)


@dataclass(frozen=True, slots=True)
class Figures:
    """A disk's work between two readings, as ``iostat -x`` gives it.

    Rates are per second of real time. ``read_latency_s`` and ``write_latency_s`` are mean times per completed
    request (await), None when none completed; ``in_flight`` is the mean number of requests waiting or served
    (aqu-sz); ``utilisation`` the share of time with at least one request (0 to 1).
    """

    elapsed_s: float
    reads_per_s: float
    writes_per_s: float
    read_bytes_per_s: float
    write_bytes_per_s: float
    read_merges_per_s: float
    write_merges_per_s: float
    read_latency_s: float | None
    write_latency_s: float | None
    in_flight: float
    utilisation: float


@dataclass(frozen=True, slots=True)
class Counters:
    """One reading. ``time_s`` is monotonic; all others only grow, except ``in_flight``."""

    time_s: float
    reads: int
    read_merges: int
    read_sectors: int
    read_ms: int
    writes: int
    write_merges: int
    write_sectors: int
    write_ms: int
    in_flight: int
    busy_ms: int
    weighted_ms: int
    discards: int = 0
    discard_sectors: int = 0
    flushes: int = 0

    @property
    def read_bytes(self) -> int:
        """Bytes read since the disk appeared."""
        return self.read_sectors * SECTOR_BYTES

    @property
    def written_bytes(self) -> int:
        """Bytes written since the disk appeared."""
        return self.write_sectors * SECTOR_BYTES

    def since(self, earlier: Counters) -> Figures:
        """The figures between an earlier reading and this one.

        A counter that went back (the disk was replaced, or 32 bits overflowed on an old kernel) counts as zero.
        """
        seconds = max(self.time_s - earlier.time_s, 1e-9)

        def grown(name: str) -> int:
            return max(int(getattr(self, name)) - int(getattr(earlier, name)), 0)

        reads, writes = grown("reads"), grown("writes")
        return Figures(
            elapsed_s=seconds,
            reads_per_s=reads / seconds,
            writes_per_s=writes / seconds,
            read_bytes_per_s=grown("read_sectors") * SECTOR_BYTES / seconds,
            write_bytes_per_s=grown("write_sectors") * SECTOR_BYTES / seconds,
            read_merges_per_s=grown("read_merges") / seconds,
            write_merges_per_s=grown("write_merges") / seconds,
            read_latency_s=grown("read_ms") / 1000 / reads if reads else None,
            write_latency_s=grown("write_ms") / 1000 / writes if writes else None,
            in_flight=grown("weighted_ms") / 1000 / seconds,
            utilisation=min(grown("busy_ms") / 1000 / seconds, 1.0),
        )


def parse_stat(text: str, time_s: float) -> Counters | None:
    """Read a ``stat`` file: 11 fields, 15 with discards (4.18), 17 with flushes (5.5). None when it is garbage."""
    try:
        numbers = [int(word) for word in text.split()[:17]]
    except ValueError:
        return None
    if len(numbers) < 11:
        return None
    numbers += [0] * (17 - len(numbers))
    wanted = [*numbers[:12], numbers[13], numbers[15]]
    return Counters(time_s, *wanted)
