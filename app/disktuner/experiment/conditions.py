# SPDX-License-Identifier: GPL-3.0-or-later
"""What the kernel says of machine, file system and disks at one moment: before and after a run."""

from __future__ import annotations

import mmap
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from disktuner.block.counters import Counters
from disktuner.block.sysfs import Tree, as_number
from disktuner.experiment.scratch import opened
from disktuner.workloads.cold import cached_share, make_cold
from disktuner.workloads.errors import StillCached

SIZE_BYTES = 256 * 1024  # of the file that shows whether O_DIRECT works
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Hot:
    """A disk that is warmer than its maker wants, in °C."""

    disk: str
    celsius: float
    limit_celsius: float


@dataclass(frozen=True, slots=True)
class Conditions:
    """The machine at one moment. CPU times are in ticks (USER_HZ), ``hot`` are the disks that are too warm."""

    cpu_total: int = 0
    cpu_idle: int = 0
    cpu_steal: int = 0
    throttled_us: int = 0
    on_battery: bool = False
    cpu_heat_events: int = 0
    hot: tuple[Hot, ...] = ()

    @property
    def busy_s(self) -> float:
        """For how long all CPUs together were busy since the start, in seconds."""
        return _busy_s(self.cpu_total, self.cpu_idle, self.cpu_steal)

    def stolen_since(self, before: Conditions) -> float:
        """The share of the CPU time since then that the hypervisor took for others."""
        total = self.cpu_total - before.cpu_total
        return (self.cpu_steal - before.cpu_steal) / total if total > 0 else 0.0

    def held_back_s_since(self, before: Conditions) -> float:
        """For how many seconds since then a CPU limit held this process's control group back."""
        return (self.throttled_us - before.throttled_us) / 1e6


@dataclass(frozen=True, slots=True)
class Observation:
    """What the kernel says at one moment. ``counters`` None means that a disk is gone.

    ``stopped_s`` is for how long programs stood still up to now, by name.
    """

    counters: Counters | None
    schedulers: Mapping[str, str | None]
    tunables: Mapping[str, Mapping[str, int | str]]
    conditions: Conditions
    read_only: bool
    asleep_s: float = 0.0
    mounted: bool = True
    stopped_s: Mapping[str, float] = field(default_factory=dict)


class Surroundings:
    """Reads them below a root folder; ``/`` is the running machine. What the kernel does not say counts as harmless."""

    def __init__(self, root: Path = Path("/")) -> None:
        self._tree = Tree(root)

    def now(self, disks: Iterable[str]) -> Conditions:
        """Look at everything."""
        total, idle, steal = self.cpu_times()
        return Conditions(
            total, idle, steal, self.throttled_us(), self.on_battery(), self._cpu_heat_events(), tuple(self._hot(disks))
        )

    def cpu_times(self) -> tuple[int, int, int]:
        """All CPU time, its idle and its stolen part since the start (proc_stat(5); guest time is part of user)."""
        words = (self._tree.text("proc/stat") or "cpu").split("\n", 1)[0].split()[1:9]
        numbers = [as_number(word) for word in words] + [0] * (8 - len(words))
        return sum(numbers), numbers[3] + numbers[4], numbers[7]

    def busy_s(self) -> float:
        """For how long all CPUs together were busy since the start, in seconds."""
        return _busy_s(*self.cpu_times())

    def throttled_us(self) -> int:
        """For how long a CPU limit held back this process's control group and those above it (cgroups v2 and v1).

        Documentation/admin-guide/cgroup-v2.rst (``cpu.stat``: ``throttled_usec``) and
        Documentation/scheduler/sched-bwc.rst (v1: ``throttled_time`` in nanoseconds).
        """
        found = 0
        for line in (self._tree.text("proc/self/cgroup") or "").splitlines():
            controllers, _, path = line.partition(":")[2].partition(":")
            if not controllers:
                found += self._over_all("sys/fs/cgroup", path, "throttled_usec")
            elif "cpu" in controllers.split(","):
                found += self._over_all(f"sys/fs/cgroup/{controllers}", path, "throttled_time") // 1000
        return found

    def on_battery(self) -> bool:
        """Whether a battery of the machine itself is discharging (Documentation/ABI/testing/sysfs-class-power).

        Mice and headsets have batteries too; their ``scope`` is ``Device``.
        """
        folder = "sys/class/power_supply"
        return any(
            self._tree.text(f"{folder}/{name}/type") == "Battery"
            and self._tree.text(f"{folder}/{name}/scope") != "Device"
            and self._tree.text(f"{folder}/{name}/status") == "Discharging"
            for name in self._tree.names(folder)
        )

    def _over_all(self, base: str, path: str, name: str) -> int:
        """The sum of a figure of ``cpu.stat`` over a control group and those above it, as far as they can be seen."""
        own = PurePosixPath(path.lstrip("/"))
        found = 0
        for group in {own, *own.parents}:
            words = (self._tree.text(f"{base}/{group}/cpu.stat") or "").split()
            found += as_number(dict(zip(words[::2], words[1::2], strict=False)).get(name))
        return found

    def _cpu_heat_events(self) -> int:
        """How often CPUs slowed down because of heat (x86: arch/x86/kernel/cpu/mce/therm_throt.c)."""
        base = "sys/devices/system/cpu"
        return sum(
            as_number(self._tree.text(f"{base}/{cpu}/thermal_throttle/{part}_throttle_count"))
            for cpu in self._tree.names(base)
            if cpu.removeprefix("cpu").isdecimal()
            for part in ("core", "package")
        )

    def _hot(self, disks: Iterable[str]) -> Iterator[Hot]:
        """The disks at or above the temperature that their maker calls high (``temp1_max``, in thousandths of °C).

        Documentation/hwmon/drivetemp.rst and drivers/nvme/host/hwmon.c (there it is WCTEMP, where a drive may begin
        to slow itself down: NVM Express base specification, "Warning Composite Temperature Threshold").
        """
        for disk in disks:
            device = f"sys/block/{disk}/device"
            sensors = [f"{device}/hwmon/{name}" for name in self._tree.names(f"{device}/hwmon")]
            sensors += [f"{device}/{name}" for name in self._tree.names(device) if name.startswith("hwmon")]
            for sensor in sensors:
                warm = as_number(self._tree.text(f"{sensor}/temp1_input"))
                most = as_number(self._tree.text(f"{sensor}/temp1_max"))
                if 0 < most <= warm:
                    yield Hot(disk, warm / 1000, most / 1000)
                    break


def _busy_s(total: int, idle: int, steal: int) -> float:
    return (total - idle - steal) / _TICKS_PER_S


def direct_works(folder: Path) -> bool:
    """Write and read a small file with O_DIRECT and look whether its pages are in memory afterwards.

    open(2) succeeds also where the flag is ignored, as on ext4 with ``data=journal`` or an old ZFS. A file system that
    writes through the cache and drops the pages at once (btrfs with checksums) measures the disk and is fine.
    """
    path = folder / "direct"
    with mmap.mmap(-1, SIZE_BYTES) as block:  # O_DIRECT wants memory at a page's boundary
        block.write(os.urandom(SIZE_BYTES))
        try:
            _access(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, block)
            written_around = _share(path) == 0
            make_cold(path)
            _access(path, os.O_RDONLY, block)
            return written_around and _share(path) == 0
        except (OSError, StillCached):
            return False
        finally:
            path.unlink(missing_ok=True)


def _access(path: Path, flags: int, block: mmap.mmap) -> None:
    """Write or read the whole file with O_DIRECT."""
    with opened(path, flags | os.O_DIRECT) as fd:
        (os.writev if flags & os.O_WRONLY else os.readv)(fd, [block])


def _share(path: Path) -> float:
    with opened(path, os.O_RDONLY) as fd:
        return cached_share(fd)


def asleep_s() -> float:
    """Return for how long the machine was suspended since its start: what the monotonic clock leaves out."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)


def is_read_only(folder: Path) -> bool:
    """Whether the file system went read-only (the kernel's answer to errors), or cannot be asked any more."""
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return True


def same_file_system(folder: Path, held: Path) -> bool:
    """Whether a folder's name still leads to the file system of one that is held open."""
    try:
        return folder.stat().st_dev == held.stat().st_dev
    except OSError:
        return False
