# SPDX-License-Identifier: GPL-3.0-or-later
"""The fake queue of the unit tests answers as a real loop disk does."""

from __future__ import annotations

import errno
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from disktuner.vocabulary import tunables
from tests.conftest import LoopDisk
from tests.unit.helper.kernel import FakeQueue, Wbt, WriteBack

WRITES = (
    ("nomerges", "0"), ("nr_requests", "64"),
    ("scheduler", "bfq"), ("iosched/low_latency", "0"), ("iosched/slice_idle", "3"), ("iosched/strict_guarantees", "1"),
    ("nr_requests", "2"), ("scheduler", "cfq"), ("nr_requests", "x"), ("iosched/read_expire", "1"),
    ("scheduler", "mq-deadline"), ("iosched/read_expire", "100"), ("iosched/async_depth", "33"), ("nr_requests", "64"),
    ("iosched/low_latency", "0"), ("scheduler", "kyber"), ("nomerges", "2"),
    ("scheduler", "none"), ("nomerges", "0"), ("nr_requests", "200"),
)  # fmt: skip
TUNABLES = ("low_latency", "slice_idle", "read_expire", "async_depth", "read_lat_nsec")
FILES = ("scheduler", "nomerges", "nr_requests", *(f"iosched/{name}" for name in TUNABLES))
# Whether a written number, the one that was there ("same"), or -1 leaves bfq its say.
WBT = (
    (("scheduler", "bfq"), ("scheduler", "none")),
    (("scheduler", "bfq"), ("wbt_lat_usec", "same"), ("scheduler", "none")),
    (("wbt_lat_usec", "5000"), ("scheduler", "bfq"), ("scheduler", "none")),
    (("wbt_lat_usec", "5000"), ("wbt_lat_usec", "same"), ("scheduler", "bfq"), ("scheduler", "none")),
    (("wbt_lat_usec", "5000"), ("wbt_lat_usec", "-1"), ("scheduler", "bfq"), ("scheduler", "none")),
    (("wbt_lat_usec", "0"), ("scheduler", "bfq"), ("wbt_lat_usec", "-1"), ("scheduler", "none")),
    (("scheduler", "bfq"), ("wbt_lat_usec", "0"), ("scheduler", "none")),
)

LIMITS = (
    ("max_bytes", "16777216"), ("strict_limit", "1"), ("max_bytes", "1048576"), ("max_bytes", "4095"),
    ("max_bytes", "1000000000000"), ("max_bytes", "-1"), ("max_bytes", "x"), ("max_ratio", "7"), ("max_ratio", "101"),
    ("strict_limit", "2"), ("strict_limit", "0"), ("max_ratio_fine", "14318"), ("max_ratio_fine", "1000001"),
    ("max_ratio", "0"), ("max_ratio", "100"),
)  # fmt: skip


def write(disk: LoopDisk, name: str, text: str) -> str:
    """Write as root; return the name of the error, if any."""
    code = f"import os; os.write(os.open({str(disk.queue / name)!r}, os.O_WRONLY), {text.encode()!r})"
    command = ["sudo", "-n", "/usr/bin/python3", "-I", "-c", code]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    number = completed.stderr.rpartition("[Errno ")[2].partition("]")[0]
    return errno.errorcode[int(number)] if completed.returncode else ""


def write_fake(queue: FakeQueue, name: str, text: str) -> str:
    try:
        queue.write(name, text)
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return ""


def read(folder: Path, name: str) -> str | None:
    return " ".join((folder / name).read_text().split()) if (folder / name).exists() else None


def read_fake(queue: FakeQueue, name: str) -> str | None:
    try:
        return queue.read(name).strip()
    except OSError:
        return None


def test_the_fake_answers_as_a_loop_disk_does(disk: LoopDisk, tmp_path: Path) -> None:
    fake = FakeQueue(tmp_path)
    for name, text in WRITES:
        assert write_fake(fake, name, text) == write(disk, name, text), (name, text)
        for file in FILES:
            assert read_fake(fake, file) == read(disk.queue, file), (name, text, file)


@pytest.mark.parametrize("writes", WBT)
def test_what_bfq_does_to_wbt(disk: LoopDisk, tmp_path: Path, writes: tuple[tuple[str, str], ...]) -> None:
    """Once a number was written, -1 does not give it back to the kernel either: it only sets the default's number."""
    number = read(disk.queue, "wbt_lat_usec")
    default = 75000 if read(disk.queue, "rotational") == "1" else 2000
    fake = FakeQueue(tmp_path)
    fake.wbt = Wbt(int(number or 0), default)
    for name, content in writes:
        text = str(number) if content == "same" else content
        assert write_fake(fake, name, text) == write(disk, name, text) == ""
        assert read_fake(fake, "wbt_lat_usec") == read(disk.queue, "wbt_lat_usec"), (name, text)


def test_defaults_are_the_kernels_in_the_fake_and_in_the_catalogue(disk: LoopDisk, tmp_path: Path) -> None:
    for name in ("none", "mq-deadline", "kyber", "bfq"):
        fake = FakeQueue(tmp_path)
        fake.switch(name)
        assert write(disk, "scheduler", name) == ""
        for file in fake.values:
            if file.startswith("iosched/"):
                assert read(disk.queue, file) == str(fake.values[file])
        for tunable in tunables.TUNABLES:
            if tunable.scheduler in {None, name} and tunable.default is not None:
                assert read(disk.queue.parent, tunables.file_of(tunable.name)) == str(tunable.default), (
                    name,
                    tunable.name,
                )


def test_what_may_wait_for_a_disk_is_kept_as_a_share_and_a_switch_leaves_it(
    disk: LoopDisk, loop_disk: Callable[..., LoopDisk], tmp_path: Path
) -> None:
    """max_bytes follows the free memory, and so does the share that writing it sets; everything else is exact."""
    folder, unlimited = disk.queue.parent / "bdi", loop_disk(size_mb=16, fs=None).queue.parent / "bdi"
    assert write(disk, "../bdi/max_ratio", "100") == ""
    fake = FakeQueue(tmp_path)
    fake.write_back = WriteBack()
    for name, text in LIMITS:
        fake.write_back.most_bytes = int(read(unlimited, "max_bytes") or 0)  # other programs take and give memory
        assert write_fake(fake, f"bdi/{name}", text) == write(disk, f"../bdi/{name}", text), (name, text)
        assert read_fake(fake, "bdi/strict_limit") == read(folder, "strict_limit")
        for file in ("max_ratio", "max_bytes", "max_ratio_fine"):
            actual, expected = int(read(folder, file) or 0), int(read_fake(fake, f"bdi/{file}") or 0)
            drifts = file == "max_bytes" or name == "max_bytes"
            assert actual == pytest.approx(expected, rel=0.1 if drifts else 0, abs=2 if drifts else 0), (
                name,
                text,
                file,
            )
        ratio = read(folder, "max_ratio_fine")
        for scheduler in ("bfq", "none"):
            assert write(disk, "scheduler", scheduler) == ""
        assert read(folder, "max_ratio_fine") == ratio
        fake.write_back.share = int(ratio or 0)
