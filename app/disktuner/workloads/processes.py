# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs and controls the benchmark's programs: in their own process groups, ended with us, never through a shell."""

from __future__ import annotations

import math
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disktuner.vocabulary.errors import Cancelled
from disktuner.vocabulary.messages import message
from disktuner.workloads.errors import Aborted, ProgramFailed

TICK_S = 0.1
"""The longest wait without checking for a cancel and taking a live point."""
LOOK_S = 0.002
READY_S = 60.0
"""How long programs may take to become ready."""
TIDY_S = 6.0
"""How long a program may take to end before it is killed; usually some hundredths of a second suffice."""
END_S = 1.0
"""How long to wait for an aborted program to end; one held in a kernel request takes longer."""


class Control:
    """Cancels or pauses an experiment; pausing takes effect before the next run. Safe to call from any thread."""

    def __init__(self) -> None:
        self.cancelled = False
        self._paused = False

    def cancel(self) -> None:
        """Stop now; may be called repeatedly, even after the end."""
        self.cancelled = True

    def pause(self) -> None:
        self._paused = True

    def resume(self) -> None:
        self._paused = False

    @property
    def is_paused(self) -> bool:
        return self._paused

    def check(self) -> None:
        """Raise ``Cancelled`` after a cancel."""
        if self.cancelled:
            raise Cancelled("cancelled")

    def wait_while_paused(self) -> float:
        """Wait until not paused; return the seconds waited. Raises ``Cancelled``."""
        began = time.monotonic()
        self.check()
        while self._paused:
            time.sleep(TICK_S)
            self.check()
        return time.monotonic() - began


@dataclass(frozen=True, slots=True)
class Finished:
    """A program that ended: its output, and its wall time."""

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
    """The programs of one run, run as the user, each in its own process group; leaving the context ends them all.

    Use it from one thread only: the kernel ends the programs when the thread that started them ends (PR_SET_PDEATHSIG
    through setpriv(1)), so that a kill -9 of this program leaves no writer running. ``tick`` is called about ten times
    a second while a program runs; every program inherits ``kept_fds`` (the scratch folder and its lock);
    ``truncate_files`` is called to discard the data of a killed program that is held up by a flush; ``note_stop`` is
    called when a program is stopped, continued or ended.
    """

    def __init__(
        self,
        control: Control,
        tick: Callable[[], None] = lambda: None,
        kept_fds: tuple[int, ...] = (),
        truncate_files: Callable[[], None] = lambda: None,
        note_stop: Callable[[int, str, bool], None] = lambda *_: None,
    ) -> None:
        self._control, self._tick, self._kept_fds = control, tick, kept_fds
        self._truncate_files, self._note_stop = truncate_files, note_stop
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
        """Run to the end. Raises ``ProgramFailed``, ``Cancelled``, or ``Aborted`` after ``abort_after_s``."""
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
        """Start a program and return its process id; its output is kept for ``wait``.

        It inherits ``fds`` under their numbers. It gets the signal ``ended_by`` when it should end, or when we die;
        unless that is SIGKILL, it may tidy up before it is killed. ``environment`` None is a small one.
        """
        self._control.check()
        small = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "HOME": os.environ.get("HOME", "/")}
        out_fd, err_fd = (os.memfd_create(name, os.MFD_CLOEXEC) for name in ("stdout", "stderr"))
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
            failed = message("program-not-started", program=argv[0], error=str(error))
            raise ProgramFailed(argv[0], None, str(error), failed) from error
        child = _Child(argv[0], popen, os.pidfd_open(popen.pid), out_fd, err_fd, began, ended_by)
        self._children[popen.pid] = child
        return popen.pid

    @contextmanager
    def held(
        self, argvs: Sequence[Sequence[str]], folder: Path, fds: tuple[int, ...] = (), **how: Any
    ) -> Iterator[tuple[int, ...]]:
        """Start programs, as ``start`` does; once ready, they wait until the context is left."""
        read_end, write_end = os.pipe2(os.O_CLOEXEC)
        with os.fdopen(read_end), os.fdopen(write_end, "w"):
            pids = tuple(self.start(argv, folder, read_end, fds, **how) for argv in argvs)
            until_s = time.monotonic() + READY_S
            for pid in pids:
                out_fd = self._children[pid].out_fd
                while not os.fstat(out_fd).st_size and not self.ended(pid) and time.monotonic() < until_s:
                    self.pause(LOOK_S)
            yield pids

    def ended(self, pid: int) -> bool:
        self.check()
        return self._reap(self._children[pid], 0)

    def wait_for_word(self, pid: int, word: str, timeout_s: float) -> None:
        """Return when a started program has printed ``word`` or ended, or after ``timeout_s``."""
        child, until_s = self._children[pid], time.monotonic() + timeout_s
        while not self.ended(pid) and time.monotonic() < until_s:
            if word.encode() in os.pread(child.out_fd, 1 << 16, 0):
                break
            self.pause(LOOK_S)

    def wait(self, pid: int, timeout_s: float, abort_after_s: float = math.inf) -> Finished:
        """Wait for a started program, for at most ``abort_after_s`` from now. Raises like ``run``."""
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
        out, err = (os.pread(fd, 4 << 20, 0).decode("utf-8", "replace") for fd in (child.out_fd, child.err_fd))
        status = child.popen.returncode
        self._forget(pid)
        self.check()
        if status:
            raise ProgramFailed(child.program, status, err or out)
        return Finished(out, err, child.ended - child.began)

    def end(self, pid: int) -> None:
        """Ask a started program to end (SIGTERM), without waiting for it."""
        if self._children[pid].popen.returncode is None:
            _signal_group(pid, signal.SIGTERM)

    def pause(self, seconds: float) -> None:
        """Sleep. Raises ``Cancelled``."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(left, TICK_S))
            self.check()

    def check(self) -> None:
        """Take a live point if one is due. Raises ``Cancelled``."""
        self._control.check()
        now = time.monotonic()
        if now >= self._next_tick:
            self._next_tick = now + TICK_S
            self._tick()

    def end_all(self) -> None:
        """Kill all running programs and wait until they are gone, discarding data whose flush holds them up."""
        for child in self._children.values():
            _signal_group(child.popen.pid, child.ended_by)
        for pid in list(self._children):
            self._forget(pid)

    def _reap(self, child: _Child, seconds: float) -> bool:
        """Wait for a program to end, but no longer than until the next live point; return whether it has."""
        if child.popen.returncode is not None:
            return True
        pid = child.popen.pid
        with suppress(ChildProcessError):  # stopped or continued since the last look
            if change := os.waitid(os.P_PID, pid, os.WSTOPPED | os.WCONTINUED | os.WNOHANG):
                self._note_stop(pid, child.program, change.si_code == os.CLD_STOPPED)
        until_tick_s = self._next_tick - time.monotonic()
        if not select.select([child.pidfd], [], [], max(0.0, min(seconds, until_tick_s)))[0]:
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
            self._truncate_files()
            self._gone(child, 2.0)
        for fd in (child.pidfd, child.out_fd, child.err_fd):
            os.close(fd)

    def _gone(self, child: _Child, seconds: float) -> bool:
        """Wait for a killed program to disappear; return whether it has."""
        if child.popen.returncode is None and select.select([child.pidfd], [], [], seconds)[0]:
            self._reap(child, 0)
        return child.popen.returncode is not None


class Deadline:
    """A time limit of ``abort_after_s`` from its construction."""

    def __init__(self, processes: Processes, abort_after_s: float) -> None:
        self._processes, self._abort_after_s = processes, abort_after_s
        self._began = time.monotonic()

    @property
    def spent_s(self) -> float:
        return time.monotonic() - self._began

    @property
    def left_s(self) -> float:
        return self._abort_after_s - self.spent_s

    def check(self) -> None:
        """Raise ``Aborted`` after the limit, or ``Cancelled``."""
        self._processes.check()
        if self.left_s < 0:
            raise Aborted(self.spent_s)


def _signal_group(pid: int, what: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(pid, what)


def dying_with_us(by: signal.Signals = signal.SIGKILL) -> list[str]:
    """Return the wrapper that has the kernel signal a program when we die; none without util-linux's setpriv."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", by.name.removeprefix("SIG")] if setpriv else []


def _started_by_us(by: signal.Signals) -> list[str]:
    """Like ``dying_with_us``, and start nothing if we died before the wrapper took effect."""
    wrapper = dying_with_us(by)
    return [*wrapper, "/bin/sh", "-c", '[ "$PPID" = "$0" ] && exec "$@"', str(os.getpid())] if wrapper else []
