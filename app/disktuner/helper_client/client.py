# SPDX-License-Identifier: GPL-3.0-or-later
"""Sends the helper's calls: answers are called back in a main loop's thread, or waited for in any other."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from gi.repository import Gio, GLib

from disktuner.helper_client.calls import (
    Call,
    Tunables,
    begin_trial,
    end_trial,
    set_trial_scheduler,
    set_trial_setting,
)
from disktuner.helper_client.errors import WriteFailed, from_glib, starts_slowly
from disktuner.vocabulary.errors import DisktunerError, HelperNotThere

log = logging.getLogger(__name__)

NAME = "org.disktuner.Helper1"
_OBJECT_PATH = "/org/disktuner/Helper1"
# People type passwords slowly: calls wait until they are answered or cancelled.
_ASK, _NO_LIMIT = Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION, GLib.MAXINT

Answer = TypeVar("Answer")


def connect() -> Gio.DBusConnection:
    """Return a private connection to the system bus: a trial lives as long as the connection that began it.

    Raises ``HelperNotThere`` where there is no system bus.
    """
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    try:
        address = Gio.dbus_address_get_for_bus_sync(Gio.BusType.SYSTEM, None)
        connection = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
    except GLib.Error as error:
        raise HelperNotThere("no-system-bus", why=error.message) from error
    connection.set_exit_on_close(False)
    return connection


class HelperClient:
    """Calls the helper over a connection of its own, made with the first call. Use it as a context manager or close it.

    Both ways to call end in an answer or in a ``DisktunerError``: ``NotAuthorised``, ``HelperNotThere``, ``Cancelled``
    (through the ``cancellable``), and those of ``helper_client.errors``. Where the bus loses patience with a helper
    that a busy computer starts slowly, they call once more.
    """

    def __init__(self, connecting: Callable[[], Gio.DBusConnection] = connect) -> None:
        self._connecting = connecting
        self._connection: Gio.DBusConnection | None = None
        self._listeners: dict[str, Callable[..., None]] = {}
        self._closed = False

    def __enter__(self) -> HelperClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the bus: the helper ends what this connection began, and nothing is called back any more."""
        self._closed = True
        if self._connection is not None:
            with suppress(GLib.Error):
                self._connection.close_sync(None)

    def wait(self, call: Call[Answer], cancellable: Gio.Cancellable | None = None, *, again: bool = True) -> Answer:
        """Send a call and return its answer: for the terminal and worker threads.

        ``again`` says whether it is sent once more where the helper started too slowly.
        """
        try:
            answer = self._reached().call_sync(*_addressed(call), cancellable)
        except GLib.Error as error:
            if again and starts_slowly(error):
                return self.wait(call, cancellable, again=False)
            raise from_glib(error) from error
        return call.read(answer.unpack())

    def send(
        self,
        call: Call[Answer],
        done: Callable[[Answer], None],
        failed: Callable[[DisktunerError], None],
        cancellable: Gio.Cancellable | None = None,
        *,
        again: bool = True,
    ) -> None:
        """Send a call and return at once; until ``close``, exactly one of the two is called in this thread's main loop.

        Where there is no bus, ``failed`` is called at once. ``again`` as for ``wait``.
        """

        def answered(connection: Gio.DBusConnection, result: Gio.AsyncResult) -> None:
            if self._closed:
                return
            try:
                answer = call.read(connection.call_finish(result).unpack())
            except GLib.Error as error:
                if again and starts_slowly(error):
                    self.send(call, done, failed, cancellable, again=False)
                else:
                    failed(from_glib(error))
            except DisktunerError as error:
                failed(error)
            else:
                done(answer)

        try:
            connection = self._reached()
        except DisktunerError as error:
            failed(error)
        else:
            connection.call(*_addressed(call), cancellable, answered)

    def subscribe(self, changed: Callable[[str], None], trial_ended: Callable[[str, str], None]) -> None:
        """Once the bus is reached: report each disk that the helper changed, and each trial that ended, with why."""
        self._listeners = {"Changed": changed, "TrialEnded": trial_ended}

    @contextmanager
    def trial(self, disks: Sequence[tuple[str, int]], cancellable: Gio.Cancellable | None = None) -> Iterator[Trial]:
        """Hold disks (names with diskseq) for switching; on leaving they are restored, whatever happened.

        Asks for the right to do so once, at the beginning; only that can be cancelled.
        """
        trial = Trial(self, self.wait(begin_trial(disks), cancellable))
        try:
            yield trial
        finally:
            trial.end()

    def _reached(self) -> Gio.DBusConnection:
        if self._connection is None:
            self._connection = self._connecting()
            for signal, listener in self._listeners.items():
                self._listen(self._connection, signal, listener)
        return self._connection

    def _listen(self, connection: Gio.DBusConnection, signal: str, listener: Callable[..., None]) -> None:
        def received(*message: Any) -> None:
            if not self._closed:
                listener(*message[5].unpack())

        connection.signal_subscribe(NAME, NAME, signal, _OBJECT_PATH, None, Gio.DBusSignalFlags.NONE, received)


class Trial:
    """A trial that has begun. It ends with its connection, too: then the helper restores."""

    def __init__(self, client: HelperClient, id_: str) -> None:
        self._client = client
        self._id = id_

    def set_scheduler(self, disk: str, scheduler: str) -> None:
        """Switch one of the trial's disks; raises ``NoSuchTrial`` when the trial has ended meanwhile."""
        self._client.wait(set_trial_scheduler(self._id, disk, scheduler))

    def set_setting(self, disk: str, scheduler: str, tunables: Tunables) -> None:
        """Set a scheduler and tunables (``queue/NAME``, ``iosched/NAME``) of one of the trial's disks; all or none.

        Tunables that are not named are as ``set_scheduler`` would have left them at the trial's beginning. Raises
        ``InvalidTunable`` for those that the helper refuses, else as ``set_scheduler`` does.
        """
        self._client.wait(set_trial_setting(self._id, disk, scheduler, tunables))

    def end(self) -> None:
        """Restore the disks, and log which could not be. Where no helper answers, leaving the bus makes it restore."""
        try:
            self._client.wait(end_trial(self._id))
        except WriteFailed as error:
            log.warning("%s", error)
        except DisktunerError:
            self._client.close()


def _addressed(call: Call[Any]) -> tuple[Any, ...]:
    """What both of GDBus's ways to call begin with."""
    log.debug("call %s", call.method)
    arguments = GLib.Variant(call.types, call.arguments)
    return NAME, _OBJECT_PATH, NAME, call.method, arguments, None, _ASK, _NO_LIMIT
