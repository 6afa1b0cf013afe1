# SPDX-License-Identifier: GPL-3.0-or-later
"""One line per decision, to the system's log, else to stderr. Never blocks: a log that hangs costs a line only."""

import os
import socket
import sys
from contextlib import suppress
from traceback import extract_tb
from typing import TYPE_CHECKING

from disktuner_helper.contract import harmless

if TYPE_CHECKING:
    from disktuner_helper.authority import Call

_WHO = "disktuner-helper"
_AUTH, _NOTICE, _WARNING = 4 << 3, 5, 4


def decision(call: "Call", outcome: str) -> None:
    """Write who asked for what, and the outcome. Text from the bus is reduced to harmless characters."""
    who = f'uid="{"unknown" if call.uid < 0 else call.uid}" caller="{harmless(call.sender)}"'
    details = f'action="{call.method}" disk="{harmless(call.disk)}" change="{call.change.strip()}"'
    write(f'{who} {details} outcome="{outcome}"', _NOTICE)


def unexpected(error: Exception) -> None:
    """Write the type and place of an unforeseen error; not its text, which may come from a caller."""
    place = extract_tb(error.__traceback__)[-1]
    write(f"unexpected {type(error).__name__} at {place.name}:{place.lineno}")


def write(text: str, priority: int = _WARNING) -> None:
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as line:
            line.sendto(f"<{_AUTH | priority}>{_WHO}[{os.getpid()}]: {text}".encode(), "/dev/log")
    except OSError:
        with suppress(OSError):
            print(f"{_WHO}: {text}", file=sys.stderr, flush=True)
