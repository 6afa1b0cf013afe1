# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole trial in daily use with the real helper and a real disk, a minute per look: begun, interrupted, ended."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.helper_client.client import HelperClient
from disktuner.helper_client.errors import NotUnique
from disktuner.results.store import Store
from disktuner.verdict.judge import judge
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting, parse_setting
from disktuner_watch.field import trial
from disktuner_watch.field.blocks import BLOCK_S, FeltInterval
from disktuner_watch.field.runner import Runner
from disktuner_watch.field.saved import Place
from tests.bus.conftest import Caller, Refusal, stop_helper
from tests.conftest import LoopDisk, Sudo
from tests.end2end.comparing import values
from tests.end2end.conftest import COMMAND
from tests.waiting import until

PAIR = (Setting("mq-deadline"), parse_setting("bfq:slice_idle=0"))
WORKS = {"mq-deadline": 8.0, "bfq": 1.0}
"""How many seconds of each minute are waited."""


class Use:
    """A person at work on the disk's computer; each look covers a minute."""

    every_s = 1.0

    def __init__(self, disk: LoopDisk) -> None:
        self.disk = disk
        self.schedulers: list[str] = []

    def look(self) -> FeltInterval:
        self.schedulers.append(self.disk.scheduler)
        return FeltInterval(60.0, WORKS.get(self.disk.scheduler, 0.0), in_use=True)


@pytest.fixture
def begun(tmp_path: Path, helper: Caller, known_disk: LoopDisk) -> tuple[Place, Store]:
    place, store = Place(tmp_path / "field"), Store(tmp_path)
    place.lock()
    with HelperClient() as client:
        trial.begin(place, store, client, seen(known_disk), settings=PAIR, days=7)
    return place, store


def seen(disk: LoopDisk) -> Disk:
    return System().disk(disk.name)


def run(begun: tuple[Place, Store], use: Use, looks: int) -> None:
    """Run like a process that is told to stop after so many looks."""
    left = iter(range(looks))
    arguments: dict[str, Any] = {
        "system": System(),
        "feeling": lambda _: use,
        "wait": lambda _: next(left, None) is None,
    }
    with HelperClient() as client:
        Runner(*begun, client, **arguments).run()


def test_a_trial_goes_on_after_whatever_happens_and_ends_as_it_began(
    begun: tuple[Place, Store], helper: Caller, known_disk: LoopDisk, sudo: Sudo
) -> None:
    before, (place, store), use = values(known_disk), begun, Use(known_disk)
    run(begun, use, 5)
    saved = place.load()
    assert saved and saved.block.use_s > 0 and known_disk.scheduler in WORKS
    stop_helper(sudo, "-KILL")
    sudo("tee", known_disk.queue / "scheduler", stdin="none")  # as after a restart
    run(begun, use, int(200 * BLOCK_S / 60))
    result = store.load(saved.result)
    verdict = judge(result)
    assert (verdict.decision, verdict.winner) == ("switch", PAIR[1]) and verdict.assessments[PAIR[1]].gain > math.log(4)
    assert {*use.schedulers} >= WORKS.keys() and all(sample.valid for sample in result.samples)
    assert place.load() is None and helper.state()["field_trials"] == [] and values(known_disk) == before


def test_it_is_stopped_at_any_time(begun: tuple[Place, Store], helper: Caller, known_disk: LoopDisk) -> None:
    before = values(known_disk)
    run(begun, Use(known_disk), 3)
    assert known_disk.scheduler in WORKS
    with HelperClient() as client:
        assert trial.stop(client, begun[0])[0] and not trial.stop(client, begun[0])[0]
    assert begun[0].load() is None and values(known_disk) == before
    run(begun, Use(known_disk), 3)
    assert values(known_disk) == before, "nobody goes on with it"


def test_a_time_that_the_kernel_rounds_is_named_as_it_is_kept_and_spoils_no_block(
    tmp_path: Path, helper: Caller, known_disk: LoopDisk
) -> None:
    place, store, use = Place(tmp_path / "field"), Store(tmp_path), Use(known_disk)
    place.lock()
    rounded = parse_setting("mq-deadline:read_expire=51,prio_aging_expire=53")  # no kernel ticks in these
    with HelperClient() as client:
        saved = trial.begin(place, store, client, seen(known_disk), settings=(rounded, PAIR[1]), days=7)
    setting = store.load(saved.result).plan.settings[0]
    assert setting == rounded.kept
    run((place, store), use, int(6 * BLOCK_S / 60))
    samples = store.load(saved.result).samples
    assert {sample.setting for sample in samples} == {setting, PAIR[1]} and all(sample.valid for sample in samples)
    with HelperClient() as client:
        trial.stop(client, place)


def test_what_is_refused_leaves_nothing(tmp_path: Path, helper: Caller, loop_disk: Callable[..., LoopDisk]) -> None:
    place, store, unknown = Place(tmp_path / "field"), Store(tmp_path), loop_disk(size_mb=16, fs=None)
    with HelperClient() as client, pytest.raises(NotUnique):
        trial.begin(place, store, client, seen(unknown), settings=PAIR, days=7)
    assert place.load() is None and not store.paths()


def test_the_command_begins_shows_and_stops_it(helper: Caller, known_disk: LoopDisk) -> None:
    """Without a user's systemd that runs it, the one who began it does."""
    before, words = values(known_disk), [known_disk.name, "--settings", *(setting.name for setting in PAIR)]
    with subprocess.Popen([COMMAND, "try-in-daily-use", *words], stdout=subprocess.PIPE, text=True) as running:
        has_begun(helper)
        until(lambda: known_disk.scheduler in WORKS)
        (trial_shown,) = [entry for entry in said("status", "--json")["disks"] if entry["name"] == known_disk.name]
        assert "tried in daily use" in trial_shown["verdict"] and len(trial_shown["daily_use"]) == 1
        assert said("try-in-daily-use", "--status", "--json")["trial"]["settings"] == [setting.name for setting in PAIR]
        paused = subprocess.run([COMMAND, "try-in-daily-use", "--pause"], capture_output=True, text=True, check=True)
        (active,) = [setting.name for setting in PAIR if setting.scheduler == known_disk.scheduler]
        assert text("field-keeps", setting=active) in paused.stdout
        assert said("try-in-daily-use", "--status", "--json")["trial"]["paused"]
        assert not said("try-in-daily-use", "--continue", "--json")["trial"]["paused"]
        again = subprocess.run([COMMAND, "try-in-daily-use", *words], capture_output=True, text=True, check=False)
        assert again.returncode == 2 and "already" in again.stderr
        stopped = subprocess.run([COMMAND, "try-in-daily-use", "--stop"], capture_output=True, text=True, check=True)
        assert running.wait() == 0 and running.stdout
        assert "until" in running.stdout.read() and "as it was before" in stopped.stdout
    assert values(known_disk) == before and helper.state()["field_trials"] == []
    with subprocess.Popen([COMMAND, "try-in-daily-use", *words], stdout=subprocess.DEVNULL) as running:
        has_begun(helper)
        until(lambda: known_disk.scheduler in WORKS)
        subprocess.run([COMMAND, "revert", known_disk.name], capture_output=True, check=True)
        assert values(known_disk) == before and helper.state()["field_trials"] == []
        assert running.wait() == 0
    for action in ("--status", "--stop"):
        assert said("try-in-daily-use", action, "--json") == {"trial": None}


def has_begun(helper: Caller) -> None:
    """Wait until both settings were tried and the disk restored: then others may go on."""
    until(lambda: helper.state()["field_trials"])
    with pytest.raises(Refusal):
        helper.call("EndFieldTrial", "0" * 32)


def said(*words: str) -> dict[str, Any]:
    completed = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=True)
    return dict(json.loads(completed.stdout))
