# SPDX-License-Identifier: GPL-3.0-or-later
"""Each error of the real helper reaches people as its sentence alone, and says whether anybody could be asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from disktuner.helper_client import Call, HelperClient, calls, errors
from disktuner.vocabulary.errors import DisktunerError
from tests.bus.conftest import Caller, Refusal, answer_with, text_agent
from tests.conftest import LoopDisk, Sudo


def test_no_error_shows_its_name_on_the_bus(helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    with HelperClient() as client:
        name, number = disk.name, disk.diskseq
        cases: list[tuple[type[DisktunerError], Call[Any], str]] = [
            (errors.NoSuchDisk, calls.set_scheduler("sdzz", 1, "bfq"), "There is no disk sdzz."),
            (errors.StaleDisk, calls.set_scheduler(name, number + 1, "bfq"), f"{name} is another disk by now."),
            (errors.NoSuchScheduler, calls.set_scheduler(name, number, "cfq"), f"no such scheduler for {name}."),
            (errors.InvalidTunable, calls.set_tunables(name, number, {"queue/nomerges": "3"}), "from 0 to 2."),
            (errors.NotUnique, calls.persist(name, number, "bfq", {}), name),
            (errors.NoSuchTrial, calls.end_trial("0" * 32), "has ended"),
            (errors.NoSuchDisk, calls.forget("sdzz"), "`disktuner status` shows what is."),
        ]
        for known, call, words in cases:
            with pytest.raises(known) as caught:
                client.wait(call)
            assert_for_people(caught.value)
            assert words in str(caught.value)
        with client.trial([(name, number)]) as trial, pytest.raises(errors.InvalidTunable) as refused:
            trial.set_setting(name, "bfq", {"iosched/slice_idle": 1001})
        assert "from 0 to 1,000." in str(refused.value)
        with client.trial([(name, number)]), pytest.raises(errors.Busy) as caught:
            client.wait(calls.set_scheduler(name, number, "bfq"))
        assert str(caught.value) == f"{name} is being measured. Try again when that has ended."
        sudo("mkdir", "-p", "/etc/udev/rules.d/90-disktuner.rules")
        try:
            with pytest.raises(errors.WriteFailed) as failed:
                client.wait(calls.forget_all())
        finally:
            sudo("rmdir", "/etc/udev/rules.d/90-disktuner.rules")
        assert_for_people(failed.value)
        assert "90-disktuner.rules cannot be read (Is a directory)." in str(failed.value)


def assert_for_people(error: DisktunerError) -> None:
    said = str(error)
    assert said.endswith(".") and "GDBus" not in said and "org." not in said, said
    assert error.message.id.startswith("refused-") and error.message.id != "refused-otherwise", said


def reason(one: Caller) -> str:
    with pytest.raises(Refusal, match="AccessDenied") as caught:
        one.answer()
    return str(caught.value.__cause__)


@pytest.mark.parametrize("method", ["SetScheduler", "BeginTrial"])
def test_a_wrong_password_is_told_from_an_agent_that_is_not_there(
    method: str, caller: Callable[..., Caller], helper: Caller, disk: LoopDisk
) -> None:
    one = caller("dt-ask")
    wanted: tuple[Any, ...] = (disk.name, disk.diskseq, "bfq")
    if method == "BeginTrial":
        wanted = ([(disk.name, disk.diskseq)],)
    one.send(method, *wanted, interactive=True)
    assert "nobody-to-ask" in reason(one)
    agent = text_agent(one)
    one.send(method, *wanted, interactive=True)
    answer_with(agent, "wrong", "AUTHENTICATION FAILED")
    assert "not-agreed" in reason(one)
    agent.close(force=True)
