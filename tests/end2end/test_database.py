# SPDX-License-Identifier: GPL-3.0-or-later
"""Private database servers on real disks: started, measured, stopped; and whatever goes wrong leaves nothing."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from disktuner.experiment.processes import Control, UserProcesses
from disktuner.experiment.scratch import scratch_folder
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import message
from disktuner.workloads.database_servers import Postgresql, find_postgresql
from disktuner.workloads.server import NOWHERE, ServerGone, running
from disktuner.workloads.source import Source
from disktuner.workloads.sql import Pgbench, SqlOltp, on_mariadb
from disktuner.workloads.workload import Probe, Scratch
from tests.conftest import LoopDisk
from tests.end2end.conftest import COMMAND, Run
from tests.waiting import until

PROBE = Probe(200e6, 200e6, 0.0005, 4 << 30, 4 << 30, 0.001)
SERVERS = ("postgres", "mariadbd", "initdb", "pgbench")


def servers() -> dict[int, str]:
    """The database programs that run now, by process id."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                name = (folder / "comm").read_text().strip()
            except OSError:
                continue
            if name in SERVERS:
                found[int(folder.name)] = name
    return found


def segments() -> set[str]:
    """Shared memory of this user's processes in here: that of the kernel's System V calls and that in /dev/shm."""
    every = [line.split() for line in Path("/proc/sysvipc/shm").read_text().splitlines()[1:]]
    # a segment whose creator belongs to other processes than ours has no such process here: 0
    mine = {f"shmid {words[1]}" for words in every if int(words[7]) == os.geteuid() and words[4] != "0"}
    return mine | {path.name for path in Path("/dev/shm").iterdir() if path.name.startswith(("PostgreSQL", ".disk"))}


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    """No test leaves a server or shared memory behind; servers that are just ending get a moment."""
    before = segments()
    yield
    assert until(lambda: not servers()), servers()
    assert until(lambda: segments() <= before), segments() - before


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[tuple[Scratch, UserProcesses]]:
    """A scratch folder with the processes of an experiment, to run a workload without the command."""
    control = Control()
    with (
        scratch_folder(tmp_path) as folder,
        Source(1 << 20, 1) as source,
        UserProcesses(control, kept_fds=folder.fds, unblock=folder.empty) as processes,
    ):
        yield Scratch(folder.path, 1, source), processes
    control.close()


def begun(disk: LoopDisk, workload: str, *more: str) -> subprocess.Popen[str]:
    argv = [COMMAND, "compare", disk.folder or "", "--goal", "database", "--workloads", workload]
    argv += ["--schedulers", "bfq", *more]
    return subprocess.Popen(
        argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    )


def test_a_server_that_is_killed_in_the_middle_is_said_and_the_next_run_goes_on(
    scratch: tuple[Scratch, UserProcesses],
) -> None:
    here, processes = scratch
    workload = Pgbench()
    size = workload.size(PROBE, 4.0)
    workload.prepare(here, size, processes)
    server = Postgresql(here.folder, find_postgresql())  # type: ignore[arg-type]
    with pytest.raises(ServerGone, match="PostgreSQL"), running(server, processes, 60):
        os.kill(int((server.folder / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
        processes.run(["sh", "-c", "sleep 0.2; exit 2"], server.folder, 10)
    processes.end_all()
    assert workload.run(here, size, processes).values["tps"] > 0


def test_an_occupied_socket_is_said(scratch: tuple[Scratch, UserProcesses]) -> None:
    here, processes = scratch
    server = Postgresql(here.folder, find_postgresql())  # type: ignore[arg-type]
    server.create(processes)
    lock = server.folder / ".s.PGSQL.5432.lock"
    another = processes.start(["sleep", "60"], server.folder)
    lock.write_text(f"{another}\n{server.folder}\n0\n5432\n\n")
    with pytest.raises(ServerGone, match=r"lock file.*already exists"), running(server, processes, 60):
        pytest.fail("it started")


def test_a_folder_deeper_than_a_socket_may_be_long(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100) / ("e" * 100)
    deep.mkdir(parents=True)
    with pytest.raises(OSError, match="too long"), socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(deep / "s"))
    control = Control()
    with scratch_folder(deep) as folder, UserProcesses(control, kept_fds=folder.fds) as processes:
        server = Postgresql(folder.path, find_postgresql())  # type: ignore[arg-type]
        server.create(processes)
        with running(server, processes, 60):
            argv = [server.programs.path("psql"), "-h", str(server.folder), "-d", "postgres", "-XAtc"]
            assert processes.run([*argv, "select 6 * 7"], NOWHERE, 20).out.strip() == "42"
            assert processes.run([*argv, "show listen_addresses"], NOWHERE, 20).out.strip() == ""
    control.close()


def test_transactions_on_mariadb_where_that_is_what_is_installed(scratch: tuple[Scratch, UserProcesses]) -> None:
    here, processes = scratch
    workload = SqlOltp((lambda _: None, on_mariadb))
    assert workload.unavailable() is None
    size = workload.size(PROBE, 1.0)
    workload.prepare(here, size, processes)
    values = workload.run(here, size, processes).values
    assert values["tps"] > 0
    assert values["p50_s"] <= values["p99_s"]
    assert not (here.folder / "postgresql").exists()


def test_a_disk_that_becomes_full_in_the_middle_of_initdb(loop_disk: Callable[..., LoopDisk], disktuner: Run) -> None:
    disk = loop_disk(size_mb=1200)
    assert disk.folder
    before, filler = disk.scheduler, disk.folder / "filler"
    with begun(disk, "pgbench") as one:
        assert until(lambda: "initdb" in servers().values() or one.poll() is not None)
        with filler.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, os.statvfs(disk.folder).f_bavail * 4096 - (2 << 20))
        _, said = one.communicate(timeout=60)
    assert one.returncode == 5, said
    assert "No space left on device" in said.splitlines()[-1]
    assert "choose another folder" in said.splitlines()[-1]
    assert disk.scheduler == before
    filler.unlink()
    assert not list(disk.folder.glob(".disktuner-*"))


def test_nothing_runs_as_root(disktuner: Run, tmp_path: Path) -> None:
    done = disktuner("bench", tmp_path, "--workload", "pgbench", user="root")
    assert done.returncode == 5
    assert "ordinary user" in done.stderr


@pytest.mark.parametrize("moment", ["initdb", "pgbench"])
def test_cancelled_it_stops_the_server(moment: str, loop_disk: Callable[..., LoopDisk]) -> None:
    disk = loop_disk(size_mb=1500)
    assert disk.folder
    before = disk.scheduler
    with begun(disk, "pgbench") as one:
        assert until(lambda: moment in servers().values())
        time.sleep(0.3 if moment == "pgbench" else 0.05)
        one.terminate()
        assert one.wait(10) == 130
    assert disk.scheduler == before
    assert not list(disk.folder.glob(".disktuner-*"))


@pytest.mark.parametrize(
    ("workload", "moment"), [("pgbench", "initdb"), ("pgbench", "pgbench"), ("sql-oltp", "postgres")]
)
def test_after_a_kill_9_and_the_next_start_nothing_is_left(
    workload: str, moment: str, loop_disk: Callable[..., LoopDisk], disktuner: Run
) -> None:
    disk = loop_disk(size_mb=1500)
    assert disk.folder
    before = disk.scheduler
    with begun(disk, workload) as one:
        assert until(lambda: moment in servers().values())
        time.sleep(0.2)
        one.kill()
        one.wait()
    assert until(lambda: not servers()), servers()
    assert until(lambda: disk.scheduler == before)
    assert disktuner("bench", disk.folder, "--workload", "dd-read", "--rounds", "1", "--seconds", "0.2").returncode == 0
    assert not list(disk.folder.glob(".disktuner-*"))


def test_what_is_missing_is_named_with_its_package(scratch: tuple[Scratch, UserProcesses]) -> None:
    assert SqlOltp((lambda _: None,)).unavailable() == message("no-database-server")
    assert find_postgresql(Path("/nonexistent")) is None or Path("/usr/bin/postgres").exists()


def test_the_write_ups_own_parameters_are_reachable(loop_disk: Callable[..., LoopDisk]) -> None:
    disk = loop_disk(size_mb=2048)
    with begun(disk, "pgbench", "--budget", "thorough") as one:
        assert until(lambda: "pgbench" in servers().values())

        def words() -> list[str]:
            running_now = [pid for pid, name in servers().items() if name == "pgbench"]
            try:
                return Path(f"/proc/{running_now[0]}/cmdline").read_text().split("\0") if running_now else []
            except OSError:
                return []

        assert until(lambda: "-i" in words()), words()
        assert "-i -s 10" in " ".join(words())
        assert until(lambda: "-c" in words())
        assert "-c 64 -M prepared -T" in " ".join(words())
        one.terminate()
        assert one.wait(10) == 130


def test_a_failing_preparation_is_a_sentence(scratch: tuple[Scratch, UserProcesses]) -> None:
    here, processes = scratch
    (here.folder / "postgresql").mkdir()
    (here.folder / "postgresql" / "occupied").touch()
    with pytest.raises(MeasurementImpossible, match=r"initdb failed.*not empty"):
        Pgbench().prepare(here, Pgbench().size(PROBE, 1.0), processes)


def test_results_say_what_a_run_cost_the_processors(loop_disk: Callable[..., LoopDisk], disktuner: Run) -> None:
    disk = loop_disk(size_mb=1024)
    done = disktuner("bench", disk.folder or "", "--workload", "oltp", "--rounds", "2", "--seconds", "3", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert "oltp.cpu_s_per_1000" in {sample["metric"] for sample in document["samples"] if sample["value"] > 0}
    assert document["metrics"]["oltp.cpu_s_per_1000"]["better"] == "lower"
