# SPDX-License-Identifier: GPL-3.0-or-later
"""The fake queue of the unit tests answers as a real loop disk does."""

from __future__ import annotations

import errno
import subprocess
from pathlib import Path

import pytest

from tests.conftest import LoopDisk
from tests.unit.helper.kernel import FakeQueue

WRITES = (
    ("nomerges", "0"),
    ("nr_requests", "64"),
    ("scheduler", "bfq"),
    ("iosched/low_latency", "0"),
    ("scheduler", "cfq"),
    ("nr_requests", "x"),
    ("scheduler", "bfq"),
    ("iosched/read_expire", "1"),
    ("scheduler", "mq-deadline"),
    ("iosched/read_expire", "100"),
    ("iosched/low_latency", "0"),
    ("scheduler", "kyber"),
    ("nomerges", "2"),
    ("scheduler", "none"),
    ("nomerges", "0"),
)
FILES = ("scheduler", "nomerges", *(f"iosched/{name}" for name in ("low_latency", "read_expire", "read_lat_nsec")))


def write(disk: LoopDisk, name: str, text: str) -> str:
    """Write as root; the name of the error, if any."""
    code = f"import os; os.write(os.open({str(disk.queue / name)!r}, os.O_WRONLY), {text.encode()!r})"
    command = ["sudo", "-n", "/usr/bin/python3", "-I", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    number = done.stderr.rpartition("[Errno ")[2].partition("]")[0]
    return errno.errorcode[int(number)] if done.returncode else ""


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
    real = (disk.queue / "nr_requests").read_text()
    assert int(real) != 64, "a switch resets nr_requests"
    assert fake.values["nr_requests"] != 64


@pytest.mark.parametrize("name", ["mq-deadline", "kyber", "bfq"])
def test_defaults_are_the_kernels(disk: LoopDisk, tmp_path: Path, name: str) -> None:
    fake = FakeQueue(tmp_path)
    fake.switch(name)
    assert write(disk, "scheduler", name) == ""
    for file in fake.values:
        if file.startswith("iosched/"):
            assert read(disk.queue, file) == str(fake.values[file])
