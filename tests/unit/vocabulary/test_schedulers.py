# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of schedulers, and that both programs know it from one file."""

from __future__ import annotations

from pathlib import Path

from disktuner.vocabulary.kinds import SATA_SSD
from disktuner.vocabulary.schedulers import kernel_schedulers, scheduler, written_as
from disktuner.vocabulary.settings import Setting, setting_of
from disktuner.vocabulary.tuning import candidates_for

CHECKOUT = Path(__file__).parents[3]
ROW = """
[schedulers.maple]
about = "first come, first served"
mark = ["#0072b2", "#4aa8e0", "s"]
module = "mq-maple"
limits_writes = true
learns = true

[tunables.maple]
"iosched/sync_expire" = [1, 900, "ms", "Less is sooner."]
"""
USE = """
import json
from disktuner.experiment.plan import with_warm_ups
from disktuner.vocabulary.schedulers import loaded_for, scheduler
from disktuner.vocabulary.settings import parse_setting
from disktuner_helper.queue import LIMITING_WRITES, checked, module_of
found = parse_setting("maple:sync_expire=9")
print(json.dumps([
    found.name, scheduler(found.scheduler).limits_writes, loaded_for(["mq-maple"]), len(with_warm_ups([found])),
    checked("maple", {"iosched/sync_expire": "9"}), LIMITING_WRITES, module_of("maple"),
]))
"""


def test_who_is_not_of_the_kernels_tree_loses_no_tie_for_that() -> None:
    names = ("stranger", "bfq", "adios:read_priority=9", "adios", "kyber", "none", "mq-deadline")
    order = sorted(map(setting_of, names), key=lambda setting: setting.simplicity)
    assert [setting.name for setting in order] == [
        "none",
        "mq-deadline",
        "kyber",
        "adios",
        "adios:read_priority=9",
        "bfq",
        "stranger",
    ]
    assert kernel_schedulers() == ("none", "mq-deadline", "kyber", "bfq")
    assert (written_as("deadline"), written_as("cfq"), written_as("mq-adios")) == ("mq-deadline", "cfq", "mq-adios")


def test_of_a_stranger_nothing_is_claimed() -> None:
    stranger = scheduler("stranger")
    assert stranger.learns and stranger.limits_writes, "for all that is known"
    assert not stranger.minds_rotation and not stranger.became


def test_of_kybers_published_targets_those_are_tried_that_cost_less_than_a_third_of_the_writes() -> None:
    tried = [
        candidate.beside(Setting("kyber")).name
        for candidate in candidates_for("desktop", False, SATA_SSD, Setting("kyber"))
    ]
    kyber = [name for name in tried if name.startswith("kyber:read_lat_nsec")]
    assert kyber == [
        "kyber:read_lat_nsec=1000000,write_lat_nsec=5000000",
        "kyber:read_lat_nsec=500000,write_lat_nsec=1000000",
    ]
