# SPDX-License-Identifier: GPL-3.0-or-later
"""A stopped or frozen process is detected by the kernel's own signs; time that merely passed is no stop."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import Sudo
from tests.unit.experiment.test_stops import Looking
from tests.waiting import until


@contextmanager
def group_of_its_own(program: Looking, sudo: Sudo) -> Iterator[Path]:
    mounts = (line.split() for line in Path("/proc/self/mounts").read_text().splitlines())
    above = Path(next(where for _, where, kind, *_ in mounts if kind == "cgroup2"))
    group = above / f"disktuner-{program.pid}"
    sudo("mkdir", group)
    sudo("tee", group / "cgroup.procs", stdin=str(program.pid))
    yield group
    sudo("tee", above / "cgroup.procs", stdin=str(program.pid))
    sudo("rmdir", group)


def test_this_program_was_frozen_when_its_group_says_so(looking: Looking, sudo: Sudo) -> None:
    with group_of_its_own(looking, sudo) as group:
        looking.asked()
        assert float(looking.asked()) == 0
        sudo("tee", group / "cgroup.freeze", stdin="1")
        until(lambda: "frozen 1" in (group / "cgroup.events").read_text())
        subprocess.run(["sleep", "0.2"], check=True)
        sudo("tee", group / "cgroup.freeze", stdin="0")
        until(lambda: float(looking.asked()) >= 0.2)
