# SPDX-License-Identifier: GPL-3.0-or-later
"""Fine-tuning in the window, by who sits there: from a result to a setting that holds after a restart, and back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from disktuner.vocabulary.schedulers import shown
from tests.machine import hard_disk
from tests.machine.machine import Machine
from tests.machine.people import Person
from tests.machine.test_restart import RULES, scheduler_of, status
from tests.machine.test_window import KEPT, PICTURES, fetch, seen

GUEST = "PYTHONPATH=/usr/local/lib/disktuner/app:/opt/checkout python3 -m tests.machine.guest"
_BYTES_PER_S = 6_000_000  # 128 KiB around each place take 22 ms then, 16 KiB less than 3


def asked_for(said: str) -> list[str]:
    """What polkit asked a password for, one after the other."""
    return re.findall(r"AUTHENTICATING FOR org\.disktuner\.([a-z-]+)", said)


@pytest.mark.long
def test_a_scheduler_is_fine_tuned_and_kept_in_the_window(debian13: Machine, pictures: Path) -> None:
    """The truth is known: programs that start read here and there, and each place costs what is read around it. Anna is
    asked for trials and once for the rule; it has the tunable after a restart; gone back, every value is as before."""
    machine = debian13
    anna = Person(machine, "anna")
    anna.log_in(1)
    disk = hard_disk.add(machine, "anna", _BYTES_PER_S)
    before = hard_disk.values(machine)
    plain = scheduler_of(machine, disk)
    best = f"{plain}:queue/read_ahead_kb=16"
    machine.run(f"install -d -o anna {PICTURES}")
    done = anna.type(f"{GUEST}.tuning tune {disk} {hard_disk.FOLDER} {PICTURES}", "carl-pw", timeout_s=300)
    assert done.code == 0, done.output
    shots = ("where", "result", "offered", "running", "running-below", "answer", "answer-below", "keep", "tune")
    fetch(machine, pictures, "tuning", *shots)
    told = seen(machine)
    assert told["plain"] == ["keep", None] and len(told["tried"]) > 5, told
    assert (told["decision"], told["winner"]) == ("switch", best), told
    assert not {"scheduler-changed", "tunable-changed"} & set(told["reasons"]), "each ran with its own tunables"
    assert (told["chip"], told["chosen"], told["back"]) == (shown(best), KEPT, True)
    asked = asked_for(done.output)
    assert set(asked) == {"trial", "persist"} and asked.count("persist") == 1 and len(asked) == done.prompts, asked
    assert hard_disk.changed(before, hard_disk.values(machine)) == {"read_ahead_kb": (before["read_ahead_kb"], "16")}
    assert 'ATTR{queue/read_ahead_kb}="16"' in machine.out(f"cat {RULES}")

    machine.restart()
    anna.log_in(1)
    disk = hard_disk.name(machine)
    assert hard_disk.changed(before, hard_disk.values(machine)) == {"read_ahead_kb": (before["read_ahead_kb"], "16")}
    stands = status(machine, disk)
    assert (stands["chosen"], stands["actual"], stands["holds"]) == (plain, plain, True)
    assert stands["chosen_tunables"] == stands["actual_tunables"] == {"queue/read_ahead_kb": 16}
    assert shown(best) in machine.out("disktuner status")
    gone = anna.type(f"{GUEST}.tuning back {disk} {PICTURES}", "carl-pw", timeout_s=100)
    assert gone.code == 0, gone.output
    fetch(machine, pictures, "tuning", "after", "back")
    told = seen(machine)
    assert told["kept"] == [shown(best), KEPT] and (told["chosen"], told["back"]) == ("", False), told
    assert asked_for(gone.output) == ["persist"]
    assert machine.run(f"test -e {RULES}", check=False).code
    assert status(machine, disk)["chosen"] is None

    machine.restart()
    assert hard_disk.values(machine) == before
