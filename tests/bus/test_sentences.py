# SPDX-License-Identifier: GPL-3.0-or-later
"""Each error of the real helper reaches people as its sentence alone, and says whether anybody could be asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from disktuner.helper_client import HelperClient, errors, requests
from disktuner.vocabulary.errors import DisktunerError
from tests.bus.conftest import Caller, Refusal, answer_with, text_agent
from tests.conftest import LoopDisk, Sudo


def test_no_error_shows_its_name_on_the_bus(helper: Caller, disk: LoopDisk, sudo: Sudo) -> None:
    with HelperClient() as client:
        name, number = disk.name, disk.diskseq
        cases: list[tuple[type[DisktunerError], Callable[[], Any]]] = [
            (errors.NoSuchDisk, lambda: client.set_scheduler("sdzz", 1, "bfq")),
            (errors.StaleDisk, lambda: client.set_scheduler(name, number + 1, "bfq")),
            (errors.NoSuchScheduler, lambda: client.set_scheduler(name, number, "cfq")),
            (errors.InvalidTunable, lambda: client.set_tunables(name, number, {"queue/nomerges": "3"})),
            (errors.NotUnique, lambda: client.persist(name, number, "bfq", {})),
            (errors.NoSuchTrial, lambda: client.call(requests.end_trial("0" * 32))),
            (errors.NoSuchDisk, lambda: client.forget("sdzz")),
        ]
        for known, call in cases:
            with pytest.raises(known) as caught:
                call()
            assert_for_people(caught.value)
        with client.trial([(name, number)]), pytest.raises(errors.Busy) as caught:
            client.set_scheduler(name, number, "bfq")
        assert str(caught.value) == "This disk is being measured; try again when that has ended."
        sudo("mkdir", "-p", "/etc/udev/rules.d/90-disktuner.rules")
        try:
            with pytest.raises(errors.WriteFailed) as failed:
                client.forget_all()
        finally:
            sudo("rmdir", "/etc/udev/rules.d/90-disktuner.rules")
        assert_for_people(failed.value)


def assert_for_people(error: DisktunerError) -> None:
    said = str(error)
    assert said.endswith(".") and "GDBus" not in said and "org." not in said, said


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
    assert "Nobody could be asked for a password" in reason(one)
    agent = text_agent(one)
    one.send(method, *wanted, interactive=True)
    answer_with(agent, "wrong", "AUTHENTICATION FAILED")
    assert "No administrator agreed" in reason(one)
    agent.close(force=True)
