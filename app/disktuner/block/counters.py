# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk's counters since it appeared (``/sys/block/X/stat``), its present rates, and its highest possible ones."""

from __future__ import annotations

from dataclasses import dataclass

from disktuner.block.disk import Disk, Transport
from disktuner.block.links import pcie_now, usb_link
from disktuner.block.sysfs import Tree
from disktuner.vocabulary import kinds

SECTOR_BYTES = 512  # of counters and sizes in sysfs, whatever the disk's own sector is (Documentation/block/stat.rst)
# Data per bit on the wire, by the link's speed in GT/s (PCI Express Base Specification 6.0) and Mb/s (USB 2.0 to 3.2).
_PCIE_CODING = {2.5: 0.8, 5.0: 0.8, 8.0: 128 / 130, 16.0: 128 / 130, 32.0: 128 / 130, 64.0: 1.0}
_USB_CODING = {5000.0: 0.8, 10000.0: 128 / 132, 20000.0: 128 / 132}


@dataclass(frozen=True, slots=True)
class Figures:
    """A disk's work between two readings, as ``iostat -x`` reports it.

    Rates are per second of real time. ``read_latency_s`` and ``write_latency_s`` are mean times per completed
    request (await), None when none completed; ``in_flight`` is the mean number of requests waiting or served
    (aqu-sz); ``utilisation`` the share of time with at least one request (0 to 1), and no more than the requests took.
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
    """One reading. ``time_s`` is monotonic; all others only grow, except ``in_flight``.

    Kernels before 4.18 count no discards, those before 5.5 no flushes.
    """

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
    discard_merges: int = 0
    discard_sectors: int = 0
    discard_ms: int = 0
    flushes: int = 0
    flush_ms: int = 0

    @property
    def read_bytes(self) -> int:
        """Bytes read since the disk appeared."""
        return self.read_sectors * SECTOR_BYTES

    @property
    def written_bytes(self) -> int:
        """Bytes written since the disk appeared."""
        return self.write_sectors * SECTOR_BYTES

    def since(self, earlier: Counters) -> Figures:
        """Return the figures between an earlier reading and this one.

        A counter that decreased (the disk was replaced, or 32 bits overflowed on an old kernel) counts as zero.
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
            utilisation=min(self.busy_ms_since(earlier) / 1000 / seconds, 1.0),
        )

    def busy_ms_since(self, earlier: Counters) -> int:
        """Return for how long since an earlier reading there was at least one request.

        The kernel counts it in ticks. If two processors start requests at once after the disk was idle, it counts the
        idle time too (a race in update_io_ticks()). What the requests took altogether, which is no less, is counted
        exactly as they complete.
        """
        busy, taken = self.busy_ms - earlier.busy_ms, self.weighted_ms - earlier.weighted_ms
        return max(busy if self.in_flight or earlier.in_flight else min(busy, taken), 0)


def parse_stat(text: str, time_s: float) -> Counters | None:
    """Parse a ``stat`` file, whose first 11 fields every kernel has; None if it is malformed."""
    try:
        numbers = [int(word) for word in text.split()[:17]]
    except ValueError:
        return None
    return Counters(time_s, *numbers) if len(numbers) >= 11 else None


def ceiling_bytes_per_s(tree: Tree, disk: Disk) -> float | None:
    """Return the most that a disk can move in one direction; None if its kind sets no limit.

    Uses the speed of the link if the kernel reports it: PCI Express for NVMe, the port for USB.
    """
    most = disk.kind.ceiling_bytes_per_s
    if most is None or not disk.kind_certain:
        return None
    link = 0.0
    if disk.transport == Transport.NVME:  # even if flagged as rotational: anybody can write the flag
        most = kinds.NVME_SSD.ceiling_bytes_per_s or most
        speed, lanes = pcie_now(tree, f"sys/block/{disk.name}/device/device")
        link = speed * 1e9 / 8 * lanes * _PCIE_CODING.get(speed, 1.0)
    elif usb := usb_link(tree, tree.link(f"sys/block/{disk.name}") or ""):
        link = usb.speed * 1e6 / 8 * _USB_CODING.get(usb.speed, 1.0)
    return min(most, link) if link else most
