# SPDX-License-Identifier: GPL-3.0-or-later
"""The window, in the active user's session: from the question to what is kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from tests.machine import slow_disk
from tests.machine.machine import Machine
from tests.machine.people import Person
from tests.machine.test_restart import RULES, scheduler_of

WINDOW = "PYTHONPATH=/usr/local/lib/disktuner/app python3 /opt/checkout/tests/machine/guest/window.py"
KEPT = "your permanent choice"
PICTURES = "/home/anna/pictures"


@pytest.mark.smoke
def test_measured_applied_and_kept_in_the_window(debian13: Machine, anna: Person, tmp_path: Path) -> None:
    """Anna, whose session is active, has a slow disk measured, tries bfq and keeps it: she is asked for the trial and
    for the rule.
    """
    machine = debian13
    disk = slow_disk.add(machine)
    before = scheduler_of(machine, disk)
    machine.run(f"install -d -o anna {PICTURES}")
    outcome = anna.type(f"{WINDOW} {disk} {slow_disk.FOLDER} {PICTURES}", "carl-pw")
    assert outcome.code == 0, outcome.output
    fetch(machine, tmp_path, ("where", "answer", "keep", "switch"))
    document = json.loads(machine.agent.read(f"{PICTURES}/seen.json"))
    assert slow_disk.told_rightly(machine, document["decision"], document["winner"]), document
    assert before != "bfq" and document["measured"] == [disk]
    assert (document["chip"], document["chosen"], document["back"]) == ("bfq", KEPT, True)
    assert scheduler_of(machine, disk) == "bfq" and 'ATTR{queue/scheduler}="bfq"' in machine.out(f"cat {RULES}")
    assert outcome.prompts == 2, outcome


def fetch(machine: Machine, folder: Path, names: Sequence[str]) -> None:
    """Fetch pictures; each must show something: antialiased letters alone give dozens of colours."""
    for name in names:
        file = folder / f"{name}.png"
        file.write_bytes(machine.agent.read(f"{PICTURES}/{name}.png"))
        image = QImage(str(file))
        colours = {image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}
        assert image.width() >= 1024 and len(colours) > 30, name
