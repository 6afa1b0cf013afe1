# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulated disk behaves like its model. Run this when it was changed."""

from __future__ import annotations

import json
import subprocess
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.conftest import Sudo
from tests.simdisk.sata import DEPTHS, sata_disk
from tests.simdisk.simulated import silent, simulated_disk
from tests.waiting import until

pytestmark = pytest.mark.long

ONE_BY_ONE = "--ioengine=psync"
SEQUENTIAL = f"{ONE_BY_ONE} --rw=read --bs=1M --number_ios=100"
SCATTERED = f"{ONE_BY_ONE} --rw=randread --bs=4k --number_ios=60"
WITHOUT_PAUSE = "chrt --fifo 10 fio --thread --direct=1 --ioengine=libaio --time_based --output-format=json"
STREAM = "--name=writer --runtime=8 --size=500M --overwrite=1 --rw=write --bs=512k --iodepth=128"
READS = "--name=reader --startdelay=2 --runtime=5 --size=200M --rw=randread --bs=4k --iodepth=1"
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
        completed = subprocess.run(argv, capture_output=True, text=True, check=True)
        latency = json.loads(completed.stdout)["jobs"][0]["read"]["clat_ns"]["percentile"]["10.000000"]
        assert least_ms < latency / 1e6 < most_ms


@pytest.mark.parametrize("stands_still", [False, True])
def test_a_disk_recovers_when_nothing_is_asked_of_it_but_not_while_it_stands_still(
    stands_still: bool, sudo: Sudo, tmp_path: Path
) -> None:
    """As with the whole computer, whose processors a host may take away for seconds."""
    settings = ("rate_mb=300", "cache_mb=100", "after_mb=20", "recover_mb=100")
    with simulated_disk(sudo, tmp_path, 600, "flash", *settings) as disk:
        argv = ["fio", "--thread", "--name=w", f"--filename={disk.folder}/file", "--size=32M", "--bs=1M", "--direct=1"]
        argv += ["--rw=write", "--overwrite=1", "--output-format=json"]

        def written_bytes_per_s() -> float:
            completed = subprocess.run(argv, capture_output=True, text=True, check=True)
            return float(json.loads(completed.stdout)["jobs"][0]["write"]["bw_bytes"])

        until(lambda: written_bytes_per_s() < 30e6)
        with silent(sudo, tmp_path) if stands_still else nullcontext():
            subprocess.run(["sleep", "2"], check=True)
        assert (written_bytes_per_s() < 30e6) == stands_still


def test_the_depth_of_a_sata_disk_takes_what_the_kernels_does_and_leaves_the_scheduler(
    sudo: Sudo, tmp_path: Path
) -> None:
    """tests/machine/test_restart.py has what the kernel's takes."""
    with sata_disk(sudo, tmp_path, 64) as disk:
        depth = disk.queue.parent / "device/queue_depth"
        sudo("tee", disk.queue / "scheduler", stdin="bfq")
        requests = (disk.queue / "nr_requests").read_text()
        for text, expected in DEPTHS.items():
            before = int(depth.read_text())
            if expected is None:
                with pytest.raises(AssertionError, match="Invalid argument"):
                    sudo("tee", depth, stdin=f"{text}\n")
            else:
                sudo("tee", depth, stdin=f"{text}\n")
            assert int(depth.read_text()) == (before if expected is None else expected)
            assert (disk.scheduler, (disk.queue / "nr_requests").read_text()) == ("bfq", requests)


@pytest.mark.parametrize(
    ("settings", "depth", "least_ms", "most_ms"),
    [("patience=300", 32, 1500, 10_000), ("patience=300", 1, 5, 1500), ("linger_us=10000", 32, 5, 1500)],
)
def test_a_full_queue_of_its_own_leaves_reads_waiting_on_a_starving_disk_alone(
    settings: str, depth: int, least_ms: float, most_ms: float, sudo: Sudo, tmp_path: Path
) -> None:
    """At most for 300 consecutive writes, 8.7 ms each, or for the few that the kernel passes on."""
    with sata_disk(sudo, tmp_path, 2000, "rate_mb=60", "ncq=32", settings) as disk:
        sudo("tee", disk.queue / "scheduler", stdin="mq-deadline")
        sudo("tee", disk.queue.parent / "device/queue_depth", stdin=str(depth))
        jobs = json.loads(sudo(*WITHOUT_PAUSE.split(), f"--directory={disk.folder}", *STREAM.split(), *READS.split()))
        (reads,) = (job["read"] for job in jobs["jobs"] if job["jobname"] == "reader")
        assert least_ms < reads["clat_ns"]["max"] / 1e6 < most_ms
