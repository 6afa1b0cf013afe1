# SPDX-License-Identifier: GPL-3.0-or-later
"""One line per decision: who asked for what, and what became of it; to the journal, else syslog, else stderr."""

from __future__ import annotations

import os
import socket
import struct
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from disktuner_helper.contract import harmless

_JOURNAL = Path("/run/systemd/journal/socket")
_SYSLOG = Path("/dev/log")
_WHO = "disktuner-helper"
_NOTICE, _WARNING = 5, 4
_AUTH = 4 << 3


class Audit:
    """Writes the lines. Never waits: a log that hangs costs a line, not the service."""

    def __init__(self, journal: Path = _JOURNAL, syslog: Path = _SYSLOG) -> None:
        self._journal = journal
        self._syslog = syslog

    def decision(self, *, uid: int | None, sender: str, action: str, disk: str, change: str, outcome: str) -> None:
        """Write one decision. Values that came over the bus are reduced to harmless characters."""
        fields = {
            "uid": "unknown" if uid is None else str(uid),
            "caller": harmless(sender),
            "action": harmless(action),
            "disk": harmless(disk) or "-",
            "change": change.encode("ascii", "replace").decode() or "-",
            "outcome": outcome,
        }
        text = " ".join(f'{key}="{value}"' for key, value in fields.items())
        self._send(_NOTICE, text, {f"DISKTUNER_{key.upper()}": value for key, value in fields.items()})

    def warning(self, text: str) -> None:
        """Write something that an administrator should know."""
        self._send(_WARNING, text, {})

    def _send(self, priority: int, text: str, fields: Mapping[str, str]) -> None:
        try:
            if self._journal.exists():
                self._datagram(self._journal, _journal_entry(priority, text, fields))
            else:
                self._datagram(self._syslog, f"<{_AUTH | priority}>{_WHO}[{os.getpid()}]: {text}".encode())
        except OSError:
            with suppress(OSError):
                print(f"{_WHO}: {text}", file=sys.stderr, flush=True)

    def _datagram(self, target: Path, message: bytes) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as line:
            line.sendto(message, str(target))


def _journal_entry(priority: int, text: str, fields: Mapping[str, str]) -> bytes:
    """systemd's native journal protocol: a field with its length before its value can hold anything."""
    entry = {"MESSAGE": text, "PRIORITY": str(priority), "SYSLOG_IDENTIFIER": _WHO, **fields}
    parts = ((key.encode(), value.encode()) for key, value in entry.items())
    return b"".join(key + b"\n" + struct.pack("<Q", len(value)) + value + b"\n" for key, value in parts)
