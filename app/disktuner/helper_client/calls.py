# SPDX-License-Identifier: GPL-3.0-or-later
"""The asynchronous client: for a thread that runs GLib's main loop, as the window's own thread does."""

from __future__ import annotations

from collections.abc import Callable

from gi.repository import Gio, GLib

from disktuner.helper_client.connection import ASK, INTERFACE, NAME, NO_LIMIT, OBJECT_PATH
from disktuner.helper_client.errors import from_glib
from disktuner.helper_client.requests import Request, get_state
from disktuner.helper_client.state import State, parse_state
from disktuner.vocabulary.errors import DisktunerError

Done = Callable[[tuple[object, ...]], None]
Failed = Callable[[DisktunerError], None]


class HelperCalls:
    """Sends requests and calls back in the thread that made it; nothing blocks."""

    def __init__(self, connection: Gio.DBusConnection) -> None:
        self._connection = connection

    def call(self, request: Request, done: Done, failed: Failed, cancellable: Gio.Cancellable | None = None) -> None:
        """Send a request; exactly one of the two is called later."""

        def answered(connection: Gio.DBusConnection, result: Gio.AsyncResult) -> None:
            try:
                answer = connection.call_finish(result)
            except GLib.Error as error:
                failed(from_glib(error))
            else:
                done(tuple(answer.unpack()))

        self._connection.call(
            NAME, OBJECT_PATH, INTERFACE, request.method, request.variant, None, ASK, NO_LIMIT, cancellable, answered
        )

    def state(self, done: Callable[[State], None], failed: Failed) -> None:
        """Ask what the helper remembers."""

        def parse(answer: tuple[object, ...]) -> None:
            try:
                state = parse_state(str(answer[0]))
            except DisktunerError as error:
                failed(error)
            else:
                done(state)

        self.call(get_state(), parse, failed)

    def on_changed(self, changed: Callable[[str], None]) -> Callable[[], None]:
        """Call back with a disk's name whenever the helper changed it; returns how to stop that."""
        return self._subscribe("Changed", lambda values: changed(str(values[0])))

    def on_trial_ended(self, ended: Callable[[str, str], None]) -> Callable[[], None]:
        """Call back with a trial's id and the reason when one ended; returns how to stop that."""
        return self._subscribe("TrialEnded", lambda values: ended(str(values[0]), str(values[1])))

    def _subscribe(self, signal: str, heard: Done) -> Callable[[], None]:
        def received(*message: object) -> None:
            variant = message[5]
            assert isinstance(variant, GLib.Variant)
            heard(tuple(variant.unpack()))

        connection, none = self._connection, Gio.DBusSignalFlags.NONE
        number = connection.signal_subscribe(NAME, INTERFACE, signal, OBJECT_PATH, None, none, received)
        return lambda: connection.signal_unsubscribe(number)
