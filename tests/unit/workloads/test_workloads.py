# SPDX-License-Identifier: GPL-3.0-or-later
"""What every workload declares, and how the output of real programs is parsed."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from disktuner.vocabulary.messages import message, say
from disktuner.vocabulary.workloads import WORKLOADS
from disktuner.workloads import copy
from disktuner.workloads.catalogue import catalogue
from disktuner.workloads.dd import parse_dd
from disktuner.workloads.errors import Aborted, NotUnderstood
from disktuner.workloads.fio import parse_job
from disktuner.workloads.paced import BUFFERED_S, StreamUnderCopy, mean_of_tail
from disktuner.workloads.source import write_file
from disktuner.workloads.sysbench import parse_report
from disktuner.workloads.workload import Probe, Scratch, Workload, missing

UNITS = {"s", "bytes_per_s", "per_s", ""}


def test_what_is_run_is_what_is_declared() -> None:
    assert [workload.id for workload in catalogue()] == sorted(WORKLOADS)


@pytest.mark.parametrize("workload", catalogue(), ids=lambda workload: workload.id)
def test_every_workload_is_declared_and_run(workload: Workload) -> None:
    assert workload.facts is WORKLOADS[workload.id]
    assert {metric.unit for metric in workload.facts.metrics} <= UNITS


def test_a_missing_program_names_its_package() -> None:
    assert missing("dd", "coreutils") is None
    reason = message("program-missing", program="no-such-program", package="the-package")
    assert missing("no-such-program", "the-package") == reason
    assert "the-package" in say(reason)


def test_dd_is_read_in_all_its_forms() -> None:
    small = "0+1 records in\n0+1 records out\n12 bytes copied, 0.0001 s, 120 kB/s\n"
    assert parse_dd(small)[0] == 12
    assert parse_dd("67108864 bytes (67 MB, 64 MiB) copied, 1.5e-02 s, 4.4 GB/s") == (67108864, 0.015)
    with pytest.raises(NotUnderstood):
        parse_dd("dd: something else")


def test_no_percentile_of_fio_exceeds_its_maximum() -> None:
    """Both are shown; these were measured."""
    latency = {"max": 257495, "percentile": {"50.000000": 90624, "99.000000": 257024}, "bins": {"257024": 1}}
    beyond = latency | {"max": 267_240_000, "percentile": {"99.000000": 267_386_880}}
    moved = {"io_bytes": 4096, "total_ios": 1, "bw_bytes": 4096, "runtime": 1000}
    job = {"read": moved | {"clat_ns": latency}, "write": moved | {"clat_ns": beyond}}
    reads, writes = parse_job("fio: a warning\n" + json.dumps({"jobs": [job]}))
    assert (reads.latency.at(50), reads.latency.at(99)) == (90624e-9, 257024e-9)
    assert writes.latency.at(99) == writes.latency.worst_s == 0.26724


def test_sysbench_is_read() -> None:
    text = (
        "File operations:\n    reads/s:   100.50\n    writes/s:  50.00\n    fsyncs/s: 1.00\n"
        "Latency histogram (values are in milliseconds)\n"
        "       0.065 |*****     3\n       0.065 |**        1\n      12.500 |****      2\n \n"
        "General statistics:\n    total time:   2.0000s\nLatency (ms):\n    95th percentile:   12.50\n"
    )
    report = parse_report(text)
    assert (report.reads, report.writes, report.p95_s) == (201, 100, 0.0125)
    assert report.histogram == ((0.000065, 4), (0.0125, 2))
    with pytest.raises(NotUnderstood):
        parse_report("nothing")


def test_written_files_follow_no_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        write_file(tmp_path / "link", 10, 1, lambda: None)


def test_copies_are_as_large_as_they_say_though_a_pilot_cut_what_is_copied(
    scratch: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copy, "make_cold", lambda _: None)  # what lies in memory only, as in some containers, stays
    copies, spec = copy.CopyContended(), copy.CopySpec(1.0, 4 << 20, 4, 6)
    copies.prepare(scratch, spec)
    for share in (1, 0.5, 0.75):
        run = spec.sized(share)
        assert copies.run(scratch, run).read_bytes == 6 * run.file_bytes
        for source in copies.sources(scratch):
            assert source.stat().st_size == run.file_bytes
            assert any(source.read_bytes()[-4096:]), "no hole"


def test_copies_take_no_longer_in_all_than_a_run_may_and_what_decides_is_measured_first(
    scratch: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits_s: list[float] = []

    def copying(took_s: float) -> Callable[..., list[float]]:
        def run_copies(sources: Sequence[Path], _: Scratch, __: float, most_s: float) -> list[float]:
            limits_s.append(most_s)
            if took_s > most_s:
                raise Aborted(most_s)
            return [took_s] * len(sources)

        return run_copies

    copies, spec = copy.CopyContended(), copy.CopySpec(1.0, 2 << 20, 4, 6)
    copies.prepare(scratch, spec)
    monkeypatch.setattr(copy, "run_copies", copying(6.0))
    run = copies.run(scratch, spec, 10.0)
    assert limits_s == [10.0, 4.0] and run.wall_s == 10
    assert run.values == {"wall_s": 6.0, "jain_index": 1.0} and not run.cut_short and run.partial
    run = copies.run(scratch, spec, 5.0)
    assert (run.values, run.cut_short) == ({"wall_s": 5.0}, True)


def test_the_mean_of_the_slowest_is_that_of_as_many_as_asked_for_and_no_single_read_decides_it() -> None:
    times_s = [0.001] * 90 + [0.010] * 6 + [0.100] * 4
    assert mean_of_tail(times_s, 0.1) == pytest.approx((4 * 0.1 + 6 * 0.01) / 10)
    assert mean_of_tail(times_s, 1.0) == pytest.approx((0.4 + 0.06 + 0.09) / 100)
    assert mean_of_tail([0.002] * 3, 0.1) == pytest.approx(0.002), "of few it is the slowest"
    assert mean_of_tail([0.001] * 99 + [9.0], 0.1) == pytest.approx(0.001)
    with pytest.raises(NotUnderstood):
        mean_of_tail([])


@pytest.mark.parametrize(("late_s", "counts_s"), [(0.05, BUFFERED_S), (0.29, BUFFERED_S), (2.0, 2.0)])
def test_a_film_is_late_where_its_player_has_nothing_ready(
    late_s: float, counts_s: float, scratch: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    film = StreamUnderCopy()
    spec = film.plan(Probe(50e6, 50e6, 0.0001, 1 << 30, 1 << 40), 1.5)
    film.file(scratch).write_bytes(b"film")
    played = SimpleNamespace(out=f"4 {'0.001 ' * 30}{f'{late_s} ' * 7}", wall_s=1.5)
    monkeypatch.setattr(scratch.processes, "run", lambda *_: played)
    values = film.run_foreground(scratch, spec, SimpleNamespace(start=lambda: None), math.inf).values  # type: ignore[arg-type]
    assert values["slowest_tenth_s"] == counts_s
    assert values["longest_stall_s"] == late_s
