# SPDX-License-Identifier: GPL-3.0-or-later
"""The window on a screen (Xvfb) in the session of a user who sits at the machine, before and after a restart."""

from __future__ import annotations

from pathlib import Path

from tests.machine.machine import Machine
from tests.machine.people import Person
from tests.machine.test_restart import HDD, disk_at, scheduler_of

_RULE = """polkit.addRule(function(action, subject) {
    if (action.id.indexOf("org.disktuner.") == 0 && subject.user == "anna") {
        return subject.active && subject.local ? polkit.Result.YES : polkit.Result.NO;
    }
});
"""
_WINDOW = (
    "DISPLAY=:7 QT_QPA_PLATFORM=xcb PYTHONPATH=/usr/lib/disktuner/app "
    "python3 /opt/checkout/tests/machine/guest/window.py"
)
_SCREEN = "setsid Xvfb :7 -screen 0 1280x1000x24 >/dev/null 2>&1 </dev/null &"


def test_from_the_wizard_to_a_choice_that_the_window_shows_after_a_restart(debian13: Machine, pictures: Path) -> None:
    machine = debian13
    machine.agent.write("/etc/polkit-1/rules.d/50-anna.rules", _RULE.encode())
    disk = disk_at(machine, HDD)
    machine.run(f"mkfs.ext4 -q {HDD} && mkdir -p /mnt/it && echo '{HDD} /mnt/it ext4 defaults 0 2' >>/etc/fstab")
    machine.run("mount /mnt/it && chown anna /mnt/it && mkdir /var/pictures && chown anna /var/pictures")
    anna = _at_the_screen(machine)
    kept = anna.type(f"{_WINDOW} keep {disk} /mnt/it /var/pictures", timeout_s=200)
    _fetch(machine, pictures)
    assert kept.code == 0 and "bfq" in kept.output, kept.output
    assert scheduler_of(machine, disk) == "bfq"
    machine.restart()
    anna = _at_the_screen(machine)
    disk = disk_at(machine, HDD)
    looked = anna.type(f"{_WINDOW} look {disk} /var/pictures", timeout_s=200)
    _fetch(machine, pictures)
    assert looked.code == 0, looked.output
    assert looked.output.strip().splitlines()[-1] == "bfq | chosen by you, also after restart"


def _at_the_screen(machine: Machine) -> Person:
    anna = Person(machine, "anna")
    anna.log_in(1)
    assert anna.session["Active"] == "yes"
    anna.type(f"{_SCREEN} until test -S /tmp/.X11-unix/X7; do sleep 0.2; done")
    return anna


def _fetch(machine: Machine, pictures: Path) -> None:
    pictures.mkdir(parents=True, exist_ok=True)
    for name in machine.out("ls /var/pictures").split():
        content = machine.agent.read(f"/var/pictures/{name}")
        assert content.startswith(b"\x89PNG")
        (pictures / name).write_bytes(content)
