# SPDX-License-Identifier: GPL-3.0-or-later
"""One real comparison, from the question to the answer: announced, measured, judged, kept, and the disk as it was."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path

from disktuner.results.codec import encode, load
from disktuner.results.store import Store
from tests.conftest import LoopDisk
from tests.end2end.comparing import BEFORE, SMALL, UNUSUAL, Compared, begun, left_in, processes_in, values
from tests.end2end.conftest import Run
from tests.end2end.test_bench import announced_bytes
from tests.waiting import until

FIGURE = "dd-write.bytes_per_s"


def test_what_was_announced_is_what_happens(compared: Compared) -> None:
    assert compared.done.returncode == 0, compared.done.stderr
    assert re.search(r"Takes about \d+:\d+, \d+:\d+ at most, and writes about ", compared.done.stderr)
    assert compared.moved_bytes <= 1.05 * announced_bytes(compared.done.stderr)
    result = load(compared.result)
    assert "bytes-written" in [warning.id for warning in result.warnings]
    figures = {sample.metric for sample in result.samples}
    # a slow computer moves too little for what it costs the CPU
    assert {FIGURE} <= figures <= {FIGURE, "dd-write.cpu_s_per_gib", "dd-write.cpu_s_per_1000"}
    orders = [sample.order for sample in result.samples if sample.metric == FIGURE]
    assert orders == list(range(len(orders)))
    assert result.plan.seed == 11 and result.finished


def test_settings_compete_each_with_its_own_tunables(compared: Compared) -> None:
    assert "mq-deadline, nr_requests 16, fifo_batch 1" in compared.done.stderr, "the plan names them"
    result = load(compared.result)
    assert [setting.name for setting in result.plan.settings] == [BEFORE, UNUSUAL, SMALL]
    assert {sample.setting for sample in result.samples} == set(result.plan.settings)
    reasons = [sample.reason.id for sample in result.samples if sample.reason]
    assert not {"scheduler-changed", "tunable-changed"} & set(reasons)


def test_the_disk_is_as_it_was_and_nothing_lies_there(compared: Compared) -> None:
    assert compared.after == compared.before
    folder, after = compared.files
    assert after == folder


def test_nothing_of_it_runs_as_root(compared: Compared) -> None:
    assert os.geteuid() != 0
    assert compared.owners == {os.geteuid()}


def test_it_is_judged_again_from_its_samples(compared: Compared, disktuner: Run) -> None:
    output = compared.document
    again = disktuner("verdict", compared.result, "--json")
    assert (again.returncode, json.loads(again.stdout)) == (0, output["verdict"] | {"state": output["state"]})
    assert output["verdict"]["baseline"] == BEFORE
    assert compared.picture.read_bytes().startswith(b"\x89PNG")
    assert disktuner("verdict", compared.picture, "--json").stdout == again.stdout, "the picture holds the result"


def test_it_is_measured_on_and_what_was_measured_is_kept_when_that_is_cancelled(
    compared: Compared, tmp_path: Path
) -> None:
    first, store, disk = tmp_path / "first.json", Store(), compared.disk
    measured = load(compared.result)
    # Two rounds leave open what all of them may have answered.
    began = replace(measured, samples=tuple(sample for sample in measured.samples if sample.round < 2))
    first.write_text(encode(began))
    with begun(disk, "--continue", str(first)) as process:
        until(lambda: any(len(load(path).samples) > len(began.samples) for path in store.paths()))
        process.terminate()
        assert process.wait() == 130, process.communicate()
    assert values(disk) == compared.before
    assert left_in(disk.folder) == [] and processes_in(disk.folder) == []
    (result,) = map(load, store.paths())
    assert result.id != began.id and result.continues == began.id and not result.finished
    assert result.samples[: len(began.samples)] == began.samples, "what was measured before is in it"
    assert replace(result.plan, rounds=began.plan.rounds) == began.plan
    orders = sorted({sample.order for sample in result.samples})
    assert orders == list(range(len(orders)))
    assert load(first) == began, "the old result stays as it was"


def test_a_result_of_another_disk_is_not_continued(compared: Compared, disktuner: Run, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(encode(load(Path(__file__).parents[1] / "data/results/write-up-a.json")))
    completed = disktuner("compare", compared.disk.folder, "--continue", other)
    assert completed.returncode == 5 and "is not the disk of result" in completed.stderr


def test_a_user_without_the_right_gets_exit_3_and_no_change(compared: Compared, disktuner: Run, shared: Path) -> None:
    disk: LoopDisk = compared.disk
    for command in (("set", disk.name, "bfq"), ("compare", str(shared), "--goal", "copying", "--workloads", "dd-read")):
        completed = disktuner(*command, user="dt-other")
        assert completed.returncode == 3 and "Traceback" not in completed.stderr, completed.stderr
    assert values(disk) == compared.before
    assert left_in(shared) == []
    completed = disktuner("compare", disk.folder, user="dt-other")
    assert completed.returncode == 5 and "You have no access to" in completed.stderr, "a folder one may not look into"
