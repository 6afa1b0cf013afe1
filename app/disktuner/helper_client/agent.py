# SPDX-License-Identifier: GPL-3.0-or-later
"""polkit's text agent for a terminal: asks for the password while a command runs, as systemctl does."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_READY_S = 10


@contextmanager
def text_agent() -> Iterator[None]:
    """Run pkttyagent for this process; does nothing without a terminal, for root, or where it is missing.

    ``--fallback`` leaves the asking to a desktop's own agent where there is one.
    """
    program = shutil.which("pkttyagent")
    if program is None or os.geteuid() == 0 or not (sys.stdin.isatty() and sys.stderr.isatty()):
        yield
        return
    agent = _started(program)
    try:
        yield
    finally:
        agent.terminate()
        agent.wait()


def _started(program: str) -> subprocess.Popen[bytes]:
    """The agent, once it has closed its end of the pipe: then it is registered."""
    ready, notify = os.pipe()
    try:
        argv = [program, "--process", str(os.getpid()), "--notify-fd", str(notify), "--fallback"]
        agent = subprocess.Popen(argv, pass_fds=[notify])
    finally:
        os.close(notify)
    select.select([ready], [], [], _READY_S)
    os.close(ready)
    return agent
