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

With ``least_free_bytes`` in the place of ``limit_s`` the command is a load: what it leaves to itself goes on, and it is
started again whenever nothing of it runs any more, until SIGTERM comes; then all of it is asked to end (SIGTERM) before
it is killed. The object says how many ``runs`` there were, whether it was ever ``in_background``, whether it had to be
``killed``, what it ``printed``, and how many ``stayed``. A load ends before where the command fails with a ``status``,
or where its file system has no more room than that (``full``).
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
from typing import IO, Any

PR_SET_CHILD_SUBREAPER = 36
KEPT = 64 * 1024
"""How much of what a command prints is kept at most: the end of it tells why it failed."""
PIECE = 64 * 1024
BLOCK = 512  # of ru_inblock and ru_oublock, whatever the disk's own is
END_S = 2.0
"""How long ended processes may take to go."""
ASK_S = 3.0
"""How long a load may take to end when it is asked to."""
LOOK_S = 0.02


def stop(*_: object) -> None:
    """Leave whatever is waited for, once."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(143)


def keep(stream: IO[bytes], kept: bytearray) -> None:
    """Read all that comes out of a pipe, and keep the end of it."""
    while data := os.read(stream.fileno(), PIECE):
        kept += data
        del kept[:-KEPT]


def run(argv: list[str], cwd: str, limit_s: float) -> dict[str, Any]:
    """Run the command. Raises ``OSError`` where it cannot be started."""
    began = time.monotonic()
    child = subprocess.Popen(
        argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    out, err = bytearray(), bytearray()
    readers = [
        threading.Thread(target=keep, args=pair, daemon=True) for pair in ((child.stdout, out), (child.stderr, err))
    ]
    for reader in readers:
        reader.start()
    ended = bool(select.select([os.pidfd_open(child.pid)], [], [], limit_s)[0])
    wall_s = time.monotonic() - began
    if not ended:
        os.kill(child.pid, signal.SIGKILL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    stayed = end_descendants()
    for reader in readers:
        reader.join(0.0 if stayed else END_S)
    return {
        "wall_s": wall_s,
        "status": child.returncode if ended else None,
        "out": out.decode("utf-8", "replace"),
        "err": err.decode("utf-8", "replace"),
        "stayed": stayed,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "read_bytes": usage.ru_inblock * BLOCK,
        "written_bytes": usage.ru_oublock * BLOCK,
    }


def run_as_load(argv: list[str], cwd: str, least_free_bytes: int) -> dict[str, Any]:
    """Keep the command going until SIGTERM. Raises ``OSError`` where it cannot be started."""
    read_fd, write_fd = os.pipe()
    printed, stream = bytearray(), os.fdopen(read_fd, "rb")
    reader = threading.Thread(target=keep, args=(stream, printed), daemon=True)
    reader.start()
    found: dict[str, Any] = {"runs": 0, "status": 0, "in_background": False, "full": False}
    with contextlib.suppress(SystemExit):
        while not found["status"] and not found["full"]:
            _run_once(argv, cwd, least_free_bytes, write_fd, found)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.close(write_fd)
    killed = end_descendants(signal.SIGTERM, ASK_S) > 0
    stayed = end_descendants()
    reader.join(0.0 if stayed else END_S)
    return {**found, "killed": killed, "stayed": stayed, "printed": printed.decode("utf-8", "replace")}


def _run_once(argv: list[str], cwd: str, least_free_bytes: int, output: int, found: dict[str, Any]) -> None:
    """Run a load until nothing of it runs any more, it failed, or the disk is full; note that in ``found``."""
    child = subprocess.Popen(
        argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
    )
    found["runs"] += 1
    status: int | None = None
    while status is None or _has_children():
        time.sleep(LOOK_S)
        found["in_background"] |= status is not None and _has_children()
        if child.pid in (ended := _reap()):
            status = child.returncode = ended[child.pid]
        room = os.statvfs(cwd)
        found["full"] = room.f_bavail * room.f_frsize <= least_free_bytes
        if status or found["full"]:
            break
    found["status"] = status or 0


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
    """End every process below this one by a signal; return how many stay (killed ones of other users: sudo)."""
    until_s, told = time.monotonic() + most_s, set[int]()
    while (below := set(_descendants())) and time.monotonic() < until_s:
        for pid in below - told:
            with contextlib.suppress(OSError):
                os.kill(pid, by)
        told |= below
        _reap()
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
        found = run_as_load(**wanted) if "least_free_bytes" in wanted else run(**wanted)
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
