# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of its own: runs one command of the user's to its end, times it, and ends all that it leaves behind.

Usage: ``python supervisor.py JSON`` with ``argv``, ``cwd`` and ``limit_s``. It prints ``ready``, begins when its
standard input ends, and prints one JSON object: ``wall_s`` from the start of the command to its exit, its ``status``
(None where it was ended after ``limit_s``, negative for a signal), ``cpu_s``, what the kernel says it read from and
wrote to disks (``read_bytes``, ``written_bytes``: getrusage(2)), the end of what it printed (``out``, ``err``), and how
many processes it left behind that ``stayed``.

The command has no terminal: its input is empty, and it runs in a session of its own. Processes that it leaves to
themselves become children of this program (PR_SET_CHILD_SUBREAPER, prctl(2)), however often they fork, and are ended;
so they are on SIGTERM, which also comes when the program that started this one dies.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PR_SET_CHILD_SUBREAPER = 36
KEPT = 64 * 1024
"""How much of what a command prints is kept at most: the end of it tells why it failed."""
PIECE = 64 * 1024
BLOCK = 512  # of ru_inblock and ru_oublock, whatever the disk's own is
END_S = 2.0
"""How long ended processes may take to go."""


class Stopped(Exception):
    """Told to end."""


def stop(*_: object) -> None:
    """Leave whatever is waited for, once."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Stopped


class Printed:
    """What comes out of a pipe: all of it is read, the end is kept."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        os.set_blocking(fd, False)
        self._kept = bytearray()

    def read(self) -> bool:
        """Take what is there; whether anything may still come."""
        try:
            data = os.read(self.fd, PIECE)
        except BlockingIOError:
            return True
        self._kept += data
        del self._kept[:-KEPT]
        return bool(data)

    def drain(self) -> None:
        """Take what is there by now, at most what a pipe holds."""
        for _ in range(64):
            if not select.select([self.fd], [], [], 0)[0] or not self.read():
                return

    def text(self) -> str:
        """What was kept."""
        return self._kept.decode("utf-8", "replace")


def run(argv: list[str], cwd: str, limit_s: float) -> dict[str, Any]:
    """Run the command. Raises ``OSError`` where it cannot be started."""
    began = time.monotonic()
    child = subprocess.Popen(
        argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert child.stdout is not None and child.stderr is not None
    streams = [Printed(child.stdout.fileno()), Printed(child.stderr.fileno())]
    ended = _watch(os.pidfd_open(child.pid), list(streams), began + limit_s)
    wall_s = time.monotonic() - began
    if not ended:
        os.kill(child.pid, signal.SIGKILL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    for stream in streams:
        stream.drain()
    return {
        "wall_s": wall_s,
        "status": child.returncode if ended else None,
        "out": streams[0].text(),
        "err": streams[1].text(),
        "stayed": end_descendants(),
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "read_bytes": usage.ru_inblock * BLOCK,
        "written_bytes": usage.ru_oublock * BLOCK,
    }


def _watch(pidfd: int, streams: list[Printed], until_s: float) -> bool:
    """Read what the command prints until it ends; whether it did in time."""
    while True:
        left_s = until_s - time.monotonic()
        readable, _, _ = select.select([pidfd, *(stream.fd for stream in streams)], [], [], max(0.0, left_s))
        if pidfd in readable:
            return True
        if left_s <= 0:
            return False
        streams[:] = [stream for stream in streams if stream.fd not in readable or stream.read()]


def end_descendants() -> int:
    """End every process below this one; return how many stay (of other users: sudo)."""
    until_s = time.monotonic() + END_S
    while (below := set(_descendants())) and time.monotonic() < until_s:
        for pid in below:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.005)
    return len(below)


def _descendants() -> Iterator[int]:
    """All living processes below this one."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                state, parent = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
                if state not in "ZX":
                    parents[int(entry.name)] = int(parent)
    for pid in parents:
        above = pid
        while (above := parents.get(above, 0)) > 1:
            if above == os.getpid():
                yield pid
                break


def main() -> int:
    """Read the argument, wait for the beginning, run, print."""
    wanted = json.loads(sys.argv[1])
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGTERM, stop)
    try:
        print("ready", flush=True)
        sys.stdin.buffer.read()
        found = run(wanted["argv"], wanted["cwd"], wanted["limit_s"])
    except OSError as error:
        print(f"{error.filename or wanted['argv'][0]}: {error.strerror}", file=sys.stderr)
        return 127
    except Stopped:
        end_descendants()
        return 143
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
