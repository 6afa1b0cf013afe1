# SPDX-License-Identifier: GPL-3.0-or-later
"""Sends the helper's calls: answers are called back in a main loop's thread, or waited for in any other."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any, TypeVar

from gi.repository import Gio, GLib

from disktuner.helper_client.calls import (
    Call,
    Disks,
    Tunables,
    begin_trial,
    end_trial,
    get_state,
    set_trial,
)
from disktuner.helper_client.errors import HelperSilent, WriteFailed, from_glib, is_silent, starts_slowly
from disktuner.vocabulary.errors import DisktunerError, HelperNotThere

log = logging.getLogger(__name__)

NAME = "org.disktuner.Helper1"
_OBJECT_PATH = "/org/disktuner/Helper1"
# People type passwords slowly: calls that may need one wait until they are answered or cancelled.
_NO_LIMIT = GLib.MAXINT
KEEP_ALIVE_S = 600.0
"""How often the helper is told that a trial goes on, which it ends after half an hour without a word."""

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
    that a busy computer starts slowly, they call once more. Whoever gives up waiting leaves the bus, so that the helper
    ends what was begun; the next call comes back to it.
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
        """Leave the bus: the helper ends what this connection began, and nothing is called back any more."""
        self._closed = True
        self.leave()

    def leave(self) -> None:
        """Leave the bus, to which the next call comes back."""
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

        ``again`` says whether it is sent once more where the helper started too slowly, ``asking`` whether a person may
        be asked for a password. ``gives_up`` is whether the bus is left where nothing is answered: not by who shares
        the client with a trial's holder.
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
        """Once the bus is reached: report each disk that the helper changed, and each trial that ended, with why."""
        self._listeners = {"Changed": changed, "TrialEnded": trial_ended}

    @contextmanager
    def trial(self, disks: Disks, cancellable: Gio.Cancellable | None = None) -> Iterator[Trial]:
        """Hold disks for switching; on leaving they are restored, whatever happened.

        Asks for the right to do so once, at the beginning; all but the end can be cancelled.
        """
        trial = Trial(self, disks, cancellable)
        over = Event()
        keeping = Thread(target=self._keep_alive, args=(over,), daemon=True)
        keeping.start()
        try:
            yield trial
        finally:
            over.set()
            keeping.join()
            trial.end()

    def _keep_alive(self, over: Event) -> None:
        """Have a word with the helper now and then: to be measured for long, or paused, does not end a trial."""
        while not over.wait(self._keep_alive_s):
            if connection := self._connection:
                connection.call(*_addressed(get_state()), None, None)  # wants no answer

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

    def __init__(self, client: HelperClient, disks: Disks, cancellable: Gio.Cancellable | None) -> None:
        self._client = client
        self._disks = disks
        self._cancellable = cancellable
        self._id = client.wait(begin_trial(disks), cancellable)

    def set(self, disk: str, scheduler: str, tunables: Tunables | None = None) -> None:
        """Set a scheduler and tunables (``queue/NAME``, ``iosched/NAME``) of one of the trial's disks; all or none.

        Tunables that are not named are as the scheduler alone would have left them at the trial's beginning. Raises
        ``NoSuchTrial`` when the trial has ended meanwhile, ``InvalidTunable`` for those that the helper refuses.
        """
        self._client.wait(set_trial(self._id, disk, scheduler, tunables), self._cancellable)

    def begin_again(self) -> None:
        """Begin anew where the helper has ended and restored it; nobody is asked: else raises ``Refused``."""
        self._id = self._client.wait(begin_trial(self._disks), self._cancellable, asking=False)

    def end(self) -> None:
        """Restore the disks, and log which could not be. Where no helper answers, leaving the bus makes it restore."""
        try:
            self._client.wait(end_trial(self._id))
        except WriteFailed as error:
            log.warning("%s", error)
        except DisktunerError as error:
            self._client.close()
            if isinstance(error, HelperSilent):
                log.warning("%s", error)


def _addressed(call: Call[Any], *, asking: bool = True) -> tuple[Any, ...]:
    """What both of GDBus's ways to call begin with."""
    log.debug("call %s", call.method)
    arguments = GLib.Variant(call.types, call.arguments)
    flags = Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION if asking else Gio.DBusCallFlags.NONE
    limit_ms = _NO_LIMIT if call.limit_s is None else int(call.limit_s * 1000)
    return NAME, _OBJECT_PATH, NAME, call.method, arguments, None, flags, limit_ms
