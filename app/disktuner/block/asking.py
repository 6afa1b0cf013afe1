# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the system's own programs without rights, with limits on time and output."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Timer
from typing import Any

Ask = Callable[..., str | None]
"""Called with a command's words; returns its output, or None if it did not start, failed or took too long."""

LIMIT_S = 20.0
_LIMIT_BYTES = 4 << 20
_ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin", "LC_ALL": "C.UTF-8"}
_DEBUG = {"SYSTEMD_LOG_LEVEL": "debug", "SYSTEMD_LOG_TARGET": "console"}
_NOBODY = 65_534


def ask(*command: str, log: bool = False) -> str | None:
    """Run a program (as nobody if we are root) and return its output; with ``log``, its debug log even if it failed."""
    nobody: dict[str, Any] = {"user": _NOBODY, "group": _NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    try:
        process = subprocess.Popen(
            command,
            cwd="/",
            env=_ENVIRONMENT | (_DEBUG if log else {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if log else subprocess.DEVNULL,
            start_new_session=True,
            **nobody,
        )
    except OSError:
        return None
    is_late = Event()  # before what it killed ends

    def end() -> None:
        is_late.set()
        _kill(process.pid)

    timer = Timer(LIMIT_S, end)
    timer.start()
    with process:
        assert process.stdout is not None
        answer = process.stdout.read(_LIMIT_BYTES + 1)
        if len(answer) <= _LIMIT_BYTES:
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        timer.cancel()
        _kill(process.pid)  # and what it has started
    is_whole = not is_late.is_set() and (process.returncode == 0 or (log and process.returncode > 0))
    return answer.decode("utf-8", "replace") if is_whole else None


def _kill(group: int) -> None:
    with suppress(OSError):
        os.killpg(group, signal.SIGKILL)
