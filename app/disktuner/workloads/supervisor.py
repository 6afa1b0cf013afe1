# SPDX-License-Identifier: GPL-3.0-or-later
"""A standalone program: runs one of the user's commands, times it, and ends everything that it leaves behind.

Usage: ``python supervisor.py JSON`` with ``argv``, ``cwd``, ``limit_s`` and ``least_free_bytes``. It prints ``ready``,
begins when its standard input ends, and prints one JSON object: ``wall_s`` from the command's start to its exit, its
``status`` (None if it was ended, negative for a signal), ``cpu_s``, the bytes read from and written to disks
(``read_bytes``, ``written_bytes``: getrusage(2)), the end of its output (``said``), the number of processes left behind
that ``stayed``, and whether it was ended because the file system of this program's folder had no more than
``least_free_bytes`` left (``full``). It is also ended after ``limit_s``.

The command has no terminal: its input is empty, and it runs in its own session. Orphans become children of this program
(PR_SET_CHILD_SUBREAPER, prctl(2)), however often they fork, and are ended, at SIGTERM too, which also comes when the
program that started this one dies.

Without ``limit_s`` the command is a load: orphans go on, and the command is restarted whenever nothing of it is left,
until SIGTERM; then all of it is asked to end (SIGTERM) before it is killed. The object has the number of ``runs``, what
it ``said``, and how many ``stayed``. A load ends early if the command fails with a ``status``, or if space runs out.
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
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PR_SET_CHILD_SUBREAPER = 36
KEPT, SHOWN = 64 * 1024, 300
"""How much of a command's output is kept, and reported: its end tells why it failed."""
BLOCK = 512  # of ru_inblock and ru_oublock, whatever the disk's own is
ASK_S, END_S = 3.0, 2.0
"""How long a load may take to end when asked to, and killed processes to disappear."""
LOOK_S = 0.02


class Output:
    """The end of a command's output. Attributes: ``fd`` is what the command writes to."""

    def __init__(self) -> None:
        self._read_fd, self.fd = os.pipe()
        self._kept = bytearray()
        self._reader = threading.Thread(target=self._keep, daemon=True)
        self._reader.start()

    def said(self, stayed: int) -> str:
        """Return the output so far; processes that ``stayed`` may go on printing."""
        os.close(self.fd)
        self._reader.join(0.0 if stayed else END_S)
        return self._kept.decode("utf-8", "replace").strip()[-SHOWN:]

    def _keep(self) -> None:
        while data := os.read(self._read_fd, KEPT):
            self._kept += data
            del self._kept[:-KEPT]


def stop(*_: object) -> None:
    """Interrupt any wait, once."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(143)


def start(argv: list[str], cwd: str, out: Output, err: Output) -> subprocess.Popen[bytes]:
    """Start the command in its own session. Raises ``OSError``."""
    nothing = subprocess.DEVNULL
    return subprocess.Popen(argv, cwd=cwd, stdin=nothing, stdout=out.fd, stderr=err.fd, start_new_session=True)


def is_full(least_free_bytes: int) -> bool:
    """Whether the file system of the current folder has no more free bytes than that."""
    with contextlib.suppress(PermissionError):  # the command may have changed the folder's permissions
        room = os.statvfs(".")
        return room.f_bavail * room.f_frsize <= least_free_bytes
    return False


def run(argv: list[str], cwd: str, limit_s: float, least_free_bytes: int) -> dict[str, Any]:
    """Run the command once. Raises ``OSError`` if it cannot be started."""
    out, err = Output(), Output()
    began = time.monotonic()
    child = start(argv, cwd, out, err)
    exit_fd, ended, full = os.pidfd_open(child.pid), False, False
    while not (ended or full) and time.monotonic() < began + limit_s:
        ended = bool(select.select([exit_fd], [], [], LOOK_S)[0])
        full = not ended and is_full(least_free_bytes)
    wall_s = time.monotonic() - began
    if not ended:
        os.kill(child.pid, signal.SIGKILL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    stayed = end_descendants()
    printed = out.said(stayed)
    return {
        "wall_s": wall_s,
        "status": child.returncode if ended else None,
        "said": err.said(stayed) or printed,
        "stayed": stayed,
        "full": full,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "read_bytes": usage.ru_inblock * BLOCK,
        "written_bytes": usage.ru_oublock * BLOCK,
    }


def run_as_load(argv: list[str], cwd: str, least_free_bytes: int) -> dict[str, Any]:
    """Repeat the command until SIGTERM. Raises ``OSError`` if it cannot be started."""
    output = Output()
    runs, status, full = 0, 0, False
    with contextlib.suppress(SystemExit):
        while not status and not full:
            runs += 1
            status, full = _run_once(start(argv, cwd, output, output), least_free_bytes)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for _ in range(2):  # twice, for processes that were just being started
        end_descendants(signal.SIGTERM, ASK_S / 2)
    stayed = end_descendants()
    return {"runs": runs, "status": status, "full": full, "stayed": stayed, "said": output.said(stayed)}


def _run_once(child: subprocess.Popen[bytes], least_free_bytes: int) -> tuple[int, bool]:
    """Wait until a load has ended or failed, or the disk is full; return its status, and whether it is full."""
    while True:
        time.sleep(LOOK_S)
        if child.pid in (ended := _reap()):
            child.returncode = ended[child.pid]
        full = is_full(least_free_bytes)
        if child.returncode or full or (child.returncode == 0 and not _has_children()):
            return child.returncode or 0, full


def _has_children() -> bool:
    """Whether this process has any children, orphans included."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _reap() -> dict[int, int]:
    """Reap ended children; return their exit codes by process id."""
    exit_codes = {}
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            exit_codes[ended[0]] = os.waitstatus_to_exitcode(ended[1])
    return exit_codes


def end_descendants(by: signal.Signals = signal.SIGKILL, most_s: float = END_S) -> int:
    """Signal all descendants, once unless by SIGKILL; return how many stay, such as other users' (sudo)."""
    until_s, signalled = time.monotonic() + most_s, set[int]()
    while (living := set(below(os.getpid()))) and time.monotonic() < until_s:
        for pid in living - signalled if by == signal.SIGKILL or not signalled else ():
            with contextlib.suppress(OSError):
                os.kill(pid, by)
        signalled |= living
        _reap()
        time.sleep(0.005)
    return len(living)


def below(pid: int) -> Iterator[int]:
    """Yield the descendants of a process (proc_pid_task_children(5)): at least one if there are any."""
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text(encoding="ascii").split():
                yield int(child)
                yield from below(int(child))


def main() -> int:
    request = json.loads(sys.argv[1])
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGTERM, stop)
    try:
        print("ready", flush=True)
        sys.stdin.buffer.read()
        outcome = run(**request) if "limit_s" in request else run_as_load(**request)
    except OSError as error:
        end_descendants()
        print(f"{error.filename or request['argv'][0]}: {error.strerror}", file=sys.stderr)
        return 127
    except SystemExit:
        end_descendants()
        raise
    print(json.dumps(outcome))
    return 0


if __name__ == "__main__":
    sys.exit(main())
