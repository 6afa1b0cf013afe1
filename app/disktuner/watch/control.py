# SPDX-License-Identifier: GPL-3.0-or-later
"""The one recorder of a user: runs it, finds out whether one runs, and has it keep an incident now."""

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
from disktuner.watch.incidents import Incident, Incidents, with_kernel_lines
from disktuner.watch.machine import RealMachine
from disktuner.watch.recorder import Recorder
from disktuner.writing import NotSaved

_SOCKET, _NOW = "watch", b"now\n"
_ANSWER_S, _ASK_S = 60.0, 0.5
"""How long the answer may take, which comes when the incident is saved, and the question."""
SLOW_S = 10.0
"""A disk that takes longer to save an incident may never do so."""
log = logging.getLogger(__name__)


def _place() -> Path:
    """Return where the recorder is spoken to: in memory, else with the user's notes."""
    return runtime_folder() or state_folder()


def is_on() -> bool:
    """Whether a recorder runs."""
    with suppress(OSError), _connected():
        return True
    return False


def keep_now() -> str:
    """Have the recorder keep the last minutes; return the incident's id. Raises ``MeasurementImpossible``."""
    answer = None
    with suppress(OSError), _connected() as connection:
        answer = b""
        connection.sendall(_NOW)
        answer = connection.recv(64).strip()
    if not answer:
        raise MeasurementImpossible("recorder-off" if answer is None else "not-kept")
    return answer.decode("ascii", "replace")


class Running:
    """A recorder that runs until ``stop``, which may be called from anywhere, also before it begins.

    ``tell`` is told, in a thread, of each incident that it kept. Attributes: ``is_recording``.
    """

    def __init__(self, incidents: Incidents, tell: Callable[[Incident], object] = lambda _: None) -> None:
        self._incidents, self._tell = incidents, tell
        self.is_recording = False
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        weakref.finalize(self, os.close, self._wake)

    def stop(self) -> None:
        """Let it end at once, with what is to be kept."""
        os.eventfd_write(self._wake, 1)

    def run(self) -> None:
        """Record. Raises ``MeasurementImpossible`` where another one runs or the kernel does not count pressure."""
        # A disk that does not answer may hold up who writes to it: never the one who records that.
        with _listening() as listener, ThreadPoolExecutor(1, "incidents") as saving, ThreadPoolExecutor(1) as elsewhere:
            recorder = Recorder(RealMachine(), partial(self._keep, saving, elsewhere))
            saving.submit(self._incidents.complete)
            with selectors.DefaultSelector() as waiting:
                waiting.register(self._wake, selectors.EVENT_READ)
                waiting.register(listener, selectors.EVENT_READ)
                self.is_recording = True
                self._record(recorder, waiting, lambda: self._answer(listener, recorder, saving))
                self.is_recording = False
            recorder.close()

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

    def _answer(self, listener: socket.socket, recorder: Recorder, saving: Executor) -> None:
        """Keep an incident for who asks, and say its id once it is saved."""
        connection, _ = listener.accept()
        connection.settimeout(_ASK_S)
        with suppress(OSError):
            if connection.recv(len(_NOW)) == _NOW:
                saving.submit(self._reply, connection, recorder.keep_now())
                return
        connection.close()

    def _reply(self, connection: socket.socket, incident: Incident) -> None:
        with suppress(OSError), connection:
            if incident.id in self._incidents.ids():
                connection.sendall(f"{incident.id}\n".encode())

    def _keep(self, saving: Executor, elsewhere: Executor, incident: Incident, *, is_over: bool) -> None:
        """In memory at once; on the disk when that answers, else in the second folder, if there is one."""
        self._incidents.hold(incident)
        saved = saving.submit(self._save, incident, saving, is_over=is_over)
        elsewhere.submit(self._rescue, saved, incident)

    def _save(self, incident: Incident, saving: Executor, *, is_over: bool) -> bool:
        try:
            self._incidents.save(with_kernel_lines(incident) if is_over else incident)
        except NotSaved as error:
            log.warning("%s", error)
            return False
        if is_over:
            saving.submit(self._tell, incident)  # who asked is answered before
        return True

    def _rescue(self, saved: Future[bool], incident: Incident) -> None:
        with suppress(TimeoutError):
            if saved.result(SLOW_S):
                return
        try:
            self._incidents.rescue(incident)
        except NotSaved as error:
            log.warning("%s", error)


@contextmanager
def _folder(*, made: bool) -> Iterator[tuple[int, Path]]:
    """The runtime folder and its handle, through which its path may be as long as it likes; only this user enters."""
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
def _connected() -> Iterator[socket.socket]:
    with _folder(made=False) as (_, folder), socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_ANSWER_S)
        connection.connect(str(folder / _SOCKET))
        yield connection


@contextmanager
def _listening() -> Iterator[socket.socket]:
    """Who locks the folder is the one recorder; a socket that a killed one left is nobody's."""
    with _folder(made=True) as (fd, folder), socket.socket(socket.AF_UNIX) as listener:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise MeasurementImpossible("recorder-on-already") from error
        os.fchmod(fd, 0o700)
        place = folder / _SOCKET
        place.unlink(missing_ok=True)
        listener.bind(str(place))
        listener.listen()
        try:
            yield listener
        finally:
            place.unlink(missing_ok=True)
            with suppress(OSError):
                _place().rmdir()
