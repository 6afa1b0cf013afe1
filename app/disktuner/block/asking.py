# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks the system's own programs: without rights, for some seconds, for an answer of bounded length."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from threading import Timer
from typing import Any

Ask = Callable[..., str | None]
"""Called with a command's words; what it printed, or None where it could not be started, failed or took too long."""

LIMIT_S = 20.0
_LIMIT_BYTES = 4 << 20
_ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin", "LC_ALL": "C.UTF-8"}
_DEBUG = {"SYSTEMD_LOG_LEVEL": "debug", "SYSTEMD_LOG_TARGET": "console"}
_NOBODY = 65_534


def ask(*command: str, log: bool = False) -> str | None:
    """Run a program, as nobody where root asks, and return what it printed; with ``log`` all that it can tell, even
    where it failed."""
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
    timer = Timer(LIMIT_S, _kill, (process.pid,))
    timer.start()
    with process:
        assert process.stdout is not None
        answer = process.stdout.read(_LIMIT_BYTES + 1)
        if len(answer) <= _LIMIT_BYTES:
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        in_time = timer.is_alive()
        timer.cancel()
        _kill(process.pid)  # what it has started, too
    is_whole = in_time and (process.returncode == 0 or (log and process.returncode > 0))
    return answer.decode("utf-8", "replace") if is_whole else None


def _kill(group: int) -> None:
    with suppress(OSError):
        os.killpg(group, signal.SIGKILL)
