# SPDX-License-Identifier: GPL-3.0-or-later
"""A user's only recorder: runs it, says whether it runs, and asks it to save an incident now."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import selectors
import socket
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from disktuner.folders import runtime_folder, state_folder
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.writing import NotSaved
from disktuner_watch.incidents import Incident, Incidents, with_kernel_lines
from disktuner_watch.machine import RealMachine
from disktuner_watch.recorder import Recorder

_SOCKET, _LOCK, _NOW = "watch", "lock", b"now\n"
_ANSWER_S, _ASK_S = 60.0, 0.5
"""Timeouts of the answer, which comes once the incident is saved, and of the question."""
_TRIES = 3
"""How often it is asked: where the computer stands still, the question itself may come too late."""
_LEAVE_S = 1.0
"""For how long one that ends still counts as on because the disk has not answered."""
SLOW_S = 10.0
"""A disk that takes longer to save an incident may never do so."""
log = logging.getLogger(__name__)


def _place() -> Path:
    """Return the folder of the recorder's socket: in memory, else the user's state folder."""
    return runtime_folder() or state_folder()


def is_on() -> bool:
    """Whether a recorder runs."""
    with suppress(OSError), _connect():
        return True
    return False


def keep_now() -> str:
    """Have the recorder save the last minutes and return the incident's id. Raises ``MeasurementImpossible``."""
    answer = None
    for _ in range(_TRIES):
        with suppress(OSError):
            try:
                with _connect() as connection:
                    answer = b""
                    connection.sendall(_NOW)
                    answer = connection.recv(64).strip()
            except (BrokenPipeError, ConnectionResetError):
                continue
        break
    if not answer:
        raise MeasurementImpossible("recorder-off" if answer is None else "not-kept")
    return answer.decode("ascii", "replace")


class Running:
    """A recorder that runs until ``stop``, which any thread may call, even before ``run``.

    ``tell`` is called in a thread with each incident saved. Attributes: ``is_recording``, whenever it is this one that
    others find to be on.
    """

    def __init__(self, incidents: Incidents, tell: Callable[[Incident], object] = lambda _: None) -> None:
        self._incidents, self._tell = incidents, tell
        self._rescue_future = Future[bool]()
        """Whether the last incident was saved anywhere."""
        self.is_recording = False
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        weakref.finalize(self, os.close, self._wake)

    def stop(self) -> None:
        """End now, saving what is unfinished."""
        os.eventfd_write(self._wake, 1)

    def run(self) -> None:
        """Record. Raises ``MeasurementImpossible`` if another recorder runs or the kernel does not count pressure."""
        # A disk that does not answer may block the threads that write to it, but never the one that records. They are
        # waited for at last, when others may record.
        with ThreadPoolExecutor(1, "incidents") as saving, ThreadPoolExecutor(1) as elsewhere:
            try:
                with _listening(self._begin) as listener:
                    self._listen(listener, saving, elsewhere)
            finally:
                self.is_recording = False

    def _begin(self) -> None:
        self.is_recording = True

    def _listen(self, listener: socket.socket, saving: Executor, elsewhere: Executor) -> None:
        recorder = Recorder(RealMachine(), partial(self._keep, saving, elsewhere))
        saving.submit(self._incidents.complete)
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._wake, selectors.EVENT_READ)
            waiting.register(listener, selectors.EVENT_READ)
            self._record(recorder, waiting, lambda: self._answer(listener, recorder, elsewhere))
        recorder.close()
        with suppress(TimeoutError):  # what is saved by then leaves nothing in memory
            saving.submit(bool).result(_LEAVE_S)

    def _record(self, recorder: Recorder, waiting: selectors.BaseSelector, answer: Callable[[], object]) -> None:
        due_s = time.monotonic()
        while True:
            ready = [key.fileobj for key, _ in waiting.select(max(due_s - time.monotonic(), 0))]
            if self._wake in ready:
                return
            if ready:
                answer()
            elif time.monotonic() >= due_s:
                recorder.tick()
                due_s = max(due_s + recorder.every_s, time.monotonic())

    def _answer(self, listener: socket.socket, recorder: Recorder, elsewhere: Executor) -> None:
        """Save an incident on request; answer with its id once it is saved or its disk proves too slow."""
        connection, _ = listener.accept()
        connection.settimeout(_ASK_S)
        with suppress(OSError):
            if connection.recv(len(_NOW)) == _NOW:
                incident = recorder.keep_now()
                elsewhere.submit(self._reply, connection, incident, self._rescue_future)
                return
        connection.close()

    def _reply(self, connection: socket.socket, incident: Incident, is_kept: Future[bool]) -> None:
        with suppress(OSError), connection:
            if is_kept.result():
                connection.sendall(f"{incident.id}\n".encode())

    def _keep(self, saving: Executor, elsewhere: Executor, incident: Incident, *, is_over: bool) -> None:
        """Save in memory now, then on the disk; if that is too slow, in the second folder, if there is one."""
        in_memory = self._incidents.hold(incident, is_over=is_over)
        saved = saving.submit(self._save, incident.id, saving)
        self._rescue_future = elsewhere.submit(self._rescue, saved, incident, in_memory=in_memory)

    def _save(self, id_: str, saving: Executor) -> bool:
        """Save the incident's latest state; false if that fails or was done before."""
        incident, is_over = self._incidents.held(id_)
        if incident is None:
            return False
        try:
            self._incidents.save(with_kernel_lines(incident) if is_over else incident)
        except NotSaved as error:
            log.warning("%s", error)
            return False
        if is_over:
            saving.submit(self._tell, incident)  # later than what waits to be saved
        return True

    def _rescue(self, saved: Future[bool], incident: Incident, *, in_memory: bool) -> bool:
        with suppress(TimeoutError):
            if saved.result(SLOW_S):
                return True
        try:
            return self._incidents.rescue(incident) or in_memory
        except NotSaved as error:
            log.warning("%s", error)
            return in_memory


@contextmanager
def _folder(*, made: bool) -> Iterator[tuple[int, Path]]:
    """Open the runtime folder, which must be this user's; its path through the handle is short enough for a socket."""
    path = _place()
    if made:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if os.fstat(fd).st_uid != os.getuid():
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        yield fd, Path(f"/proc/self/fd/{fd}")
    finally:
        os.close(fd)


@contextmanager
def _connect() -> Iterator[socket.socket]:
    with _folder(made=False) as (_, folder), socket.socket(socket.AF_UNIX) as connection:
        if _is_killed(folder):
            raise ConnectionRefusedError
        connection.settimeout(_ANSWER_S)
        connection.connect(str(folder / _SOCKET))
        yield connection


@contextmanager
def _listening(begin: Callable[[], object]) -> Iterator[socket.socket]:
    """Whoever has the lock is the recorder, which begins then; the socket of a killed one is replaced."""
    with _folder(made=True) as (fd, folder), _locked(folder), socket.socket(socket.AF_UNIX) as listener:
        begin()
        os.fchmod(fd, 0o700)
        place = folder / _SOCKET
        place.unlink(missing_ok=True)
        listener.bind(str(place))
        listener.listen()
        try:
            yield listener
        finally:
            place.unlink(missing_ok=True)
            (folder / _LOCK).unlink(missing_ok=True)
            with suppress(OSError):
                _place().rmdir()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock file, which says whose it is. Raises ``MeasurementImpossible`` if another recorder holds it."""
    place = folder / _LOCK
    while True:
        with os.fdopen(os.open(place, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600), "r+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                if not _is_killed(folder):
                    raise MeasurementImpossible("recorder-on-already") from error
                place.unlink(missing_ok=True)
                continue
            if not os.fstat(file.fileno()).st_nlink:
                continue  # its holder has just removed it
            file.truncate()
            print(os.getpid(), file=file, flush=True)
            yield
            return


def _is_killed(folder: Path) -> bool:
    """Whether the recorder was killed, but a disk keeps a thread of it in the kernel, and so its socket and lock."""
    with suppress(OSError, ValueError):
        pid = int((folder / _LOCK).read_text())
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return False
