# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder's switch in the window of somebody at the machine: on for every login, and off without a trace."""

from __future__ import annotations

from tests.machine.machine import Machine
from tests.machine.people import Person
from tests.waiting import until

_SWITCH = "PYTHONPATH=/usr/local/lib/disktuner/app:/opt/checkout python3 -m tests.machine.guest.switch"
_STATE = "systemctl --user is-enabled disktuner-watch; systemctl --user is-active disktuner-watch"
_FILES = (
    "find /home/anna /run/user/$(id -u anna)/disktuner '(' -path '*/.cache' -o -path '*/state' ')' -prune "
    "-o '(' -type f -o -type l ')' -print0 2>/dev/null | sort -z | xargs -0 sha256sum"
)


def test_it_is_on_at_each_login_until_it_is_switched_off(debian13: Machine, anna: Person) -> None:
    machine = debian13
    outcome = anna.type(f"{_SWITCH} off")  # what any window leaves is there from now on
    assert outcome.code == 0, outcome.output
    before = machine.out(_FILES)
    assert anna.type(_STATE).output.split() == ["disabled", "inactive"]
    outcome = anna.type(f"{_SWITCH} on")
    assert (outcome.code, outcome.prompts) == (0, 0), outcome.output
    assert anna.type(_STATE).output.split() == ["enabled", "active"]
    machine.restart()
    anna.log_in()
    until(lambda: anna.type(_STATE).output.split() == ["enabled", "active"])
    answer = anna.type("disktuner watch --now")
    assert answer.code == 0 and "Saved at your request" in answer.output, answer.output
    outcome = anna.type(f"{_SWITCH} off")
    assert outcome.code == 0, outcome.output
    assert anna.type(_STATE).output.split() == ["disabled", "inactive"]
    assert machine.out(_FILES) == before
