# SPDX-License-Identifier: GPL-3.0-or-later
"""Cancel and kill at random moments: nothing left on the disk, no process, and the right exit code."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from disktuner.experiment.scratch import remove_leftovers
from disktuner.workloads.catalogue import catalogue
from tests.conftest import LoopDisk
from tests.end2end.conftest import COMMAND

MOMENTS = random.Random(5)
KILLS_PER_WORKLOAD = 4


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


def until(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def remains(folder: Path, before: set[Path]) -> list[Path]:
    """What the next start leaves. A folder without its lock is only removed when it is older: it may be being made."""
    remove_leftovers(folder)
    return [path for new in folder.iterdir() if new not in before for path in new.iterdir()]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_polite_end_cleans_up_within_a_second_and_exits_with_130(
    number: signal.Signals, loop_disk: Callable[..., LoopDisk]
) -> None:
    disk = loop_disk(size_mb=1024)
    assert disk.folder
    with bench(disk.folder, "launch-under-writes") as process:
        assert until(lambda: bool(users_of(disk.folder or Path())), 30)
        began = time.monotonic()
        process.send_signal(number)
        assert process.wait(20) == 130
    assert time.monotonic() - began < 3
    assert users_of(disk.folder) == []
    assert list(disk.folder.glob(".disktuner-*")) == []


def test_kill_9_at_any_moment_leaves_nothing_after_the_next_start(loop_disk: Callable[..., LoopDisk]) -> None:
    disk = loop_disk(size_mb=1536)
    assert disk.folder
    before = set(disk.folder.iterdir())
    for workload in [each.id for each in catalogue()] * KILLS_PER_WORKLOAD:
        with bench(disk.folder, workload) as process:
            until(lambda: bool(list((disk.folder or Path()).glob(".disktuner-*"))), 20)
            time.sleep(MOMENTS.uniform(0, 1.5))
            process.kill()
        assert until(lambda: not users_of(disk.folder or Path()), 5), users_of(disk.folder)
        # A process that is just ending shows no open files any more, but may hold the lock for a moment longer.
        assert until(lambda: not remains(disk.folder or Path(), before), 5), remains(disk.folder, before)
        left = [path for path in disk.folder.iterdir() if path not in before]
        for path in left:
            path.rmdir()
