# SPDX-License-Identifier: GPL-3.0-or-later
"""On a disk whose truth is known: the model is what it says, and the product finds out what is true."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Sudo
from tests.end2end.conftest import Run, disktuner
from tests.simdisk.simulated import simulated_disk

__all__ = ["disktuner"]


def read_bytes_per_s(path: Path) -> float:
    """Read a file sequentially with O_DIRECT and return the speed: the best of three, what the disk can do."""

    def once() -> float:
        done = subprocess.run(
            ["dd", f"if={path}", "of=/dev/null", "bs=1M", "iflag=direct"],
            capture_output=True, text=True, check=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
        )  # fmt: skip
        return path.stat().st_size / float(done.stderr.split(" copied, ")[1].split()[0])

    return max(once() for _ in range(3))


def fill(path: Path, mib: int) -> None:
    subprocess.run(
        ["dd", "if=/dev/zero", f"of={path}", "bs=1M", f"count={mib}", "oflag=direct"], check=True, capture_output=True
    )


def test_the_simulated_hard_disk_reads_at_its_rate_and_seeks_at_its_pace(sudo: Sudo, tmp_path: Path) -> None:
    with simulated_disk(sudo, tmp_path, 4000, "hdd", "rate_mb=150") as disk:
        assert disk.folder
        fill(disk.folder / "file", 200)
        assert 0.75 * 150e6 < read_bytes_per_s(disk.folder / "file") < 1.02 * 150e6
        argv = ["fio", "--thread", "--name=r", f"--filename={disk.folder}/file", "--rw=randread", "--bs=4k"]
        argv += ["--direct=1", "--ioengine=psync", "--number_ios=60", "--output-format=json"]
        done = subprocess.run(argv, capture_output=True, text=True, check=True)
        mean_ns = json.loads(done.stdout)["jobs"][0]["read"]["clat_ns"]["mean"]
        # within 200 MB of 4 GB: a short seek and half a turn (4.2 ms) on average
        assert 3e6 < mean_ns < 14e6


def test_a_disk_without_delay_is_much_faster_than_any_other(sudo: Sudo, tmp_path: Path) -> None:
    with simulated_disk(sudo, tmp_path, 600, "null") as disk:
        assert disk.folder
        fill(disk.folder / "file", 100)
        assert read_bytes_per_s(disk.folder / "file") > 200e6


def test_reads_do_not_wait_for_each_other_on_a_disk_without_differences(sudo: Sudo, tmp_path: Path) -> None:
    with simulated_disk(sudo, tmp_path, 600, "null", "read_us=20000", depth="64") as disk:
        assert disk.folder
        fill(disk.folder / "file", 50)
        argv = ["fio", "--thread", "--name=r", f"--filename={disk.folder}/file", "--rw=randread", "--bs=4k"]
        argv += ["--direct=1", "--ioengine=libaio", "--iodepth=16", "--number_ios=320", "--output-format=json"]
        done = subprocess.run(argv, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)["jobs"][0]["read"]
    assert 19.9e6 < found["clat_ns"]["mean"] < 30e6
    assert found["iops"] > 8 / 0.020


def test_simulated_flash_has_its_latency(sudo: Sudo, tmp_path: Path) -> None:
    with simulated_disk(sudo, tmp_path, 600, "flash", "read_us=2000") as disk:
        assert disk.folder
        fill(disk.folder / "file", 50)
        argv = ["fio", "--thread", "--name=r", f"--filename={disk.folder}/file", "--rw=randread", "--bs=4k"]
        argv += ["--direct=1", "--ioengine=psync", "--number_ios=100", "--output-format=json"]
        done = subprocess.run(argv, capture_output=True, text=True, check=True)
        mean_ns = json.loads(done.stdout)["jobs"][0]["read"]["clat_ns"]["mean"]
        assert 1.9e6 < mean_ns < 6e6


@pytest.mark.machine
@pytest.mark.timeout(420)
def test_bfq_wins_the_start_of_programs_beside_writers_on_a_hard_disk(
    sudo: Sudo, tmp_path: Path, disktuner: Run
) -> None:
    out = tmp_path / "result.json"
    with simulated_disk(sudo, tmp_path, 6000, "hdd") as disk:
        assert disk.folder
        sudo("tee", disk.queue / "scheduler", stdin="mq-deadline")  # what a disk with one queue has by default
        arguments = ("--goal", "desktop", "--schedulers", "bfq", "--workloads", "launch-under-writes")
        done = disktuner("compare", disk.folder, *arguments, "--seed", "3", "--out", out, "--json", timeout=400)
    assert done.returncode == 0, done.stderr
    verdict = json.loads(done.stdout)["verdict"]
    assert verdict["decision"] == "switch", (verdict, done.stderr)
    assert verdict["winner"] == "bfq"
    ratios = {
        each["scheduler"]: each["ratio"]
        for each in verdict["comparisons"]
        if each["metric"] == "launch-under-writes.wall_s"
    }
    assert ratios["bfq"] < 0.7
