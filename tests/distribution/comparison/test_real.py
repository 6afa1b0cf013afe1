# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens to a comparison's trial when the disk is pulled out."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from gi.repository import Gio, GLib

from disktuner.comparison.real import TrialSwitch
from disktuner.helper_client.bus_errors import from_glib
from disktuner.helper_client.calls import set_trial
from disktuner.helper_client.client import Trial
from disktuner.helper_client.errors import HelperSilent, NoSuchDisk, NoSuchTrial, NotTunable, StaleDisk, WriteFailed
from disktuner.vocabulary.errors import DisktunerError, HelperNotThere, MeasurementImpossible
from disktuner.vocabulary.settings import Setting, setting_of


def switch(trial: Any, scheduler: str | None = "none") -> TrialSwitch:
    """Return the switch of a trial of sda, to which the kernel says it has this scheduler."""
    system: Any = SimpleNamespace(scheduler=lambda _name: scheduler)
    disk: Any = SimpleNamespace(name="sda")
    return TrialSwitch(trial, system, [disk])


class Dying:
    """A trial in which nothing can be set until it begins again."""

    def __init__(self, error: Exception) -> None:
        self.set_to: list[str] = []
        self._error: Exception | None = error

    def set(self, _disk: str, scheduler: str, _tunables: object) -> None:
        if self._error:
            raise self._error
        self.set_to.append(scheduler)

    def begin_again(self) -> None:
        self._error = None


@pytest.mark.parametrize(
    "error", [NoSuchDisk("refused-no-such-disk", disk="sda"), StaleDisk("refused-another-disk", disk="sda")]
)
def test_a_disk_that_is_pulled_out_between_two_runs_is_said_to_have_vanished(error: Exception) -> None:
    """As when that happens during a run."""
    with pytest.raises(MeasurementImpossible, match="sda was disconnected"):
        switch(Dying(error), None).set(Setting("bfq"))


@pytest.mark.parametrize(
    "error",
    [
        NotTunable("refused-no-scheduler", disk="sda"),
        WriteFailed("refused-write-refused", disk="sda", file="queue/scheduler", cause="ENODEV"),
    ],
)
def test_a_disk_that_is_pulled_out_while_it_is_switched_is_said_to_have_vanished(error: Exception) -> None:
    """A switch waits for all that is written: on a stick that takes seconds."""
    with pytest.raises(MeasurementImpossible, match="sda was disconnected"):
        switch(Dying(error), None).set(Setting("bfq"))
    with pytest.raises(type(error)):
        switch(Dying(error)).set(Setting("bfq"))


def test_what_a_trial_could_not_put_back_is_told(caplog: pytest.LogCaptureFixture) -> None:
    """The result exists nevertheless."""
    error = WriteFailed("refused-not-put-back", disks=("sda", "sdb"))
    answers = iter(("t1", error))

    def wait(*_: object) -> object:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    client: Any = SimpleNamespace(wait=wait)
    Trial(client, [], None).end()
    assert [record.getMessage() for record in caplog.records] == [str(error)]


def test_settings_never_leak_into_the_next_run() -> None:
    """A scheduler alone is a setting too, with the defaults of the tunables set before."""
    calls: list[tuple[object, ...]] = []
    schedulers = {"sda": "mq-deadline"}

    def set_(disk: str, name: str, tunables: dict[str, int]) -> None:
        calls.append((name, dict(tunables)))
        schedulers[disk] = name

    trial: Any = SimpleNamespace(set=set_)
    system: Any = SimpleNamespace(scheduler=schedulers.get)
    disk: Any = SimpleNamespace(name="sda")
    switch = TrialSwitch(trial, system, [disk])
    for name in (
        "mq-deadline",
        "bfq",
        "bfq:slice_idle=0",
        "bfq:slice_idle=0",
        "bfq",
        "bfq",
        "none",
        "bfq:slice_idle=8",
    ):
        switch.set(setting_of(name))
    idle = "iosched/slice_idle"
    assert calls == [("bfq", {}), ("bfq", {idle: 0}), ("bfq", {}), ("none", {}), ("bfq", {idle: 8})]


@pytest.mark.parametrize("error", [NoSuchTrial("refused-no-such-trial"), HelperNotThere("helper-ended")])
def test_where_the_helper_ended_the_trial_begins_again_and_says_so(error: DisktunerError) -> None:
    """tests/end2end/test_helper_dies.py has the case in which somebody would have to be asked."""
    dying = Dying(error)
    remark = switch(dying).set(Setting("bfq"))
    assert remark is not None and remark.id == "helper-began-again" and dying.set_to == ["bfq"]


def test_a_helper_that_hangs_is_not_asked_again() -> None:
    """As the client reports a switch that takes too long."""
    timed_out = GLib.Error.new_literal(Gio.io_error_quark(), "Timeout was reached", Gio.IOErrorEnum.TIMED_OUT)
    silent = from_glib(timed_out, set_trial("t", "sda", "bfq").silence)
    dying = Dying(silent)
    with pytest.raises(HelperSilent) as raised:
        switch(dying).set(Setting("bfq"))
    assert raised.value is silent and dying.set_to == []
