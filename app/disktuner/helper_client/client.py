# SPDX-License-Identifier: GPL-3.0-or-later
"""Sends the helper's calls, with callbacks in a main loop's thread or blocking in any other."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any, TypeVar

from gi.repository import Gio, GLib

from disktuner.helper_client.bus_errors import from_glib, here, is_silent, starts_slowly
from disktuner.helper_client.calls import (
    Call,
    Disks,
    Tunables,
    begin_trial,
    end_trial,
    keep_alive,
    set_trial,
)
from disktuner.helper_client.errors import HelperSilent, WriteFailed
from disktuner.vocabulary.errors import DisktunerError, HelperNotThere

log = logging.getLogger(__name__)

NAME = "org.disktuner.Helper1"
_OBJECT_PATH = "/org/disktuner/Helper1"
# People type passwords slowly, so calls that may need one wait until answered or cancelled.
_NO_LIMIT = GLib.MAXINT
KEEP_ALIVE_S = 600.0
"""How often a trial is reported alive to the helper, which ends it after half an hour of silence."""

Answer = TypeVar("Answer")


def connect() -> Gio.DBusConnection:
    """Return a private connection to the system bus: a trial lives as long as the connection that began it.

    Raises ``HelperNotThere`` without a system bus.
    """
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    try:
        address = Gio.dbus_address_get_for_bus_sync(Gio.BusType.SYSTEM, None)
        connection = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
    except GLib.Error as error:
        raise HelperNotThere(here("no-system-bus"), why=error.message) from error
    connection.set_exit_on_close(False)
    return connection


class HelperClient:
    """Calls the helper over its own connection, made with the first call. Use it as a context manager or close it.

    Both ways to call end in an answer or in a ``DisktunerError``: ``NotAuthorised``, ``HelperNotThere``, ``Cancelled``
    (through the ``cancellable``), and those of ``helper_client.errors``. If the bus times out while a busy computer
    starts the helper, the call is repeated once. Giving up leaves the bus, so that the helper ends what was begun; the
    next call reconnects.
    """

    def __init__(
        self, connecting: Callable[[], Gio.DBusConnection] = connect, keep_alive_s: float = KEEP_ALIVE_S
    ) -> None:
        self._connecting = connecting
        self._keep_alive_s = keep_alive_s
        self._connection: Gio.DBusConnection | None = None
        self._listeners: dict[str, Callable[..., None]] = {}
        self._closed = False

    def __enter__(self) -> HelperClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the bus for good: the helper ends what this connection began, and callbacks stop."""
        self._closed = True
        self.leave()

    def leave(self) -> None:
        """Leave the bus until the next call."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(GLib.Error):
                connection.close_sync(None)

    def wait(
        self,
        call: Call[Answer],
        cancellable: Gio.Cancellable | None = None,
        *,
        again: bool = True,
        asking: bool = True,
        gives_up: bool = True,
    ) -> Answer:
        """Send a call and return its answer: for the terminal and worker threads.

        ``again``: repeat it once if the helper started too slowly. ``asking``: a person may be asked for a password.
        ``gives_up``: leave the bus if there is no answer; false for callers that share the client with a trial.
        """
        try:
            answer = self._reached().call_sync(*_addressed(call, asking=asking), cancellable)
        except GLib.Error as error:
            if again and starts_slowly(error):
                return self.wait(call, cancellable, again=False, asking=asking, gives_up=gives_up)
            if gives_up and (is_silent(error) or error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED)):
                self.leave()
            raise from_glib(error, call.silence) from error
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
        """Send a call without waiting; unless closed before, this thread's main loop calls ``done`` or ``failed``.

        Without a bus, ``failed`` is called immediately. ``again`` is as for ``wait``.
        """

        def answered(connection: Gio.DBusConnection, result: Gio.AsyncResult) -> None:
            if self._closed:
                return
            try:
                answer = call.read(connection.call_finish(result).unpack())
            except GLib.Error as error:
                if again and starts_slowly(error):
                    self.send(call, done, failed, cancellable, again=False)
                    return
                if is_silent(error):
                    self.leave()
                failed(from_glib(error, call.silence))
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
        """Once connected, report each disk that the helper changed, and each trial that ended, with the reason."""
        self._listeners = {"Changed": changed, "TrialEnded": trial_ended}

    @contextmanager
    def trial(self, disks: Disks, cancellable: Gio.Cancellable | None = None) -> Iterator[Trial]:
        """Hold disks for switching, and restore them on leaving, whatever happened.

        Authorisation is asked for once, at the beginning; everything but the end can be cancelled.
        """
        trial = Trial(self, disks, cancellable)
        over = Event()
        keeping = Thread(target=self._keep_alive, args=(trial, over), daemon=True)
        keeping.start()
        try:
            yield trial
        finally:
            over.set()
            keeping.join()
            trial.end()

    def _keep_alive(self, trial: Trial, over: Event) -> None:
        """Keep a trial alive during long measurements and pauses."""
        while not over.wait(self._keep_alive_s):
            if connection := self._connection:
                connection.call(*_addressed(trial.kept_alive), None, None)  # wants no answer

    def _reached(self) -> Gio.DBusConnection:
        if self._connection is None or self._connection.is_closed():  # by a bus that was restarted
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
    """A trial under way. The helper also ends it, restoring the disks, when its connection closes."""

    def __init__(self, client: HelperClient, disks: Disks, cancellable: Gio.Cancellable | None) -> None:
        self._client = client
        self._disks = disks
        self._cancellable = cancellable
        self._id = client.wait(begin_trial(disks), cancellable)

    def set(self, disk: str, scheduler: str, tunables: Tunables | None = None) -> None:
        """Set a scheduler and tunables (``queue/NAME``, ``iosched/NAME``) of a disk in the trial, all or none.

        Other tunables are as the scheduler alone would have left them at the trial's beginning. Raises ``NoSuchTrial``
        if the trial has ended, ``InvalidTunable`` for tunables that the helper refuses.
        """
        self._client.wait(set_trial(self._id, disk, scheduler, tunables), self._cancellable)

    @property
    def kept_alive(self) -> Call[None]:
        """The call that says that the trial is still wanted."""
        return keep_alive(self._id)

    def begin_again(self) -> None:
        """Begin again after the helper ended the trial. Raises ``Refused`` if that needs a password."""
        self._id = self._client.wait(begin_trial(self._disks), self._cancellable, asking=False)

    def end(self) -> None:
        """Restore the disks, logging failures. If the helper does not answer, leave the bus, which makes it restore."""
        try:
            self._client.wait(end_trial(self._id))
        except WriteFailed as error:
            log.warning("%s", error)
        except DisktunerError as error:
            self._client.close()
            if isinstance(error, HelperSilent):
                log.warning("%s", error)


def _addressed(call: Call[Any], *, asking: bool = True) -> tuple[Any, ...]:
    """Return the common first arguments of GDBus's two ways to call."""
    log.debug("call %s", call.method)
    arguments = GLib.Variant(call.types, call.arguments)
    flags = Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION if asking else Gio.DBusCallFlags.NONE
    limit_ms = _NO_LIMIT if call.limit_s is None else int(call.limit_s * 1000)
    return NAME, _OBJECT_PATH, NAME, call.method, arguments, None, flags, limit_ms
