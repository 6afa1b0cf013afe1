# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the benchmark's programs and steers them: in groups of their own, ended with us, never through a shell."""

from __future__ import annotations

import contextlib
import math
import os
import select
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from disktuner.vocabulary.errors import Cancelled
from disktuner.vocabulary.messages import message
from disktuner.workloads.errors import Aborted, ProgramFailed


class Control:
    """Cancel wakes whatever waits; pause holds the experiment before its next run. Close it when done."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()
        self._going = threading.Event()
        self._going.set()
        self._closing = threading.Lock()
        self._fd = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)

    def cancel(self) -> None:
        """Stop now; may be called often, also after the end."""
        self._cancelled.set()
        self._going.set()
        with self._closing:
            if self._fd >= 0:
                os.eventfd_write(self._fd, 1)

    def pause(self) -> None:
        """Hold before the next run."""
        self._going.clear()

    def resume(self) -> None:
        """Go on."""
        self._going.set()

    @property
    def cancelled(self) -> bool:
        """Whether it was told to stop."""
        return self._cancelled.is_set()

    def check(self) -> None:
        """Raise ``Cancelled`` if it was told to stop."""
        if self._cancelled.is_set():
            raise Cancelled("cancelled")

    def wait_while_paused(self) -> float:
        """Return when not paused, with the seconds that this took; raises ``Cancelled``."""
        began = time.monotonic()
        self._going.wait()
        self.check()
        return time.monotonic() - began

    def sleep(self, seconds: float) -> None:
        """Sleep, and raise ``Cancelled`` at once when told to stop."""
        select.select([self._fd], [], [], seconds)
        self.check()

    def fileno(self) -> int:
        """A descriptor that becomes readable on cancel."""
        return self._fd

    def close(self) -> None:
        """Give the descriptor back."""
        with self._closing:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1


TICK_S = 0.1
TIDY_S = 6.0
"""How long a program may take to end before it is killed: usually some hundredths of a second."""
END_S = 1.0
"""How long one may that is not waited for any longer; what the kernel holds in a request takes longer."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended: what it printed, and its wall time."""

    out: str
    err: str
    wall_s: float


@dataclass(slots=True)
class _Child:
    program: str
    popen: subprocess.Popen[bytes]
    pidfd: int
    out_fd: int
    err_fd: int
    began: float
    ended_by: signal.Signals
    ended: float = 0.0


class Processes:
    """The user's programs of one run, each in a group of its own; leave the context and all of them are gone.

    Use it from one thread only: the kernel ends the programs when the thread that started them ends (PR_SET_PDEATHSIG
    through setpriv(1)), so a kill -9 of this program leaves no writer running. ``tick`` is called about ten times a
    second while a program runs; ``kept_fds`` are inherited by every program (the scratch folder and its lock);
    ``unblock`` is called when a killed program is held up by a flush, and takes its data away; ``note_stop`` is told of
    programs that are stopped, and that go on or end.
    """

    def __init__(
        self,
        control: Control,
        tick: Callable[[], None] = lambda: None,
        kept_fds: tuple[int, ...] = (),
        unblock: Callable[[], None] = lambda: None,
        note_stop: Callable[[int, str, bool], None] = lambda *_: None,
    ) -> None:
        self._control = control
        self._note_stop = note_stop
        self._tick = tick
        self._kept_fds = kept_fds
        self._unblock = unblock
        self._children: dict[int, _Child] = {}
        self._next_tick = 0.0

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self.end_all()

    def run(
        self,
        argv: Sequence[str],
        cwd: Path,
        timeout_s: float,
        stdin: int | None = None,
        abort_after_s: float = math.inf,
    ) -> Finished:
        """Run to the end; it reads ``stdin``. Raises ``ProgramFailed``, or ``Cancelled`` when told to stop.

        Raises ``Aborted`` where it takes longer than ``abort_after_s``, and ends it then.
        """
        return self.wait(self.start(argv, cwd, stdin), timeout_s, abort_after_s)

    def start(
        self,
        argv: Sequence[str],
        cwd: Path,
        stdin: int | None = None,
        fds: tuple[int, ...] = (),
        *,
        ended_by: signal.Signals = signal.SIGKILL,
        environment: Mapping[str, str] | None = None,
    ) -> int:
        """Start a program beside others and return its process id; what it prints is kept for ``wait``.

        It inherits ``fds`` under their numbers. ``ended_by`` is the signal that it gets when it is to end, or when we
        die: after any but SIGKILL it may tidy up before it is killed. ``environment`` None is a small one.
        """
        self._control.check()
        small = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "HOME": os.environ.get("HOME", "/")}
        out_fd = os.memfd_create("stdout", os.MFD_CLOEXEC)
        err_fd = os.memfd_create("stderr", os.MFD_CLOEXEC)
        began = time.monotonic()
        try:
            popen = subprocess.Popen(
                [*_started_by_us(ended_by), *argv],
                cwd=cwd,
                stdin=subprocess.DEVNULL if stdin is None else stdin,
                stdout=out_fd,
                stderr=err_fd,
                env=small if environment is None else dict(environment),
                pass_fds=(*self._kept_fds, *fds),
                process_group=0,
            )
        except OSError as error:
            os.close(out_fd)
            os.close(err_fd)
            said = str(error)
            failed = message("program-not-started", program=argv[0], error=said)
            raise ProgramFailed(argv[0], None, said, failed) from error
        child = _Child(argv[0], popen, os.pidfd_open(popen.pid), out_fd, err_fd, began, ended_by)
        self._children[popen.pid] = child
        return popen.pid

    def ended(self, pid: int) -> bool:
        """Whether a started program has ended."""
        self.check()
        return self._reap(self._children[pid], 0)

    def printed(self, pid: int) -> bool:
        """Whether a started program has printed anything."""
        return os.fstat(self._children[pid].out_fd).st_size > 0

    def wait(self, pid: int, timeout_s: float, abort_after_s: float = math.inf) -> Finished:
        """Wait for a started program, and ``abort_after_s`` at most from now on. Raises like ``run``."""
        child, began = self._children[pid], time.monotonic()
        left_s = abort_after_s
        while not self._reap(child, min(TICK_S, left_s)):
            self.check()
            now = time.monotonic()
            left_s = began + abort_after_s - now
            if left_s < 0:
                self.end(pid)
                self._gone(child, END_S)
                raise Aborted(now - began)
            if now > child.began + timeout_s:
                self._forget(pid)
                slow = message("program-too-slow", program=child.program, limit=timeout_s)
                raise ProgramFailed(child.program, None, "", slow)
        out, err = _text(child.out_fd), _text(child.err_fd)
        status = child.popen.returncode
        self._forget(pid)
        self.check()
        if status:
            raise ProgramFailed(child.program, status, err or out)
        return Finished(out, err, child.ended - child.began)

    def end(self, pid: int) -> None:
        """Ask a started program to end (SIGTERM); it need not be waited for."""
        if self._children[pid].popen.returncode is None:
            _signal_group(pid, signal.SIGTERM)

    def pause(self, seconds: float) -> None:
        """Sleep, but wake and raise ``Cancelled`` at once when told to stop."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._control.sleep(min(left, TICK_S))
            self.check()

    def check(self) -> None:
        """Raise ``Cancelled`` if told to stop; otherwise take the next live point if it is due."""
        self._control.check()
        now = time.monotonic()
        if now >= self._next_tick:
            self._next_tick = now + TICK_S
            self._tick()

    def end_all(self) -> None:
        """Kill every program that still runs, with all it started; returns when they are gone.

        A process that the kernel holds in a flush cannot die at once; then its data are taken away.
        """
        for child in self._children.values():
            _signal_group(child.popen.pid, child.ended_by)
        for pid in list(self._children):
            self._forget(pid)

    def _reap(self, child: _Child, seconds: float) -> bool:
        """Wait that long for the end of a program, or for a cancel."""
        if child.popen.returncode is not None:
            return True
        pid = child.popen.pid
        with contextlib.suppress(ChildProcessError):  # whether somebody stopped it, or let it go on, since it was asked
            if found := os.waitid(os.P_PID, pid, os.WSTOPPED | os.WCONTINUED | os.WNOHANG):
                self._note_stop(pid, child.program, found.si_code == os.CLD_STOPPED)
        watched = [child.pidfd] if self._control.cancelled else [child.pidfd, self._control.fileno()]
        until_tick = self._next_tick - time.monotonic()
        readable, _, _ = select.select(watched, [], [], max(0.0, min(seconds, until_tick)) if seconds else 0)
        if child.pidfd not in readable:
            return False
        child.ended = time.monotonic()
        _, status = os.waitpid(pid, 0)
        child.popen.returncode = os.waitstatus_to_exitcode(status)
        self._note_stop(pid, child.program, False)
        return True

    def _forget(self, pid: int) -> None:
        child = self._children.pop(pid)
        if child.ended_by != signal.SIGKILL and child.popen.returncode is None:
            os.kill(pid, child.ended_by)
            self._gone(child, TIDY_S)
        _signal_group(pid, signal.SIGKILL)
        if not self._gone(child, 0.2):
            self._unblock()
            self._gone(child, 2.0)
        for fd in (child.pidfd, child.out_fd, child.err_fd):
            os.close(fd)

    def _gone(self, child: _Child, seconds: float) -> bool:
        """Wait that long for a killed program to go."""
        if child.popen.returncode is None and select.select([child.pidfd], [], [], seconds)[0]:
            self._reap(child, 0)
        return child.popen.returncode is not None


def _signal_group(pid: int, what: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, what)


def dying_with_us(by: signal.Signals = signal.SIGKILL) -> list[str]:
    """Return what has the kernel send a program that signal when we die (util-linux; without it, a cancel only)."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", by.name.removeprefix("SIG")] if setpriv else []


def _started_by_us(by: signal.Signals) -> list[str]:
    """The same, for a program whose starter may die before the kernel was asked."""
    wrapper = dying_with_us(by)
    return [*wrapper, "/bin/sh", "-c", '[ "$PPID" = "$0" ] && exec "$@"', str(os.getpid())] if wrapper else []


def _text(fd: int) -> str:
    """What a program printed, at most 4 MiB."""
    return os.pread(fd, 4 << 20, 0).decode("utf-8", "replace")
