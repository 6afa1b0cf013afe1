# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may change what: real sessions of logind, real passwords, the distribution's polkit."""

from __future__ import annotations

import pytest

from tests.machine.machine import Machine
from tests.machine.people import Person
from tests.machine.test_restart import HDD, RULES, disk_at, scheduler_of

_ADMIN = "carl-pw"
_TWICE = """PYTHONPATH=/usr/local/lib/disktuner/app python3 -c "
import sys
from disktuner.block.system import System
from disktuner.cli.changes import helper
from disktuner.helper_client.calls import set_disks
how, name, *schedulers = sys.argv[1:]
disk = System().disk(name)
with helper() as client:
    for each in schedulers:
        client.wait(set_disks([(name, disk.diskseq)], each, persist=how == 'persist'))
" """
"""One process that changes a disk again and again, as the window would, with polkit's text agent."""


@pytest.mark.smoke
def test_the_active_user_is_asked_once_for_a_while_and_each_time_for_good(debian13: Machine, anna: Person) -> None:
    """polkit keeps an authorisation for the process that got it: the window, or a program that calls twice."""
    disk = disk_at(debian13, HDD)
    before = scheduler_of(debian13, disk)
    wrong = anna.type(f"disktuner set {disk} bfq", "not-it")
    assert wrong.code == 3 and wrong.prompts >= 1 and scheduler_of(debian13, disk) == before, wrong
    right = anna.type(f"disktuner set {disk} bfq", _ADMIN)
    assert (right.code, right.prompts) == (0, 1) and "carl" in right.output, right
    assert scheduler_of(debian13, disk) == "bfq"
    repeated = anna.type(f"{_TWICE} runtime {disk} none kyber", _ADMIN)
    assert (repeated.code, repeated.prompts) == (0, 1) and scheduler_of(debian13, disk) == "kyber", repeated
    answer = anna.type(f"{_TWICE} persist {disk} kyber bfq", _ADMIN)
    assert (answer.code, answer.prompts) == (0, 2) and scheduler_of(debian13, disk) == "bfq", answer
    assert anna.type(f"disktuner forget {disk}", "not-it").code == 3
    assert 'ATTR{queue/scheduler}="bfq"' in debian13.out(f"cat {RULES}")


def test_without_a_session_only_an_administrator_may(debian13: Machine, anna: Person) -> None:
    """Even though somebody else sits at the machine.

    Outside of sessions polkit 126 does not pass a service's question to a text agent (systemctl is refused as well), so
    the command is refused; asked in person, it wants Carl's password.
    """
    ben = Person(debian13, "ben")
    ben.come_in()
    assert ben.session == {}
    disk = disk_at(debian13, HDD)
    before = scheduler_of(debian13, disk)
    for command in (f"disktuner set {disk} bfq", f"disktuner set {disk} bfq --persist"):
        refused = ben.type(command, _ADMIN)
        assert refused.code == 3 and scheduler_of(debian13, disk) == before, refused
        assert refused.prompts == 0 and "There was no way to ask" in refused.output, refused
    for action in ("set-runtime", "trial", "persist"):
        ask = f"pkcheck --action-id org.disktuner.{action} --process $$ -u --enable-internal-agent"
        wrong, right = ben.type(ask, "ben-pw"), ben.type(ask, _ADMIN)
        assert wrong.code != 0 and wrong.prompts >= 1 and "carl" in wrong.output, wrong
        assert (right.code, right.prompts) == (0, 1), right
