# SPDX-License-Identifier: GPL-3.0-or-later
"""What is announced before the start: conditions of the machine under which runs would not count, and unlike disks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.block.test_machine import battery, write
from tests.unit.comparison.test_continuing import MOUNT, PROBE
from tests.unit.comparison.test_target import DISK

from disktuner.block.machine import Surroundings
from disktuner.comparison import preparation, tasks
from disktuner.comparison.preparation import machine_cautions, prepare
from disktuner.comparison.request import Request
from disktuner.comparison.target import Target
from disktuner.comparison.tasks import choose_settings, comparison_task, decides_nothing, question_of
from disktuner.vocabulary.errors import MeasurementImpossible, NoSuchThing
from disktuner.vocabulary.goals import BUDGETS, GOALS, QUICK
from disktuner.vocabulary.messages import Message, message, say
from disktuner.workloads import dd
from disktuner.workloads.fio import CommitLog
from disktuner.workloads.processes import Control


def test_no_budget_is_asked_for_less_than_it_can_tell_from_nothing() -> None:
    worth = {name: question_of("database", [CommitLog()], budget.limits).worth for name, budget in BUDGETS.items()}
    least = QUICK.limits.resolves
    assert worth == {"quick": least, "standard": GOALS["database"].worth, "thorough": GOALS["database"].worth}
    assert question_of("desktop", [], BUDGETS["quick"].limits).worth == GOALS["desktop"].worth > least


def cpu(root: Path, stolen: int) -> None:
    """A second of a CPU with some stolen ticks."""
    write(root, proc__stat=f"cpu  {100 - stolen} 0 0 {100 if stolen else 0} 0 0 0 {stolen} 0 0")


def warned_of(root: Path, stolen: int = 0, throttled_us: int = 0) -> dict[str, str]:
    """Return the cautions after a second like that."""
    group = root / "sys/fs/cgroup/a"
    write(root / "proc/self", cgroup="0::/a")
    cpu(root, 0)
    write(group, **{"cpu.stat": "throttled_usec 0"})
    surroundings = Surroundings(root)
    before = surroundings.now([])
    cpu(root, stolen)
    write(group, **{"cpu.stat": f"throttled_usec {throttled_us}"})
    return {caution.id: say(caution) for caution in machine_cautions(before, surroundings.now([]), 1.0)}


def test_on_battery_it_is_said_that_runs_vary_more(tmp_path: Path) -> None:
    battery(tmp_path, "BAT0", "Discharging")
    warnings = warned_of(tmp_path)
    assert list(warnings) == ["battery-now"]
    assert "runs vary more" in warnings["battery-now"] and "Plug it in" in warnings["battery-now"]


def test_a_host_that_takes_the_cpu_and_a_limit_are_said(tmp_path: Path) -> None:
    warnings = warned_of(tmp_path, stolen=30, throttled_us=60_000)
    assert list(warnings) == ["cpu-stolen-now", "cpu-limit-now"]
    assert "is taking 30 % of the CPU" in warnings["cpu-stolen-now"] and "stay undecided" in warnings["cpu-limit-now"]


def test_disks_with_different_schedulers_are_told_apart(tmp_path: Path) -> None:
    target = Target(tmp_path, MOUNT, (DISK, replace(DISK, name="sdb", scheduler="none")))
    (caution,) = preparation.disk_cautions(target)
    assert "sda: mq-deadline and sdb: none" in say(caution)


def test_what_one_disk_has_and_another_lacks_is_no_baseline() -> None:
    lacking = replace(DISK, name="sdb", scheduler="none", schedulers=("none", "kyber"))
    with pytest.raises(NoSuchThing, match=r"Model \(sdb\), which holds the same folder, does not offer"):
        choose_settings([DISK, lacking], None)


def test_a_workload_that_cannot_run_here_is_left_out_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are measured."""
    monkeypatch.setattr(preparation, "probe_folder", lambda *_: PROBE)
    monkeypatch.setattr(preparation, "too_little", lambda *_: None)
    monkeypatch.setattr(dd, "missing", lambda *_: None)
    disks = tuple(replace(DISK, name=name, why_not=None) for name in ("sda", "sdb"))
    request, target = Request("", "copying", workloads=("raw-read", "dd-write")), Target(tmp_path, MOUNT, disks)
    outcome = prepare(comparison_task(request, target), target, Control(), saves=False)
    assert outcome.plan.record.workloads == ("dd-write",) and outcome.refused is None
    assert {id_: why.id for id_, why in outcome.unavailable.items()} == {"raw-read": "raw-read-several-disks"}


def asked(*workloads: str, goal: str = "desktop") -> Message | None:
    """Plan these workloads on two disks, of which raw ones cannot be read; return what is said if none decides."""
    disks = tuple(replace(DISK, name=name, why_not=None) for name in ("sda", "sdb"))
    task = comparison_task(Request("", goal, workloads=workloads or None), Target(Path("/"), MOUNT, disks))
    return decides_nothing(task.record)


def test_that_no_workload_counts_for_the_goal_is_said_before_they_are_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dd, "missing", lambda *_: None)
    notice = asked("dd-write", "copy")
    assert notice is not None and notice.values["purpose"] == GOALS["desktop"].purpose
    assert "launch-office" in say(notice)
    assert asked("priorities") is None, "it says who honours ionice"
    assert asked("dd-write") is None, "a single figure decides"
    assert asked("dd-write", "copy", goal="copying") is None
    assert asked("dd-write", "copy", "launch-under-reads") is None
    monkeypatch.setattr(preparation, "probe_folder", lambda *_: PROBE)
    monkeypatch.setattr(preparation, "too_little", lambda *_: None)
    request, target = Request("", "desktop", workloads=("dd-write", "copy")), Target(tmp_path, MOUNT, (DISK,))
    assert notice in prepare(comparison_task(request, target), target, Control(), saves=False).at_start
    why = message("program-missing", program="fio", package="fio")
    monkeypatch.setattr(tasks, "_unavailable", lambda *_: why)
    assert asked("priorities") is asked("dd-write", "copy") is None, "none runs, which is notice elsewhere"


def test_where_what_counts_for_the_goal_cannot_run_the_reason_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    why = message("program-missing", program="fio", package="fio")
    deciding = ("stream-under-copy", "read-latency-under-writes")
    monkeypatch.setattr(tasks, "_unavailable", lambda workload, _: why if workload.id in deciding else None)
    with pytest.raises(MeasurementImpossible) as refused:
        asked(goal="media")
    assert refused.value.message == why
