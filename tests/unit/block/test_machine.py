# SPDX-License-Identifier: GPL-3.0-or-later
"""The machine's influence on a run's figures: files as the kernel writes them, and this machine's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from disktuner.block.machine import Hot, Surroundings


def write(root: Path, **files: str) -> None:
    """Write files by name; two underscores stand for a slash."""
    for name, content in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content + "\n")


def battery(root: Path, name: str, status: str, **more: str) -> None:
    write(root / "sys/class/power_supply" / name, type="Battery", status=status, **more)


def test_a_battery_is_only_a_matter_when_it_discharges(tmp_path: Path) -> None:
    battery(tmp_path, "BAT0", "Full")
    assert not Surroundings(tmp_path).on_battery()
    battery(tmp_path, "macsmc-battery", "Discharging")
    assert Surroundings(tmp_path).on_battery()


@pytest.mark.parametrize("sensor", ["hwmon/hwmon3", "hwmon3"])
def test_a_disk_is_hot_from_its_makers_limit_on(tmp_path: Path, sensor: str) -> None:
    """drivetemp's sensors are in device/hwmon/hwmonN; NVMe's were in device/hwmonN up to Linux 5.18."""
    folder = tmp_path / "sys/block/nvme0n1/device" / sensor
    write(folder, temp1_input="81850", temp1_max="81850")
    assert Surroundings(tmp_path).now(["nvme0n1"]).hot == (Hot("nvme0n1", 81.85, 81.85),)
    write(folder, temp1_input="45850")
    assert Surroundings(tmp_path).now(["nvme0n1"]).hot == ()
    write(folder, temp1_input="45850", temp1_max="-273150")
    assert Surroundings(tmp_path).now(["nvme0n1"]).hot == ()


def test_heat_of_all_cpus_counts(tmp_path: Path) -> None:
    cpus = tmp_path / "sys/devices/system/cpu"
    write(cpus, cpu0__thermal_throttle__core_throttle_count="2", cpu1__thermal_throttle__package_throttle_count="1")
    write(cpus, cpufreq__x="1")
    assert Surroundings(tmp_path).now([]).cpu_heat_events == 3


def test_limits_of_groups_above_count_too(tmp_path: Path) -> None:
    write(tmp_path / "proc/self", cgroup="0::/a/b")
    groups = tmp_path / "sys/fs/cgroup"
    write(groups / "a", **{"cpu.stat": "usage_usec 5\nnr_throttled 2\nthrottled_usec 700"})
    write(groups / "a/b", **{"cpu.stat": "usage_usec 5\nthrottled_usec 42"})
    write(groups, **{"cpu.stat": "usage_usec 5"})
    assert Surroundings(tmp_path).throttled_us() == 742


def test_old_control_groups_say_it_in_nanoseconds(tmp_path: Path) -> None:
    write(tmp_path / "proc/self", cgroup="7:blkio:/x\n3:cpu,cpuacct:/x\n0::/")
    write(tmp_path / "sys/fs/cgroup/cpu,cpuacct/x", **{"cpu.stat": "nr_periods 9\nthrottled_time 5000000"})
    assert Surroundings(tmp_path).throttled_us() == 5000
