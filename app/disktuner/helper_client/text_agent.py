# SPDX-License-Identifier: GPL-3.0-or-later
"""polkit's agent for terminals: asks for a password where no desktop does."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

READY_S = 5.0


@contextmanager
def text_agent() -> Iterator[None]:
    """Run ``pkttyagent`` for this process on a terminal, as systemctl does; elsewhere do nothing.

    ``--fallback`` leaves asking to the desktop's agent, if there is one.
    """
    program = shutil.which("pkttyagent")
    if program is None or not (sys.stdin.isatty() and sys.stderr.isatty()) or os.geteuid() == 0:
        yield
        return
    agent = _start(program)
    try:
        yield
    finally:
        agent.terminate()
        agent.wait()


def _start(program: str) -> subprocess.Popen[bytes]:
    """Start the agent and wait until it closes its end of the pipe, because it is registered or failed."""
    readable, writable = os.pipe()
    try:
        agent = subprocess.Popen(
            [program, "--process", str(os.getpid()), "--notify-fd", str(writable), "--fallback"], pass_fds=[writable]
        )
        os.close(writable)
        select.select([readable], [], [], READY_S)
    finally:
        os.close(readable)
    return agent
