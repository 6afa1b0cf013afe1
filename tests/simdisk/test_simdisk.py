# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulated disk is what its model says. To be run where it was changed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Sudo
from tests.simdisk.simulated import simulated_disk

pytestmark = pytest.mark.long

ONE_BY_ONE = "--ioengine=psync"
SEQUENTIAL = f"{ONE_BY_ONE} --rw=read --bs=1M --number_ios=100"
SCATTERED = f"{ONE_BY_ONE} --rw=randread --bs=4k --number_ios=60"
AT_ONCE = "--ioengine=libaio --iodepth=16 --rw=randread --bs=4k --number_ios=320"


@pytest.mark.parametrize(
    ("size_mb", "settings", "depth", "reads", "least_ms", "most_ms"),
    [
        (4000, "hdd rate_mb=150", "4", SEQUENTIAL, 6.8, 9.3),
        (4000, "hdd rate_mb=150", "4", SCATTERED, 1, 10),  # a short seek and part of a turn (8.3 ms)
        (600, "null", "4", SEQUENTIAL, 0, 5.2),
        (600, "null read_us=20000", "64", AT_ONCE, 19.8, 30),  # reads do not wait for each other
        (600, "flash read_us=2000", "4", SCATTERED, 1.9, 6),
        (600, "flash read_us=20000 channels=16", "64", AT_ONCE, 19.8, 30),  # each channel serves one at a time
    ],
)
def test_a_profile_has_its_speed_and_latency(
    size_mb: int, settings: str, depth: str, reads: str, least_ms: float, most_ms: float, sudo: Sudo, tmp_path: Path
) -> None:
    """What a tenth of the reads take at most: the disk is a program, which waits for a processor like any other."""
    with simulated_disk(sudo, tmp_path, size_mb, *settings.split(), depth=depth) as disk:
        assert disk.folder
        argv = ["fio", "--thread", "--name=r", f"--filename={disk.folder}/file", "--size=200M", "--direct=1"]
        argv += [*reads.split(), "--percentile_list=10", "--output-format=json"]
        done = subprocess.run(argv, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)["jobs"][0]["read"]["clat_ns"]["percentile"]["10.000000"]
        assert least_ms < found / 1e6 < most_ms
