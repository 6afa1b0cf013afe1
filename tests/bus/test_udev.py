# SPDX-License-Identifier: GPL-3.0-or-later
"""A real udevd applies the helper's rules: at every start, not while measuring, no more once forgotten.

It also applies exports for many machines: a rule for a model, and defaults for udev's database.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from disktuner.report.roll_out import roll_out_of
from disktuner.report.udev_rule import rule, rule_file
from disktuner_fleet.defaults import HWDB, defaults
from disktuner_fleet.defaults import RULES as DEFAULTS_RULE
from tests.bus.conftest import RULES, Caller, Udevd, named, own_rules, reload_rules
from tests.conftest import LoopDisk, Sudo
from tests.unit.fleet.drawing import machine, summary, write
from tests.unit.verdict.making import LAUNCH, made
from tests.waiting import until

MIB = 1024 * 1024
LIMITS = {"bdi/max_bytes": str(16 * MIB), "bdi/strict_limit": "1"}
TUNABLES = {"iosched/low_latency": "0", "queue/nr_requests": "32", **LIMITS}
CHOSEN, CHANGED = ("bfq", "0", "32", 16, "1"), ("mq-deadline", "", "64", 64, "0")
MODELS = ("Fast_Disk_2_3_1TB", "Fast Disk 2/3 1TB")  # as most probers write it, and as it is written for NVMe disks
DATABASE = "/etc/udev/hwdb.bin"


@pytest.fixture
def chosen(udevd: Udevd, helper: Caller, sudo: Sudo) -> LoopDisk:
    """A disk with bfq chosen persistently, which somebody has since given another scheduler."""
    disk = udevd.disk
    helper.set(disk, "bfq", TUNABLES, persist=True)
    sudo("udevadm", "settle")
    assert settings(disk) == CHOSEN
    change(sudo, disk)
    return disk


def change(sudo: Sudo, disk: LoopDisk) -> None:
    """Set what a rule has to override: another scheduler, and a tunable that both schedulers have."""
    sudo("tee", disk.queue / "scheduler", stdin="mq-deadline")
    sudo("tee", disk.queue / "nr_requests", stdin="64")
    sudo("tee", disk.queue.parent / "bdi/max_bytes", stdin=str(64 * MIB))
    sudo("tee", disk.queue.parent / "bdi/strict_limit", stdin="0")
    assert settings(disk) == CHANGED


def settings(disk: LoopDisk) -> tuple[str, str, str, int, str]:
    """The settings with what may wait in MiB as a power of 4, as that follows the memory that other programs take."""
    low_latency = disk.queue / "iosched/low_latency"
    text = low_latency.read_text().strip() if low_latency.exists() else ""
    requests, bdi = (disk.queue / "nr_requests").read_text().strip(), disk.queue.parent / "bdi"
    power, strict = math.log(int((bdi / "max_bytes").read_text()) / MIB, 4), (bdi / "strict_limit").read_text().strip()
    return disk.scheduler, text, requests, 4 ** round(power), strict


def looked_at(disk: LoopDisk) -> int:
    """Return when udev last wrote its record of a disk, as it does for each event."""
    devno = (disk.queue.parent / "dev").read_text().strip()
    return Path(f"/run/udev/data/b{devno}").stat().st_mtime_ns


def wake(sudo: Sudo, disk: LoopDisk) -> None:
    """Write to the disk until udev has processed it. (While it processes an event it watches nothing.)"""
    sudo("udevadm", "settle")
    before = looked_at(disk)
    sudo("tee", disk.device, stdin="written")
    until(lambda: looked_at(disk) > before)
    sudo("udevadm", "settle")


@pytest.mark.parametrize("action", ["add", "change"])
def test_the_choice_is_made_again_but_not_in_a_trial(
    action: str, udevd: Udevd, chosen: LoopDisk, helper: Caller, sudo: Sudo
) -> None:
    trial = helper.begin(chosen)
    helper.set_trial(trial, chosen, "kyber")
    udevd.trigger(action, chosen)
    wake(sudo, chosen)
    assert chosen.scheduler == "kyber"
    helper.call("EndTrial", trial)
    assert settings(chosen) == CHANGED
    other = helper.begin(udevd.other)
    udevd.trigger(action, chosen)
    assert settings(chosen) == CHOSEN, "a trial of another disk's holds nothing back"
    helper.call("EndTrial", other)
    change(sudo, chosen)
    wake(sudo, chosen)
    assert settings(chosen) == CHOSEN


def test_another_disk_and_another_action_are_left_alone_and_what_is_forgotten(
    udevd: Udevd, chosen: LoopDisk, helper: Caller, sudo: Sudo
) -> None:
    change(sudo, udevd.other)
    udevd.trigger("change", udevd.other)
    udevd.trigger("move", chosen)
    assert settings(udevd.other) == settings(chosen) == CHANGED
    helper.call("Forget", named(chosen))
    for action in ("change", "add"):
        udevd.trigger(action, chosen)
        assert settings(chosen) == CHANGED
    assert list(RULES.iterdir()) == [] and helper.state()["persistent"] == []


def test_a_later_choice_until_the_next_restart_holds_the_rule_back(
    udevd: Udevd, chosen: LoopDisk, helper: Caller, sudo: Sudo
) -> None:
    helper.set(chosen, "kyber")
    wake(sudo, chosen)
    udevd.trigger("change", chosen)
    assert chosen.scheduler == "kyber"
    for _ in range(5):
        # For good answers when udev is done: its rule does not run between a switch right after it and its read-back.
        helper.set(chosen, "mq-deadline", {}, persist=True)
        helper.set(chosen, "none")
    helper.call("Revert", named(chosen))
    udevd.trigger("change", chosen)
    assert chosen.scheduler == "mq-deadline", "what was chosen for good is back"


def test_somebody_elses_unfinished_line_does_not_swallow_the_rule_and_a_new_choice_replaces_it(
    udevd: Udevd, helper: Caller, sudo: Sudo
) -> None:
    disk, other = udevd.disk, RULES / "90-disktuner-.rules"
    sudo("tee", other, stdin='KERNEL=="none-such", ENV{NONE}="1" \\\n')
    for scheduler in ("kyber", "bfq"):
        helper.set(disk, scheduler, {}, persist=True)
        sudo("tee", disk.queue / "scheduler", stdin="none")
        udevd.trigger("change", disk)
        assert disk.scheduler == scheduler and len(own_rules()) == 2
    sudo("rm", other)


def have_models(udevd: Udevd, sudo: Sudo, models: tuple[str, str]) -> None:
    """Make udev report those models for the two disks."""
    pairs = zip((udevd.disk, udevd.other), models, strict=True)
    lines = "".join(f'KERNEL=="{disk.name}", ENV{{ID_MODEL}}="{model}"\n' for disk, model in pairs)
    sudo("tee", "/run/udev/rules.d/60-model.rules", stdin=lines)
    reload_rules(sudo)


def test_an_exported_rule_sets_each_disk_of_its_model_where_nobody_has_chosen(
    udevd: Udevd, helper: Caller, sudo: Sudo
) -> None:
    result = made({(LAUNCH, "bfq:slice_idle=0"): 0.2}, schedulers=("mq-deadline", "none", "bfq:slice_idle=0"))
    roll_out = roll_out_of(replace(result, disk={**result.disk, "model": MODELS[1]}))
    sudo("tee", RULES / rule_file(roll_out), stdin=rule(roll_out))
    have_models(udevd, sudo, MODELS)
    for action, disk in (("add", udevd.disk), ("change", udevd.other)):
        assert disk.scheduler == "none"
        udevd.trigger(action, disk)
        assert disk.scheduler == "bfq" and (disk.queue / "iosched/slice_idle").read_text().strip() == "0"
    disk = udevd.disk
    helper.set(disk, "kyber", {}, persist=True)
    udevd.trigger("change", disk)
    assert disk.scheduler == "kyber", "a single disk's choice has the last word"
    helper.call("Forget", named(disk))
    have_models(udevd, sudo, (f"{MODELS[0]}X", MODELS[0]))
    sudo("tee", disk.queue / "scheduler", stdin="none")
    udevd.trigger("change", disk)
    assert disk.scheduler == "none", "another model is left alone"


@pytest.fixture
def database(tmp_path: Path, sudo: Sudo) -> Iterator[Path]:
    """Replace the system's database by defaults for this kernel and one that nobody has, with their rule."""
    for kernel, place in ((os.uname().release, 0), ("99.1.0", 10)):
        write(tmp_path / kernel, *(machine(place + number, model=MODELS[1], kernel=kernel) for number in range(4)))
    files = defaults(summary(tmp_path).groups).files
    assert files is not None
    folder = tmp_path / "root/etc/udev/hwdb.d"
    folder.mkdir(parents=True)
    (folder / HWDB).write_text(files[HWDB])
    (tmp_path / DEFAULTS_RULE).write_text(files[DEFAULTS_RULE])
    sudo("systemd-hwdb", "update", "--strict", "--root", tmp_path / "root")
    sudo("cp", f"{tmp_path}/root{DATABASE}", DATABASE)
    yield tmp_path / DEFAULTS_RULE
    sudo("rm", DATABASE)


def test_disks_that_appear_get_their_models_default_and_keep_what_is_chosen_later(
    database: Path, udevd: Udevd, sudo: Sudo
) -> None:
    series = "_".join(os.uname().release.split(".")[:2])
    for model in MODELS:
        properties = sudo("systemd-hwdb", "query", f"disktuner:{model}").split()
        assert sorted(properties) == sorted((f"DISKTUNER_SCHEDULER_{series}=bfq", "DISKTUNER_SCHEDULER_99_1=bfq"))
        assert not sudo("systemd-hwdb", "query", f"disktuner:{model}X").split()
    sudo("cp", database, RULES / database.name)
    have_models(udevd, sudo, (f"{MODELS[0]}X", MODELS[1]))
    udevd.trigger("add", udevd.disk)
    assert udevd.disk.scheduler == "none", "another model is left alone"
    have_models(udevd, sudo, MODELS)
    for disk in (udevd.disk, udevd.other):
        udevd.trigger("add", disk)
        assert disk.scheduler == "bfq"
        sudo("tee", disk.queue / "scheduler", stdin="kyber")
        udevd.trigger("change", disk)
        assert disk.scheduler == "kyber", "it is a default, nobody's choice"
