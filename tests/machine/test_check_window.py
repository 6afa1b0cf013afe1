# SPDX-License-Identifier: GPL-3.0-or-later
"""A check-up in the window, by who sits there: found, measured, set for good, held after a restart, and taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.machine import hard_disk
from tests.machine.machine import Machine
from tests.machine.people import Person
from tests.machine.test_restart import RULES, scheduler_of, status
from tests.machine.test_tuning_window import GUEST, asked_for
from tests.machine.test_window import KEPT, PICTURES, fetch, seen

_RULE = b"""# Films start sooner!

ACTION=="add|change", KERNEL=="sd[a-z]", ENV{ID_SERIAL_SHORT}=="HDD7200", ATTR{queue/read_ahead_kb}="65536"
"""
_FILE, _LINE = "/etc/udev/rules.d/61-films.rules", 3
_BYTES_PER_S = 10_000_000  # a file of 64 MiB takes seven seconds then, 128 KiB 13 ms


@pytest.mark.long
def test_far_too_much_read_ahead_is_mended_in_the_window(debian13: Machine, pictures: Path) -> None:
    """The truth is known: with 64 MiB, one place reads the whole file. Somebody's rule sets that, and
    Disktuner's comes after it."""
    machine = debian13
    machine.agent.write(_FILE, _RULE)
    machine.run("udevadm control --reload && udevadm trigger --settle --action=change --subsystem-match=block")
    anna = Person(machine, "anna")
    anna.log_in(1)
    disk = hard_disk.add(machine, "anna", _BYTES_PER_S)
    plain = scheduler_of(machine, disk)
    before = hard_disk.values(machine)
    assert before["read_ahead_kb"] == "65536"
    fix = f"{plain}:queue/read_ahead_kb=128"
    machine.run(f"install -d -o anna {PICTURES}")
    done = anna.type(f"{GUEST}.checking mend {disk} {hard_disk.FOLDER} {PICTURES}", "carl-pw", timeout_s=300)
    assert done.code == 0, done.output
    shots = ("card", "page", "page-below", "proposed", "measuring", "measuring-below", "measured", "mended")
    fetch(machine, pictures, "check", *shots, "as-before", "mend")
    told = seen(machine)
    assert told["line"] == "Check-up: 1 thing to look at" and told["check"] == "read-ahead-huge", told
    assert f"{_FILE}:{_LINE}" in told["set_by"], told
    assert told["fix"] == fix and told["compared"] == [plain, fix], told
    assert (told["decision"], told["winner"]) == ("switch", fix), told
    assert (told["chosen"], told["back"]) == (KEPT, True), told
    assert asked_for(done.output) == ["trial", "persist", "persist", "persist"], "set for good, back, set for good"
    mended = {"read_ahead_kb": ("65536", "128")}
    assert hard_disk.changed(before, hard_disk.values(machine)) == mended

    machine.restart()
    anna.log_in(1)
    disk = hard_disk.name(machine)
    assert hard_disk.changed(before, hard_disk.values(machine)) == mended
    stands = status(machine, disk)
    assert stands["holds"] is True and stands["chosen_tunables"] == {"queue/read_ahead_kb": 128}
    gone = anna.type(f"{GUEST}.checking back {disk} {PICTURES}", "carl-pw", timeout_s=100)
    assert gone.code == 0, gone.output
    fetch(machine, pictures, "check", "after", "holds", "taken-back", "back")
    told = seen(machine)
    assert told["line"] == "Check-up: nothing found" and (told["chosen"], told["back"]) == ("", False), told
    assert machine.run(f"test -e {RULES}", check=False).code

    machine.restart()
    assert hard_disk.values(machine) == before
    (checked,) = machine.json(f"disktuner check {hard_disk.name(machine)} --json")["disks"]
    assert {each["id"] for each in checked["findings"]} == {"read-ahead-huge"}
