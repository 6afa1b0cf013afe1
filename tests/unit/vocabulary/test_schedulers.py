# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of schedulers, and that both programs know it from one file."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from tests import needs

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
from disktuner_helper.queue import checked, limiting_writes, module_of
found = parse_setting("maple:sync_expire=9")
print(json.dumps([
    found.name, scheduler(found.scheduler).limits_writes, loaded_for(["mq-maple"]), len(with_warm_ups([found])),
    checked("maple", {"iosched/sync_expire": "9"}), limiting_writes(), module_of("maple"),
]))
"""


@needs.glib
def test_one_row_adds_a_scheduler_to_both_programs(tmp_path: Path) -> None:
    for folder in ("app", "helper"):
        shutil.copytree(CHECKOUT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "helper/disktuner_helper/schedulers.toml").open("a") as file:
        file.write(ROW)
    paths = f"import sys; sys.path[:0] = [{str(tmp_path / 'app')!r}, {str(tmp_path / 'helper')!r}]\n"
    done = subprocess.run([sys.executable, "-P", "-c", paths + USE], capture_output=True, text=True, check=True)
    name, limits, loadable, runs, allowed, limiting, module = json.loads(done.stdout)
    assert (name, limits, loadable, runs) == ("maple:sync_expire=9", True, ["maple"], 2)
    assert (allowed, limiting, module) == ({"iosched/sync_expire": 9}, ["bfq", "maple"], "mq-maple")


def test_who_is_not_of_the_kernels_tree_loses_no_tie_for_that() -> None:
    names = ("stranger", "bfq", "adios:read_priority=9", "adios", "kyber", "none", "mq-deadline")
    order = sorted(map(setting_of, names), key=lambda each: each.simplicity)
    assert [each.name for each in order] == [
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
        each.beside(Setting("kyber")).name for each in candidates_for("desktop", False, SATA_SSD, Setting("kyber"))
    ]
    own = [name for name in tried if name.startswith("kyber:read_lat_nsec")]
    assert own == [
        "kyber:read_lat_nsec=1000000,write_lat_nsec=5000000",
        "kyber:read_lat_nsec=500000,write_lat_nsec=1000000",
    ]
