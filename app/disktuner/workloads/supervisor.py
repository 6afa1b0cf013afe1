# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of its own: runs one command of the user's to its end, times it, and ends all that it leaves behind.

Usage: ``python supervisor.py JSON`` with ``argv``, ``cwd``, ``limit_s`` and ``least_free_bytes``. It prints ``ready``,
begins when its standard input ends, and prints one JSON object: ``wall_s`` from the start of the command to its exit,
its ``status`` (None where it was ended, negative for a signal), ``cpu_s``, what the kernel says it read from and wrote
to disks (``read_bytes``, ``written_bytes``: getrusage(2)), the end of what it printed (``said``), how many processes it
left behind that ``stayed``, and whether it was ended because the file system of this program's own folder had no more
room than ``least_free_bytes`` (``full``). It is ended after ``limit_s``, too.

The command has no terminal: its input is empty, and it runs in a session of its own. Processes that it leaves to
themselves become children of this program (PR_SET_CHILD_SUBREAPER, prctl(2)), however often they fork, and are ended;
so they are on SIGTERM, which also comes when the program that started this one dies.

Without ``limit_s`` the command is a load: what it leaves to itself goes on, and it is started again whenever nothing of
it runs any more, until SIGTERM comes; then all of it is asked to end (SIGTERM) before it is killed. The object says how
many ``runs`` there were, what it ``said``, and how many ``stayed``. A load ends before where the command fails with a
``status``, or where there is no more room.
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
"""How much of what a command prints is kept at most, and told: the end of it tells why it failed."""
BLOCK = 512  # of ru_inblock and ru_oublock, whatever the disk's own is
ASK_S, END_S = 3.0, 2.0
"""How long a load may take to end when it is asked to, and killed processes to go."""
LOOK_S = 0.02


class Output:
    """The end of what a command prints. Attributes: ``fd`` is where it prints to."""

    def __init__(self) -> None:
        self._read_fd, self.fd = os.pipe()
        self._kept = bytearray()
        self._reader = threading.Thread(target=self._keep, daemon=True)
        self._reader.start()

    def said(self, stayed: int) -> str:
        """Return it; what ``stayed`` may go on printing."""
        os.close(self.fd)
        self._reader.join(0.0 if stayed else END_S)
        return self._kept.decode("utf-8", "replace").strip()[-SHOWN:]

    def _keep(self) -> None:
        while data := os.read(self._read_fd, KEPT):
            self._kept += data
            del self._kept[:-KEPT]


def stop(*_: object) -> None:
    """Leave whatever is waited for, once."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(143)


def start(argv: list[str], cwd: str, out: Output, err: Output) -> subprocess.Popen[bytes]:
    """Start the command in a session of its own. Raises ``OSError`` where it cannot be started."""
    nothing = subprocess.DEVNULL
    return subprocess.Popen(argv, cwd=cwd, stdin=nothing, stdout=out.fd, stderr=err.fd, start_new_session=True)


def is_full(least_free_bytes: int) -> bool:
    """Whether the file system of this program's folder has no more room than that."""
    with contextlib.suppress(PermissionError):  # the command may have closed it
        room = os.statvfs(".")
        return room.f_bavail * room.f_frsize <= least_free_bytes
    return False


def run(argv: list[str], cwd: str, limit_s: float, least_free_bytes: int) -> dict[str, Any]:
    """Run the command once. Raises ``OSError`` where it cannot be started."""
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
    """Keep the command going until SIGTERM. Raises ``OSError`` where it cannot be started."""
    output = Output()
    runs, status, full = 0, 0, False
    with contextlib.suppress(SystemExit):
        while not status and not full:
            runs += 1
            status, full = _run_once(start(argv, cwd, output, output), least_free_bytes)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for _ in range(2):  # twice, for what was just being started
        end_descendants(signal.SIGTERM, ASK_S / 2)
    stayed = end_descendants()
    return {"runs": runs, "status": status, "full": full, "stayed": stayed, "said": output.said(stayed)}


def _run_once(child: subprocess.Popen[bytes], least_free_bytes: int) -> tuple[int, bool]:
    """Wait until nothing of a load runs any more, it failed or the disk is full; return its status, and the latter."""
    while True:
        time.sleep(LOOK_S)
        if child.pid in (ended := _reap()):
            child.returncode = ended[child.pid]
        full = is_full(least_free_bytes)
        if child.returncode or full or (child.returncode == 0 and not _has_children()):
            return child.returncode or 0, full


def _has_children() -> bool:
    """Whether any process is below this one: what others leave to themselves becomes its child."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _reap() -> dict[int, int]:
    """Take in the children that have ended; return their exit codes by process id."""
    found = {}
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            found[ended[0]] = os.waitstatus_to_exitcode(ended[1])
    return found


def end_descendants(by: signal.Signals = signal.SIGKILL, most_s: float = END_S) -> int:
    """End all processes below by a signal, once each but SIGKILL; return how many stay (those of other users: sudo)."""
    until_s, told = time.monotonic() + most_s, set[int]()
    while (living := set(below(os.getpid()))) and time.monotonic() < until_s:
        for pid in living - told if by == signal.SIGKILL or not told else ():
            with contextlib.suppress(OSError):
                os.kill(pid, by)
        told |= living
        _reap()
        time.sleep(0.005)
    return len(living)


def below(pid: int) -> Iterator[int]:
    """Go through all processes below one (proc_pid_task_children(5)): at least one where there is any."""
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text(encoding="ascii").split():
                yield int(child)
                yield from below(int(child))


def main() -> int:
    """Read the argument, wait for the beginning, run, print."""
    wanted = json.loads(sys.argv[1])
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGTERM, stop)
    try:
        print("ready", flush=True)
        sys.stdin.buffer.read()
        found = run(**wanted) if "limit_s" in wanted else run_as_load(**wanted)
    except OSError as error:
        end_descendants()
        print(f"{error.filename or wanted['argv'][0]}: {error.strerror}", file=sys.stderr)
        return 127
    except SystemExit:
        end_descendants()
        raise
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
