# SPDX-License-Identifier: GPL-3.0-or-later
"""The blocking client: for the terminal and for a worker thread, never for the window's own thread."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from gi.repository import Gio, GLib

from disktuner.helper_client import requests
from disktuner.helper_client.connection import ASK, INTERFACE, NAME, NO_LIMIT, OBJECT_PATH, connect
from disktuner.helper_client.errors import WriteFailed, from_glib
from disktuner.helper_client.requests import Request
from disktuner.helper_client.state import State, parse_state
from disktuner.vocabulary.errors import DisktunerError

log = logging.getLogger(__name__)


class HelperClient:
    """Calls the helper and waits for its answer. Use it as a context manager, or ``close`` it.

    Each method may raise ``NotAuthorised``, ``HelperNotThere``, ``Cancelled`` (through the ``cancellable``) and the
    errors of ``helper_client.errors`` that fit.
    """

    def __init__(
        self, connection: Gio.DBusConnection | None = None, cancellable: Gio.Cancellable | None = None
    ) -> None:
        self._connection = connection or connect()
        self._cancellable = cancellable

    def __enter__(self) -> HelperClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the bus: the helper ends what this connection began."""
        with suppress(GLib.Error):
            self._connection.close_sync(None)

    def call(self, request: Request, cancellable: Gio.Cancellable | None = None) -> tuple[object, ...]:
        """Send a request and return what it yields."""
        try:
            answer = self._connection.call_sync(
                NAME, OBJECT_PATH, INTERFACE, request.method, request.variant, None, ASK, NO_LIMIT, cancellable
            )
        except GLib.Error as error:
            raise from_glib(error) from error
        return tuple(answer.unpack())

    def set_scheduler(self, disk: str, diskseq: int, scheduler: str) -> None:
        """Use a scheduler until the next restart."""
        self.call(requests.set_scheduler(disk, diskseq, scheduler), self._cancellable)

    def set_tunables(self, disk: str, diskseq: int, tunables: Mapping[str, str | int]) -> None:
        """Set tunables until the next restart; all or none."""
        self.call(requests.set_tunables(disk, diskseq, tunables), self._cancellable)

    def revert(self, disk: str) -> None:
        """Put back what a disk had before it was first touched."""
        self.call(requests.revert(disk), self._cancellable)

    def revert_all(self) -> None:
        """Put back every disk."""
        self.call(requests.revert_all(), self._cancellable)

    def persist(self, disk: str, diskseq: int, scheduler: str, tunables: Mapping[str, str | int]) -> str:
        """Use a scheduler and tunables now and after every restart; return the udev rule."""
        return str(self.call(requests.persist(disk, diskseq, scheduler, tunables), self._cancellable)[0])

    def forget(self, disk: str) -> None:
        """Remove what was chosen for a disk for good."""
        self.call(requests.forget(disk), self._cancellable)

    def forget_all(self) -> None:
        """Remove everything that was chosen for good."""
        self.call(requests.forget_all(), self._cancellable)

    def state(self) -> State:
        """What the helper remembers; needs no rights. Calling it starts the helper if need be."""
        return parse_state(str(self.call(requests.get_state(), self._cancellable)[0]))

    @contextmanager
    def trial(self, disks: Sequence[tuple[str, int]]) -> Iterator[Trial]:
        """Hold disks (names with diskseq) for switching; on leaving they are restored, whatever happened.

        Asks for the right to do so once, at the beginning.
        """
        trial = Trial(self, str(self.call(requests.begin_trial(disks), self._cancellable)[0]))
        try:
            yield trial
        finally:
            trial.end()


class Trial:
    """A trial that has begun. It ends with its connection, too: then the helper restores."""

    def __init__(self, client: HelperClient, id_: str) -> None:
        self._client = client
        self._id = id_

    def set_scheduler(self, disk: str, scheduler: str) -> None:
        """Switch one of the trial's disks; raises ``NoSuchTrial`` when the trial has ended meanwhile."""
        self._client.call(requests.set_trial_scheduler(self._id, disk, scheduler))

    def end(self) -> None:
        """Restore the disks, and tell which could not be. Where no helper answers, leaving the bus makes it restore."""
        try:
            self._client.call(requests.end_trial(self._id))
        except WriteFailed as error:
            log.warning("%s", error)
        except DisktunerError:
            self._client.close()
