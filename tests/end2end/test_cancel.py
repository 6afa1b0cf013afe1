# SPDX-License-Identifier: GPL-3.0-or-later
"""A polite end: nothing left on the disk, no process, and the right exit code."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import LoopDisk
from tests.end2end.conftest import COMMAND
from tests.waiting import until


def bench(folder: Path, workload: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [COMMAND, "bench", folder, "--workload", workload, "--rounds", "20", "--seconds", "0.5"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    )


def users_of(folder: Path) -> list[str]:
    """Our processes that work below a folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if str((entry / "cwd").readlink()).startswith(str(folder)):
                found.append((entry / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return [line for line in found if line]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_polite_end_cleans_up_within_a_second_and_exits_with_130(
    number: signal.Signals, loop_disk: Callable[..., LoopDisk]
) -> None:
    disk = loop_disk(size_mb=1024)
    assert disk.folder
    with bench(disk.folder, "launch-under-writes") as process:
        assert until(lambda: bool(users_of(disk.folder or Path())))
        began = time.monotonic()
        process.send_signal(number)
        assert process.wait(20) == 130
    assert time.monotonic() - began < 3
    assert users_of(disk.folder) == []
    assert list(disk.folder.glob(".disktuner-*")) == []
