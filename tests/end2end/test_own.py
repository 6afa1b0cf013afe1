# SPDX-License-Identifier: GPL-3.0-or-later
"""A command of one's own through the real program: compared, measured on, exported; and what goes wrong is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from disktuner.report.exporting import anonymous
from disktuner.results.codec import encode, load
from tests.conftest import LoopDisk
from tests.end2end.conftest import Run

WRITES = "dd if=/dev/zero of={scratch}/x bs=256k count=8 conv=fsync status=none"


@pytest.fixture
def small(loop_disk: Callable[..., LoopDisk]) -> LoopDisk:
    return loop_disk(size_mb=2048)


def test_a_command_is_compared_measured_on_and_exported_without_its_words(
    small: LoopDisk, disktuner: Run, tmp_path: Path
) -> None:
    out = tmp_path / "result.json"
    which = ("--schedulers", "bfq", "--seed", "5")
    own = ("--command", WRITES, "--beside", "writes", "--cleanup", f"touch {tmp_path}/cleaned")
    done = disktuner("compare", small.folder, *which, *own, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    result = load(out)
    assert result.plan.goal == "own" and result.plan.workloads == ("own-command",)
    figures = {sample.metric for sample in result.samples}
    assert {"own-command.wall_s", "own-command.write_bytes_per_s"} <= figures
    assert "dd if=/dev/zero" in result.metrics["own-command.wall_s"].label
    assert "dd if=/dev/zero" in done.stderr  # what it did when it was run once
    assert document["verdict"]["decision"] in {"switch", "keep", "trade-off", "undecided"}
    decided = {each["metric"] for each in document["verdict"]["comparisons"]}
    assert "own-command.wall_s" in decided
    assert (tmp_path / "cleaned").exists()
    assert [path.name for path in (small.folder or Path()).iterdir()] == ["lost+found"]
    assert (small.queue / "scheduler").read_text().split("[")[1].split("]")[0] == small.scheduler

    exported = disktuner("export", out, "--to", tmp_path / "shared.json")
    assert exported.returncode == 0, exported.stderr
    shared = (tmp_path / "shared.json").read_text()
    assert "dd if" not in shared and "/dev/zero" not in shared
    assert "dd if" not in encode(anonymous(result))

    stranger = disktuner("compare", "--continue", out)  # not in this user's own store: it may be anybody's
    assert stranger.returncode == 5
    assert "look at the command" in stranger.stderr.lower()
    history = json.loads(disktuner("history", "--json").stdout)
    assert result.id in json.dumps(history)


def test_a_failing_command_ends_before_anything_is_switched(small: LoopDisk, disktuner: Run) -> None:
    done = disktuner("compare", small.folder, "--command", "echo this went wrong >&2; exit 7", "--json")
    assert done.returncode == 5
    assert done.stdout == ""
    assert "status 7" in done.stderr and "this went wrong" in done.stderr
    assert [path.name for path in (small.folder or Path()).iterdir()] == ["lost+found"]


def test_a_command_is_run_some_times_with_the_scheduler_that_there_is(small: LoopDisk, disktuner: Run) -> None:
    done = disktuner(
        "bench", small.folder, "--command", "echo rate 5", "--metric", r"rate (\d+)", "--seconds", "0.2", "--json"
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    values = {sample["value"] for sample in result["samples"] if sample["metric"] == "own-figure.value"}
    assert values == {5.0}


def test_the_start_of_a_program_is_recorded_and_read_again(small: LoopDisk, disktuner: Run) -> None:
    program = ("--program", "python3 -c 'import json, decimal'", "--beside", "nothing")
    done = disktuner("bench", small.folder, *program, "--seconds", "0.2", "--rounds", "1", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert {sample["metric"] for sample in result["samples"] if sample["valid"]} >= {"own-program.wall_s"}
    assert result["own"]["pattern"]
    assert "was recorded" in done.stderr
    refused = disktuner("bench", small.folder, "--program", "no-such-program-anywhere")
    assert refused.returncode == 4, refused.stderr
