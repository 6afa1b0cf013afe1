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


PIECE_MIB = 25


def read_bytes_per_s(path: Path) -> float:
    """Read a file sequentially with O_DIRECT, piece by piece, and return the speed of the fastest.

    That is what the disk can do: it is a program, which waits for a processor like any other.
    """

    def piece(number: int) -> float:
        done = subprocess.run(
            ["dd", f"if={path}", "of=/dev/null", "bs=1M", "iflag=direct", f"count={PIECE_MIB}",
             f"skip={number * PIECE_MIB}"],
            capture_output=True, text=True, check=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
        )  # fmt: skip
        return (PIECE_MIB << 20) / float(done.stderr.split(" copied, ")[1].split()[0])

    return max(piece(number) for _ in range(3) for number in range(path.stat().st_size // (PIECE_MIB << 20)))


def random_read_ns(path: Path, reads: int, *options: str) -> float:
    """Return how long scattered reads of 4 KiB take, in nanoseconds: the tenth percentile, as above."""
    argv = ["fio", "--thread", "--name=r", f"--filename={path}", "--rw=randread", "--bs=4k", "--direct=1"]
    argv += [f"--number_ios={reads}", "--percentile_list=10", "--output-format=json", *options]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)["jobs"][0]["read"]["clat_ns"]["percentile"]["10.000000"])


def fill(path: Path, mib: int) -> None:
    subprocess.run(
        ["dd", "if=/dev/zero", f"of={path}", "bs=1M", f"count={mib}", "oflag=direct"], check=True, capture_output=True
    )


def test_the_simulated_hard_disk_reads_at_its_rate_and_seeks_at_its_pace(sudo: Sudo, tmp_path: Path) -> None:
    with simulated_disk(sudo, tmp_path, 4000, "hdd", "rate_mb=150") as disk:
        assert disk.folder
        fill(disk.folder / "file", 200)
        assert 0.75 * 150e6 < read_bytes_per_s(disk.folder / "file") < 1.02 * 150e6
        # within 200 MB of 4 GB: a short seek and part of a turn (8.3 ms)
        assert 1e6 < random_read_ns(disk.folder / "file", 60, "--ioengine=psync") < 10e6


def test_a_disk_without_delay_is_much_faster_than_any_other(sudo: Sudo, tmp_path: Path) -> None:
    with simulated_disk(sudo, tmp_path, 600, "null") as disk:
        assert disk.folder
        fill(disk.folder / "file", 100)
        assert read_bytes_per_s(disk.folder / "file") > 200e6


def test_reads_do_not_wait_for_each_other_on_a_disk_without_differences(sudo: Sudo, tmp_path: Path) -> None:
    with simulated_disk(sudo, tmp_path, 600, "null", "read_us=20000", depth="64") as disk:
        assert disk.folder
        fill(disk.folder / "file", 50)
        sixteen = random_read_ns(disk.folder / "file", 320, "--ioengine=libaio", "--iodepth=16")
        assert 19.8e6 < sixteen < 30e6


def test_simulated_flash_has_its_latency(sudo: Sudo, tmp_path: Path) -> None:
    with simulated_disk(sudo, tmp_path, 600, "flash", "read_us=2000") as disk:
        assert disk.folder
        fill(disk.folder / "file", 50)
        assert 1.9e6 < random_read_ns(disk.folder / "file", 100, "--ioengine=psync") < 6e6


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
