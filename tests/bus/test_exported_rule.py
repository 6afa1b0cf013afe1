# SPDX-License-Identifier: GPL-3.0-or-later
"""A real udevd applies an exported rule to every disk of the model, after what was chosen for a single one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from disktuner.report.engines import choice_of
from disktuner.report.engines.udev import rule, rule_file
from tests.bus.conftest import RULES, Caller, Udevd
from tests.conftest import Sudo
from tests.unit.verdict.making import LAUNCH, made

MODELS = ("Fast_Disk_2_3_1TB", "Fast Disk 2/3 1TB")  # as most probers write it, and as it is written for NVMe disks


@pytest.fixture
def exported(udevd: Udevd, sudo: Sudo) -> Udevd:
    """Both disks are of the model that the rule is for."""
    lines = [f'KERNEL=="{disk.name}", ENV{{ID_MODEL}}="{model}"\n'
             for disk, model in zip((udevd.disk, udevd.other), MODELS, strict=True)]  # fmt: skip
    sudo("tee", "/run/udev/rules.d/61-model.rules", stdin="".join(lines))
    found = made({(LAUNCH, "bfq:slice_idle=0"): 0.2}, schedulers=("mq-deadline", "none", "bfq:slice_idle=0"))
    choice = choice_of(replace(found, disk={**found.disk, "model": MODELS[1]}))
    sudo("tee", RULES / rule_file(choice), stdin=rule(choice))
    sudo("udevadm", "control", "--reload")
    return udevd


@pytest.mark.parametrize("action", ["add", "change"])
def test_each_disk_of_the_model_gets_scheduler_and_tunables(action: str, exported: Udevd) -> None:
    for disk in (exported.disk, exported.other):
        assert disk.scheduler == "none"
        exported.trigger(action, disk)
        assert disk.scheduler == "bfq" and (disk.queue / "iosched/slice_idle").read_text().strip() == "0"


def test_another_model_is_left_alone(exported: Udevd, sudo: Sudo) -> None:
    sudo("tee", "/run/udev/rules.d/61-model.rules", stdin='ENV{ID_MODEL}="Fast_Disk_2_3_1TBX"\n')
    sudo("udevadm", "control", "--reload")
    exported.trigger("change", exported.disk)
    assert exported.disk.scheduler == "none"


def test_a_single_disks_choice_has_the_last_word_and_a_trial_holds_the_rule_back(
    exported: Udevd, helper: Caller, sudo: Sudo
) -> None:
    disk = exported.disk
    helper.call("Persist", disk.name, disk.diskseq, "kyber", {})
    exported.trigger("change", disk)
    exported.trigger("change", exported.other)
    assert (disk.scheduler, exported.other.scheduler) == ("kyber", "bfq")
    helper.call("Forget", disk.name)
    trial = helper.call("BeginTrial", [(disk.name, disk.diskseq)])
    helper.call("SetTrialScheduler", trial, disk.name, "mq-deadline")
    exported.trigger("change", disk)
    assert disk.scheduler == "mq-deadline"
    helper.call("EndTrial", trial)
