# SPDX-License-Identifier: GPL-3.0-or-later
"""What affects a run's numbers, according to the kernel: CPU time and who took it, battery, heat."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from disktuner.block.sysfs import Tree, as_number

_AVAILABLE = re.compile(r"^MemAvailable:\s+(\d+) kB$", re.MULTILINE)
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_RELEASE = re.compile(r"(\d{1,4})\.(\d{1,4})")


def kernel_version(release: str | None) -> tuple[int, int]:
    """Return ``(6, 17)`` for ``6.17.0-9-generic``; (0, 0) if it cannot be parsed."""
    match = _RELEASE.match(release or "")
    return (int(match[1]), int(match[2])) if match else (0, 0)


def is_since(wanted: tuple[int, int], release: str | None) -> bool:
    """Whether a kernel is at least that new; one of unknown version is."""
    version = kernel_version(release)
    return version == (0, 0) or version >= wanted


@dataclass(frozen=True, slots=True)
class Hot:
    """A disk above its maker's temperature limit, in °C."""

    disk: str
    celsius: float
    limit_celsius: float


@dataclass(frozen=True, slots=True)
class Conditions:
    """The machine's state. CPU times are in ticks (USER_HZ); ``hot`` are disks that are too warm."""

    cpu_total: int = 0
    cpu_idle: int = 0
    cpu_steal: int = 0
    throttled_us: int = 0
    on_battery: bool = False
    cpu_heat_events: int = 0
    hot: tuple[Hot, ...] = ()

    @property
    def busy_s(self) -> float:
        """The total busy time of all CPUs since boot."""
        return _busy_s(self.cpu_total, self.cpu_idle, self.cpu_steal)

    def stolen_since(self, before: Conditions) -> float:
        """Return the share of the CPU time since then that the hypervisor took for others."""
        total = self.cpu_total - before.cpu_total
        return (self.cpu_steal - before.cpu_steal) / total if total > 0 else 0.0

    def held_back_s_since(self, before: Conditions) -> float:
        """Return for how many seconds since then a CPU limit throttled this process's cgroup."""
        return (self.throttled_us - before.throttled_us) / 1e6


class Surroundings:
    """Reads conditions below a root folder; ``/`` is the running machine. Unknown ones count as harmless."""

    def __init__(self, root: Path = Path("/")) -> None:
        self._tree = Tree(root)

    def now(self, disks: Iterable[str]) -> Conditions:
        """Return the present conditions."""
        hot = tuple(self._hot(disks))
        return Conditions(*self.cpu_times(), self.throttled_us(), self.on_battery(), self._cpu_heat_events(), hot)

    def cpu_times(self) -> tuple[int, int, int]:
        """Return all CPU time since boot, and its idle and stolen parts (proc_stat(5); guest time is part of user)."""
        words = (self._tree.text("proc/stat") or "cpu").split("\n", 1)[0].split()[1:9]
        numbers = [as_number(word) for word in words] + [0] * (8 - len(words))
        return sum(numbers), numbers[3] + numbers[4], numbers[7]

    def busy_s(self) -> float:
        """Return the total busy time of all CPUs since boot, in seconds."""
        return _busy_s(*self.cpu_times())

    def throttled_us(self) -> int:
        """Return for how long a CPU limit throttled this process's cgroup and those above it (v2 and v1).

        Documentation/admin-guide/cgroup-v2.rst (``cpu.stat``: ``throttled_usec``) and
        Documentation/scheduler/sched-bwc.rst (v1: ``throttled_time`` in nanoseconds).
        """
        total_us = 0
        for line in (self._tree.text("proc/self/cgroup") or "").splitlines():
            controllers, _, path = line.partition(":")[2].partition(":")
            if not controllers:
                total_us += self._over_all("sys/fs/cgroup", path, "throttled_usec")
            elif "cpu" in controllers.split(","):
                total_us += self._over_all(f"sys/fs/cgroup/{controllers}", path, "throttled_time") // 1000
        return total_us

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
        """Return the sum of a figure of ``cpu.stat`` over a cgroup and those above it, as far as they are visible."""
        own_group = PurePosixPath(path.lstrip("/"))
        total = 0
        for group in {own_group, *own_group.parents}:
            words = (self._tree.text(f"{base}/{group}/cpu.stat") or "").split()
            total += as_number(dict(zip(words[::2], words[1::2], strict=False)).get(name))
        return total

    def _cpu_heat_events(self) -> int:
        """Return how often CPUs slowed down because of heat (x86: arch/x86/kernel/cpu/mce/therm_throt.c)."""
        base = "sys/devices/system/cpu"
        return sum(
            as_number(self._tree.text(f"{base}/{cpu}/thermal_throttle/{part}_throttle_count"))
            for cpu in self._tree.names(base)
            if cpu.removeprefix("cpu").isdecimal()
            for part in ("core", "package")
        )

    def _hot(self, disks: Iterable[str]) -> Iterator[Hot]:
        """Yield the disks at or above their maker's high temperature (``temp1_max``, in thousandths of °C).

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


def available_bytes(tree: Tree) -> int:
    """Return how much memory programs could still use, 0 if unknown."""
    match = _AVAILABLE.search(tree.text("proc/meminfo") or "")
    return int(match[1]) * 1024 if match else 0


def os_name() -> str:
    """Return the name and version of the distribution."""
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:
        return "Linux"


def cpu_name(tree: Tree) -> str:
    """Return the number and model of usable processors."""
    lines = (tree.text("proc/cpuinfo") or "").splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "Model", "cpu\t"))]
    return f"{len(os.sched_getaffinity(0))} x {names[0]}" if names else os.uname().machine
