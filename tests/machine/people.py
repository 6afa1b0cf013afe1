# SPDX-License-Identifier: GPL-3.0-or-later
"""People who sit at the machine, in a session that logind knows, or who have come in without one."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.machine.machine import HANG_S, Machine

_TERMINAL = "/usr/bin/python3 /opt/checkout/tests/machine/guest/terminal.py"
_RULE = """polkit.addRule(function(action, subject) {
    if (action.id.indexOf("org.disktuner.") == 0 && subject.user == "%s") { return polkit.Result.YES; }
});
"""
_AT_THE_SEAT = (
    "-p PAMName=login -p TTYPath=/dev/tty1 -p StandardInput=tty -p StandardOutput=tty"
    " -p UtmpIdentifier=tty1 -p UtmpMode=user"
)


@dataclass(frozen=True, slots=True)
class Typed:
    """How a command at a terminal ended, and how many prompts asked for a password."""

    code: int
    output: str
    prompts: int


def let_tune(machine: Machine, user: str) -> None:
    """Add a polkit rule that lets this user do everything that Disktuner does."""
    machine.agent.write("/etc/polkit-1/rules.d/50-tuner.rules", (_RULE % user).encode())


class Person:
    """A user of the machine with a terminal."""

    def __init__(self, machine: Machine, name: str) -> None:
        self._machine, self.name = machine, name
        self._socket = f"/tmp/terminal-{name}"

    def log_in(self) -> None:
        """Log in at the first virtual console, through PAM like ``login``; it is visible, so the session is active."""
        self._machine.run("systemctl stop getty@tty1")
        self.come_in(_AT_THE_SEAT)

    def come_in(self, options: str = "") -> None:
        """Come in; without options without any session, like a cron job."""
        unit = f"--unit=seat-{self.name} -p User={self.name} {options}"
        self._machine.run(f"systemd-run {unit} {_TERMINAL} {self._socket}")
        self._machine.until(f"test -S {self._socket}")

    def type(self, command: str, password: str = "") -> Typed:
        """Run a command at the terminal and type that password at every prompt."""
        return self.typed(self.begin(command, password))

    def begin(self, command: str, password: str = "", hang_s: float = HANG_S) -> int:
        """Start a command at the terminal without waiting; return what ``typed`` waits for."""
        wanted = json.dumps({"command": command, "password": password, "timeout_s": hang_s})
        return self._machine.begin(f"{_TERMINAL} {self._socket} tell", typed=wanted + "\n")

    def typed(self, begun: int, hang_s: float = HANG_S) -> Typed:
        """Wait for the end of a started command."""
        return Typed(**json.loads(self._machine.agent.wait(begun, hang_s).out))

    @property
    def session(self) -> dict[str, str]:
        """Return logind's record of this person's session; empty if there is none."""
        find = f"loginctl list-sessions --no-legend | awk '$3 == \"{self.name}\" {{print $1}}' | head -1"
        number = self._machine.out(find)
        if not number:
            return {}
        lines = self._machine.out(f"loginctl show-session {number} -p Active -p Remote -p Seat -p Class").splitlines()
        return dict(line.split("=", 1) for line in lines)
