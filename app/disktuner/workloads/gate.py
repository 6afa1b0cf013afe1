# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds programs back that are started, so that what they do begins when everything is there."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from disktuner.workloads.processes import Processes

READY_S = 60.0


@contextmanager
def gate() -> Iterator[int]:
    """Yield a standard input for programs that are held back: it ends when the context is left."""
    fd, kept = os.pipe2(os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(kept)
        os.close(fd)


@contextmanager
def held(
    processes: Processes, argv: Sequence[str], folder: Path, fds: tuple[int, ...] = (), *, tidies: bool = False
) -> Iterator[int]:
    """Start a program that waits for the end of its standard input, which comes when the context is left."""
    with gate() as stdin:
        pid = processes.start(argv, folder, stdin=stdin, fds=fds, tidies=tidies)
        wait_until_ready(processes, pid)
        yield pid


def wait_until_ready(processes: Processes, pid: int) -> None:
    """Return when a program behind a gate has printed that it is ready, or has ended."""
    until_s = time.monotonic() + READY_S
    while not processes.printed(pid) and not processes.ended(pid) and time.monotonic() < until_s:
        processes.pause(0.002)
