# SPDX-License-Identifier: GPL-3.0-or-later
"""A user's own command and the start of a program, through the real program: measured and exported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from disktuner.results.codec import load as load_result
from tests.conftest import LoopDisk
from tests.end2end.comparing import BRIEF, values
from tests.end2end.conftest import Run

WRITES = "dd if=/dev/zero of={scratch}/x bs=256k count=8 conv=fsync status=none"
SLOWLY = WRITES.replace("bs=256k count=8 conv=fsync", "bs=16k count=128 oflag=dsync")
READS = ("--command", "cat {scratch}/x", "--prepare", WRITES)
FEW = WRITES.replace("count=8", "count=1")
"""What goes on beside a run has to fit on the disk however fast that is."""


@pytest.fixture
def small(loop_disk: Callable[..., LoopDisk]) -> Iterator[LoopDisk]:
    """A disk that is as it was afterwards."""
    disk = loop_disk(size_mb=4096)
    before = values(disk)
    yield disk
    assert values(disk) == before
    assert [path.name for path in disk.folder.iterdir()] == ["lost+found"]


def compare_briefly(disk: LoopDisk, *options: str | Path, seconds: int) -> subprocess.CompletedProcess[str]:
    """Compare with kyber."""
    argv = [sys.executable, BRIEF, "compare", disk.folder, *options, "--schedulers", "kyber"]
    environment = {**os.environ, "BRIEF_S": str(seconds)}
    return subprocess.run(argv, capture_output=True, text=True, check=False, env=environment)


def test_a_command_is_measured_and_exported_without_its_words(small: LoopDisk, disktuner: Run, tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    options = ("--command", WRITES, "--beside", "writes", "--cleanup", f"touch {tmp_path}/cleaned")
    completed = disktuner("bench", small.folder, *options, "--rounds", "1", "--seconds", "0.2", "--out", out, "--json")
    assert completed.returncode == 0, completed.stderr
    result = load_result(out)
    assert json.loads(completed.stdout)["id"] == result.id
    figures = {sample.metric for sample in result.samples}
    assert {"own-command.wall_s", "own-command.write_bytes_per_s"} <= figures
    assert "dd if=/dev/zero" in result.metrics["own-command.wall_s"].label
    assert "dd if=/dev/zero" in completed.stderr  # what it did when it was run once
    assert (tmp_path / "cleaned").exists()

    shared = tmp_path / "shared.json"
    assert disktuner("export", out, "--to", shared).returncode == 0
    assert "dd if" not in shared.read_text() and "/dev/zero" not in shared.read_text()
    out.write_text(out.read_text().replace("touch ", "touch -c "))  # by now it may be anybody's
    stranger = disktuner("compare", "--continue", out)
    assert stranger.returncode == 5 and "touch -c" in stranger.stderr and "start a new comparison" in stranger.stderr


def test_a_command_runs_beside_another_one_and_its_speed_is_the_price(small: LoopDisk, tmp_path: Path) -> None:
    out, load = tmp_path / "result.json", f"while :; do {SLOWLY}; done"
    completed = compare_briefly(small, *READS, "--beside", load, "--out", out, seconds=60)
    assert completed.returncode == 0, completed.stderr
    assert f"“{load}” runs in the tested folder" in completed.stderr and "In a trial of" in completed.stderr
    result = load_result(out)
    figures = {sample.metric for sample in result.samples if sample.valid}
    assert {"own-command.wall_s", "own-command.load_bytes_per_s"} <= figures
    assert result.own is not None and result.own.beside == load and result.own.mark


def test_a_load_that_fails_while_it_is_measured_ends_that_with_its_words(small: LoopDisk, tmp_path: Path) -> None:
    load = f"echo x >> {tmp_path}/runs; test $(wc -l < {tmp_path}/runs) -gt 2 && exit 9; while :; do {FEW}; done"
    completed = compare_briefly(small, *READS, "--beside", load, seconds=90)  # the computer may stand still
    assert completed.returncode == 5 and "failed with status 9" in completed.stderr, completed.stderr


def test_the_start_of_a_program_is_recorded_and_read_again(small: LoopDisk, disktuner: Run) -> None:
    program = ("--program", "python3 -c 'import json, decimal'", "--beside", "nothing")
    completed = disktuner("bench", small.folder, *program, "--seconds", "0.2", "--rounds", "1", "--json")
    assert completed.returncode == 0, completed.stderr
    result = json.loads(completed.stdout)
    assert {sample["metric"] for sample in result["samples"] if sample["valid"]} >= {"own-program.wall_s"}
    assert result["own"]["pattern"]
    assert "was recorded" in completed.stderr


@pytest.mark.parametrize(
    ("words", "code", "complaints"),
    [
        (("compare", "--command", "echo this went wrong >&2; exit 7"), 5, ("status 7", "this went wrong")),
        (("bench", "--program", "no-such-program-anywhere"), 4, ("no-such-program-anywhere",)),
        (("compare", "--command", "true", "--beside", "echo broken >&2; exit 9"), 5, ("status 9", "broken")),
    ],
)
def test_what_cannot_be_run_ends_before_anything_is_switched(
    words: tuple[str, ...], code: int, complaints: tuple[str, ...], small: LoopDisk, disktuner: Run
) -> None:
    completed = disktuner(words[0], small.folder, *words[1:], "--json")
    assert (completed.returncode, completed.stdout) == (code, "")
    assert all(complaint in completed.stderr for complaint in complaints), completed.stderr
