# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is still on the bus: callbacks for the moment when a caller's bus name goes."""

from __future__ import annotations

from collections.abc import Callable

from gi.repository import Gio, GLib

from disktuner_helper.trial import Stop

_BUS = "org.freedesktop.DBus"


class Presence:
    """Watches unique bus names; one subscription per name, for as long as anybody watches it.

    The subscription of a call goes on for the trial that the call begins, so a leaving between them is not missed.
    """

    def __init__(self, connection: Gio.DBusConnection) -> None:
        self._connection = connection
        self._watched: dict[str, tuple[int, list[Callable[[], None]]]] = {}

    def watch(self, sender: str, left: Callable[[], None]) -> Stop:
        """Call ``left`` once when the name goes; returns how to stop watching (harmless when done already)."""
        if sender not in self._watched:
            self._watched[sender] = (self._subscribe(sender), [])
        waiting = self._watched[sender][1]
        waiting.append(left)

        def stop() -> None:
            if left in waiting:
                waiting.remove(left)
            if not waiting:
                self._unsubscribe(sender)

        return stop

    def _subscribe(self, sender: str) -> int:
        flags = Gio.DBusSignalFlags.NONE
        return int(
            self._connection.signal_subscribe(
                _BUS, _BUS, "NameOwnerChanged", "/org/freedesktop/DBus", sender, flags, self._changed
            )
        )

    def _changed(
        self, _bus: Gio.DBusConnection, _from: str, _path: str, _interface: str, _signal: str, what: GLib.Variant
    ) -> None:
        name, _old, new = what.unpack()
        if new or name not in self._watched:
            return
        waiting = list(self._watched[name][1])
        self._unsubscribe(name)
        for left in waiting:
            left()

    def _unsubscribe(self, sender: str) -> None:
        subscription, waiting = self._watched.pop(sender, (0, []))
        waiting.clear()
        if subscription:
            self._connection.signal_unsubscribe(subscription)
