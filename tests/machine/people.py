# SPDX-License-Identifier: GPL-3.0-or-later
"""People who sit at the machine, in a session that logind knows, or who have come in without one."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.machine.machine import HANG_S, Machine

_GUEST = "/opt/checkout/tests/machine/guest"
_RULE = """polkit.addRule(function(action, subject) {
    if (action.id.indexOf("org.disktuner.") == 0 && subject.isInGroup("tuners")) { return polkit.Result.YES; }
});
"""


@dataclass(frozen=True, slots=True)
class Typed:
    """How a command at a terminal ended, and how often a password was asked for."""

    code: int
    output: str
    prompts: int


def let_tune(machine: Machine, *users: str) -> None:
    """By a rule of polkit, members of the group ``tuners`` may do all that Disktuner does; these users are some."""
    machine.agent.write("/etc/polkit-1/rules.d/50-tuners.rules", _RULE.encode())
    machine.run("groupadd tuners")
    for user in users:
        machine.run(f"usermod -aG tuners {user}")


class Person:
    """A user of the machine with a terminal."""

    def __init__(self, machine: Machine, name: str) -> None:
        self._machine, self.name = machine, name
        self._socket = f"/tmp/terminal-{name}"

    def log_in(self, tty: int) -> None:
        """Log in at a virtual console, by PAM as ``login`` does, unless that was done; the session is active where that
        console is shown."""
        options = [
            *(
                "PAMName=login",
                f"User={self.name}",
                f"TTYPath=/dev/tty{tty}",
                "StandardInput=tty",
                "StandardOutput=tty",
            ),
            *(f"UtmpIdentifier=tty{tty}", "UtmpMode=user"),
        ]
        properties = " ".join(f"-p {option}" for option in options)
        if self.session:
            return
        self._machine.run(f"systemctl stop getty@tty{tty}")
        self._machine.run(f"systemd-run --unit=seat-{self.name} {properties} {self._terminal}")
        self._machine.until(f"test -S {self._socket}")

    def come_in(self) -> None:
        """Be there without any session, as a job of cron is."""
        self._machine.run(f"systemd-run --unit=seat-{self.name} -p User={self.name} {self._terminal}")
        self._machine.until(f"test -S {self._socket}")

    def type(self, command: str, password: str = "") -> Typed:
        """Run a command at the terminal and give that password whenever asked."""
        wanted = json.dumps({"command": command, "password": password, "timeout_s": HANG_S})
        answer = self._machine.run(f"python3 {_GUEST}/tell.py {self._socket}", typed=wanted + "\n")
        told = json.loads(answer.out)
        return Typed(told["code"], told["output"], told["prompts"])

    @property
    def session(self) -> dict[str, str]:
        """What logind says of this person's session; empty where there is none."""
        number = self._machine.out(
            f"loginctl list-sessions --no-legend | awk '$3 == \"{self.name}\" {{print $1}}' | head -1"
        )
        if not number:
            return {}
        lines = self._machine.out(f"loginctl show-session {number} -p Active -p Remote -p Seat -p Class").splitlines()
        return dict(line.split("=", 1) for line in lines)

    @property
    def _terminal(self) -> str:
        return f"/usr/bin/python3 {_GUEST}/terminal.py {self._socket}"
