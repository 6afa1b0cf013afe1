# SPDX-License-Identifier: GPL-3.0-or-later
"""The workloads of servers on a disk whose truth is known: long series, run only when asked for."""

from __future__ import annotations

import getpass
import json
import re
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from disktuner.experiment.processes import Control, UserProcesses
from disktuner.experiment.scratch import scratch_folder
from disktuner.results.codec import load
from disktuner.verdict.priorities import Honoured, honoured
from disktuner.workloads.database_files import Oltp
from disktuner.workloads.database_servers import Programs, find_postgresql
from disktuner.workloads.many_files import ManyClients, parse_dbench
from disktuner.workloads.priorities import Priorities
from disktuner.workloads.source import Source
from disktuner.workloads.sql import Pgbench, SqlOltp, parse_tps
from disktuner.workloads.workload import Probe, Scratch, Size, Workload
from tests.conftest import LoopDisk, Sudo
from tests.end2end.conftest import Run
from tests.simdisk.simulated import simulated_disk

PAIRS = 5
HERE = "/proc/self/cwd"
FLASH = Probe(400e6, 400e6, 0.0003, 4 << 30, 3 << 30, 0.001)
DISK = Probe(120e6, 140e6, 0.009, 4 << 30, 3 << 30, 0.017)


@contextmanager
def scratch_on(disk: LoopDisk) -> Iterator[tuple[Scratch, UserProcesses]]:
    """What an experiment gives its workloads, without the command around it."""
    assert disk.folder
    control = Control()
    with (
        scratch_folder(disk.folder) as folder,
        Source(1 << 20, 1) as source,
        UserProcesses(control, kept_fds=folder.fds, unblock=folder.empty) as processes,
    ):
        yield Scratch(folder.path, 1, source), processes
    control.close()


def programs() -> Programs:
    found = find_postgresql()
    assert found
    return found


@contextmanager
def server_by_hand(folder: Path) -> Iterator[Path]:
    """A cluster as one makes it by hand, with PostgreSQL's own tools and defaults; it stays up all the time."""
    data = folder / "by-hand"
    subprocess.run(
        [programs().path("initdb"), "-D", data, "-A", "peer", "--no-locale"], check=True, capture_output=True
    )
    argv = [programs().path("postgres"), "-D", ".", "-h", "", "-k", HERE]
    with subprocess.Popen(argv, cwd=data, stderr=subprocess.DEVNULL) as server:
        while "ready" not in (data / "postmaster.pid").read_text() if (data / "postmaster.pid").exists() else True:
            time.sleep(0.05)
        yield data
        server.terminate()
        server.wait(120)
    shutil.rmtree(data)


def by_hand(data: Path, *argv: str) -> str:
    path = programs().path(argv[0]) if argv[0] != "sysbench" else "sysbench"
    return subprocess.run([path, *argv[1:]], cwd=data, check=True, capture_output=True, text=True).stdout


def difference(pairs: list[tuple[float, float]]) -> float:
    """How far the medians of ours and of those by hand are apart, as a share."""
    ours, theirs = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
    return abs(ours / theirs - 1)


def in_pairs(ours: Callable[[], float], theirs: Callable[[], float]) -> list[tuple[float, float]]:
    """Both in turn, the one that begins alternating; the first of each does not count."""
    ours(), theirs()
    found = []
    for number in range(PAIRS):
        if number % 2:
            second = theirs()
            found.append((ours(), second))
        else:
            first = ours()
            found.append((first, theirs()))
    print("ours, by hand:", [(round(a, 1), round(b, 1)) for a, b in found], f"{difference(found):.2%}")
    return found


def prepared(workload: Workload, length_s: int, here: Scratch, processes: UserProcesses) -> Size:
    size = workload.size(FLASH, 1.0)
    size = Size(length_s, size.bytes_written, size.bytes_prepared, length_s + 5.0, size.bytes_kept, extra=size.extra)
    workload.prepare(here, size, processes)
    return size


@pytest.mark.machine
@pytest.mark.timeout(900)
def test_pgbench_says_what_the_bare_command_says(sudo: Sudo, tmp_path: Path) -> None:
    with simulated_disk(sudo, tmp_path, 4000, "flash", "write_us=4000", "jump_us=0") as disk:
        assert disk.folder
        with scratch_on(disk) as (here, processes), server_by_hand(disk.folder) as data:
            size = prepared(Pgbench(), 10, here, processes)
            by_hand(data, "pgbench", "-h", HERE, "-i", "-s", "10", "-q", "postgres")

            def bare() -> float:
                by_hand(data, "psql", "-h", HERE, "-Xqc", "CHECKPOINT", "postgres")
                argv = ["pgbench", "-h", HERE, "-c", "64", "-M", "prepared", "-T", "10", "postgres"]
                return parse_tps(by_hand(data, *argv))

            pairs = in_pairs(lambda: Pgbench().run(here, size, processes).values["tps"], bare)
    assert difference(pairs) < 0.03, pairs


@pytest.mark.machine
@pytest.mark.timeout(300)
def test_oltp_says_what_the_bare_command_says(sudo: Sudo, tmp_path: Path) -> None:
    with simulated_disk(sudo, tmp_path, 2000, "hdd") as disk:
        sudo("tee", disk.queue / "scheduler", stdin="mq-deadline")
        workload = Oltp()
        with scratch_on(disk) as (here, processes):
            size = workload.size(DISK, 6.0)
            workload.prepare(here, size, processes)
            argv = ["fio", "--thread", "--output-format=json", "--group_reporting", "--fallocate=none"]
            argv += ["--name=clients", "--filename=oltp.in", f"--size={size.extra}m", "--rw=randrw", "--rwmixread=50"]
            argv += ["--bs=4k", "--direct=1", "--ioengine=psync", "--numjobs=10", "--fdatasync=4", "--norandommap"]
            argv += [f"--number_ios={size.scale}", "--randseed=2"]

            def bare() -> float:
                done = subprocess.run(argv, cwd=here.folder, check=True, capture_output=True, text=True)
                job = json.loads(done.stdout)["jobs"][0]
                longest_ms = max(job["read"]["runtime"], job["write"]["runtime"])
                return float(job["read"]["total_ios"] + job["write"]["total_ios"]) / longest_ms * 1000

            pairs = in_pairs(lambda: workload.run(here, size, processes).values["ios_per_s"], bare)
    assert difference(pairs) < 0.03, pairs


@pytest.mark.machine
@pytest.mark.timeout(900)
def test_sql_oltp_says_what_the_bare_command_says(sudo: Sudo, tmp_path: Path) -> None:
    with simulated_disk(sudo, tmp_path, 4000, "flash", "write_us=4000", "jump_us=0") as disk:
        assert disk.folder
        with scratch_on(disk) as (here, processes), server_by_hand(disk.folder) as data:
            size = prepared(SqlOltp(), 6, here, processes)
            argv = ["sysbench", "oltp_read_write", "--db-driver=pgsql", f"--pgsql-host={HERE}", "--pgsql-db=postgres"]
            argv += [f"--pgsql-user={getpass.getuser()}", "--tables=8", "--table-size=25000", "--rand-type=uniform"]
            by_hand(data, *argv, "prepare")

            def bare() -> float:
                by_hand(data, "psql", "-h", HERE, "-Xqc", "CHECKPOINT", "postgres")
                text = by_hand(data, *argv, "--threads=16", "--time=6", "run")
                found = re.search(r"transactions: .*\(([0-9.]+) per sec", text)
                assert found
                return float(found[1])

            pairs = in_pairs(lambda: SqlOltp().run(here, size, processes).values["tps"], bare)
    assert difference(pairs) < 0.03, pairs


@pytest.mark.machine
@pytest.mark.timeout(600)
def test_many_clients_say_what_the_bare_command_says(sudo: Sudo, tmp_path: Path) -> None:
    with simulated_disk(sudo, tmp_path, 4000, "flash", "write_us=4000", "jump_us=0") as disk:
        assert disk.folder
        with scratch_on(disk) as (here, processes):
            size = Size(8, 4 << 30, 0, 12.0, 1 << 30, extra=8)

            def bare() -> float:
                folder = here.folder / "by-hand"
                folder.mkdir()
                argv = ["dbench", "-t", "8", "-D", folder.name, "8"]
                done = subprocess.run(argv, cwd=here.folder, check=True, capture_output=True, text=True)
                shutil.rmtree(folder)
                subprocess.run(["sync", "--file-system", here.folder], check=True)
                return parse_dbench(done.stdout, 8).values["bytes_per_s"]

            pairs = in_pairs(lambda: ManyClients().run(here, size, processes).values["bytes_per_s"], bare)
    assert difference(pairs) < 0.03, pairs


@pytest.mark.machine
@pytest.mark.timeout(1500)
@pytest.mark.parametrize(
    ("scheduler", "idle", "low"),
    [
        ("bfq", Honoured.YES, Honoured.YES),
        ("mq-deadline", Honoured.YES, Honoured.NO),  # it knows classes, but no levels in them
        ("none", Honoured.NO, Honoured.NO),
        ("kyber", Honoured.NO, Honoured.NO),
    ],
)
def test_priorities_tell_who_honours_them(
    scheduler: str, idle: Honoured, low: Honoured, sudo: Sudo, tmp_path: Path
) -> None:
    with simulated_disk(sudo, tmp_path, 3000, "hdd") as disk:
        sudo("tee", disk.queue / "scheduler", stdin=scheduler)
        workload, answers = Priorities(), []
        with scratch_on(disk) as (here, processes):
            size = workload.size(DISK, 13.0)
            workload.prepare(here, size, processes)
            for number in range(10):
                seeded = Scratch(here.folder, number * 1000, here.source)
                values = workload.run(seeded, size, processes).values
                found = [honoured(values[gain], values["slowdown"]) for gain in ("idle_gain", "low_gain")]
                print(scheduler, {name: round(value, 2) for name, value in values.items()}, *found, flush=True)
                answers.append(found)
    assert sum(found[0] is idle for found in answers) >= 9, answers
    assert sum(found[1] is low for found in answers) >= 9, answers


@pytest.mark.machine
@pytest.mark.timeout(420)
def test_the_quick_budget_judges_databases_in_time(sudo: Sudo, tmp_path: Path, disktuner: Run) -> None:
    out = tmp_path / "result.json"
    with simulated_disk(sudo, tmp_path, 4000, "hdd") as disk:
        assert disk.folder
        sudo("tee", disk.queue / "scheduler", stdin="mq-deadline")
        began = time.monotonic()
        arguments = ("--goal", "database", "--budget", "quick", "--seed", "2", "--out", out, "--json")
        done = disktuner("compare", disk.folder, *arguments, timeout=400)
        took_s = time.monotonic() - began
        assert disk.scheduler == "mq-deadline"
    assert done.returncode == 0, done.stderr
    verdict = json.loads(done.stdout)["verdict"]
    print(f"{took_s:.0f} s", verdict["why"], load(out).plan.workloads)
    assert verdict["decision"] in {"switch", "keep", "undecided"}
    assert verdict["why"].endswith((".", "would."))
    assert took_s <= 180


def test_a_real_dbench_is_understood(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    done = subprocess.run(
        ["dbench", "-t", "2", "-D", "here", "2"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    found = parse_dbench(done.stdout, 1)
    assert found.values["bytes_per_s"] > 0
    assert [path.name for path in tmp_path.iterdir()] == ["here"]
