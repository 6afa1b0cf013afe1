# SPDX-License-Identifier: GPL-3.0-or-later
"""The guard where the machine is the matter: CPU limited, battery, heat, and a disk that becomes another one."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from disktuner.experiment.conditions import Surroundings
from disktuner.experiment.events import Event, RoundDone, Warned
from disktuner.workloads.workload import Measurement, Processes
from tests.conftest import LoopDisk, Sudo
from tests.end2end.guarded import SMALL, Doing, Switched, at_start, measure

GROUPS = Path("/sys/fs/cgroup")


def controller(name: str) -> Path:
    """Where a controller's old hierarchy is mounted, or the new one's root."""
    return GROUPS / name if (GROUPS / name).is_dir() else GROUPS


@contextmanager
def control_group(sudo: Sudo, base: Path, **settings: str) -> Iterator[Path]:
    """A control group with limits, with this process in it; it is put back where it was."""
    own = Path(f"/proc/{os.getpid()}/cgroup").read_text().splitlines()
    mine = next(
        line.rsplit(":", 1)[1] for line in own if base.name in line.split(":")[1].split(",") or line[:2] == "0:"
    )
    group = base / f"disktuner-test-{os.getpid()}"
    sudo("mkdir", group)
    try:
        for name, value in settings.items():
            sudo("tee", group / name.replace("__", "."), stdin=value)
        sudo("tee", group / "cgroup.procs", stdin=str(os.getpid()))
        yield group
    finally:
        sudo("tee", base / mine.lstrip("/") / "cgroup.procs", stdin=str(os.getpid()))
        sudo("rmdir", group)


def compute(folder: Path, processes: Processes) -> Measurement:
    """Work that needs a whole CPU for a while."""
    began = time.monotonic()
    processes.run(["dd", "if=/dev/urandom", "of=/dev/null", "bs=1M", "count=200"], folder, 60)
    wall_s = time.monotonic() - began
    return Measurement({"wall_s": wall_s}, wall_s, 0, 0)


def test_a_limited_cpu_is_noticed(loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> None:
    disk, base = loop_disk(size_mb=256), controller("cpu")
    old = {"cpu__cfs_period_us": "50000", "cpu__cfs_quota_us": "15000"}
    with control_group(sudo, base, **(old if base.name == "cpu" else {"cpu__max": "15000 50000"})):
        found = measure(disk, Doing(compute), SMALL)
    assert "cpu-limited" in found.reasons
    assert found.error is None


def rest(folder: Path, processes: Processes) -> Measurement:
    processes.pause(0.2)
    return Measurement({"wall_s": 0.2}, 0.2, 0, 0)


def machine(root: Path, **files: str) -> Surroundings:
    """A machine as the kernel describes it; two underscores stand for a slash."""
    for name, content in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content}\n")
    return Surroundings(root)


def test_a_machine_on_battery_is_measured_and_told_once(loop_disk: Callable[..., LoopDisk], tmp_path: Path) -> None:
    battery = {"sys__class__power_supply__BAT0__type": "Battery", "sys__class__power_supply__BAT0__status": "Full"}
    surroundings = machine(tmp_path / "machine", **battery)

    def unplug() -> None:
        (tmp_path / "machine/sys/class/power_supply/BAT0/status").write_text("Discharging\n")

    with at_start(unplug, 0.05) as hear:
        found = measure(loop_disk(), Doing(rest), SMALL, hear, rounds=9, surroundings=surroundings)
    assert found.reasons == ["on-battery"] * 9 and all(sample.valid for sample in found.samples)
    assert found.error is None
    assert [warning.id for warning in found.result.warnings] == ["run-disturbed"]


def test_what_the_host_takes_from_each_run_is_told_once(loop_disk: Callable[..., LoopDisk], tmp_path: Path) -> None:
    root, turn, told = tmp_path / "machine", itertools.count(1), list[Event]()
    surroundings = machine(root, proc__stat="cpu  0 0 0 0 0 0 0 0 0 0")

    def robbed(folder: Path, processes: Processes) -> Measurement:
        number = next(turn)
        machine(root, proc__stat=f"cpu  {100 * number} 0 0 0 0 0 0 {(20 + number) * number} 0 0")
        return rest(folder, processes)

    found = measure(loop_disk(), Doing(robbed), SMALL, told.append, rounds=3, surroundings=surroundings)
    assert found.reasons.count("cpu-stolen") == len(found.samples) == 3
    assert all(sample.valid for sample in found.samples)
    assert [event.message.id for event in told if isinstance(event, Warned)] == ["run-disturbed"]
    assert len(found.result.warnings) == 1


def test_a_hot_disk_is_noticed(loop_disk: Callable[..., LoopDisk], tmp_path: Path) -> None:
    disk = loop_disk()
    sensor = f"sys__block__{disk.name}__device__hwmon__hwmon1__"
    surroundings = machine(tmp_path / "machine", **{f"{sensor}temp1_input": "45000", f"{sensor}temp1_max": "70000"})

    def heat_up() -> None:
        (tmp_path / "machine" / f"{sensor}temp1_input".replace("__", "/")).write_text("71000\n")

    with at_start(heat_up, 0.05) as hear:
        found = measure(disk, Doing(rest), SMALL, hear, surroundings=surroundings)
    assert set(found.reasons) == {"disk-hot"} and f"{disk.name} is at 71 °C" in found.said
    assert found.error is None


def read_all(folder: Path, processes: Processes) -> Measurement:
    done = processes.run(["dd", "if=in", "of=/dev/null", "bs=1M", "count=16", "iflag=direct"], folder, 60)
    return Measurement({"wall_s": done.wall_s}, done.wall_s, 16 << 20, 0)


@pytest.mark.parametrize("lasting", [False, True])
def test_used_up_burst_credit_is_drift(loop_disk: Callable[..., LoopDisk], sudo: Sudo, lasting: bool) -> None:
    """The kernel's own throttle plays the cloud: 100 MB/s at first, then 20 MB/s, for a round or for good."""
    disk, base = loop_disk(size_mb=256), controller("blkio")
    number = Path(f"/sys/block/{disk.name}/dev").read_text().strip()
    v1 = base.name == "blkio"

    with control_group(sudo, base) as group:

        def limit(bytes_per_s: int) -> None:
            name, rate = ("blkio.throttle.read_bps_device", bytes_per_s) if v1 else ("io.max", f"rbps={bytes_per_s}")
            sudo("tee", group / name, stdin=f"{number} {rate}")

        def hear(event: Event) -> None:
            if isinstance(event, RoundDone) and event.round == 1:
                limit(20_000_000)
            if isinstance(event, RoundDone) and event.round == 2 and not lasting:
                limit(100_000_000)

        limit(100_000_000)
        schedulers = ("none", "mq-deadline")
        found = measure(
            disk, Doing(read_all), SMALL, hear, 4, schedulers, switch=Switched(disk, sudo), repeats=3
        )  # fmt: skip

    def rounds(valid: bool) -> set[int]:
        return {sample.round for sample in found.samples if sample.valid == valid}

    assert found.error is None
    assert rounds(valid=False) <= {2, 3} and 2 in rounds(valid=False), found.reasons
    assert rounds(valid=True) >= {0, 1, 4}, found.reasons
    assert {each.reason.id for each in found.samples if each.reason and not each.valid} == {"drift"}
    assert all(each.valid or each.reason for each in found.samples)
    codes = {warning.id for warning in found.result.warnings} - {"run-disturbed"}  # by a busy host
    assert codes == {"round-drifted"}
