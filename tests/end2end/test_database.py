# SPDX-License-Identifier: GPL-3.0-or-later
"""Private database servers on real disks: started, measured, stopped; and whatever goes wrong leaves nothing."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from disktuner.experiment.scratch import scratch_folder
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.source import Source
from disktuner.workloads.sql import NOWHERE, Pgbench, Postgresql, find_postgresql
from disktuner.workloads.workload import Measurement, Probe, Scratch, Workload
from tests.conftest import LoopDisk
from tests.end2end.comparing import BRIEF, left_in, values
from tests.end2end.conftest import Run
from tests.waiting import until

PROBE = Probe(200e6, 200e6, 0.0005, 4 << 30, 4 << 30, 0.001)
SERVERS = ("postgres", "initdb", "pgbench")


def servers() -> dict[int, str]:
    """Return the process ids of the running database programs."""
    states = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                name = (folder / "exe").readlink().name
            except OSError:  # gone, or only waited for
                continue
            if name in SERVERS:
                states[int(folder.name)] = name
    return states


def segments() -> set[str]:
    """Return this user's shared memory in this namespace: System V's and that in /dev/shm."""
    every = [line.split() for line in Path("/proc/sysvipc/shm").read_text().splitlines()[1:]]
    # a segment whose creator belongs to other processes than ours has no such process here: 0
    segments = {f"shmid {words[1]}" for words in every if int(words[7]) == os.geteuid() and words[4] != "0"}
    return segments | {path.name for path in Path("/dev/shm").iterdir() if path.name.startswith("PostgreSQL")}


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    """Fail if a test leaves a server or shared memory behind; servers that are ending get a moment."""
    before = segments()
    yield
    until(lambda: not servers())
    until(lambda: segments() <= before)


class Noted(Processes):
    """Remembers which programs were started, with their arguments."""

    def __init__(self, *arguments: object, **more: object) -> None:
        super().__init__(*arguments, **more)  # type: ignore[arg-type]
        self.started: list[str] = []

    def start(self, argv: Sequence[str], *arguments: object, **more: object) -> int:
        self.started.append(" ".join(argv))
        return super().start(argv, *arguments, **more)  # type: ignore[arg-type]


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[tuple[Scratch, Noted]]:
    """A scratch folder with an experiment's processes, to run a workload without the command.

    Its path is longer than a socket's may be.
    """
    deep = tmp_path / ("d" * 100) / ("e" * 100)
    deep.mkdir(parents=True)
    with pytest.raises(OSError, match="too long"), socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(deep / "s"))
    with (
        scratch_folder(deep) as folder,
        Source(1 << 20, 1) as source,
        Noted(Control(), kept_fds=folder.fds, truncate_files=folder.empty) as processes,
    ):
        yield Scratch(folder.path, 1, source, processes), processes


def postgresql() -> Path:
    program = find_postgresql()
    assert program
    return program


def finished(workload: Workload, scratch: Scratch) -> Measurement:
    """A run long enough for this machine to finish anything: 64 clients take their time to connect."""
    for seconds in (1, 4, 16, 64):
        with suppress(RunFailed):
            return workload.run(scratch, workload.plan(PROBE, seconds))
    raise AssertionError("not one transaction was finished in a minute")


def test_a_server_that_is_killed_in_the_middle_is_said_and_the_next_run_goes_on(
    scratch: tuple[Scratch, Noted],
) -> None:
    """With the published parameters, and reached by nobody else."""
    scratch_, processes = scratch
    workload = Pgbench()
    spec = workload.plan(PROBE, 1.0)
    workload.prepare(scratch_, spec)
    server = Postgresql(scratch_.folder, postgresql(), processes)
    with pytest.raises(RunFailed, match="postgres failed"), server.running(60):
        argv = [server.program("psql"), "-h", str(server.folder), "-d", "postgres", "-XAtc"]
        assert processes.run([*argv, "show listen_addresses"], NOWHERE, 20).out.strip() == ""
        os.kill(int((server.folder / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
        until(lambda: "postgres" not in servers().values())
        processes.run(["false"], server.folder, 10)
    processes.end_all()
    assert finished(workload, scratch_).values["tps"] > 0
    assert any("-i -s 10" in words for words in processes.started)
    assert any("-c 64 -M prepared -T" in words for words in processes.started)


def test_a_disk_that_becomes_full_in_the_middle_of_initdb(
    scratch: tuple[Scratch, Noted], loop_disk: Callable[..., LoopDisk]
) -> None:
    scratch_, processes = scratch
    disk = loop_disk(size_mb=128)
    with (disk.folder / "filler").open("wb") as file:
        room = os.statvfs(disk.folder)
        os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_frsize - (8 << 20))
    with pytest.raises(MeasurementImpossible, match=r"No space left on device.*choose another folder"):
        Pgbench().prepare(Scratch(disk.folder, 1, scratch_.source, processes), Pgbench().plan(PROBE, 1.0))


@pytest.mark.parametrize(
    ("workload", "moment", "sent"),
    [
        ("pgbench", "pgbench", signal.SIGTERM),
        ("sql-oltp", "postgres", signal.SIGKILL),
        pytest.param("pgbench", "initdb", signal.SIGTERM, marks=pytest.mark.long),
        pytest.param("pgbench", "initdb", signal.SIGKILL, marks=pytest.mark.long),
        pytest.param("pgbench", "pgbench", signal.SIGKILL, marks=pytest.mark.long),
    ],
)
def test_ended_or_killed_it_stops_the_server(
    workload: str, moment: str, sent: signal.Signals, loop_disk: Callable[..., LoopDisk], disktuner: Run
) -> None:
    """After a kill -9 nothing is left once the next measurement has begun."""
    disk = loop_disk(size_mb=1500)
    before = values(disk)
    argv = [sys.executable, BRIEF, "compare", disk.folder, "--goal", "database", "--schedulers", "bfq"]
    with subprocess.Popen([*argv, "--workloads", workload], stdout=subprocess.DEVNULL) as process:
        until(lambda: moment in servers().values())
        process.send_signal(sent)
        assert process.wait() == (-sent if sent == signal.SIGKILL else 130)
    until(lambda: not servers())
    until(lambda: values(disk) == before)
    if sent == signal.SIGKILL:
        completed = disktuner("bench", disk.folder, "--workload", "dd-read", "--rounds", "1", "--seconds", "0.2")
        assert completed.returncode == 0, completed.stderr
    assert left_in(disk.folder) == []
