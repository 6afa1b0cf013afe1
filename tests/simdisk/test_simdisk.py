# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulated disk is what its model says. To be run where it was changed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Sudo
from tests.simdisk.simulated import simulated_disk

pytestmark = pytest.mark.long
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


def random_read_ns(reads: int, *options: str) -> Callable[[Path], float]:
    """How long scattered reads of 4 KiB take, in nanoseconds: the tenth percentile, as above."""

    def measure(path: Path) -> float:
        argv = ["fio", "--thread", "--name=r", f"--filename={path}", "--rw=randread", "--bs=4k", "--direct=1"]
        argv += [f"--number_ios={reads}", "--percentile_list=10", "--output-format=json", *options]
        done = subprocess.run(argv, capture_output=True, text=True, check=True)
        return float(json.loads(done.stdout)["jobs"][0]["read"]["clat_ns"]["percentile"]["10.000000"])

    return measure


def fill(path: Path, mib: int) -> None:
    subprocess.run(
        ["dd", "if=/dev/zero", f"of={path}", "bs=1M", f"count={mib}", "oflag=direct"], check=True, capture_output=True
    )


@pytest.mark.parametrize(
    ("size_mb", "settings", "depth", "measure", "low", "high"),
    [
        (4000, ("hdd", "rate_mb=150"), "4", read_bytes_per_s, 0.75 * 150e6, 1.02 * 150e6),
        # within 200 MB of 4 GB: a short seek and part of a turn (8.3 ms)
        (4000, ("hdd", "rate_mb=150"), "4", random_read_ns(60, "--ioengine=psync"), 1e6, 10e6),
        (600, ("null",), "4", read_bytes_per_s, 200e6, 1e12),
        # reads do not wait for each other on a disk without differences
        (600, ("null", "read_us=20000"), "64", random_read_ns(320, "--ioengine=libaio", "--iodepth=16"), 19.8e6, 30e6),
        (600, ("flash", "read_us=2000"), "4", random_read_ns(100, "--ioengine=psync"), 1.9e6, 6e6),
    ],
)
def test_a_profile_has_its_speed_and_latency(
    size_mb: int, settings: tuple[str, ...], depth: str, measure: Callable[[Path], float], low: float, high: float,
    sudo: Sudo, tmp_path: Path,
) -> None:  # fmt: skip
    with simulated_disk(sudo, tmp_path, size_mb, *settings, depth=depth) as disk:
        assert disk.folder
        fill(disk.folder / "file", 200)
        assert low < measure(disk.folder / "file") < high
