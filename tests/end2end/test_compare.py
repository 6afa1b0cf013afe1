# SPDX-License-Identifier: GPL-3.0-or-later
"""The comparison through the command: announced, measured, judged; and what is refused before anything changes."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from disktuner.results.codec import encode, load
from tests.conftest import LoopDisk, Sudo
from tests.end2end.conftest import COMMAND, Run

ONE = ("--goal", "copying", "--workloads", "dd-read")


def test_what_was_announced_is_what_happens(loop_disk: Callable[..., LoopDisk], disktuner: Run, tmp_path: Path) -> None:
    disk = loop_disk(size_mb=2048)
    out = tmp_path / "result.json"
    assert disk.folder
    arguments = ("--goal", "copying", "--workloads", "dd-write", "--schedulers", "bfq", "--seed", "11")

    began = time.monotonic()
    done = disktuner("compare", disk.folder, *arguments, "--out", out, "--json")

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verdict"]["baseline"] == disk.scheduler
    announced = re.search(r"at most [0-9.,]+ [kMG]?B.* takes \d+:\d+ to (\d+):(\d+)", done.stderr)
    assert announced
    assert time.monotonic() - began < 2 * (int(announced[1]) * 60 + int(announced[2])) + 20
    result = load(out)
    figures = {sample.metric for sample in result.samples}
    figure = "dd-write.bytes_per_s"  # a slow computer moves too little for what it costs the CPU
    assert {figure} <= figures <= {figure, "dd-write.cpu_s_per_gib", "dd-write.cpu_s_per_1000"}
    assert {sample.scheduler for sample in result.samples} == {disk.scheduler, "bfq"}
    assert result.plan.seed == 11
    orders = [sample.order for sample in result.samples if sample.metric == figure]
    assert orders == list(range(len(orders)))


def test_a_comparison_is_continued_from_its_result(
    loop_disk: Callable[..., LoopDisk], disktuner: Run, tmp_path: Path
) -> None:
    disk = loop_disk(size_mb=2048)
    assert disk.folder
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    only = ("--goal", "copying", "--workloads", "dd-write", "--schedulers", "bfq", "--seed", "11")
    assert disktuner("compare", disk.folder, *only, "--out", first).returncode == 0
    measured = load(first)
    # Two rounds leave open what all of them may have answered.
    began = replace(measured, samples=tuple(sample for sample in measured.samples if sample.round < 2))
    first.write_text(encode(began))

    done = disktuner("compare", disk.folder, "--continue", first, "--out", second, "--json")

    assert done.returncode == 0, done.stderr
    whole = load(second)
    assert whole.id != began.id and whole.extra["continues"] == began.id
    assert whole.samples[: len(began.samples)] == began.samples, "what was measured before is in it"
    assert (whole.plan.goal, whole.plan.schedulers, whole.plan.seed) == ("copying", began.plan.schedulers, 11)
    orders = sorted({sample.order for sample in whole.samples})
    assert orders == list(range(len(orders)))
    assert load(first) == began, "the old result stays as it was"
    assert json.loads(done.stdout)["verdict"]["decision"] in {"switch", "keep", "trade-off", "undecided"}


def test_a_result_of_another_disk_is_not_continued(
    loop_disk: Callable[..., LoopDisk], disktuner: Run, tmp_path: Path
) -> None:
    disk, out = loop_disk(size_mb=1024), tmp_path / "other.json"
    assert disk.folder
    found = load(Path(__file__).parents[1] / "data" / "results" / "write-up-a.json")
    out.write_text(encode(found))
    out.chmod(0o644)
    done = disktuner("compare", disk.folder, "--continue", out)
    assert done.returncode == 5 and "is not the disk of the result" in done.stderr
    both = disktuner("compare", disk.folder, "--continue", out, "--seed", "3")
    assert both.returncode == 2 and "its own goal" in both.stderr
    assert disktuner("compare").returncode == 2


@pytest.mark.long
def test_the_same_seed_gives_the_same_order(loop_disk: Callable[..., LoopDisk], disktuner: Run, tmp_path: Path) -> None:
    disk = loop_disk(size_mb=1024)
    orders = []
    for number in range(2):
        out = tmp_path / f"{number}.json"
        done = disktuner("compare", disk.folder or "", *ONE, "--schedulers", "bfq,kyber", "--seed", "5", "--out", out)
        assert done.returncode == 0, done.stderr
        first_of_round = {(sample.round, sample.scheduler): sample.order for sample in reversed(load(out).samples)}
        # After the first rounds the samples say who is measured still.
        before_looks = [item for item in first_of_round.items() if item[0][0] < 2]
        orders.append([key for key, _ in sorted(before_looks, key=lambda item: item[1])])
    assert len(orders[0]) >= 6
    assert orders[0] == orders[1]


def test_a_user_without_the_right_gets_exit_3_and_no_change(
    loop_disk: Callable[..., LoopDisk], disktuner: Run, sudo: Sudo
) -> None:
    disk = loop_disk(size_mb=1024)
    before = disk.scheduler
    sudo("chown", "dt-other", disk.folder or "")
    sudo("chmod", "a+rx", *[path for path in (disk.folder or Path()).parents if "pytest" in str(path)])
    done = disktuner("compare", disk.folder or "", *ONE, "--schedulers", "bfq", user="dt-other")
    assert done.returncode == 3, done.stderr
    assert disk.scheduler == before
    assert sudo("find", disk.folder or "", "-name", ".disktuner-*") == ""


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("--goal", "copying", "--schedulers", "nonsense"), 4, "Choose from"),
        (("--goal", "copying", "--workloads", "nonsense"), 4, "There is no workload"),
        (("--goal", "nonsense"), 2, "invalid choice"),
    ],
)
def test_a_wrong_request_is_refused_before_anything_changes(
    arguments: tuple[str, ...], status: int, said: str, loop_disk: Callable[..., LoopDisk], disktuner: Run
) -> None:
    disk = loop_disk(size_mb=512)
    before = disk.scheduler
    done = disktuner("compare", disk.folder or "", *arguments)
    assert done.returncode == status
    assert said in done.stderr
    assert disk.scheduler == before


def test_root_does_not_compare(disktuner: Run, tmp_path: Path) -> None:
    done = disktuner("compare", tmp_path, *ONE, user="root")
    assert done.returncode == 5
    assert "ordinary user" in done.stderr


def test_a_polite_kill_restores_and_exits_with_130(loop_disk: Callable[..., LoopDisk]) -> None:
    disk = loop_disk(size_mb=1024)
    before = disk.scheduler
    argv = [COMMAND, "compare", disk.folder or "", *ONE, "--schedulers", "bfq,kyber"]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as one:
        deadline = time.monotonic() + 60
        while disk.scheduler == before and one.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        one.terminate()
        assert one.wait(20) == 130
    assert disk.scheduler == before
    assert list((disk.folder or Path()).glob(".disktuner-*")) == []


def test_the_monitor_agrees_with_the_kernel(loop_disk: Callable[..., LoopDisk], disktuner: Run) -> None:
    disk = loop_disk(size_mb=256)
    argv = [COMMAND, "monitor", disk.name, "--interval", "0.5", "--json"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout
        watching.stdout.readline()  # from here on every byte is in one of the intervals
        target = f"of={disk.folder}/file"
        subprocess.run(["dd", "if=/dev/zero", target, "bs=1M", "count=64", "oflag=direct"], check=True)
        time.sleep(1)
        watching.send_signal(signal.SIGINT)
        found = [json.loads(line)[disk.name] for line in watching.communicate(timeout=20)[0].splitlines()]
    written = sum(each["write_bytes_per_s"] * each["elapsed_s"] for each in found)
    assert written == pytest.approx(64 << 20, rel=0.05)
    assert disktuner("monitor", "no-such-disk").returncode == 4
